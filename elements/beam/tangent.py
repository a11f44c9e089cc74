"""Material and geometric stiffness of a beam element, the latter from extrapolated stresses (compiled).

Measures y of a Gauss point (`gauss_point`) are quadratic in z, B(z) is their derivative. Their changes at t_f and those
of their rates (trial rows), and the virtual changes conjugate to the forces F_m and F_f on them (test rows), are

    Y_f = B(z_f) D_q                               Y_p = B(z_p) D_q + B(z_f) D_p
    T_m = B(zbar - z_p/6) W_m + B(Dz/6) W_f        T_f = B(-z_p/6) W_m + B(z_f + Dz/6) W_f

(W_m, W_f, D_q, D_p as in `node_map`, x' on the reference line). The derivatives of F_m and F_f by the stresses s_g and
s_d combine test rows to A_g and A_d, those of the strains and their rates by the measures combine trial rows to E_f and
E_p. With stiffness C and viscosity D a Gauss point adds, with mean and half-jump of the rows as of any quantity
(`discrete_rule`),

    K = dt^2 w [A_g^T (C mean + D E_f/dt) + A_d^T (C half_jump + D (E_p - E_f)/dt)] + geometric.

The geometric part has two terms. At constant stresses F_m and F_f change with the measures: per measure a sum of four
products of one combined test row with one combined trial row (`_change_of_forces`). At constant F_m and F_f the forces
on z change with z: the forces couple the vectors of two nodes component by component, like a quadratic form, so this is
given by four by four numbers per pair of nodes. It uses the linearly extrapolated stresses of the previous iterate:
with the current ones, Newton diverges for stiff axial or shear strains.

Columns of trial rows are those of (a, phi, c, domega) of each node until its block is complete, see `form_tangent`;
those of (c, domega) in Y_p are those of (a, phi) in Y_f. Test rows for displacements and for rotations are apart, as
only g and what is combined with it depend on displacements. `tangent` evaluates one element after the other, `batches`
several at a time with the same functions. Source: docs/explanation/theory.md, section 6.
"""

from __future__ import annotations

import numpy as np

from fem_mbd.core.compiled import kernel
from fem_mbd.core.compiled.products import transposed_product
from fem_mbd.core.compiled.signatures import (
    float64,
    index_rows,
    record,
    slots,
    vector,
    void,
)
from fem_mbd.core.compiled.vectors import cross, dot
from fem_mbd.core.model.node_arrays import Forces, Maps, Motion, Rotations
from fem_mbd.core.scheme.constraints.form_tangent import add_form, from_spins, turn_maps
from fem_mbd.core.scheme.discrete_rule import half_jump, mean, mean_rate, rate_excess
from fem_mbd.core.scheme.nodes.node_kernels import add_rows
from fem_mbd.elements.beam.forces import beam_dtype
from fem_mbd.elements.beam.gauss_point import (
    add_forces,
    forces_on_measures,
    interpolate,
    length_scale,
    measures,
    measures_form,
    square_scale,
    store_point,
    stored_measures,
    stored_point,
)
from fem_mbd.elements.beam.strain_derivatives import (
    add_offset_columns,
    add_rate_columns,
    set_position_columns,
    set_rotation_columns,
    turn,
    turn_both,
)
from fem_mbd.elements.beam.tuples import difference, four_total, middle, six

# rows per Gauss point that depend on displacements, and others: see `_rows`
PLACE_ROWS, TURN_ROWS = 8, 12
ROWS = PLACE_ROWS + TURN_ROWS


# -- rows of the measures by the motion of a node --------------------------------------------------------------


@kernel
def _has_offset(element, m):
    """Whether the reference line has an offset from the mass centre of the m-th node."""
    off = element["offset"][m]
    return off[0] != 0.0 or off[1] != 0.0 or off[2] != 0.0


@kernel
def _set_test_places(at_m, at_f, slope, out, col):
    """Columns of a and c of a node: its displacement is a with at_m (3, 7), and a + c with at_f."""
    set_position_columns(at_f, slope, out, col + 3)
    for a in range(3):
        for i in range(3):
            out[a, col + i] = out[a, col + 3 + i] + slope * at_m[i, 1 + a]


@kernel
def _set_rate_places(at_end, z_p, slope, out, col):
    """Columns of a in Y_p: a displacement changes position and rate; at_end : Y_f."""
    for a in range(3):
        for i in range(3):
            out[a, col + i] = at_end[a, col + i] + slope * z_p[i, 1 + a]


@kernel
def set_node_rows(element, g, m, turns, x, z, y, by, rows):
    """Set the columns of the m-th node in the rows of the measures at Gauss point g.

    rows : on_place (2, 3, 6 nn) and on_turn (2, 8, 6 nn), T_m, T_f by (a, c) and by (b, e) of each node, and moved (2,
        8, 6 nn), Y_f, Y_p by (a, phi). turns (3, nn, 3, 3) : `turn_maps` and R_f of the nodes; x (12,) the node's
        unknowns; z (3, 3, 7) and y (4, 3, 7) as in `begin_gauss_point`; by (2, 3, 7) scratch
    """
    on_place, on_turn, moved = rows
    r_f, axis, off = turns[2, m], element["axis"][g], element["offset"][m]
    shape, slope, col = element["shape"][g, m], element["slope"][g, m], 6 * m
    omega, own, offset = (
        (x[3] + x[9], x[4] + x[10], x[5] + x[11]),
        (off[0], off[1], off[2]),
        _has_offset(element, m),
    )
    set_position_columns(z[1], slope, moved[0], col)
    _set_rate_places(moved[0], z[2], slope, moved[1], col)
    _set_test_places(y[0], y[1], slope, on_place[0], col)
    _set_test_places(y[2], y[3], slope, on_place[1], col)
    turn(r_f, z[1], by[0])
    turn(r_f, z[2], by[1])
    set_rotation_columns(by[0], shape, slope, axis, moved[0], col + 3)
    set_rotation_columns(by[1], shape, slope, axis, moved[1], col + 3)
    add_rate_columns(by[0], shape, slope, axis, omega, moved[1], col + 3)
    if offset:
        add_offset_columns(by[0], slope, own, moved[0], col + 3)
        add_offset_columns(by[1], slope, own, moved[1], col + 3)
        add_offset_columns(by[0], slope, cross(omega, own), moved[1], col + 3)
    for force in range(2):
        for of_e in range(2):  # T_m and T_f, by b and by e
            turn_both(turns[of_e, m], y[2 * force], r_f, y[2 * force + 1], by[0])
            set_rotation_columns(by[0], shape, slope, axis, on_turn[force], col + 3 * of_e)
            if offset:
                add_offset_columns(by[0], slope, own, on_turn[force], col + 3 * of_e)


# -- combination of the rows -----------------------------------------------------------------------------------


@kernel
def _combine_test(scale, y_i, y_f, y_p, first, on, out, to):
    """A_g and A_d of a measure, out[to:to+6, :], from its rows of T_m and T_f, on (2, 4 or 3, columns) from ``first``.

    Without w among the rows, as by displacements, on has three rows.
    """
    (f_i, slope_i, curvature_i), (f_f, slope_f, _), (secant, _) = scale
    dy, half = difference(y_f, y_i), middle(y_i, y_f)
    f = 0.5 * (f_i + f_f)
    at_m, at_f, start, end = f - slope_i * y_p[3] / 6, slope_i * dy[3] / 6, f / 3, f_f / 3
    with_w = on.shape[1] > 3
    for i in range(3):
        by_m = secant * half[i] - (slope_i * y_p[i] + curvature_i * y_i[i] * y_p[3]) / 6
        by_f = (slope_i * dy[i] + curvature_i * y_i[i] * dy[3]) / 6
        mean_w, end_w = secant * half[i] / 3, slope_f * y_f[i] / 3
        v_m, v_f, a_g, a_d = on[0, first + i], on[1, first + i], out[to + i], out[to + 3 + i]
        if with_w:
            w_m, w_f = on[0, first + 3], on[1, first + 3]
            for j in range(v_m.shape[0]):
                a_g[j] = at_m * v_m[j] + at_f * v_f[j] + (by_m * w_m[j] + by_f * w_f[j])
                a_d[j] = end * v_f[j] - start * v_m[j] + (end_w * w_f[j] - mean_w * w_m[j])
        else:
            for j in range(v_m.shape[0]):
                a_g[j] = at_m * v_m[j] + at_f * v_f[j]
                a_d[j] = end * v_f[j] - start * v_m[j]


@kernel
def _combine_trial(scale, y_f, y_p, first, moved, trial, row):
    """E_f, trial[row:row+3, :], and E_p, trial[row+6:row+9, :], of a measure from its rows of Y_f and Y_p."""
    _, (f, slope, curvature), _ = scale
    f_p = slope * y_p[3]
    w, w_p = moved[0, first + 3], moved[1, first + 3]
    for i in range(3):
        by_w, by_w_p = slope * y_f[i], slope * y_p[i] + curvature * y_f[i] * y_p[3]
        v, v_p, e_f, e_p = moved[0, first + i], moved[1, first + i], trial[row + i], trial[row + 6 + i]
        for n in range(0, v.shape[0], 6):
            for j in range(6):
                changed = f * v[n + j] + by_w * w[n + j]
                e_f[2 * n + j] = e_p[2 * n + 6 + j] = changed
                e_p[2 * n + j] = f * v_p[n + j] + f_p * v[n + j] + (by_w * w_p[n + j] + by_w_p * w[n + j])


@kernel
def _row_weights(scale, y_i, y_f, s_g, s_d):
    """Factors of `_change_of_forces`: of v in its test rows, of v and w in its trial rows."""
    (_, slope_i, curvature_i), (_, slope_f, curvature_f), (secant, bend) = scale
    p = s_g[0] - s_d[0] / 3, s_g[1] - s_d[1] / 3, s_g[2] - s_d[2] / 3
    e = s_d[0] / 3, s_d[1] / 3, s_d[2] / 3
    half = 0.5 * slope_f
    on_m = half * p[0], half * p[1], half * p[2]
    on_f = (
        slope_f * e[0] + slope_i * s_g[0] / 6,
        slope_f * e[1] + slope_i * s_g[1] / 6,
        slope_f * e[2] + slope_i * s_g[2] / 6,
    )
    by_rate = -slope_i * s_g[0] / 6, -slope_i * s_g[1] / 6, -slope_i * s_g[2] / 6
    by_m = 0.5 * secant * p[0], 0.5 * secant * p[1], 0.5 * secant * p[2]
    second = curvature_i * dot(s_g, y_i) / 6
    return (
        on_m,
        on_f,
        by_rate,
        by_m,
        (bend * dot(p, middle(y_i, y_f)), curvature_f * dot(e, y_f) + second, second),
    )


@kernel
def _change_of_forces_test(weights, first, on, out, to):
    """out[to], out[to+1] = test rows of v in the change of F_m, F_f: by w and by its rate. Also `_combine_test`."""
    on_m, on_f, by_rate, _, _ = weights
    m0, m1, m2 = on[0, first], on[0, first + 1], on[0, first + 2]
    e0, e1, e2 = on[1, first], on[1, first + 1], on[1, first + 2]
    by_w, by_w_p = out[to], out[to + 1]
    for j in range(m0.shape[0]):
        by_m = on_m[0] * m0[j] + on_m[1] * m1[j] + on_m[2] * m2[j]
        by_w[j] = by_m + (on_f[0] * e0[j] + on_f[1] * e1[j] + on_f[2] * e2[j])
        by_w_p[j] = by_rate[0] * m0[j] + by_rate[1] * m1[j] + by_rate[2] * m2[j]


@kernel
def _change_of_forces(weights, scale, first, moved, stress, by_w, on_w):
    """Trial rows, times ``scale``, of the change of F_m and F_f on a measure at constant stresses.

    stress[by_w], [by_w + 1] : change of w and of its rate, for the test rows of `_change_of_forces_test`; stress[on_w],
    [on_w + 1] : changes of F_m and F_f on w, whose test rows are those of w in T_m and T_f
    """
    _, on_f, by_rate, by_m, (bend, at_f, second) = weights
    v0, v1, v2, w = moved[0, first], moved[0, first + 1], moved[0, first + 2], moved[0, first + 3]
    p0, p1, p2, w_p = moved[1, first], moved[1, first + 1], moved[1, first + 2], moved[1, first + 3]
    of_w, of_w_p, of_m, of_f = stress[by_w], stress[by_w + 1], stress[on_w], stress[on_w + 1]
    for n in range(0, v0.shape[0], 6):
        for j in range(6):
            k, at = n + j, 2 * n + j
            of_w[at] = of_w_p[at + 6] = scale * w[k]
            of_w_p[at] = scale * w_p[k]
            of_w[at + 6] = of_f[at + 6] = 0.0
            by_v = by_m[0] * v0[k] + by_m[1] * v1[k] + by_m[2] * v2[k] + bend * w[k]
            rate = by_rate[0] * p0[k] + by_rate[1] * p1[k] + by_rate[2] * p2[k] - second * w_p[k]
            of_m[at] = scale * (by_v + rate)
            end = by_rate[0] * v0[k] + by_rate[1] * v1[k] + by_rate[2] * v2[k] - second * w[k]
            of_m[at + 6] = scale * end
            of_f[at] = scale * (on_f[0] * v0[k] + on_f[1] * v1[k] + on_f[2] * v2[k] + at_f * w[k])


@kernel
def _copy_rows(rows, first, out, to):
    """out[to], out[to+1] = row ``first`` of T_m and of T_f."""
    w_m, w_f, on_m, on_f = rows[0, first], rows[1, first], out[to], out[to + 1]
    for j in range(w_m.shape[0]):
        on_m[j], on_f[j] = w_m[j], w_f[j]


@kernel
def set_rows(element, g, scale, z_of, rows, test_place, test_turn, trial, stress):
    """Combine the rows of the measures at Gauss point g to test rows, and to trial rows times C and D or their own.

    Rows of test_place, test_turn and stress: of each Gauss point first those with columns of displacements, A_g and A_d
    of Gamma and two of `_change_of_forces_test`; behind them A_g and A_d of K and two such, and four of w. Trial rows
    E_f, E_p (12, 12 nn) are overwritten; the entries of ``stress`` of A_g and A_d follow by a product of them.
    """
    (on_place, on_turn, moved), (z_f, z_p) = rows, z_of
    (g_i, k_i), (g_f, k_f) = stored_measures(element, g), measures(element, g, z_f)
    g_p, k_p = measures_form(element, g, z_f, z_p)
    known = element["measures_i"][g]
    of_g, of_k = length_scale(known[8], g_f[3]), square_scale(known[9], k_f[3])
    lin_g, lin_d = element["lin_g"][g], element["lin_d"][g]
    of_force = _row_weights(of_g, g_i, g_f, (lin_g[0], lin_g[1], lin_g[2]), (lin_d[0], lin_d[1], lin_d[2]))
    of_moment = _row_weights(of_k, k_i, k_f, (lin_g[3], lin_g[4], lin_g[5]), (lin_d[3], lin_d[4], lin_d[5]))
    a, b = PLACE_ROWS * g, PLACE_ROWS * element.weight.shape[0] + TURN_ROWS * g
    _combine_test(of_g, g_i, g_f, g_p, 0, on_place, test_place, a)
    _combine_test(of_g, g_i, g_f, g_p, 0, on_turn, test_turn, a)
    _combine_test(of_k, k_i, k_f, k_p, 4, on_turn, test_turn, b)
    _combine_trial(of_g, g_f, g_p, 0, moved, trial, 0)
    _combine_trial(of_k, k_f, k_p, 4, moved, trial, 3)
    _change_of_forces_test(of_force, 0, on_place, test_place, a + 6)
    _change_of_forces_test(of_force, 0, on_turn, test_turn, a + 6)
    _change_of_forces_test(of_moment, 4, on_turn, test_turn, b + 6)
    _copy_rows(on_turn, 3, test_turn, b + 8)
    _copy_rows(on_turn, 7, test_turn, b + 10)
    _change_of_forces(of_force, scale, 0, moved, stress, a + 6, b + 8)
    _change_of_forces(of_moment, scale, 4, moved, stress, b + 6, b + 10)


# -- a Gauss point ---------------------------------------------------------------------------------------------


@kernel
def begin_gauss_point(element, g, scale, q_f, p, z, y, lin_m, lin_f, h):
    """Fill z (3, 3, 7) = z_i, z_f, z_p and y (4, 3, 7), the arguments of B in T_m and T_f; returns z_f and z_p.

    Adds the forces of the extrapolated stresses to lin_m, lin_f, and to h (2, nn, nn, 4, 4) the form of F_m + F_f and
    of 3 F_f between vectors (x', d_1..3) of a test node and of a trial node; q_f, p, lin_m and lin_f (n, 4, 3).
    """
    z_i, z_f, z_p = stored_point(element, g), interpolate(q_f, element, g), interpolate(p, element, g)
    y_f, y_p = measures(element, g, z_f), measures_form(element, g, z_f, z_p)
    s_g, s_d = six(element["lin_g"][g]), six(element["lin_d"][g])
    on_m, on_f = forces_on_measures(element, g, y_f, y_p, s_g, s_d)
    add_forces(element, g, (z_i, z_f, z_p), (on_m, on_f), scale, lin_m, lin_f)
    store_point(z_i, z[0])
    store_point(z_f, z[1])
    store_point(z_p, z[2])
    for i in range(3):
        for v in range(7):
            at_i, at_f, rate = z[0, i, v], z[1, i, v], z[2, i, v]
            change = (at_f - at_i) / 6
            y[0, i, v], y[1, i, v] = 0.5 * (at_i + at_f) - rate / 6, change
            y[2, i, v], y[3, i, v] = -rate / 6, at_f + change
    _add_form(element, g, scale, four_total(on_m[0], on_f[0]), four_total(on_m[1], on_f[1]), h[0])
    _add_form(element, g, 3.0 * scale, on_f[0], on_f[1], h[1])
    return z_f, z_p


@kernel
def _add_form(element, g, weight, on_g, on_k, h):
    """h (nn, nn, 4, 4) += weight times the forces on (g, l) and (k, t), between vectors of two nodes."""
    axis = element["axis"][g]
    l, t = weight * on_g[3], weight * on_k[3]
    for n in range(element.nodes.shape[0]):
        for m in range(element.nodes.shape[0]):
            dn = weight * element["slope"][g, n] * element["shape"][g, m]
            nd = weight * element["shape"][g, n] * element["slope"][g, m]
            both = element["shape"][g, n] * element["shape"][g, m]
            bend = 0.5 * (dn - nd)
            _add_vectors((on_g[0], on_g[1], on_g[2]), (on_k[0], on_k[1], on_k[2]), dn, nd, bend, h[n, m])
            for a in range(3):
                h[n, m, 1 + a, 1 + a] += both * t
                along = 2.0 * both * l * axis[a]
                for b in range(3):
                    h[n, m, 1 + a, 1 + b] += along * axis[b]


@kernel
def _add_vectors(force, moment, dn, nd, bend, h):
    """h (4, 4) += forces on g between x' and directors, and on k between directors."""
    h[0, 1] += dn * force[0]
    h[0, 2] += dn * force[1]
    h[0, 3] += dn * force[2]
    h[1, 0] += nd * force[0]
    h[2, 0] += nd * force[1]
    h[3, 0] += nd * force[2]
    h[2, 3] += bend * moment[0]
    h[3, 2] -= bend * moment[0]
    h[3, 1] += bend * moment[1]
    h[1, 3] -= bend * moment[1]
    h[1, 2] += bend * moment[2]
    h[2, 1] -= bend * moment[2]


@kernel
def set_material_matrix(element, g, dt, scale, material):
    """Fill material (2, 12, 6), transposed: scale times the changes of (s_g, s_d) of forces and moments by (E_f, E_p).

    mean, half-jump and rate are those of a variation that is zero at t_i.
    """
    for r in range(6):
        part, to = r // 3, r % 3
        for k in range(6):
            c = scale * element["stiffness"][g, r, k]
            by_f, by_p = mean(0.0, c, 0.0), mean(0.0, 0.0, c)
            jump_f, jump_p = half_jump(0.0, c, 0.0), half_jump(0.0, 0.0, c)
            if element.viscous:
                d = scale / dt * element["viscosity"][g, r, k]
                change = mean_rate(0.0, d, 1.0)
                by_f += change
                jump_f += rate_excess(change, 0.0, 1.0)
                jump_p += rate_excess(0.0, d, 1.0)
            material[part, k, to], material[part, 6 + k, to] = by_f, by_p
            material[part, k, 3 + to], material[part, 6 + k, 3 + to] = jump_f, jump_p


# -- geometric stiffness between the nodes ---------------------------------------------------------------------


@kernel
def _shift_forms(h, off_n, off_m):
    """Add the effect of the offsets off_n and off_m (3,) of the reference line at both nodes to the form h (4, 4)."""
    for a in range(3):
        for b in range(4):
            h[1 + a, b] += off_n[a] * h[0, b]
    for b in range(3):
        for a in range(4):
            h[a, 1 + b] += off_m[b] * h[a, 0]


@kernel
def add_geometric(element, h, turns, x, k, form, products):
    """k (12 nn, 12 nn) += geometric part; turns (3, nn, 3, 3) as in `set_rows`, x (n, 12) of all nodes.

    form and products are scratch as in `add_form`.
    """
    for n in range(element.nodes.shape[0]):
        for m in range(element.nodes.shape[0]):
            if _has_offset(element, n) or _has_offset(element, m):
                for stress in range(2):
                    _shift_forms(h[stress, n, m], element["offset"][n], element["offset"][m])
            add_form(h[0, n, m], h[1, n, m], turns, n, m, x[element.nodes[m]], k, form, products)


@kernel
def _gather_turns(element, r_f, w_m, turns):
    """Fill turns (3, nn, 3, 3): `turn_maps` and R_f of the element's nodes."""
    for m in range(element.nodes.shape[0]):
        n = element.nodes[m]
        turn_maps(w_m[n], turns[0, m], turns[1, m])
        for i in range(3):
            for j in range(3):
                turns[2, m, i, j] = r_f[n, i, j]


@kernel(
    *(void(record(beam_dtype(nn))[::1], float64, Motion, Rotations, Maps, Forces, index_rows, slots, vector)
    for nn in (2, 3, 4)),
)  # fmt: skip
def tangent(elements, dt, motion, rotations, maps, lin, column, slots, data):
    """Add every element's tangent to the matrix values and its extrapolated ambient forces to ``lin``.

    dt: s; column : (n, 12), slots : (elements, 12 nn, nn), as in `add_rows`
    """
    (x, r_f, spin), w_m = rotations, maps.w_m
    width, nn = slots.shape[1], slots.shape[2]
    ng, half = nn - 1, 6 * nn
    place_n, turn_n = np.empty(PLACE_ROWS * ng * half), np.empty(ROWS * ng * half)
    # entries that are zero for all elements are not written below
    trial_n, stress_n = np.zeros(12 * width), np.empty(ROWS * ng * width)
    k_n, material_n = np.empty(width * width), np.empty(144)
    test_place, test_turn = place_n.reshape((PLACE_ROWS * ng, half)), turn_n.reshape((ROWS * ng, half))
    trial, stress = trial_n.reshape((12, width)), stress_n.reshape((ROWS * ng, width))
    rows = np.empty((2, 3, half)), np.empty((2, 8, half)), np.zeros((2, 8, half))
    k, material = k_n.reshape((width, width)), material_n.reshape((2, 12, 6))
    h, turns = np.empty((2, nn, nn, 4, 4)), np.empty((3, nn, 3, 3))
    z, y, by = np.empty((3, 3, 7)), np.empty((4, 3, 7)), np.empty((2, 3, 7))
    form, products = np.empty((3, 4, 4)), np.empty((3, 3, 3))
    for e in range(elements.shape[0]):
        element = elements[e]
        _gather_turns(element, r_f, w_m, turns)
        h[:] = 0.0
        for g in range(ng):
            scale = dt * dt * element.weight[g]
            z_of = begin_gauss_point(element, g, scale, motion.q_f, motion.p, z, y, lin.m, lin.f, h)
            set_material_matrix(element, g, dt, scale, material)
            for m in range(nn):
                set_node_rows(element, g, m, turns, x[element.nodes[m]], z, y, by, rows)
            set_rows(element, g, scale, z_of, rows, test_place, test_turn, trial, stress)
            a, b = PLACE_ROWS * g * width, (PLACE_ROWS * ng + TURN_ROWS * g) * width
            transposed_product(material_n, trial_n, 12, 6, width, stress_n[a:], 0, 3)
            transposed_product(material_n[72:], trial_n, 12, 6, width, stress_n[b:], 0, 3)
        transposed_product(place_n, stress_n, PLACE_ROWS * ng, half, width, k_n, 0, 6)
        transposed_product(turn_n, stress_n, ROWS * ng, half, width, k_n, 3, 6)
        add_geometric(element, h, turns, x, k, form, products)
        for m in range(nn):
            from_spins(spin[element.nodes[m]], k, 12 * m)
            add_rows(k, 12 * m, element.nodes[m], column, slots[e, :, m], data)
