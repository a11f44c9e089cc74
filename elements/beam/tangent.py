"""Material and geometric stiffness of a beam element, the latter from extrapolated stresses (compiled).

Measures y of a Gauss point (`gauss_point`) are quadratic in z, B(z) is their derivative. Their changes at t_f and those
of their rates (trial rows), and the virtual changes conjugate to the forces F_m and F_f on them (test rows), are

    Y_f = B(z_f) D_q                               Y_p = B(z_p) D_q + B(z_f) D_p
    T_m = B(zbar - z_p/6) W_m + B(Dz/6) W_f        T_f = B(-z_p/6) W_m + B(z_f + Dz/6) W_f

(W_m, W_f, D_q, D_p as in `node_map`, x' on the reference line). With M the derivative of (F_m, F_f) by (y_f, y_p),
16 by 16 (`set_measure_stiffness`), a Gauss point adds

    K = dt^2 w [T_m; T_f]^T M [Y_f; Y_p] + geometric.

M has the stiffness C and the viscosity D between the derivatives of the strains by the measures and those of the forces
by the stresses, and the change of the forces with the measures at constant stresses. The geometric part is the change
of the forces on z with z at constant F_m and F_f: they couple the vectors of two nodes component by component, like a
quadratic form, so this is given by four by four numbers per pair of nodes. Both terms at constant stresses use the
linearly extrapolated stresses of the previous iterate: with the current ones, Newton diverges for stiff axial or shear
strains.

Columns of Y_f and Y_p are those of (a, phi) of each node; those of (c, domega) are zero in Y_f and the columns of Y_f
in Y_p. The stress rows M [Y_f; Y_p] have all four until the node's block is complete, see `forms`. Test rows for
displacements are apart from those for rotations, as only g depends on displacements. `tangent` evaluates one element
after the other, `batches` several at a time with the same functions. Source: docs/explanation/theory.md, section 6.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from fem_mbd.core.compiled import kernel
from fem_mbd.core.compiled.signatures import (
    float64,
    index_rows,
    record,
    slots,
    vector,
    void,
)
from fem_mbd.core.compiled.vectors import cross, difference, dot, four_total, middle, six, transposed_product
from fem_mbd.core.model.workspace import Forces, Maps, Motion, Rotations
from fem_mbd.core.scheme.constraints.forms import add_form, from_spins, turn_maps
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

PLACE_ROWS, ROWS = 6, 16  # test rows of a Gauss point that depend on displacements, and all
PADDED = 18  # columns of M: those of products come in groups of six


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
    omega, arm, offset = (
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
        add_offset_columns(by[0], slope, arm, moved[0], col + 3)
        add_offset_columns(by[1], slope, arm, moved[1], col + 3)
        add_offset_columns(by[0], slope, cross(omega, arm), moved[1], col + 3)
    for force in range(2):
        for of_e in range(2):  # T_m and T_f, by b and by e
            turn_both(turns[of_e, m], y[2 * force], r_f, y[2 * force + 1], by[0])
            set_rotation_columns(by[0], shape, slope, axis, on_turn[force], col + 3 * of_e)
            if offset:
                add_offset_columns(by[0], slope, arm, on_turn[force], col + 3 * of_e)


# -- stiffness of the measures ---------------------------------------------------------------------------------


@kernel
def _set_strain_law(element, g, dt, scale, law):
    """Fill law (12, 12): scale times the changes of (s_g, s_d) by the strains at t_f and dt times their rates there.

    mean, half-jump and rate are those of a variation that is zero at t_i.
    """
    for r in range(6):
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
            law[r, k], law[r, 6 + k], law[6 + r, k], law[6 + r, 6 + k] = by_f, by_p, jump_f, jump_p


@kernel
def _stresses_by_measure(law, part, scale, y_f, y_p, by):
    """Fill columns of by (12, 16), changes of (s_g, s_d) by y_f and y_p of a measure; part 0 : (g, l), 1 : (k, t)."""
    _, (f, slope, curvature), _ = scale
    f_p, strain, v, w = slope * y_p[3], 3 * part, 4 * part, 4 * part + 3
    a0, a1, a2 = slope * y_f[0], slope * y_f[1], slope * y_f[2]
    second = curvature * y_p[3]
    b0, b1, b2 = (
        slope * y_p[0] + second * y_f[0],
        slope * y_p[1] + second * y_f[1],
        slope * y_p[2] + second * y_f[2],
    )
    for r in range(12):
        f0, f1, f2 = law[r, strain], law[r, strain + 1], law[r, strain + 2]
        p0, p1, p2 = law[r, 6 + strain], law[r, 7 + strain], law[r, 8 + strain]
        by[r, v], by[r, v + 1], by[r, v + 2] = f * f0 + f_p * p0, f * f1 + f_p * p1, f * f2 + f_p * p2
        by[r, 8 + v], by[r, 9 + v], by[r, 10 + v] = f * p0, f * p1, f * p2
        by[r, w] = f0 * a0 + f1 * a1 + f2 * a2 + (p0 * b0 + p1 * b1 + p2 * b2)
        by[r, 8 + w] = p0 * a0 + p1 * a1 + p2 * a2


@kernel
def _forces_by_stresses(scale, part, y_i, y_f, y_p, by, m):
    """Columns of one measure in m (16, 18), transposed: changes of its F_m and F_f by those of the stresses, ``by``."""
    (f_i, slope_i, curvature_i), (f_f, slope_f, _), (secant, _) = scale
    dy, half, strain, v, w = difference(y_f, y_i), middle(y_i, y_f), 3 * part, 4 * part, 4 * part + 3
    f = 0.5 * (f_i + f_f)
    at_m, at_f, start, end = f - slope_i * y_p[3] / 6, slope_i * dy[3] / 6, f / 3, f_f / 3
    for i in range(3):
        by_g, by_d = by[strain + i], by[6 + strain + i]
        for j in range(16):
            m[j, v + i] = at_m * by_g[j] - start * by_d[j]
            m[j, 8 + v + i] = at_f * by_g[j] + end * by_d[j]
    g0, g1, g2, d0, d1, d2 = (
        by[strain],
        by[strain + 1],
        by[strain + 2],
        by[6 + strain],
        by[7 + strain],
        by[8 + strain],
    )
    c0, c1, c2 = secant * half[0], secant * half[1], secant * half[2]
    rate, change = curvature_i * y_p[3], curvature_i * dy[3]
    r0, r1, r2 = (
        slope_i * y_p[0] + rate * y_i[0],
        slope_i * y_p[1] + rate * y_i[1],
        slope_i * y_p[2] + rate * y_i[2],
    )
    e0, e1, e2 = (
        slope_i * dy[0] + change * y_i[0],
        slope_i * dy[1] + change * y_i[1],
        slope_i * dy[2] + change * y_i[2],
    )
    for j in range(16):
        mean_part = (c0 - r0 / 6) * g0[j] + (c1 - r1 / 6) * g1[j] + (c2 - r2 / 6) * g2[j]
        m[j, w] = mean_part - (c0 * d0[j] + c1 * d1[j] + c2 * d2[j]) / 3
        end_part = slope_f * (y_f[0] * d0[j] + y_f[1] * d1[j] + y_f[2] * d2[j]) / 3
        m[j, 8 + w] = (e0 * g0[j] + e1 * g1[j] + e2 * g2[j]) / 6 + end_part


@kernel
def _add_constant_stresses(scale, part, y_i, y_f, stresses, factor, m):
    """Add to m factor times the changes of F_m and F_f of a measure with it, at constant stresses (s_g, s_d)."""
    (_, slope_i, curvature_i), (_, slope_f, curvature_f), (secant, bend) = scale
    (s_g, s_d), v, w = stresses, 4 * part, 4 * part + 3
    p = s_g[0] - s_d[0] / 3, s_g[1] - s_d[1] / 3, s_g[2] - s_d[2] / 3
    for i in range(3):
        e, at_i = slope_f * s_d[i] / 3, slope_i * s_g[i] / 6
        m[w, v + i] += factor * 0.5 * slope_f * p[i]
        m[v + i, w] += factor * 0.5 * secant * p[i]
        m[w, 8 + v + i] += factor * (e + at_i)
        m[v + i, 8 + w] += factor * (e + at_i)
        m[8 + w, v + i] -= factor * at_i
        m[8 + v + i, w] -= factor * at_i
    second = curvature_i * dot(s_g, y_i) / 6
    m[w, w] += factor * bend * dot(p, middle(y_i, y_f))
    m[8 + w, w] -= factor * second
    m[w, 8 + w] += factor * (curvature_f * dot(s_d, y_f) / 3 + second)


@kernel
def set_measure_stiffness(element, g, dt, factor, z_of, law, by, m):
    """Fill m (16, 18), transposed: factor times the derivative of (F_m, F_f) by (y_f, y_p), each of both measures.

    z_of : z_f and z_p; law (12, 12) and by (12, 16) scratch; the last two columns of m stay as they are
    """
    z_f, z_p = z_of
    (g_i, k_i), (g_f, k_f) = stored_measures(element, g), measures(element, g, z_f)
    g_p, k_p = measures_form(element, g, z_f, z_p)
    known, lin_g, lin_d = element["measures_i"][g], element["lin_g"][g], element["lin_d"][g]
    of_g, of_k = length_scale(known[8], g_f[3]), square_scale(known[9], k_f[3])
    forces = (lin_g[0], lin_g[1], lin_g[2]), (lin_d[0], lin_d[1], lin_d[2])
    moments = (lin_g[3], lin_g[4], lin_g[5]), (lin_d[3], lin_d[4], lin_d[5])
    _set_strain_law(element, g, dt, factor, law)
    _stresses_by_measure(law, 0, of_g, g_f, g_p, by)
    _stresses_by_measure(law, 1, of_k, k_f, k_p, by)
    _forces_by_stresses(of_g, 0, g_i, g_f, g_p, by, m)
    _forces_by_stresses(of_k, 1, k_i, k_f, k_p, by, m)
    _add_constant_stresses(of_g, 0, g_i, g_f, forces, factor, m)
    _add_constant_stresses(of_k, 1, k_i, k_f, moments, factor, m)


@kernel
def set_stress_rows(half_rows, place, turn):
    """Fill place (2, 3, 12 nn) and turn (2, 8, 12 nn): M [Y_f; Y_p] from its columns of (a, phi) and of (c, domega).

    half_rows (2, 18, 6 nn) : both of them; place : the rows of F_m and F_f on g, which displacements change
    """
    for force in range(2):
        for row in range(8):
            by_q, by_p, out = half_rows[0, 8 * force + row], half_rows[1, 8 * force + row], turn[force, row]
            for n in range(0, by_q.shape[0], 6):
                for j in range(6):
                    out[2 * n + j], out[2 * n + 6 + j] = by_q[n + j], by_p[n + j]
        for row in range(3):
            rows, out = turn[force, row], place[force, row]
            for j in range(out.shape[0]):
                out[j] = rows[j]


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
    """k (12 nn, 12 nn) += geometric part; turns (3, nn, 3, 3) as in `set_node_rows`, x (n, 12) of all nodes.

    form and products are scratch as in `add_form`.
    """
    for n in range(element.nodes.shape[0]):
        for m in range(element.nodes.shape[0]):
            if _has_offset(element, n) or _has_offset(element, m):
                for stress in range(2):
                    _shift_forms(h[stress, n, m], element["offset"][n], element["offset"][m])
            add_form(h[0, n, m], h[1, n, m], turns, n, m, x[element.nodes[m]], k, form, products)


# -- an element ------------------------------------------------------------------------------------------------


class Numbers(NamedTuple):
    """Flat arrays that products of matrices read and fill; for batches eight numbers for each of an `Arrays`."""

    place: Any
    turn: Any
    place_stress: Any
    turn_stress: Any
    m: Any
    moved: Any
    half: Any
    k: Any
    h: Any


class Arrays(NamedTuple):
    """The same arrays by their axes, and others that an element's tangent is computed in."""

    place: Any  # (ng, 2, 3, 6 nn) test rows T_m, T_f of g, by (a, c) of each node
    turn: Any  # (ng, 2, 8, 6 nn) of both measures, by (b, e)
    place_stress: Any  # (ng, 2, 3, 12 nn) stress rows
    turn_stress: Any  # (ng, 2, 8, 12 nn)
    m: Any  # (16, 18) stiffness of the measures of a Gauss point, transposed; its last columns are zero
    moved: Any  # (2, 8, 6 nn) trial rows Y_f, Y_p; entries of t and l by displacements are zero
    half: Any  # (2, 18, 6 nn) stress rows by halves
    k: Any  # (12 nn, 12 nn) tangent
    turns: Any  # (3, nn, 3, 3) `turn_maps` and R_f of the nodes
    h: Any  # (2, nn, nn, 4, 4) forms of the forces
    z: Any  # (3, 3, 7)
    y: Any  # (4, 3, 7)
    by: Any  # (2, 3, 7)
    law: Any  # (12, 12)
    by_measures: Any  # (12, 16)
    form: Any  # (3, 4, 4)
    products: Any  # (3, 3, 3)


@kernel
def element_tangent(element, dt, q_f, p, x, lin, arrays, numbers, product, count):
    """Fill ``k`` of arrays with an element's tangent, up to `from_spins`; add extrapolated forces to lin, a `Forces`.

    q_f, p (n, 4, 3) and x (n, 12) of all nodes; ``turns`` of arrays is given. product : a^T b of ``count`` elements at
    a time, from the flat arrays ``numbers``
    """
    ng, half, width = arrays.place.shape[0], arrays.moved.shape[2], arrays.k.shape[0]
    numbers.h[:] = 0.0
    for g in range(ng):
        factor = dt * dt * element.weight[g]
        z_of = begin_gauss_point(element, g, factor, q_f, p, arrays.z, arrays.y, lin.m, lin.f, arrays.h)
        rows = arrays.place[g], arrays.turn[g], arrays.moved
        for m in range(element.nodes.shape[0]):
            set_node_rows(
                element, g, m, arrays.turns, x[element.nodes[m]], arrays.z, arrays.y, arrays.by, rows
            )
        set_measure_stiffness(element, g, dt, factor, z_of, arrays.law, arrays.by_measures, arrays.m)
        product(numbers.m, numbers.moved, 16, PADDED, half, numbers.half, 0, 3)
        by_rates, half_by_rates = numbers.m[8 * PADDED * count :], numbers.half[PADDED * half * count :]
        product(by_rates, numbers.moved, 8, PADDED, half, half_by_rates, 0, 3)
        set_stress_rows(arrays.half, arrays.place_stress[g], arrays.turn_stress[g])
    product(numbers.place, numbers.place_stress, PLACE_ROWS * ng, half, width, numbers.k, 0, 6)
    product(numbers.turn, numbers.turn_stress, ROWS * ng, half, width, numbers.k, 3, 6)
    add_geometric(element, arrays.h, arrays.turns, x, arrays.k, arrays.form, arrays.products)


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
    place_stress_n, turn_stress_n = np.empty(PLACE_ROWS * ng * width), np.empty(ROWS * ng * width)
    m_n, moved_n, half_n = np.zeros(ROWS * PADDED), np.zeros(16 * half), np.empty(2 * PADDED * half)
    k_n, h_n = np.empty(width * width), np.empty(32 * nn * nn)
    numbers = Numbers(place_n, turn_n, place_stress_n, turn_stress_n, m_n, moved_n, half_n, k_n, h_n)
    arrays = Arrays(
        place_n.reshape((ng, 2, 3, half)), turn_n.reshape((ng, 2, 8, half)),
        place_stress_n.reshape((ng, 2, 3, width)), turn_stress_n.reshape((ng, 2, 8, width)),
        m_n.reshape((ROWS, PADDED)), moved_n.reshape((2, 8, half)), half_n.reshape((2, PADDED, half)),
        k_n.reshape((width, width)), np.empty((3, nn, 3, 3)), h_n.reshape((2, nn, nn, 4, 4)), np.empty((3, 3, 7)),
        np.empty((4, 3, 7)), np.empty((2, 3, 7)), np.empty((12, 12)), np.empty((12, 16)), np.empty((3, 4, 4)),
        np.empty((3, 3, 3)),
    )  # fmt: skip
    for e in range(elements.shape[0]):
        element = elements[e]
        _gather_turns(element, r_f, w_m, arrays.turns)
        element_tangent(element, dt, motion.q_f, motion.p, x, lin, arrays, numbers, transposed_product, 1)
        for m in range(nn):
            from_spins(spin[element.nodes[m]], arrays.k, 12 * m)
            add_rows(arrays.k, 12 * m, element.nodes[m], column, slots[e, :, m], data)
