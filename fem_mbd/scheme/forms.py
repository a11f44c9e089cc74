"""Quadratic forms of the vectors of two nodes: the language in which ideal joints are written.

A form lives on the eight ambient vectors y of a pair of nodes (K, L), y = (u, d_1, d_2, d_3)_K, (u, d_1, d_2, d_3)_L:

    psi(y) = 1/2 sum_AB h_AB y_A . y_B + sum_A l_A . y_A + c,        h (8, 8) symmetric, l (8, 3), c

Points, axes and their products are such forms, so a joint is a short list of them and needs no derivatives by hand.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from fem_mbd.arrays import Array
from fem_mbd.compiled import bare_kernel
from fem_mbd.scheme.discrete_rule import Q_f, Q_m


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
        h = np.outer(self.weight, other.weight)
        return Form(h + h.T, np.zeros((8, 3)), constant)

    def component(self, direction: ArrayLike, constant: float = 0.0) -> Form:
        """The component along a direction fixed in space (3,)."""
        return Form(np.zeros((8, 8)), np.outer(self.weight, np.asarray(direction, dtype=float)), constant)


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


@bare_kernel
def pull_back_form(h_g, h_d, w_m, w_f, d_q, d_p, k, row, col, t_m, t_f):
    """k[row:row+12, col:col+12] += tangent of the discrete force of a form with stresses held.

    h_g, h_d (4, 4): the form contracted with s_g and s_d between the vectors (u, d_1..3) of a tested node (maps w_m,
    w_f) and of a moving one (d_q, d_p); t_m, t_f (3, 12) scratch. When q_f moves by dq_f, B moves by half of it in the
    mean and by all of it at the end and in the change; when p moves by dp, B(p) does.
    """
    for a in range(4):
        t_m[:] = 0.0
        t_f[:] = 0.0
        coupled = False
        for b in range(4):
            g, d = h_g[a, b], h_d[a, b]
            if g == 0.0 and d == 0.0:
                continue
            coupled = True
            m_q, m_p, f_q = Q_m(0.5, 0.0, g, d), Q_m(0.0, 1.0, g, d), Q_f(1.0, 1.0, g, d)
            for i in range(3):
                if b == 0:
                    t_m[i, i] += m_q + m_p
                    t_m[i, 6 + i] += m_p
                    t_f[i, i] += f_q
                else:
                    for j in range(3):
                        q, e = d_q[b - 1, i, j], d_q[b - 1, i, 3 + j]
                        t_m[i, 3 + j] += m_q * q + m_p * d_p[b - 1, i, j]
                        t_m[i, 9 + j] += m_q * e + m_p * d_p[b - 1, i, 3 + j]
                        t_f[i, 3 + j] += f_q * q
                        t_f[i, 9 + j] += f_q * e
        if not coupled:
            continue
        if a == 0:
            for i in range(3):
                for j in range(12):
                    k[row + i, col + j] += t_m[i, j] + t_f[i, j]
                    k[row + 6 + i, col + j] += t_f[i, j]
        else:
            for i in range(3):
                for r in range(3):
                    m_b, f_b = w_m[a - 1, i, r], w_f[a - 1, i, r]
                    m_e, f_e = w_m[a - 1, i, 3 + r], w_f[a - 1, i, 3 + r]
                    for j in range(12):
                        k[row + 3 + r, col + j] += m_b * t_m[i, j] + f_b * t_f[i, j]
                        k[row + 9 + r, col + j] += m_e * t_m[i, j] + f_e * t_f[i, j]
