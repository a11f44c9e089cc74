"""Derivative of the pull-back of ambient forces with respect to a node's motion, compiled.

`node_map.pull_back` maps ambient forces to the rows of a node; constant forces give other rows when the node rotates.
That is a node's part of the geometric stiffness. Three-vectors and matrices are tuples of numbers; v~ is
the matrix of v x, e_a a unit vector, tr the trace times the unit matrix. Source: theory.md, sections 1 and 3.
"""

from __future__ import annotations

from fem_mbd.core.compiled import kernel
from fem_mbd.core.compiled.vectors import cross, dot
from fem_mbd.core.scheme.nodes.node_map import rotation_factor_rate


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
def _by_spin(b, e, mu, on_f, c):
    """Derivatives of the rows b and e of `pull_back` w.r.t. the spin of R_f: two matrices, row by row.

    With columns of on_f = R_f^T Q_f and of c = R_f^T Q_m / 2, d = 1 + mu |b|^2, n = 2 mu, and m the axial vector of c:

        on_f - tr(on_f) + d (c - tr(c)) - mu b~ c^T b~ + n (e m^T - (c e)~),       on_f - tr(on_f) - n (b m^T - (c b)~).
    """
    d, n, m = 1 + mu * dot(b, b), 2 * mu, _axial(c)
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
            g0[0] + d * c[0][0] - s - mu * (b1 * u2[0] - b2 * u1[0]) + n * e[0] * m[0],
            g0[1] + d * c[0][1] - mu * (b1 * u2[1] - b2 * u1[1]) + n * (e[0] * m[1] + c_e[2]),
            g0[2] + d * c[0][2] - mu * (b1 * u2[2] - b2 * u1[2]) + n * (e[0] * m[2] - c_e[1]),
        ),
        (
            g1[0] + d * c[1][0] - mu * (b2 * u0[0] - b0 * u2[0]) + n * (e[1] * m[0] - c_e[2]),
            g1[1] + d * c[1][1] - s - mu * (b2 * u0[1] - b0 * u2[1]) + n * e[1] * m[1],
            g1[2] + d * c[1][2] - mu * (b2 * u0[2] - b0 * u2[2]) + n * (e[1] * m[2] + c_e[0]),
        ),
        (
            g2[0] + d * c[2][0] - mu * (b0 * u1[0] - b1 * u0[0]) + n * (e[2] * m[0] + c_e[1]),
            g2[1] + d * c[2][1] - mu * (b0 * u1[1] - b1 * u0[1]) + n * (e[2] * m[1] - c_e[0]),
            g2[2] + d * c[2][2] - s - mu * (b0 * u1[2] - b1 * u0[2]) + n * e[2] * m[2],
        ),
    )
    on_e = (
        (g0[0] - n * b0 * m[0], g0[1] - n * (b0 * m[1] + c_b[2]), g0[2] - n * (b0 * m[2] - c_b[1])),
        (g1[0] - n * (b1 * m[0] - c_b[2]), g1[1] - n * b1 * m[1], g1[2] - n * (b1 * m[2] + c_b[0])),
        (g2[0] - n * (b2 * m[0] + c_b[1]), g2[1] - n * (b2 * m[1] - c_b[0]), g2[2] - n * b2 * m[2]),
    )
    return on_b, on_e


@kernel
def _add_own(b, e, mu, rate, f, k):
    """Add to k (6, 6) the derivatives at a fixed rotation; columns of f are Rbar^T Q_m, rate: of mu by |b|^2."""
    f0, f1, f2 = f
    m, trace = _axial(f), f0[0] + f1[1] + f2[2]
    beta = (
        f0[0] * b[0] + f1[0] * b[1] + f2[0] * b[2],
        f0[1] * b[0] + f1[1] * b[1] + f2[1] * b[2],
        f0[2] * b[0] + f1[2] * b[1] + f2[2] * b[2],
    )
    h0, h1, h2 = cross(f0, b), cross(f1, b), cross(f2, b)
    k[0, 0] += 2 * mu * b[0] * m[0] - mu * h0[0]
    k[1, 0] += 2 * mu * b[0] * m[1] - mu * (h0[1] + beta[2])
    k[2, 0] += 2 * mu * b[0] * m[2] - mu * (h0[2] - beta[1])
    k[0, 1] += 2 * mu * b[1] * m[0] - mu * (h1[0] - beta[2])
    k[1, 1] += 2 * mu * b[1] * m[1] - mu * h1[1]
    k[2, 1] += 2 * mu * b[1] * m[2] - mu * (h1[2] + beta[0])
    k[0, 2] += 2 * mu * b[2] * m[0] - mu * (h2[0] + beta[1])
    k[1, 2] += 2 * mu * b[2] * m[1] - mu * (h2[1] - beta[0])
    k[2, 2] += 2 * mu * b[2] * m[2] - mu * h2[2]
    _add_to_corners(f0[0] - trace, f0[1], f0[2], 0, 2 * mu, k)
    _add_to_corners(f1[0], f1[1] - trace, f1[2], 1, 2 * mu, k)
    _add_to_corners(f2[0], f2[1], f2[2] - trace, 2, 2 * mu, k)
    # by mu: the sums of e_a x (2 e~ - b~^2) A and of e_a x (b x A) over the columns A of f
    fb = dot(f0, b), dot(f1, b), dot(f2, b)
    fe = dot(f0, e), dot(f1, e), dot(f2, e)
    turn, bm = cross(b, fb), dot(b, m)
    for i in range(3):
        on_b = bm * b[i] + turn[i] + 2 * (trace * e[i] - fe[i])
        on_e = -2 * (trace * b[i] - fb[i])
        for j in range(3):
            k[i, j] += 2 * rate * b[j] * on_b
            k[3 + i, j] += 2 * rate * b[j] * on_e


@kernel
def _add_to_corners(x, y, z, i, n, k):
    """Add n times row i of a matrix to the block (e, b) of k (6, 6), and subtract it from the block (b, e)."""
    k[3 + i, 0] += n * x
    k[3 + i, 1] += n * y
    k[3 + i, 2] += n * z
    k[i, 3] -= n * x
    k[i, 4] -= n * y
    k[i, 5] -= n * z


@kernel
def pull_back_derivative(x, r_i, r_f, g, force_m, force_f, k):
    """Add to k (6, 6) the derivative w.r.t. (b, e) of the rows (b, e) of `pull_back` at fixed ambient forces (4, 3).

    With A = Rbar^T Q_m and B = R_f^T Q_f of each director these rows are the sums of

        e_a x [(1 - mu b~^2 + 2 mu e~) A + B]        and        e_a x [B - 2 mu b x A].
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
    mu, rate = rotation_factor_rate(dot(b, b))
    _add_own(b, e, mu, rate, f, k)
    on_b, on_e = _by_spin(b, e, mu, _in_axes(r_f, force_f), c)
    for j in range(6):
        spin = g[0, j], g[1, j], g[2, j]
        k[0, j] += dot(on_b[0], spin)
        k[1, j] += dot(on_b[1], spin)
        k[2, j] += dot(on_b[2], spin)
        k[3, j] += dot(on_e[0], spin)
        k[4, j] += dot(on_e[1], spin)
        k[5, j] += dot(on_e[2], spin)
