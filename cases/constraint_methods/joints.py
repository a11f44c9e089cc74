"""Constraints of ideal joints as quadratic forms, for `RigidSystem`; body axes, m.

A vector form (3, x) gives a vector in global axes from the bodies' vectors x; the dot product of two is a constraint.
"""

from __future__ import annotations

import numpy as np

from fem_mbd.base.arrays import Array
from fem_mbd.cases.constraint_methods.rigid_system import VECTORS, Row

UNITS = np.eye(3)


class Forms:
    """Vector forms of ``bodies`` bodies and the ground, which has index 0."""

    def __init__(self, bodies: int) -> None:
        self.size = 3 * VECTORS * (bodies + 1)

    def direction(self, body: int, vector: Array) -> Array:
        """(3, x) a vector (3,) fixed to a body."""
        return self._combination(body, (0.0, *vector))

    def point(self, body: int, arm: Array) -> Array:
        """(3, x) a point of a body, by its arm (3,) from the mass centre."""
        return self._combination(body, (1.0, *arm))

    def _combination(self, body: int, weights: tuple[float, ...]) -> Array:
        out = np.zeros((3, self.size // 3, 3))
        for k, weight in enumerate(weights):
            out[:, VECTORS * body + k] = weight * UNITS
        return out.reshape(3, self.size)

    def coincide(self, a: Array, b: Array) -> list[Row]:
        """Three constraints: two points coincide."""
        empty = np.zeros((self.size, self.size))
        return [Row(line, empty) for line in a - b]

    def normal(self, a: Array, b: Array) -> Row:
        """Constraint: two vectors are orthogonal."""
        product = a.T @ b
        return Row(np.zeros(self.size), product + product.T)
