"""Strain-displacement matrix of a beam at a Gauss point: derivatives of the strains by one node's motion (compiled).

If a node's directors change by M (w x e_a), the derivative of the strains of `gauss_point` by w is

    Gamma: N v~,     v = M^T x'            K: (tr P - P)/2,     P = M^T T,   T_a = N' d_a - N d_a'

with N and N' the shape function and its slope of the node, v~ the matrix of v x and tr P the trace times the unit
matrix. If they change by M (phi x (omega x e_a)), the derivative by phi is

    Gamma: N [(omega.v) - v omega^T]       K: (n omega^T - l~)/2,    l = P^T omega,   n the axial vector of P.

An offset ``off`` of the reference line from the mass centre, in the node's axes, adds N' M (w x off) to x'. The
derivative of Gamma by the node's position is N' d_a. The terms of a node are N v and the columns of P: four times three
numbers, in tuples, which the compiler keeps in registers. Source: docs/explanation/theory.md, sections 5 and 6.
"""

from __future__ import annotations

from fem_mbd.core.compiled import kernel
from fem_mbd.core.compiled.vectors import cross, dot


@kernel
def _transposed_times(m, a, b, c):
    """m^T (a, b, c) of an array (3, 3)."""
    return (
        m[0, 0] * a + m[1, 0] * b + m[2, 0] * c,
        m[0, 1] * a + m[1, 1] * b + m[2, 1] * c,
        m[0, 2] * a + m[1, 2] * b + m[2, 2] * c,
    )


@kernel
def _column(y, m, shape, slope, a):
    """Column a, 1 to 3, of P."""
    return _transposed_times(
        m,
        slope * y[0, a] - shape * y[0, 3 + a],
        slope * y[1, a] - shape * y[1, 3 + a],
        slope * y[2, a] - shape * y[2, 3 + a],
    )


@kernel
def node_terms(y, m, shape, slope):
    """Terms of a node: N v and the columns of P, with y (3, 7) for z and m (3, 3) for M."""
    return (
        _transposed_times(m, shape * y[0, 0], shape * y[1, 0], shape * y[2, 0]),
        _column(y, m, shape, slope, 1),
        _column(y, m, shape, slope, 2),
        _column(y, m, shape, slope, 3),
    )


@kernel
def _sum(a, factor, b):
    return a[0] + factor * b[0], a[1] + factor * b[1], a[2] + factor * b[2]


@kernel
def add_scaled(a, factor, b):
    """a + factor b of terms of a node."""
    return (
        _sum(a[0], factor, b[0]),
        _sum(a[1], factor, b[1]),
        _sum(a[2], factor, b[2]),
        _sum(a[3], factor, b[3]),
    )


@kernel
def set_rotation_columns(by, out, first, col):
    """out[first:first+6, col:col+3] = derivative of the strains by w; ``by``: `node_terms`."""
    v, p1, p2, p3 = by
    trace = p1[0] + p2[1] + p3[2]
    out[first, col], out[first, col + 1], out[first, col + 2] = 0.0, -v[2], v[1]
    out[first + 1, col], out[first + 1, col + 1], out[first + 1, col + 2] = v[2], 0.0, -v[0]
    out[first + 2, col], out[first + 2, col + 1], out[first + 2, col + 2] = -v[1], v[0], 0.0
    out[first + 3, col] = 0.5 * (trace - p1[0])
    out[first + 3, col + 1] = -0.5 * p2[0]
    out[first + 3, col + 2] = -0.5 * p3[0]
    out[first + 4, col] = -0.5 * p1[1]
    out[first + 4, col + 1] = 0.5 * (trace - p2[1])
    out[first + 4, col + 2] = -0.5 * p3[1]
    out[first + 5, col] = -0.5 * p1[2]
    out[first + 5, col + 1] = -0.5 * p2[2]
    out[first + 5, col + 2] = 0.5 * (trace - p3[2])


@kernel
def _add_row(x, factor, out, row, col):
    out[row, col] += factor * x[0]
    out[row, col + 1] += factor * x[1]
    out[row, col + 2] += factor * x[2]


@kernel
def add_rate_columns(by, omega, out, first, col):
    """out[first:first+6, col:col+3] += derivative by phi of a change M (phi x (omega x e_a)); omega three numbers."""
    v, p1, p2, p3 = by
    along, l0, l1, l2 = dot(omega, v), dot(omega, p1), dot(omega, p2), dot(omega, p3)
    _add_row(omega, -v[0], out, first, col)
    _add_row(omega, -v[1], out, first + 1, col)
    _add_row(omega, -v[2], out, first + 2, col)
    out[first, col] += along
    out[first + 1, col + 1] += along
    out[first + 2, col + 2] += along
    n0, n1, n2 = p2[2] - p3[1], p3[0] - p1[2], p1[1] - p2[0]
    _add_row((n0 * omega[0], n0 * omega[1] + l2, n0 * omega[2] - l1), 0.5, out, first + 3, col)
    _add_row((n1 * omega[0] - l2, n1 * omega[1], n1 * omega[2] + l0), 0.5, out, first + 4, col)
    _add_row((n2 * omega[0] + l1, n2 * omega[1] - l0, n2 * omega[2]), 0.5, out, first + 5, col)


@kernel
def add_offset_columns(y, m, slope, off, out, first, col):
    """out[first:first+3, col:col+3] += derivative by w due to the offset ``off`` (three numbers) of the reference line.

    With omega x off instead of off it is the derivative by phi of a change M (phi x (omega x e_a)).
    """
    for a in range(3):
        d = _transposed_times(m, y[0, 1 + a], y[1, 1 + a], y[2, 1 + a])
        _add_row(cross(off, d), slope, out, first + a, col)


@kernel
def set_position_columns(y, slope, out, first, col):
    """out[first:first+3, col:col+3] = derivative of Gamma by the node's position; y (3, 7) for z."""
    for a in range(3):
        for i in range(3):
            out[first + a, col + i] = slope * y[i, 1 + a]
