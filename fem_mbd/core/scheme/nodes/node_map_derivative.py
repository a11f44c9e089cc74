"""How the way back from ambient forces to a node's unknowns changes with the node's motion, compiled.

`node_map.pull_back` takes ambient forces to the rows of a node; forces that stay as they are give other rows when the
node turns. That is a node's part of the geometric stiffness. Three-vectors and matrices are tuples of numbers; v~ is
the matrix of v x, e_a a unit vector, tr the trace times the unit matrix. Source: theory.md, sections 1 and 3.
"""

from __future__ import annotations

from fem_mbd.core.compiled import kernel
from fem_mbd.core.compiled.vectors import cross, dot


@kernel
def _in_axes(r, force):
    """r^T Q of the forces Q on the three directors, ambient forces (4, 3) with Q for columns: a matrix, row by row."""
    return _in_axis(r, force, 0), _in_axis(r, force, 1), _in_axis(r, force, 2)


@kernel
def _in_axis(r, force, i):
    return (
        r[0, i] * force[1, 0] + r[1, i] * force[1, 1] + r[2, i] * force[1, 2],
        r[0, i] * force[2, 0] + r[1, i] * force[2, 1] + r[2, i] * force[2, 2],
        r[0, i] * force[3, 0] + r[1, i] * force[3, 1] + r[2, i] * force[3, 2],
    )


@kernel
def _axial(m):
    """Sum over a of e_a x (column a of m): the vector of m's skew part, twice."""
    return m[2][1] - m[1][2], m[0][2] - m[2][0], m[1][0] - m[0][1]


@kernel
def _by_spin(b, e, on_f, c):
    """Derivatives of the rows b and e of `pull_back` by the spin of R_f: two matrices, row by row.

    With columns of on_f = R_f^T Q_f and of c = R_f^T Q_m / 2, d = 1 + |b|^2/12 and m the axial vector of c they are

        on_f - tr(on_f) + d (c - tr(c)) - b~ c^T b~/12 + (e m^T - (c e)~)/6,       on_f - tr(on_f) - (b m^T - (c b)~)/6.
    """
    d, m = 1 + dot(b, b) / 12, _axial(c)
    c_e, c_b = (dot(c[0], e), dot(c[1], e), dot(c[2], e)), (dot(c[0], b), dot(c[1], b), dot(c[2], b))
    u0 = cross((c[0][0], c[1][0], c[2][0]), b)
    u1 = cross((c[0][1], c[1][1], c[2][1]), b)
    u2 = cross((c[0][2], c[1][2], c[2][2]), b)
    t, s = on_f[0][0] + on_f[1][1] + on_f[2][2], d * (c[0][0] + c[1][1] + c[2][2])
    f0, f1, f2 = on_f
    g0 = f0[0] - t, f0[1], f0[2]
    g1 = f1[0], f1[1] - t, f1[2]
    g2 = f2[0], f2[1], f2[2] - t
    b0, b1, b2 = b
    on_b = (
        (
            g0[0] + d * c[0][0] - s - (b1 * u2[0] - b2 * u1[0]) / 12 + e[0] * m[0] / 6,
            g0[1] + d * c[0][1] - (b1 * u2[1] - b2 * u1[1]) / 12 + (e[0] * m[1] + c_e[2]) / 6,
            g0[2] + d * c[0][2] - (b1 * u2[2] - b2 * u1[2]) / 12 + (e[0] * m[2] - c_e[1]) / 6,
        ),
        (
            g1[0] + d * c[1][0] - (b2 * u0[0] - b0 * u2[0]) / 12 + (e[1] * m[0] - c_e[2]) / 6,
            g1[1] + d * c[1][1] - s - (b2 * u0[1] - b0 * u2[1]) / 12 + e[1] * m[1] / 6,
            g1[2] + d * c[1][2] - (b2 * u0[2] - b0 * u2[2]) / 12 + (e[1] * m[2] + c_e[0]) / 6,
        ),
        (
            g2[0] + d * c[2][0] - (b0 * u1[0] - b1 * u0[0]) / 12 + (e[2] * m[0] + c_e[1]) / 6,
            g2[1] + d * c[2][1] - (b0 * u1[1] - b1 * u0[1]) / 12 + (e[2] * m[1] - c_e[0]) / 6,
            g2[2] + d * c[2][2] - s - (b0 * u1[2] - b1 * u0[2]) / 12 + e[2] * m[2] / 6,
        ),
    )
    on_e = (
        (g0[0] - b0 * m[0] / 6, g0[1] - (b0 * m[1] + c_b[2]) / 6, g0[2] - (b0 * m[2] - c_b[1]) / 6),
        (g1[0] - (b1 * m[0] - c_b[2]) / 6, g1[1] - b1 * m[1] / 6, g1[2] - (b1 * m[2] + c_b[0]) / 6),
        (g2[0] - (b2 * m[0] + c_b[1]) / 6, g2[1] - (b2 * m[1] - c_b[0]) / 6, g2[2] - b2 * m[2] / 6),
    )
    return on_b, on_e


@kernel
def _add_own(b, f, k):
    """Add to k (6, 6) the derivatives at a fixed rotation; columns of f are Rbar^T Q_m."""
    f0, f1, f2 = f
    m, trace = _axial(f), f0[0] + f1[1] + f2[2]
    beta = (
        f0[0] * b[0] + f1[0] * b[1] + f2[0] * b[2],
        f0[1] * b[0] + f1[1] * b[1] + f2[1] * b[2],
        f0[2] * b[0] + f1[2] * b[1] + f2[2] * b[2],
    )
    h0, h1, h2 = cross(f0, b), cross(f1, b), cross(f2, b)
    k[0, 0] += b[0] * m[0] / 6 - h0[0] / 12
    k[1, 0] += b[0] * m[1] / 6 - (h0[1] + beta[2]) / 12
    k[2, 0] += b[0] * m[2] / 6 - (h0[2] - beta[1]) / 12
    k[0, 1] += b[1] * m[0] / 6 - (h1[0] - beta[2]) / 12
    k[1, 1] += b[1] * m[1] / 6 - h1[1] / 12
    k[2, 1] += b[1] * m[2] / 6 - (h1[2] + beta[0]) / 12
    k[0, 2] += b[2] * m[0] / 6 - (h2[0] + beta[1]) / 12
    k[1, 2] += b[2] * m[1] / 6 - (h2[1] - beta[0]) / 12
    k[2, 2] += b[2] * m[2] / 6 - h2[2] / 12
    _add_to_corners(f0[0] - trace, f0[1], f0[2], 0, k)
    _add_to_corners(f1[0], f1[1] - trace, f1[2], 1, k)
    _add_to_corners(f2[0], f2[1], f2[2] - trace, 2, k)


@kernel
def _add_to_corners(x, y, z, i, k):
    """Add a sixth of row i of a matrix to the block of k (6, 6) of e by b, and take it from that of b by e."""
    k[3 + i, 0] += x / 6
    k[3 + i, 1] += y / 6
    k[3 + i, 2] += z / 6
    k[i, 3] -= x / 6
    k[i, 4] -= y / 6
    k[i, 5] -= z / 6


@kernel
def pull_back_derivative(x, r_i, r_f, g, force_m, force_f, k):
    """Add to k (6, 6) the derivative by (b, e) of the rows (b, e) of `pull_back` at fixed ambient forces (4, 3).

    With A = Rbar^T Q_m and B = R_f^T Q_f of each director these rows are the sums of

        e_a x [(1 - b~^2/12 + e~/6) A + B]        and        e_a x [B - b x A/6].
    """
    b, e = (x[3], x[4], x[5]), (x[9], x[10], x[11])
    s0, s1, s2 = _in_axes(r_i, force_m)
    e0, e1, e2 = _in_axes(r_f, force_m)
    c = (
        (0.5 * e0[0], 0.5 * e0[1], 0.5 * e0[2]),
        (0.5 * e1[0], 0.5 * e1[1], 0.5 * e1[2]),
        (0.5 * e2[0], 0.5 * e2[1], 0.5 * e2[2]),
    )
    f = (
        (0.5 * s0[0] + c[0][0], 0.5 * s0[1] + c[0][1], 0.5 * s0[2] + c[0][2]),
        (0.5 * s1[0] + c[1][0], 0.5 * s1[1] + c[1][1], 0.5 * s1[2] + c[1][2]),
        (0.5 * s2[0] + c[2][0], 0.5 * s2[1] + c[2][1], 0.5 * s2[2] + c[2][2]),
    )
    _add_own(b, f, k)
    on_b, on_e = _by_spin(b, e, _in_axes(r_f, force_f), c)
    for j in range(6):
        spin = g[0, j], g[1, j], g[2, j]
        k[0, j] += dot(on_b[0], spin)
        k[1, j] += dot(on_b[1], spin)
        k[2, j] += dot(on_b[2], spin)
        k[3, j] += dot(on_e[0], spin)
        k[4, j] += dot(on_e[1], spin)
        k[5, j] += dot(on_e[2], spin)
