"""Derivatives of a beam's measures at a Gauss point by one node's motion (compiled).

If a node's directors change by M (w x e_a), the derivatives by w of the measures of `gauss_point` are

    g: N v~,  v = M^T x'        k: (tr P - P)/2,  P = M^T T,  T_a = N' d_a - N d_a'
    l: 2 n x N M^T D n          t: sum over a of e_a x N M^T d_a

with N and N' the shape function and its slope of the node, v~ the matrix of v x, n the tangent of `gauss_point` and
tr P the trace times the unit matrix. If they change by M (phi x (omega x e_a)), the derivatives by phi are

    g: N [(omega.v) - v omega^T]                    k: (m omega^T - l~)/2,    l = P^T omega,   m the axial vector of P
    l: 2 [n (omega.w) - omega (n.w)], w = N M^T D n        t: e_a (omega.r_a) - omega (e_a.r_a), r_a = N M^T d_a

An offset ``off`` of the reference line from the mass centre, in the node's axes, adds N' M (w x off) to x'. The
derivative of g by the node's position is N' d_a, the others are zero. Everything follows from M^T z, linear in M and in
z. Rows of measures are in the order g, l, k, t. Source: docs/explanation/theory.md, sections 5 and 6.
"""

from __future__ import annotations

from fem_mbd.core.compiled import kernel
from fem_mbd.core.compiled.vectors import cross, dot


@kernel
def turn(m, y, out):
    """out (3, 7) = M^T z, with y (3, 7) for z and m (3, 3) for M."""
    for i in range(3):
        a, b, c, row = m[0, i], m[1, i], m[2, i], out[i]
        for v in range(7):
            row[v] = a * y[0, v] + b * y[1, v] + c * y[2, v]


@kernel
def turn_both(m, y, m2, y2, out):
    """out (3, 7) = M^T z of one matrix and point plus that of another."""
    for i in range(3):
        a, b, c, d, e, f, row = m[0, i], m[1, i], m[2, i], m2[0, i], m2[1, i], m2[2, i], out[i]
        for v in range(7):
            row[v] = a * y[0, v] + b * y[1, v] + c * y[2, v] + (d * y2[0, v] + e * y2[1, v] + f * y2[2, v])


@kernel
def _column(by, v, factor):
    return factor * by[0, v], factor * by[1, v], factor * by[2, v]


@kernel
def _node_terms(by, shape, slope):
    """N v, the columns of P, and r_1, r_2, r_3 from by (3, 7), M^T z."""
    d1, d2, d3 = _column(by, 1, 1.0), _column(by, 2, 1.0), _column(by, 3, 1.0)
    return (
        _column(by, 0, shape),
        (
            _of_curvature(by, 1, d1, shape, slope),
            _of_curvature(by, 2, d2, shape, slope),
            _of_curvature(by, 3, d3, shape, slope),
        ),
        (_column(by, 1, shape), _column(by, 2, shape), _column(by, 3, shape)),
    )


@kernel
def _of_curvature(by, a, d, shape, slope):
    """Column a of P."""
    return (
        slope * d[0] - shape * by[0, 3 + a],
        slope * d[1] - shape * by[1, 3 + a],
        slope * d[2] - shape * by[2, 3 + a],
    )


@kernel
def _tangent(axis, r):
    """N M^T D n; axis : n (3,) of an array."""
    r1, r2, r3 = r
    return (
        axis[0] * r1[0] + axis[1] * r2[0] + axis[2] * r3[0],
        axis[0] * r1[1] + axis[1] * r2[1] + axis[2] * r3[1],
        axis[0] * r1[2] + axis[1] * r2[2] + axis[2] * r3[2],
    )


@kernel
def set_rotation_columns(by, shape, slope, axis, out, col):
    """out[:, col:col+3] = derivatives of the measures by w; by (3, 7) : M^T z (`turn`)."""
    v, (p1, p2, p3), (r1, r2, r3) = _node_terms(by, shape, slope)
    trace = p1[0] + p2[1] + p3[2]
    out[0, col], out[0, col + 1], out[0, col + 2] = 0.0, -v[2], v[1]
    out[1, col], out[1, col + 1], out[1, col + 2] = v[2], 0.0, -v[0]
    out[2, col], out[2, col + 1], out[2, col + 2] = -v[1], v[0], 0.0
    along = cross(axis, _tangent(axis, (r1, r2, r3)))
    out[3, col], out[3, col + 1], out[3, col + 2] = 2.0 * along[0], 2.0 * along[1], 2.0 * along[2]
    out[4, col] = 0.5 * (trace - p1[0])
    out[4, col + 1] = -0.5 * p2[0]
    out[4, col + 2] = -0.5 * p3[0]
    out[5, col] = -0.5 * p1[1]
    out[5, col + 1] = 0.5 * (trace - p2[1])
    out[5, col + 2] = -0.5 * p3[1]
    out[6, col] = -0.5 * p1[2]
    out[6, col + 1] = -0.5 * p2[2]
    out[6, col + 2] = 0.5 * (trace - p3[2])
    out[7, col], out[7, col + 1], out[7, col + 2] = r2[2] - r3[1], r3[0] - r1[2], r1[1] - r2[0]


@kernel
def _add_row(x, factor, out, row, col):
    out[row, col] += factor * x[0]
    out[row, col + 1] += factor * x[1]
    out[row, col + 2] += factor * x[2]


@kernel
def add_rate_columns(by, shape, slope, axis, omega, out, col):
    """out[:, col:col+3] += derivatives by phi of a change M (phi x (omega x e_a)); omega three numbers."""
    v, (p1, p2, p3), (r1, r2, r3) = _node_terms(by, shape, slope)
    along, l0, l1, l2 = dot(omega, v), dot(omega, p1), dot(omega, p2), dot(omega, p3)
    _add_row(omega, -v[0], out, 0, col)
    _add_row(omega, -v[1], out, 1, col)
    _add_row(omega, -v[2], out, 2, col)
    out[0, col] += along
    out[1, col + 1] += along
    out[2, col + 2] += along
    w = _tangent(axis, (r1, r2, r3))
    _add_row(axis, 2.0 * dot(omega, w), out, 3, col)
    _add_row(omega, -2.0 * dot(axis, w), out, 3, col)
    n0, n1, n2 = p2[2] - p3[1], p3[0] - p1[2], p1[1] - p2[0]
    _add_row((n0 * omega[0], n0 * omega[1] + l2, n0 * omega[2] - l1), 0.5, out, 4, col)
    _add_row((n1 * omega[0] - l2, n1 * omega[1], n1 * omega[2] + l0), 0.5, out, 5, col)
    _add_row((n2 * omega[0] + l1, n2 * omega[1] - l0, n2 * omega[2]), 0.5, out, 6, col)
    _add_row((dot(omega, r1), dot(omega, r2), dot(omega, r3)), 1.0, out, 7, col)
    _add_row(omega, -(r1[0] + r2[1] + r3[2]), out, 7, col)


@kernel
def add_offset_columns(by, slope, off, out, col):
    """out[:3, col:col+3] += derivative of g by w due to the offset ``off`` (three numbers) of the reference line.

    by (3, 7) : M^T z. With omega x off instead of off it is the derivative by phi of a change M (phi x (omega x e_a)).
    """
    for a in range(3):
        _add_row(cross(off, _column(by, 1 + a, slope)), 1.0, out, a, col)


@kernel
def set_position_columns(y, slope, out, col):
    """out[:3, col:col+3] = derivative of g by the node's position; y (3, 7) for z."""
    for a in range(3):
        for i in range(3):
            out[a, col + i] = slope * y[i, 1 + a]
