"""Compiled tangent of the beam element: material part by strain rows, geometric part by extrapolated stresses.

With E_f = B(z_f) D_q, E_p = B(z_p) D_q + B(z_f) D_p and, by the same rule, A_g, A_d the rows conjugate to s_g and ds,

    K = dt^2 sum_gauss w [ A_g^T C (4 E_f - E_p)/6 + A_d^T C (2 E_f + E_p)/6 ] + geometric,

each (6, 12 nn). In the geometric part the strain form acts on pairs of vectors component by component, so a (4, 4)
matrix per pair of nodes holds all of it. It uses the linearly extrapolated stresses of the previous iterate: with
the current ones, Newton diverges for stiff axial or shear strains. Source: docs/theory.md, section 6.
"""

from __future__ import annotations

import numpy as np

from fem_mbd.compiled import kernel
from fem_mbd.elements.beam_kernels import discrete_force, interpolate, spread
from fem_mbd.forms import pull_back_form


@kernel
def _combine(y, w, a, row, out, col):
    """out[row, columns of (b, e)] += y . w[a] with y (3,), w (3, 3, 6); (b, e) stand at col + 3 and col + 9."""
    y0, y1, y2 = y[0], y[1], y[2]
    for j in range(3):
        out[row, col + 3 + j] += y0 * w[a, 0, j] + y1 * w[a, 1, j] + y2 * w[a, 2, j]
        out[row, col + 9 + j] += y0 * w[a, 0, 3 + j] + y1 * w[a, 1, 3 + j] + y2 * w[a, 2, 3 + j]


@kernel
def _add_strain_rows(z, s, d, off, w, scale, rows, col, on_a, on_c, y):
    """rows (6, 12 nn) += scale B(z) applied to the map w of one node's directors; its u moves with on_a a + on_c c.

    s, d: shape function and slope of the node; off (3,) its offset; y (3,) scratch.
    """
    has_offset = off[0] != 0.0 or off[1] != 0.0 or off[2] != 0.0
    for a in range(3):
        b, c = (a + 1) % 3, (a + 2) % 3
        for i in range(3):
            g = scale * d * z[1 + a, i]
            rows[a, col + i] += on_a * g
            rows[a, col + 6 + i] += on_c * g
        for i in range(3):
            y[i] = scale * s * z[0, i]
        _combine(y, w, a, a, rows, col)
        if has_offset:
            for k in range(3):
                for i in range(3):
                    y[i] = scale * d * off[k] * z[1 + a, i]
                _combine(y, w, k, a, rows, col)
        for i in range(3):
            y[i] = 0.5 * scale * (d * z[1 + c, i] - s * z[4 + c, i])
        _combine(y, w, b, 3 + a, rows, col)
        for i in range(3):
            y[i] = 0.5 * scale * (s * z[4 + b, i] - d * z[1 + b, i])
        _combine(y, w, c, 3 + a, rows, col)


@kernel
def _add_geometric(element, gauss, s_g, s_d, weight, h_g, h_d):
    """h_g, h_d (nn, nn, 4, 4) += strain form contracted with the stresses, between the nodes' vectors (u, d_1..3)."""
    nn = element.nodes.shape[0]
    for n in range(nn):
        for m in range(nn):
            dn = element["slope"][gauss, n] * element["shape"][gauss, m]
            nd = element["shape"][gauss, n] * element["slope"][gauss, m]
            for a in range(3):
                b, c = (a + 1) % 3, (a + 2) % 3
                g, d = weight * s_g[a], weight * s_d[a]
                h_g[n, m, 0, 1 + a] += g * dn
                h_d[n, m, 0, 1 + a] += d * dn
                h_g[n, m, 1 + a, 0] += g * nd
                h_d[n, m, 1 + a, 0] += d * nd
                for k in range(3):
                    off_n, off_m = element["offset"][n, k], element["offset"][m, k]
                    h_g[n, m, 1 + k, 1 + a] += off_n * g * dn
                    h_d[n, m, 1 + k, 1 + a] += off_n * d * dn
                    h_g[n, m, 1 + a, 1 + k] += off_m * g * nd
                    h_d[n, m, 1 + a, 1 + k] += off_m * d * nd
                g, d = 0.5 * weight * s_g[3 + a], 0.5 * weight * s_d[3 + a]
                h_g[n, m, 1 + b, 1 + c] += g * (dn - nd)
                h_d[n, m, 1 + b, 1 + c] += d * (dn - nd)
                h_g[n, m, 1 + c, 1 + b] += g * (nd - dn)
                h_d[n, m, 1 + c, 1 + b] += d * (nd - dn)


@kernel
def _stress_rows(c, scale, rate, e_f, e_p, out, row):
    """out[row:row+6] = derivative of s_g, out[row+6:row+12] of ds, both times scale; e_f, e_p (6, 12 nn)."""
    width = e_f.shape[1]
    for r in range(6):
        for j in range(width):
            out[row + r, j] = 0.0
            out[row + 6 + r, j] = 0.0
        for k in range(6):
            cs = scale * c[r, k]
            if cs != 0.0:
                g_f, g_p = cs * (4.0 / 6.0 + rate), -cs / 6.0
                d_f, d_p = cs * (2.0 / 6.0 - rate), cs * (1.0 / 6.0 + rate)
                for j in range(width):
                    out[row + r, j] += g_f * e_f[k, j] + g_p * e_p[k, j]
                    out[row + 6 + r, j] += d_f * e_f[k, j] + d_p * e_p[k, j]


@kernel
def tangent(elements, dt, q_i, q_f, p, w_m, w_f, d_q, d_p, lin_m, lin_f, slots, data):
    """Add every element's tangent to the matrix values and its extrapolated ambient forces to lin_m, lin_f."""
    nn = slots.shape[1] // 12
    ng = nn - 1
    width = 12 * nn
    tested, stress = np.empty((12 * ng, width)), np.empty((12 * ng, width))
    e_f, e_p = np.empty((6, width)), np.empty((6, width))
    k = np.empty((width, width))
    h_g, h_d = np.empty((nn, nn, 4, 4)), np.empty((nn, nn, 4, 4))
    z_i, z_f, z_p, z_w = np.empty((7, 3)), np.empty((7, 3)), np.empty((7, 3)), np.empty((7, 3))
    f_m, f_f = np.empty((7, 3)), np.empty((7, 3))
    t_m, t_f, y = np.empty((3, 12)), np.empty((3, 12)), np.empty(3)
    for e in range(elements.shape[0]):
        element = elements[e]
        h_g[:] = 0.0
        h_d[:] = 0.0
        tested[:] = 0.0
        for g in range(ng):
            scale = dt * dt * element.weight[g]
            interpolate(q_i, element, g, z_i)
            interpolate(q_f, element, g, z_f)
            interpolate(p, element, g, z_p)
            discrete_force(z_i, z_f, z_p, element["lin_g"][g], element["lin_d"][g], scale, z_w, f_m, f_f)
            spread(f_m, element, g, lin_m)
            spread(f_f, element, g, lin_f)
            _add_geometric(element, g, element["lin_g"][g], element["lin_d"][g], scale, h_g, h_d)
            rows_g, rows_d = tested[12 * g : 12 * g + 6], tested[12 * g + 6 : 12 * g + 12]
            e_f[:] = 0.0
            e_p[:] = 0.0
            for v in range(7):
                for i in range(3):
                    z_w[v, i] = 0.5 * (z_i[v, i] + z_f[v, i])
            for m in range(nn):
                n, col = element.nodes[m], 12 * m
                s, d, off = element["shape"][g, m], element["slope"][g, m], element["offset"][m]
                _add_strain_rows(z_w, s, d, off, w_m[n], -1.0 / 3.0, rows_d, col, 1.0, 0.0, y)
                _add_strain_rows(z_f, s, d, off, w_f[n], 1.0 / 3.0, rows_d, col, 1.0, 1.0, y)
                _add_strain_rows(z_f, s, d, off, d_q[n], 1.0, e_f, col, 1.0, 0.0, y)
                _add_strain_rows(z_p, s, d, off, d_q[n], 1.0, e_p, col, 1.0, 0.0, y)
                _add_strain_rows(z_f, s, d, off, d_p[n], 1.0, e_p, col, 1.0, 1.0, y)
            for v in range(7):
                for i in range(3):
                    z_w[v, i] -= z_p[v, i] / 6
                    z_i[v, i] = z_f[v, i] - z_i[v, i]
            for m in range(nn):
                n, col = element.nodes[m], 12 * m
                s, d, off = element["shape"][g, m], element["slope"][g, m], element["offset"][m]
                _add_strain_rows(z_w, s, d, off, w_m[n], 1.0, rows_g, col, 1.0, 0.0, y)
                _add_strain_rows(z_i, s, d, off, w_f[n], 1.0 / 6.0, rows_g, col, 1.0, 1.0, y)
            _stress_rows(element["stiffness"][g], scale, element.damping / dt, e_f, e_p, stress, 12 * g)
        np.dot(tested.T, stress, k)
        for n in range(nn):
            for m in range(nn):
                i, j = element.nodes[n], element.nodes[m]
                pull_back_form(
                    h_g[n, m], h_d[n, m], w_m[i], w_f[i], d_q[j], d_p[j], k, 12 * n, 12 * m, t_m, t_f
                )
        for i in range(width):
            for j in range(width):
                data[slots[e, i, j]] += k[i, j]
