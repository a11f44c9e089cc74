"""Maps between the 12 unknowns of a node and its ambient vectors, pull-back of forces, wrench over a step; compiled.

Unknowns of a node over a step, ``x = [a, b, c, e]`` (3 each): a = dt v_g (the displacement), b = dt Omega_g,
c = dt dv, e = dt dOmega; v and positions in global axes, Omega in the node's own (material) axes.
The ambient vector of a node is q = (u, d_1, d_2, d_3): mass centre and directors, stored as (4, 3).

    theta = (1 + mu |b|^2) b + 2 mu b x e           R_f = R_i cay(theta)
    q_f - q_i = W_m (a, b, c, e)                    p = dt q'_f = W_f (a, b, c, e)

With mu = (tan(|b|/2)/(|b|/2) - 1)/|b|^2, about 1/12, rotation at a constant angular velocity is exact, and that at one
which changes linearly is so to the first order in e (2 mu b x e is the Magnus term): any |b| below half a turn. Both
identities hold exactly, which makes every discrete work identity exact.
``W_m``, ``W_f`` (3, 3, 6): [director, component, column of (b, e)]; ``D_q``, ``D_p`` likewise are the derivatives of
q_f and p. The maps of u are identities (a; a and c) and are not stored.
Source: docs/explanation/theory.md, sections 1 and 3.

All functions are generic in the type of ``x`` so that tangents can be checked, and contacts differentiated, by
complex step. Three-vectors and matrices are written out as numbers, or tuples of numbers, where this is faster.

`pull_back` maps ambient forces to the rows of a node. Constant forces give other rows when the node rotates:
`pull_back_derivative`, a node's part of the geometric stiffness. Symbols there: v~ is the matrix of v x, e_a a unit
vector, tr the trace times the unit matrix.

`wrench_at` gives force and moment on a node within a step from its generalised forces. The rows (r_a, r_b, r_c, r_e)
are the first two moments over the step, s from -1 to 1, of the force F (global axes) and of the moment T about the mass
centre (node axes); without dt^2

    r_a = mean of F    r_c = mean of s F    r_b = mean of T    r_e = mean of s T

so that F = r_a + 3 s r_c, T = r_b + 3 s r_e within it, and the mean of F is the impulse of the step over dt, exactly.
About a point at o (node axes) the moment is R T - (R o) x F, R being the rotation at s: means are taken by Simpson's
rule over start, middle and end of the step, fourth order in the rotation of the step, exact where nothing turns.
"""

from __future__ import annotations

from fem_mbd.core.compiled import kernel
from fem_mbd.core.compiled.vectors import cross, dot

# mu as a fraction of polynomials in s = |b|^2: the ninth convergent of Lambert's continued fraction of tan(|b|/2).
# Angles are exact to round-off for |b| < 2 and to 4e-13 rad for |b| < 3.1.
_N1, _N2, _N3 = -1 / 680, 1 / 171360, -1 / 200491200
_D1, _D2, _D3, _D4 = -2 / 17, 7 / 4080, -1 / 159120, 1 / 196035840


@kernel
def rotation_factor(s):
    """mu (tan(h)/h - 1)/s with h = sqrt(s)/2, of s = |b|^2 (rad^2): (1 + mu s) b rotates by |b| in the Cayley map."""
    numerator = 1 / 12 + s * (_N1 + s * (_N2 + s * _N3))
    return numerator / (1 + s * (_D1 + s * (_D2 + s * (_D3 + s * _D4))))


@kernel
def rotation_factor_rate(s):
    """`rotation_factor` and its derivative by s."""
    numerator = 1 / 12 + s * (_N1 + s * (_N2 + s * _N3))
    denominator = 1 + s * (_D1 + s * (_D2 + s * (_D3 + s * _D4)))
    mu = numerator / denominator
    of_numerator = _N1 + s * (2 * _N2 + s * 3 * _N3)
    of_denominator = _D1 + s * (2 * _D2 + s * (3 * _D3 + s * 4 * _D4))
    return mu, (of_numerator - mu * of_denominator) / denominator


@kernel
def _cayley_vector(x):
    """theta (three numbers) and 1 / (1 + |theta|^2/4)."""
    b0, b1, b2 = x[3], x[4], x[5]
    e0, e1, e2 = x[9], x[10], x[11]
    s = b0 * b0 + b1 * b1 + b2 * b2
    mu = rotation_factor(s)
    k, m = 1 + mu * s, 2 * mu
    t0 = k * b0 + m * (b1 * e2 - b2 * e1)
    t1 = k * b1 + m * (b2 * e0 - b0 * e2)
    t2 = k * b2 + m * (b0 * e1 - b1 * e0)
    return t0, t1, t2, 1 / (1 + 0.25 * (t0 * t0 + t1 * t1 + t2 * t2))


@kernel
def node_configuration(x, r_i, q_i, q_f, p, r_f):
    """Fill q_f (4, 3), p (4, 3) and R_f (3, 3) from the unknowns x (12,) and the start R_i, q_i."""
    b0, b1, b2 = x[3], x[4], x[5]
    e0, e1, e2 = x[9], x[10], x[11]
    t0, t1, t2, c = _cayley_vector(x)
    h = 0.5 * c
    c00 = 1 - h * (t1 * t1 + t2 * t2)
    c11 = 1 - h * (t0 * t0 + t2 * t2)
    c22 = 1 - h * (t0 * t0 + t1 * t1)
    c01 = h * t0 * t1 - c * t2
    c10 = h * t0 * t1 + c * t2
    c02 = h * t0 * t2 + c * t1
    c20 = h * t0 * t2 - c * t1
    c12 = h * t1 * t2 - c * t0
    c21 = h * t1 * t2 + c * t0
    w0, w1, w2 = b0 + e0, b1 + e1, b2 + e2
    for i in range(3):
        f0 = r_i[i, 0] * c00 + r_i[i, 1] * c10 + r_i[i, 2] * c20
        f1 = r_i[i, 0] * c01 + r_i[i, 1] * c11 + r_i[i, 2] * c21
        f2 = r_i[i, 0] * c02 + r_i[i, 1] * c12 + r_i[i, 2] * c22
        r_f[i, 0], r_f[i, 1], r_f[i, 2] = f0, f1, f2
        q_f[0, i] = q_i[0, i] + x[i]
        p[0, i] = x[i] + x[6 + i]
        q_f[1, i], q_f[2, i], q_f[3, i] = f0, f1, f2
        p[1, i] = f1 * w2 - f2 * w1
        p[2, i] = f2 * w0 - f0 * w2
        p[3, i] = f0 * w1 - f1 * w0


@kernel
def _turned_rows(x, r_i, r_f, i):
    """Row i of S = Rbar (I - mu b~^2 - 2 mu e~) and of Y = 2 mu Rbar b~, three numbers each."""
    b0, b1, b2 = x[3], x[4], x[5]
    e0, e1, e2 = x[9], x[10], x[11]
    square = b0 * b0 + b1 * b1 + b2 * b2
    mu = rotation_factor(square)
    d, m = 1 + mu * square, 2 * mu
    m0 = 0.5 * (r_i[i, 0] + r_f[i, 0])
    m1 = 0.5 * (r_i[i, 1] + r_f[i, 1])
    m2 = 0.5 * (r_i[i, 2] + r_f[i, 2])
    mb = mu * (m0 * b0 + m1 * b1 + m2 * b2)
    s = (
        d * m0 - mb * b0 - m * (m1 * e2 - m2 * e1),
        d * m1 - mb * b1 - m * (m2 * e0 - m0 * e2),
        d * m2 - mb * b2 - m * (m0 * e1 - m1 * e0),
    )
    return s, (m * (m1 * b2 - m2 * b1), m * (m2 * b0 - m0 * b2), m * (m0 * b1 - m1 * b0))


@kernel
def variation_maps(x, r_i, r_f, w_m, w_f):
    """Fill W_m, W_f (3, 3, 6): a director changes by W_m (b, e) in the step, at the rate W_f (b, e) / dt at its end."""
    for i in range(3):
        (s0, s1, s2), (y0, y1, y2) = _turned_rows(x, r_i, r_f, i)
        f0, f1, f2 = r_f[i, 0], r_f[i, 1], r_f[i, 2]
        # w x e_1 = w_3 e_2 - w_2 e_3 and so on, cyclic
        w_m[0, i, 0], w_m[0, i, 1], w_m[0, i, 2] = 0.0, -s2, s1
        w_m[0, i, 3], w_m[0, i, 4], w_m[0, i, 5] = 0.0, -y2, y1
        w_m[1, i, 0], w_m[1, i, 1], w_m[1, i, 2] = s2, 0.0, -s0
        w_m[1, i, 3], w_m[1, i, 4], w_m[1, i, 5] = y2, 0.0, -y0
        w_m[2, i, 0], w_m[2, i, 1], w_m[2, i, 2] = -s1, s0, 0.0
        w_m[2, i, 3], w_m[2, i, 4], w_m[2, i, 5] = -y1, y0, 0.0
        w_f[0, i, 0], w_f[0, i, 1], w_f[0, i, 2] = 0.0, -f2, f1
        w_f[0, i, 3], w_f[0, i, 4], w_f[0, i, 5] = 0.0, -f2, f1
        w_f[1, i, 0], w_f[1, i, 1], w_f[1, i, 2] = f2, 0.0, -f0
        w_f[1, i, 3], w_f[1, i, 4], w_f[1, i, 5] = f2, 0.0, -f0
        w_f[2, i, 0], w_f[2, i, 1], w_f[2, i, 2] = -f1, f0, 0.0
        w_f[2, i, 3], w_f[2, i, 4], w_f[2, i, 5] = -f1, f0, 0.0


@kernel
def spin_derivative(x, g):
    """Fill g (3, 6): the material spin phi of R_f (dR_f = R_f phi~) is g (db, de)."""
    b0, b1, b2 = x[3], x[4], x[5]
    e0, e1, e2 = x[9], x[10], x[11]
    s = b0 * b0 + b1 * b1 + b2 * b2
    mu, rate = rotation_factor_rate(s)
    k, m = 1 + mu * s, 2 * mu
    t0, t1, t2, c = _cayley_vector(x)
    # d theta / d(b, e) = [(1 + mu s) I - 2 mu e~ + 2 z b^T, 2 mu b~] with z = d theta/ds at constant b and e
    z0 = (mu + rate * s) * b0 + 2 * rate * (b1 * e2 - b2 * e1)
    z1 = (mu + rate * s) * b1 + 2 * rate * (b2 * e0 - b0 * e2)
    z2 = (mu + rate * s) * b2 + 2 * rate * (b0 * e1 - b1 * e0)
    for j in range(6):
        if j < 3:
            bj = 2 * x[3 + j]
            y0, y1, y2 = bj * z0, bj * z1, bj * z2
        else:
            y0, y1, y2 = 0.0 * b0, 0.0 * b0, 0.0 * b0
        if j == 0:
            y0, y1, y2 = y0 + k, y1 - m * e2, y2 + m * e1
        elif j == 1:
            y0, y1, y2 = y0 + m * e2, y1 + k, y2 - m * e0
        elif j == 2:
            y0, y1, y2 = y0 - m * e1, y1 + m * e0, y2 + k
        elif j == 3:
            y1, y2 = m * b2, -m * b1
        elif j == 4:
            y0, y2 = -m * b2, m * b0
        else:
            y0, y1 = m * b1, -m * b0
        g[0, j] = c * (y0 - 0.5 * (t1 * y2 - t2 * y1))
        g[1, j] = c * (y1 - 0.5 * (t2 * y0 - t0 * y2))
        g[2, j] = c * (y2 - 0.5 * (t0 * y1 - t1 * y0))


@kernel
def trial_maps(x, r_f, g, d_q, d_p):
    """Fill D_q, D_p (3, 3, 6), derivatives of the directors of q_f and p w.r.t. (b, e); g from `spin_derivative`."""
    w0, w1, w2 = x[3] + x[9], x[4] + x[10], x[5] + x[11]
    for j in range(6):
        g0, g1, g2 = g[0, j], g[1, j], g[2, j]
        gw = g0 * w0 + g1 * w1 + g2 * w2
        k = j % 3
        for i in range(3):
            f0, f1, f2 = r_f[i, 0], r_f[i, 1], r_f[i, 2]
            d_q[0, i, j] = f1 * g2 - f2 * g1
            d_q[1, i, j] = f2 * g0 - f0 * g2
            d_q[2, i, j] = f0 * g1 - f1 * g0
            # g x (w x e_a) = w g_a - e_a (g . w)
            fw = f0 * w0 + f1 * w1 + f2 * w2
            d_p[0, i, j] = fw * g0 - f0 * gw
            d_p[1, i, j] = fw * g1 - f1 * gw
            d_p[2, i, j] = fw * g2 - f2 * gw
            if k == 0:
                d_p[1, i, j] += f2
                d_p[2, i, j] -= f1
            elif k == 1:
                d_p[0, i, j] -= f2
                d_p[2, i, j] += f0
            else:
                d_p[0, i, j] += f1
                d_p[1, i, j] -= f0


@kernel
def _turning(a, force, i):
    """Part of component i of forces on the directors in the sum of e_a x (M^T Q_a); a: row i of M, force (4, 3)."""
    f1, f2, f3 = force[1, i], force[2, i], force[3, i]
    return a[2] * f2 - a[1] * f3, a[0] * f3 - a[2] * f1, a[1] * f1 - a[0] * f2


@kernel
def pull_back(x, r_i, r_f, force_m, force_f, rows):
    """Add to rows (12,) the generalised forces of the ambient forces Q_m and Q_f, each (4, 3), on one node.

    They are W_m^T Q_m + W_f^T Q_f, without the maps.
    """
    for i in range(3):
        rows[i] += force_m[0, i] + force_f[0, i]
        rows[6 + i] += force_f[0, i]
        s, y = _turned_rows(x, r_i, r_f, i)
        on_b, on_e = _turning(s, force_m, i), _turning(y, force_m, i)
        on_f = _turning((r_f[i, 0], r_f[i, 1], r_f[i, 2]), force_f, i)
        for j in range(3):
            rows[3 + j] += on_b[j] + on_f[j]
            rows[9 + j] += on_e[j] + on_f[j]


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


INSTANTS = 3
WEIGHTS = (1.0 / 6.0, 4.0 / 6.0, 1.0 / 6.0)  # Simpson's rule


@kernel
def _turned(r, t0, t1, t2, c, out):
    """out (3, 3) = r cay(t), c = 1 / (1 + |t|^2/4)."""
    for i in range(3):
        a0, a1, a2 = r[i, 1] * t2 - r[i, 2] * t1, r[i, 2] * t0 - r[i, 0] * t2, r[i, 0] * t1 - r[i, 1] * t0
        out[i, 0] = r[i, 0] + c * (a0 + 0.5 * (a1 * t2 - a2 * t1))
        out[i, 1] = r[i, 1] + c * (a1 + 0.5 * (a2 * t0 - a0 * t2))
        out[i, 2] = r[i, 2] + c * (a2 + 0.5 * (a0 * t1 - a1 * t0))


@kernel
def rotations_of_step(x, r_f, half, out):
    """Fill out (3, 3, 3), rotations of a node at start, middle and end of a step, from x (12,) and that at the end.

    half (12,) is scratch. The middle is the scheme's map over half the step: b_s = (b - e)/2 + e/4, e_s = e/4.
    """
    t0, t1, t2, c = _cayley_vector(x)
    _turned(r_f, -t0, -t1, -t2, c, out[0])
    for i in range(3):
        half[3 + i], half[9 + i] = 0.5 * x[3 + i] - 0.25 * x[9 + i], 0.25 * x[9 + i]
    t0, t1, t2, c = _cayley_vector(half)
    _turned(out[0], t0, t1, t2, c, out[1])
    for i in range(3):
        for j in range(3):
            out[2, i, j] = r_f[i, j]


@kernel
def wrench_at(rows, offset, r, instant, out):
    """Fill out (6,): force and moment about a point, global axes, at start, middle or end (0, 1, 2) of a step.

    rows (12,) of a node, offset (3,) of the point from its mass centre in node axes, r (3, 3) its rotation there.
    """
    s = 3.0 * (instant - 1)
    for i in range(3):
        out[i] = rows[i] + s * rows[6 + i]
        out[3 + i] = 0.0
        for j in range(3):
            out[3 + i] += r[i, j] * (rows[3 + j] + s * rows[9 + j])
    a0 = r[0, 0] * offset[0] + r[0, 1] * offset[1] + r[0, 2] * offset[2]
    a1 = r[1, 0] * offset[0] + r[1, 1] * offset[1] + r[1, 2] * offset[2]
    a2 = r[2, 0] * offset[0] + r[2, 1] * offset[1] + r[2, 2] * offset[2]
    out[3] -= a1 * out[2] - a2 * out[1]
    out[4] -= a2 * out[0] - a0 * out[2]
    out[5] -= a0 * out[1] - a1 * out[0]
