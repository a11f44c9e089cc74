"""Vector kernels of contacts: points of bodies, tangent vectors and their transport; real or complex (compiled)."""

from __future__ import annotations

from fem_mbd.core.compiled import kernel
from fem_mbd.core.compiled.vectors import dot

TINY = 1e-300  # keeps 0/0 away where two points coincide


@kernel
def add_point(q, arm, x, sign):
    """x (3,) += sign times the position of the point at ``arm`` of a node with ambient vectors q (4, 3)."""
    for i in range(3):
        x[i] += sign * (q[0, i] + arm[0] * q[1, i] + arm[1] * q[2, i] + arm[2] * q[3, i])


@kernel
def apart(k, l, x_i, x_f):
    """Fill x_i and x_f (3,) with the position of L's point from K's at both ends of the step."""
    for i in range(3):
        x_i[i], x_f[i] = 0.0, 0.0
    add_point(l.q_i, l.arm, x_i, 1.0)
    add_point(k.q_i, k.arm, x_i, -1.0)
    add_point(l.q_f, l.arm, x_f, 1.0)
    add_point(k.q_f, k.arm, x_f, -1.0)


@kernel
def mean_axis(axis, body, out):
    """Fill out (3,) with an axis (3,) of a body's node, turned to the middle of the step."""
    for i in range(3):
        out[i] = 0.0
        for a in range(3):
            out[i] += 0.5 * axis[a] * (body.r_i[i, a] + body.r_f[i, a])


@kernel
def remove_along(n, a):
    """Take from a (3,) its part along the unit vector n (3,)."""
    along = dot(a, n)
    for i in range(3):
        a[i] -= along * n[i]


@kernel
def carried(v, n_from, n_to):
    """A tangent vector v turned by the smallest rotation that takes the unit normal n_from to n_to: three numbers.

    On vectors of the plane it acts like the reflection that takes n_from to -n_to. That keeps their length however
    inexact its mirror is, as it is for normals that are almost opposite: of a ball that crosses its socket in a step.
    """
    mirror = n_to[0] + n_from[0], n_to[1] + n_from[1], n_to[2] + n_from[2]
    along = 2.0 * dot(mirror, v) / (dot(mirror, mirror) + TINY)
    return v[0] - along * mirror[0], v[1] - along * mirror[1], v[2] - along * mirror[2]


@kernel
def carry(z, n_from, n_to):
    """Replace the tangent vectors z (nz, 3) by those that `carried` gives."""
    for k in range(z.shape[0]):
        z[k, 0], z[k, 1], z[k, 2] = carried(z[k], n_from, n_to)
