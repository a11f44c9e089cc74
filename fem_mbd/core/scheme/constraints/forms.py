"""Quadratic forms of the vectors of two nodes, of which ideal joints consist.

A form lives on the eight ambient vectors y of a pair of nodes (K, L), y = (u, d_1, d_2, d_3)_K, (u, d_1, d_2, d_3)_L:

    psi(y) = 1/2 sum_AB h_AB y_A . y_B + sum_A l_A . y_A + c,        h (8, 8) symmetric, l (8, 3), c

Points, axes and their products are such forms, so a joint is a short list of them without hand-coded derivatives.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from fem_mbd.base.arrays import Array


@dataclass(frozen=True, eq=False)
class Form:
    """One quadratic form: h (8, 8) symmetric, l (8, 3), constant."""

    h: Array
    l: Array
    constant: float = 0.0

    def value(self, y: Array) -> float:
        """psi at the vectors y (8, 3)."""
        return float(
            0.5 * np.einsum("ab,ai,bi", self.h, y, y) + np.einsum("ai,ai", self.l, y) + self.constant
        )

    def gradient(self, y: Array) -> Array:
        """d psi / d y, (8, 3)."""
        return self.h @ y + self.l


@dataclass(frozen=True, eq=False)
class Vector:
    """A vector that is linear in y: sum_A weight_A y_A."""

    weight: Array

    def __sub__(self, other: Vector) -> Vector:
        return Vector(self.weight - other.weight)

    def dot(self, other: Vector, constant: float = 0.0) -> Form:
        """The scalar product of two vectors, plus a constant."""
        h = self.weight[:, None] * other.weight
        return Form(h + h.T, np.zeros((8, 3)), constant)

    def component(self, direction: ArrayLike, constant: float = 0.0) -> Form:
        """The component along a direction fixed in space (3,)."""
        return Form(np.zeros((8, 8)), self.weight[:, None] * np.asarray(direction, dtype=float), constant)


def point(body: int, offset: ArrayLike) -> Vector:
    """Position of a point of body 0 (K) or 1 (L); ``offset`` (3,) from its mass centre in its axes."""
    weight = np.zeros(8)
    weight[4 * body] = 1.0
    weight[4 * body + 1 : 4 * body + 4] = offset
    return Vector(weight)


def axis(body: int, direction: ArrayLike) -> Vector:
    """A direction (3,) fixed in the axes of body 0 (K) or 1 (L)."""
    weight = np.zeros(8)
    weight[4 * body + 1 : 4 * body + 4] = direction
    return Vector(weight)
