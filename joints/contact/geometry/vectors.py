"""Compiled algebra of vectors in space, generic in type: numbers may be complex for a derivative by complex step."""

from __future__ import annotations

import numpy as np

from fem_mbd.compiled import bare_kernel

TINY = 1e-300  # keeps 0/0 away where two points coincide


@bare_kernel
def add_point(q, arm, x, sign):
    """x (3,) += sign times the position of the point at ``arm`` of a node with ambient vectors q (4, 3)."""
    for i in range(3):
        x[i] += sign * (q[0, i] + arm[0] * q[1, i] + arm[1] * q[2, i] + arm[2] * q[3, i])


@bare_kernel
def cross(a, b):
    """a x b as three numbers; a and b are arrays (3,) or three numbers each."""
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


@bare_kernel
def dot(a, b):
    """a . b without conjugation; a and b as in `cross`."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@bare_kernel
def length(a):
    """Length of a, as in `cross`, without conjugation."""
    return np.sqrt(dot(a, a))


@bare_kernel
def remove_along(n, a):
    """Take from a (3,) its part along the unit vector n (3,)."""
    along = dot(a, n)
    for i in range(3):
        a[i] -= along * n[i]


@bare_kernel
def carry(z, n_from, n_to):
    """Turn the tangent vectors z (nz, 3) by the smallest rotation that takes the unit normal n_from to n_to.

    On vectors of the plane it acts like the reflection that takes n_from to -n_to. That keeps their length however
    inexact its mirror is, as it is for normals that are almost opposite: of a ball that crosses its socket in a step.
    """
    square = 0.0 * n_to[0] + TINY
    for i in range(3):
        square += (n_to[i] + n_from[i]) * (n_to[i] + n_from[i])
    for k in range(z.shape[0]):
        along = 0.0 * n_to[0]
        for i in range(3):
            along += (n_to[i] + n_from[i]) * z[k, i]
        for i in range(3):
            z[k, i] -= 2.0 * along / square * (n_to[i] + n_from[i])
