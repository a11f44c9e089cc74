"""Compiled tangent of the beam element: material part by strain rows, geometric part by extrapolated stresses.

The maps of an element (12, 12 nn) say how the vectors u', d_1, d_2, d_3 of its nodes (three rows each, u' on the
reference line) move with the nodes' unknowns: W_m and W_f for virtual motions, D_q and D_p for changes of q_f and p.
With B(z) the derivative of the strains, C the stiffness, eta the damping and r = 1/6 + eta/dt, a Gauss point adds

    K = dt^2 w [ A_g^T C S_g + A_d^T C S_d ] + geometric,
    A_g = B(zbar - z_p/6) W_m + B(Dz/6) W_f          S_g = B((2/3 + eta/dt) z_f - z_p/6) D_q - B(z_f/6) D_p
    A_d = B(-zbar/3) W_m + B(z_f/3) W_f              S_d = B((1/3 - eta/dt) z_f + r z_p) D_q + B(r z_f) D_p

and a viscosity matrix D beside eta C adds dt w [A_g^T D B(z_f) D_q + A_d^T D (B(z_p - z_f) D_q + B(z_f) D_p)].

In the geometric part a stress couples the vectors of two nodes component by component, so nine numbers per pair of
nodes hold all of it. It uses the linearly extrapolated stresses of the previous iterate: with the current ones, Newton
diverges for stiff axial or shear strains. Source: docs/theory.md, section 6.

Loops over columns run over the whole element: that is what makes the compiler vectorise them.
"""

from __future__ import annotations

import numpy as np

from fem_mbd.compiled import kernel
from fem_mbd.elements.beam.kernels import discrete_force, interpolate, spread


@kernel
def _gather_maps(element, directors, on_c, maps):
    """Fill maps (12, 12 nn) from those of the directors of all nodes (n, 3, 3, 6); u moves with a + on_c c."""
    maps[:] = 0.0
    for m in range(element.nodes.shape[0]):
        n, col = element.nodes[m], 12 * m
        off = element["offset"][m]
        for i in range(3):
            maps[i, col + i] = 1.0
            maps[i, col + 6 + i] = on_c
            for a in range(3):
                row = 3 + 3 * a + i
                for j in range(3):
                    maps[row, col + 3 + j] = directors[n, a, i, j]
                    maps[row, col + 9 + j] = directors[n, a, i, 3 + j]
                if off[a] != 0.0:
                    for j in range(col, col + 12):
                        maps[i, j] += off[a] * maps[row, j]


@kernel
def _add_strain_rows(y, maps, shape, slope, out, first):
    """out[first:first+6] += B(y) maps; shape and slope (12 nn,) are those of each column's node."""
    for a in range(3):
        b, c = (a + 1) % 3, (a + 2) % 3
        row, row_b, row_c = 3 + 3 * a, 3 + 3 * b, 3 + 3 * c
        x0, x1, x2, y0, y1, y2 = y[0, 0], y[0, 1], y[0, 2], y[1 + a, 0], y[1 + a, 1], y[1 + a, 2]
        b0, b1, b2, c0, c1, c2 = y[1 + b, 0], y[1 + b, 1], y[1 + b, 2], y[1 + c, 0], y[1 + c, 1], y[1 + c, 2]
        e0, e1, e2, f0, f1, f2 = y[4 + b, 0], y[4 + b, 1], y[4 + b, 2], y[4 + c, 0], y[4 + c, 1], y[4 + c, 2]
        for j in range(out.shape[1]):
            u = y0 * maps[0, j] + y1 * maps[1, j] + y2 * maps[2, j]
            d = x0 * maps[row, j] + x1 * maps[row + 1, j] + x2 * maps[row + 2, j]
            out[first + a, j] += slope[j] * u + shape[j] * d
        for j in range(out.shape[1]):
            p0, p1, p2 = maps[row_b, j], maps[row_b + 1, j], maps[row_b + 2, j]
            q0, q1, q2 = maps[row_c, j], maps[row_c + 1, j], maps[row_c + 2, j]
            with_slope = c0 * p0 + c1 * p1 + c2 * p2 - b0 * q0 - b1 * q1 - b2 * q2
            with_shape = e0 * q0 + e1 * q1 + e2 * q2 - f0 * p0 - f1 * p1 - f2 * p2
            out[first + 3 + a, j] += 0.5 * (slope[j] * with_slope + shape[j] * with_shape)


@kernel
def _stress_rows(c, scale, strain, out, first):
    """out[first:first+6] += scale c strain, with c (6, 6) mostly zeros for common sections."""
    for r in range(6):
        for k in range(6):
            f = scale * c[r, k]
            if f != 0.0:
                for j in range(out.shape[1]):
                    out[first + r, j] += f * strain[k, j]


@kernel
def _begin_gauss(element, g, scale, q_i, q_f, p, rate, z, f, y, lin_m, lin_f):
    """Add the ambient forces of the extrapolated stresses; fill y (11, 7, 3), what B takes for A_g, A_d, S_g, S_d.

    Even entries go with W_m or D_q, odd ones with W_f or D_p; the last three are those of a viscosity matrix: with D_q
    in s_g, with D_q and with D_p in ds. z (4, 7, 3) and f (2, 7, 3) are scratch.
    """
    z_i, z_f, z_p = z[0], z[1], z[2]
    interpolate(q_i, element, g, z_i)
    interpolate(q_f, element, g, z_f)
    interpolate(p, element, g, z_p)
    discrete_force(z_i, z_f, z_p, element["lin_g"][g], element["lin_d"][g], scale, z[3], f[0], f[1])
    spread(f[0], element, g, lin_m)
    spread(f[1], element, g, lin_f)
    for v in range(7):
        for i in range(3):
            end, along = z_f[v, i], z_p[v, i]
            mean = 0.5 * (z_i[v, i] + end)
            y[0, v, i] = mean - along / 6
            y[1, v, i] = (end - z_i[v, i]) / 6
            y[2, v, i] = -mean / 3
            y[3, v, i] = end / 3
            y[4, v, i] = (2.0 / 3.0 + rate) * end - along / 6
            y[5, v, i] = -end / 6
            y[6, v, i] = (1.0 / 3.0 - rate) * end + (1.0 / 6.0 + rate) * along
            y[7, v, i] = (1.0 / 6.0 + rate) * end
            y[8, v, i] = end
            y[9, v, i] = along - end
            y[10, v, i] = end


@kernel
def _sum_stresses(element, g, weight, h):
    """h (2, nn, nn, 9) += stresses s_g and ds times shape functions of the pairs (tested, moving node) of nodes.

    Each holds three numbers per kind of coupling: u' with d_a, d_a with u', and d_b with d_c (minus d_c with d_b).
    """
    nn = element.nodes.shape[0]
    for n in range(nn):
        for m in range(nn):
            dn = weight * element["slope"][g, n] * element["shape"][g, m]
            nd = weight * element["shape"][g, n] * element["slope"][g, m]
            for a in range(3):
                force_g, force_d = element["lin_g"][g, a], element["lin_d"][g, a]
                h[0, n, m, a] += dn * force_g
                h[1, n, m, a] += dn * force_d
                h[0, n, m, 3 + a] += nd * force_g
                h[1, n, m, 3 + a] += nd * force_d
                h[0, n, m, 6 + a] += 0.5 * (dn - nd) * element["lin_g"][g, 3 + a]
                h[1, n, m, 6 + a] += 0.5 * (dn - nd) * element["lin_d"][g, 3 + a]


@kernel
def _spread_over_columns(h, n, by_column):
    """by_column (2, 9, 12 nn): the sums of tested node n with the node of each column, those of ds times -1/6."""
    for m in range(h.shape[2]):
        for k in range(9):
            g, d = h[0, n, m, k], -h[1, n, m, k] / 6
            for j in range(12 * m, 12 * m + 12):
                by_column[0, k, j] = g
                by_column[1, k, j] = d


@kernel
def _force_rows(h, mixed, d_q, r_m, r_f):
    """Rows of u' of the forces' change r_m, r_f (12, 12 nn); h is by column, mixed = D_q/2 - D_p/6.

    With couplings g of s_g and d of ds: dQ_m = (g/2 - d/6) dq_f - g/6 dp and dQ_f = (d/3 + g/6) dq_f.
    """
    for i in range(3):
        for j in range(r_m.shape[1]):
            x0, x1, x2 = d_q[3 + i, j], d_q[6 + i, j], d_q[9 + i, j]
            m = h[0, 0, j] * mixed[3 + i, j] + h[0, 1, j] * mixed[6 + i, j] + h[0, 2, j] * mixed[9 + i, j]
            g = h[0, 0, j] * x0 + h[0, 1, j] * x1 + h[0, 2, j] * x2
            d = h[1, 0, j] * x0 + h[1, 1, j] * x1 + h[1, 2, j] * x2
            r_m[i, j] = m + d
            r_f[i, j] = g / 6 - 2 * d


@kernel
def _couple_rows(h, mixed, d_q, off, r_m, r_f):
    """Rows of the directors, as `_force_rows`, whose rows enter by the offset of the tested node."""
    for a in range(3):
        b, c = (a + 1) % 3, (a + 2) % 3
        on_u, on_b, on_c, o = 3 + a, 6 + c, 6 + b, off[a]
        for i in range(3):
            row, row_b, row_c = 3 + 3 * a + i, 3 + 3 * b + i, 3 + 3 * c + i
            for j in range(r_m.shape[1]):
                x, y, z = d_q[i, j], d_q[row_b, j], d_q[row_c, j]
                m = (
                    h[0, on_u, j] * mixed[i, j]
                    + h[0, on_b, j] * mixed[row_b, j]
                    - h[0, on_c, j] * mixed[row_c, j]
                )
                g = h[0, on_u, j] * x + h[0, on_b, j] * y - h[0, on_c, j] * z
                d = h[1, on_u, j] * x + h[1, on_b, j] * y - h[1, on_c, j] * z
                r_m[row, j] = m + d + o * r_m[i, j]
                r_f[row, j] = g / 6 - 2 * d + o * r_f[i, j]


@kernel
def _pull_rows(maps, n, on_c, r, k):
    """k[rows of node n] += maps^T r: what a, c and (b, e) of the node see of the forces' change r (12, 12 nn)."""
    for i in range(3):
        for j in range(k.shape[1]):
            k[12 * n + i, j] += r[i, j]
            k[12 * n + 6 + i, j] += on_c * r[i, j]
    for half in (3, 9):
        for i in range(half, half + 3):
            row = 12 * n + i
            w0, w1, w2 = maps[3, row], maps[4, row], maps[5, row]
            w3, w4, w5 = maps[6, row], maps[7, row], maps[8, row]
            w6, w7, w8 = maps[9, row], maps[10, row], maps[11, row]
            for j in range(k.shape[1]):
                s = w0 * r[3, j] + w1 * r[4, j] + w2 * r[5, j] + w3 * r[6, j] + w4 * r[7, j]
                k[row, j] += s + w5 * r[8, j] + w6 * r[9, j] + w7 * r[10, j] + w8 * r[11, j]


@kernel
def _add_geometric(element, h, maps, by_column, r, k):
    """k (12 nn, 12 nn) += geometric part; maps (4, 12, 12 nn) of W_m, W_f, D_q, D_p, the last replaced by `mixed`."""
    d_q, mixed, r_m, r_f = maps[2], maps[3], r[0], r[1]
    for i in range(12):
        for j in range(k.shape[1]):
            mixed[i, j] = 0.5 * d_q[i, j] - mixed[i, j] / 6
    for n in range(element.nodes.shape[0]):
        _spread_over_columns(h, n, by_column)
        _force_rows(by_column, mixed, d_q, r_m, r_f)
        _couple_rows(by_column, mixed, d_q, element["offset"][n], r_m, r_f)
        _pull_rows(maps[0], n, 0.0, r_m, k)
        _pull_rows(maps[1], n, 1.0, r_f, k)


@kernel
def _add_viscous(viscosity, scale, y, maps, shape, slope, strain, stress, row):
    """stress[row:row+12] += scale D times the changes of the strains' rates; strain (6, 12 nn) is scratch."""
    for x in range(2):
        strain[:] = 0.0
        _add_strain_rows(y[8 + x], maps[2], shape, slope, strain, 0)
        if x == 1:
            _add_strain_rows(y[10], maps[3], shape, slope, strain, 0)
        _stress_rows(viscosity, scale, strain, stress, row + 6 * x)


@kernel
def tangent(elements, dt, q_i, q_f, p, w_m, w_f, d_q, d_p, lin_m, lin_f, slots, data):
    """Add every element's tangent to the matrix values and its extrapolated ambient forces to lin_m, lin_f."""
    width = slots.shape[1]
    nn = width // 12
    tested, stress = np.empty((12 * (nn - 1), width)), np.empty((12 * (nn - 1), width))
    maps, strain, k = np.empty((4, 12, width)), np.empty((6, width)), np.empty((width, width))
    h, by_column, r = np.empty((2, nn, nn, 9)), np.empty((2, 9, width)), np.empty((2, 12, width))
    shape, slope = np.empty(width), np.empty(width)
    z, f, y = np.empty((4, 7, 3)), np.empty((2, 7, 3)), np.empty((11, 7, 3))
    for e in range(elements.shape[0]):
        element = elements[e]
        _gather_maps(element, w_m, 0.0, maps[0])
        _gather_maps(element, w_f, 1.0, maps[1])
        _gather_maps(element, d_q, 0.0, maps[2])
        _gather_maps(element, d_p, 1.0, maps[3])
        h[:] = 0.0
        tested[:] = 0.0
        stress[:] = 0.0
        for g in range(nn - 1):
            scale = dt * dt * element.weight[g]
            _begin_gauss(element, g, scale, q_i, q_f, p, element.damping / dt, z, f, y, lin_m, lin_f)
            _sum_stresses(element, g, scale, h)
            for j in range(width):
                shape[j], slope[j] = element["shape"][g, j // 12], element["slope"][g, j // 12]
            for x in range(2):
                row = 12 * g + 6 * x
                _add_strain_rows(y[2 * x], maps[0], shape, slope, tested, row)
                _add_strain_rows(y[2 * x + 1], maps[1], shape, slope, tested, row)
                strain[:] = 0.0
                _add_strain_rows(y[4 + 2 * x], maps[2], shape, slope, strain, 0)
                _add_strain_rows(y[5 + 2 * x], maps[3], shape, slope, strain, 0)
                _stress_rows(element["stiffness"][g], scale, strain, stress, row)
            if element["viscous"]:
                _add_viscous(
                    element["viscosity"][g], scale / dt, y, maps, shape, slope, strain, stress, 12 * g
                )
        np.dot(tested.T, stress, k)
        _add_geometric(element, h, maps, by_column, r, k)
        for i in range(width):
            for j in range(width):
                data[slots[e, i, j]] += k[i, j]
