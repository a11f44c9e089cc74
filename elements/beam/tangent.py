"""Compiled tangent of the beam element: material part by strain rows, geometric part by extrapolated stresses.

The maps of an element (12, 12 nn) say how the vectors u', d_1, d_2, d_3 of its nodes (three rows each, u' on the
reference line) move with the nodes' unknowns: W_m and W_f for virtual motions, D_q and D_p for changes of q_f and p.
With B(z) the derivative of the strains, the changes of strains and of their rates at t_f, and the motions that
stresses act on, are the rows

    E_f = B(z_f) D_q        E_p = B(z_p) D_q + B(z_f) D_p
    A_g = B(zbar - z_p/6) W_m + B(Dz/6) W_f        A_d = B(-zbar/3) W_m + B(z_f/3) W_f

and a Gauss point of stiffness C and viscosity D adds, with mean and half-jump of the rows as of any quantity
(`discrete_rule`),

    K = dt^2 w [A_g^T (C mean + D E_f/dt) + A_d^T (C half_jump + D (E_p - E_f)/dt)] + geometric.

In the geometric part a stress couples the vectors of two nodes component by component, so nine numbers per pair of
nodes hold all of it. It uses the linearly extrapolated stresses of the previous iterate: with the current ones, Newton
diverges for stiff axial or shear strains. Source: docs/theory.md, section 6.

Loops over columns run over the whole element: that is what makes the compiler vectorise them.
"""

from __future__ import annotations

import numpy as np

from fem_mbd.compiled import bare_kernel, kernel
from fem_mbd.elements.beam.gauss_point import add_forces, interpolate, store_point
from fem_mbd.scheme.discrete_rule import Q_f, Q_m, half_jump, mean
from fem_mbd.scheme.node_kernels import add_rows


@bare_kernel
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


@bare_kernel
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


@bare_kernel
def _add_product(c, scale, strain, out, first):
    """out[first:first+6] += scale c strain, with c (6, 6) mostly zeros for common sections, strain (6, 12 nn)."""
    for r in range(6):
        for k in range(6):
            f = scale * c[r, k]
            if f != 0.0:
                for j in range(out.shape[1]):
                    out[first + r, j] += f * strain[k, j]


@bare_kernel
def _arguments(z, y):
    """Fill y (4, 7, 3), where B is taken: Q_m = B(y[0])^T s_g + B(y[2])^T s_d, Q_f = B(y[1])^T s_g + B(y[3])^T s_d.

    z (3, 7, 3) : z_i, z_f, z_p
    """
    for v in range(7):
        for i in range(3):
            z_i, z_f, z_p = z[0, v, i], z[1, v, i], z[2, v, i]
            y[0, v, i], y[1, v, i] = Q_m(0.5 * (z_i + z_f), z_p, 1.0, 0.0), Q_f(z_f, z_f - z_i, 1.0, 0.0)
            y[2, v, i], y[3, v, i] = Q_m(0.5 * (z_i + z_f), z_p, 0.0, 1.0), Q_f(z_f, z_f - z_i, 0.0, 1.0)


@bare_kernel
def _six(s):
    """Six numbers from an array (6,)."""
    return s[0], s[1], s[2], s[3], s[4], s[5]


@bare_kernel
def _begin_gauss(element, g, scale, q_i, q_f, p, z, y, lin_m, lin_f):
    """Fill z (3, 7, 3) = z_i, z_f, z_p and y of `_arguments`; add the forces of the extrapolated stresses.

    q_i, q_f, p and the forces' sums lin_m, lin_f are (n, 4, 3), y (4, 7, 3).
    """
    z_i, z_f, z_p = interpolate(q_i, element, g), interpolate(q_f, element, g), interpolate(p, element, g)
    s_g, s_d = _six(element["lin_g"][g]), _six(element["lin_d"][g])
    add_forces(element, g, z_i, z_f, z_p, s_g, s_d, scale, lin_m, lin_f)
    store_point(z_i, z[0])
    store_point(z_f, z[1])
    store_point(z_p, z[2])
    _arguments(z, y)


@bare_kernel
def _add_stress_rows(stiffness, viscous, viscosity, dt, scale, strain, stress, first):
    """stress[first:first+12] += scale times the changes of s_g and s_d; strain (4, 6, 12 nn): E_f, E_p and scratch.

    mean and half-jump are those of a change from zero: nothing changes at t_i.
    """
    e_f, e_p, middle, half = strain[0], strain[1], strain[2], strain[3]
    for r in range(6):
        for j in range(e_f.shape[1]):
            middle[r, j] = mean(0.0, e_f[r, j], e_p[r, j])
            half[r, j] = half_jump(0.0, e_f[r, j], e_p[r, j])
    _add_product(stiffness, scale, middle, stress, first)
    _add_product(stiffness, scale, half, stress, first + 6)
    if viscous:
        _add_product(viscosity, scale / dt, e_f, stress, first)
        _add_product(viscosity, scale / dt, e_p, stress, first + 6)
        _add_product(viscosity, -scale / dt, e_f, stress, first + 6)


@bare_kernel
def _sum_stresses(element, g, weight, h):
    """h (2, nn, nn, 9) += stresses s_g and s_d times shape functions of the pairs (tested, moving node) of nodes.

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


@bare_kernel
def _spread_over_columns(h, n, by_column):
    """by_column (2, 9, 12 nn): the sums of tested node n with the node of each column, those of s_d times -1/6."""
    for m in range(h.shape[2]):
        for k in range(9):
            g, d = h[0, n, m, k], -h[1, n, m, k] / 6
            for j in range(12 * m, 12 * m + 12):
                by_column[0, k, j] = g
                by_column[1, k, j] = d


@bare_kernel
def _force_rows(h, mixed, d_q, r_m, r_f):
    """Rows of u' of the forces' change r_m, r_f (12, 12 nn); h is by column, mixed = D_q/2 - D_p/6.

    With couplings g of s_g and d of s_d: dQ_m = (g/2 - d/6) dq_f - g/6 dp and dQ_f = (d/3 + g/6) dq_f.
    """
    for i in range(3):
        for j in range(r_m.shape[1]):
            x0, x1, x2 = d_q[3 + i, j], d_q[6 + i, j], d_q[9 + i, j]
            m = h[0, 0, j] * mixed[3 + i, j] + h[0, 1, j] * mixed[6 + i, j] + h[0, 2, j] * mixed[9 + i, j]
            g = h[0, 0, j] * x0 + h[0, 1, j] * x1 + h[0, 2, j] * x2
            d = h[1, 0, j] * x0 + h[1, 1, j] * x1 + h[1, 2, j] * x2
            r_m[i, j] = m + d
            r_f[i, j] = g / 6 - 2 * d


@bare_kernel
def _couple_rows(h, mixed, d_q, off, r_m, r_f):
    """Rows of the directors, as `_force_rows`, whose rows enter by the offset ``off`` (3,) of the tested node."""
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


@bare_kernel
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


@bare_kernel
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
def tangent(elements, dt, q_i, q_f, p, w_m, w_f, d_q, d_p, lin_m, lin_f, column, slots, data):
    """Add every element's tangent to the matrix values and its extrapolated ambient forces to lin_m, lin_f (n, 4, 3).

    q_i, q_f, p : (n, 4, 3); w_m, w_f, d_q, d_p : (n, 3, 3, 6), maps of all nodes' directors
    column : (n, 12), slots : (elements, 12 nn, nn), as in `add_rows`
    """
    width, nn = slots.shape[1], slots.shape[2]
    tested, stress = np.empty((12 * (nn - 1), width)), np.empty((12 * (nn - 1), width))
    maps, strain, k = np.empty((4, 12, width)), np.empty((4, 6, width)), np.empty((width, width))
    h, by_column, r = np.empty((2, nn, nn, 9)), np.empty((2, 9, width)), np.empty((2, 12, width))
    shape, slope = np.empty(width), np.empty(width)
    z, y = np.empty((3, 7, 3)), np.empty((4, 7, 3))
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
            scale, row = dt * dt * element.weight[g], 12 * g
            _begin_gauss(element, g, scale, q_i, q_f, p, z, y, lin_m, lin_f)
            _sum_stresses(element, g, scale, h)
            for j in range(width):
                shape[j], slope[j] = element["shape"][g, j // 12], element["slope"][g, j // 12]
            for x in range(4):
                _add_strain_rows(y[x], maps[x % 2], shape, slope, tested, row + 6 * (x // 2))
            strain[:2] = 0.0
            _add_strain_rows(z[1], maps[2], shape, slope, strain[0], 0)
            _add_strain_rows(z[2], maps[2], shape, slope, strain[1], 0)
            _add_strain_rows(z[1], maps[3], shape, slope, strain[1], 0)
            _add_stress_rows(
                element["stiffness"][g],
                element.viscous,
                element["viscosity"][g],
                dt,
                scale,
                strain,
                stress,
                row,
            )
        np.dot(tested.T, stress, k)
        _add_geometric(element, h, maps, by_column, r, k)
        for m in range(nn):
            add_rows(k, 12 * m, element.nodes[m], column, slots[e, :, m], data)
