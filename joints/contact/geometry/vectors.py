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
def carried(v, n_from, n_to):
    """A tangent vector v turned by the smallest rotation that takes the unit normal n_from to n_to: three numbers.

    On vectors of the plane it acts like the reflection that takes n_from to -n_to. That keeps their length however
    inexact its mirror is, as it is for normals that are almost opposite: of a ball that crosses its socket in a step.
    """
    mirror = n_to[0] + n_from[0], n_to[1] + n_from[1], n_to[2] + n_from[2]
    along = 2.0 * dot(mirror, v) / (dot(mirror, mirror) + TINY)
    return v[0] - along * mirror[0], v[1] - along * mirror[1], v[2] - along * mirror[2]


@bare_kernel
def carry(z, n_from, n_to):
    """Replace the tangent vectors z (nz, 3) by those that `carried` gives."""
    for k in range(z.shape[0]):
        z[k, 0], z[k, 1], z[k, 2] = carried(z[k], n_from, n_to)
