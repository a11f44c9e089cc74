"""Maps between the 12 unknowns of a node and its ambient vectors, and the pull-back of forces, compiled.

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

All functions are generic in the type of ``x`` so that tangents can be checked, and contacts differentiated, by
complex step. Three-vectors are written out as scalars where this is faster. Derivative of the pull-back:
`node_map_derivative`. Source: docs/explanation/theory.md, sections 1 and 3.
"""

from __future__ import annotations

from fem_mbd.core.compiled import kernel

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
