"""Material and geometric stiffness of a beam element, the latter from extrapolated stresses (compiled).

With B(z) the derivative of the strains, the changes of strains and of their rates at t_f (trial rows E), and the
virtual strains conjugate to the stresses (test rows A), are

    E_f = B(z_f) D_q        E_p = B(z_p) D_q + B(z_f) D_p
    A_g = B(zbar - z_p/6) W_m + B(Dz/6) W_f        A_d = B(-zbar/3) W_m + B(z_f/3) W_f

(W_m, W_f, D_q, D_p as in `node_map`, u' on the reference line), and a Gauss point of stiffness C and viscosity D adds,
with mean and half-jump of the rows as of any quantity (`discrete_rule`),

    K = dt^2 w [A_g^T (C mean + D E_f/dt) + A_d^T (C half_jump + D (E_p - E_f)/dt)] + geometric.

The rows need no maps of single directors (`strain_derivatives`). The columns of E_f and E_p are those of (a, phi, c,
domega) until the block of a node is complete, see `form_tangent`.

In the geometric part a stress couples the vectors of two nodes component by component, like a quadratic form, so it is
given by four by four numbers per pair of nodes. It uses the linearly extrapolated stresses of the previous iterate:
with the current ones, Newton diverges for stiff axial or shear strains. `tangent` evaluates one element after the
other, `batches` several at a time with the same functions. Source: docs/explanation/theory.md, section 6.
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
from fem_mbd.core.compiled.vectors import cross
from fem_mbd.core.model.node_arrays import Forces, Maps, Motion, Rotations
from fem_mbd.core.scheme.constraints.form_tangent import add_form, from_spins, turn_maps
from fem_mbd.core.scheme.discrete_rule import Q_f, Q_m, half_jump, mean, mean_rate, rate_excess
from fem_mbd.core.scheme.nodes.node_kernels import add_rows
from fem_mbd.elements.beam.forces import beam_dtype
from fem_mbd.elements.beam.gauss_point import add_forces, interpolate, store_point, stored_point
from fem_mbd.elements.beam.strain_derivatives import (
    add_offset_columns,
    add_rate_columns,
    add_scaled,
    node_terms,
    set_position_columns,
    set_rotation_columns,
)


@kernel
def _has_offset(element, m):
    """Whether the reference line has an offset from the mass centre of the m-th node."""
    off = element["offset"][m]
    return off[0] != 0.0 or off[1] != 0.0 or off[2] != 0.0


@kernel
def _set_translation_columns(at_m, at_f, slope, rows, first, col):
    """Columns of a and c of a node at ``col``: its displacement is a with at_m (3, 7), and a + c with at_f."""
    set_position_columns(at_f, slope, rows, first, col + 6)
    for a in range(3):
        for i in range(3):
            rows[first + a, col + i] = rows[first + a, col + 6 + i] + slope * at_m[i, 1 + a]


@kernel
def set_rows(element, g, m, turns, x, z, y, test_rows, row, trial_rows):
    """Set the columns of the m-th node in the rows of Gauss point g.

    test_rows : from ``row`` on A_g and A_d; trial_rows : (12, 12 nn) E_f and E_p; turns (3, nn, 3, 3) : `turn_maps` and
        R_f of the nodes; x (12,) the node's unknowns; z (3, 3, 7) and y (4, 3, 7) from `begin_gauss_point`.
    """
    s, on_e, r_f = turns[0, m], turns[1, m], turns[2, m]
    shape, slope, col = element["shape"][g, m], element["slope"][g, m], 12 * m
    omega = x[3] + x[9], x[4] + x[10], x[5] + x[11]
    at_end, changed = node_terms(z[1], r_f, shape, slope), node_terms(y[1], r_f, shape, slope)
    set_position_columns(z[1], slope, trial_rows, 0, col)
    _set_translation_columns(z[2], z[1], slope, trial_rows, 6, col)
    set_rotation_columns(at_end, trial_rows, 0, col + 3)
    set_rotation_columns(node_terms(z[2], r_f, shape, slope), trial_rows, 6, col + 3)
    add_rate_columns(at_end, omega, trial_rows, 6, col + 3)
    set_rotation_columns(at_end, trial_rows, 6, col + 9)
    _set_translation_columns(y[0], y[1], slope, test_rows, row, col)
    _set_translation_columns(y[2], y[3], slope, test_rows, row + 6, col)
    set_rotation_columns(add_scaled(node_terms(y[0], s, shape, slope), 1.0, changed), test_rows, row, col + 3)
    set_rotation_columns(
        add_scaled(node_terms(y[0], on_e, shape, slope), 1.0, changed), test_rows, row, col + 9
    )
    # y[3] is a third of z_f
    set_rotation_columns(
        add_scaled(node_terms(y[2], s, shape, slope), 1.0 / 3.0, at_end), test_rows, row + 6, col + 3
    )
    set_rotation_columns(
        add_scaled(node_terms(y[2], on_e, shape, slope), 1.0 / 3.0, at_end), test_rows, row + 6, col + 9
    )
    if _has_offset(element, m):
        _add_offset(element["offset"][m], slope, turns, m, omega, z, y, test_rows, row, trial_rows)


@kernel
def _add_offset(off, slope, turns, m, omega, z, y, test_rows, row, trial_rows):
    """Add the terms of an offset ``off`` (3,) of the reference line from the mass centre, which `set_rows` omits."""
    s, on_e, r_f, col = turns[0, m], turns[1, m], turns[2, m], 12 * m
    turned = cross(omega, off)
    own = off[0], off[1], off[2]
    add_offset_columns(z[1], r_f, slope, own, trial_rows, 0, col + 3)
    add_offset_columns(z[2], r_f, slope, own, trial_rows, 6, col + 3)
    add_offset_columns(z[1], r_f, slope, turned, trial_rows, 6, col + 3)
    add_offset_columns(z[1], r_f, slope, own, trial_rows, 6, col + 9)
    for stress in range(2):
        first, at_m, at_f = row + 6 * stress, y[2 * stress], y[2 * stress + 1]
        add_offset_columns(at_m, s, slope, own, test_rows, first, col + 3)
        add_offset_columns(at_f, r_f, slope, own, test_rows, first, col + 3)
        add_offset_columns(at_m, on_e, slope, own, test_rows, first, col + 9)
        add_offset_columns(at_f, r_f, slope, own, test_rows, first, col + 9)


@kernel
def _arguments(z, y):
    """Fill y (4, 3, 7), the arguments of B: Q_m = B(y[0])^T s_g + B(y[2])^T s_d, Q_f = B(y[1])^T s_g + B(y[3])^T s_d.

    z (3, 3, 7) : z_i, z_f, z_p
    """
    for i in range(3):
        for v in range(7):
            z_i, z_f, z_p = z[0, i, v], z[1, i, v], z[2, i, v]
            y[0, i, v], y[1, i, v] = Q_m(0.5 * (z_i + z_f), z_p, 1.0, 0.0), Q_f(z_f, z_f - z_i, 1.0, 0.0)
            y[2, i, v], y[3, i, v] = Q_m(0.5 * (z_i + z_f), z_p, 0.0, 1.0), Q_f(z_f, z_f - z_i, 0.0, 1.0)


@kernel
def _six(s):
    """Six numbers from an array (6,)."""
    return s[0], s[1], s[2], s[3], s[4], s[5]


@kernel
def begin_gauss_point(element, g, scale, q_f, p, z, y, lin_m, lin_f):
    """Fill z (3, 3, 7) = z_i, z_f, z_p and y as in `_arguments`; add the forces of the extrapolated stresses.

    q_f, p and the forces' sums lin_m, lin_f are (n, 4, 3), y (4, 3, 7).
    """
    z_i, z_f, z_p = stored_point(element, g), interpolate(q_f, element, g), interpolate(p, element, g)
    s_g, s_d = _six(element["lin_g"][g]), _six(element["lin_d"][g])
    add_forces(element, g, z_i, z_f, z_p, s_g, s_d, scale, lin_m, lin_f)
    store_point(z_i, z[0])
    store_point(z_f, z[1])
    store_point(z_p, z[2])
    _arguments(z, y)


@kernel
def set_material_matrix(element, g, dt, scale, material):
    """Fill material (12, 12), transposed: scale times the changes of (s_g, s_d) by (E_f, E_p).

    mean, half-jump and rate are those of a variation that is zero at t_i.
    """
    for r in range(6):
        for k in range(6):
            c = scale * element["stiffness"][g, r, k]
            material[k, r], material[6 + k, r] = mean(0.0, c, 0.0), mean(0.0, 0.0, c)
            material[k, 6 + r], material[6 + k, 6 + r] = half_jump(0.0, c, 0.0), half_jump(0.0, 0.0, c)
            if element.viscous:
                d = scale / dt * element["viscosity"][g, r, k]
                by_f = mean_rate(0.0, d, 1.0)
                material[k, r] += by_f
                material[k, 6 + r] += rate_excess(by_f, 0.0, 1.0)
                material[6 + k, 6 + r] += rate_excess(0.0, d, 1.0)


@kernel
def add_stress_form(element, g, weight, h):
    """h (2, nn, nn, 4, 4) += stresses s_g, s_d between vectors (u', d_1..3) of a test node and of a trial node."""
    for n in range(element.nodes.shape[0]):
        for m in range(element.nodes.shape[0]):
            dn = weight * element["slope"][g, n] * element["shape"][g, m]
            nd = weight * element["shape"][g, n] * element["slope"][g, m]
            for a in range(3):
                b, c = 1 + (a + 1) % 3, 1 + (a + 2) % 3
                for x in range(2):
                    stress = element["lin_d"][g] if x else element["lin_g"][g]
                    h[x, n, m, 0, 1 + a] += dn * stress[a]
                    h[x, n, m, 1 + a, 0] += nd * stress[a]
                    h[x, n, m, b, c] += 0.5 * (dn - nd) * stress[3 + a]
                    h[x, n, m, c, b] -= 0.5 * (dn - nd) * stress[3 + a]


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
    ng = nn - 1
    # entries that are zero for all elements are not written below
    test_n, trial_n, stress_n = np.zeros(12 * ng * width), np.zeros(12 * width), np.empty(12 * ng * width)
    k_n, material_n = np.empty(width * width), np.empty(144)
    test_rows, trial_rows = test_n.reshape((12 * ng, width)), trial_n.reshape((12, width))
    k, material = k_n.reshape((width, width)), material_n.reshape((12, 12))
    h, turns = np.empty((2, nn, nn, 4, 4)), np.empty((3, nn, 3, 3))
    z, y, form, products = np.empty((3, 3, 7)), np.empty((4, 3, 7)), np.empty((3, 4, 4)), np.empty((3, 3, 3))
    for e in range(elements.shape[0]):
        element = elements[e]
        _gather_turns(element, r_f, w_m, turns)
        h[:] = 0.0
        for g in range(ng):
            scale, row = dt * dt * element.weight[g], 12 * g
            begin_gauss_point(element, g, scale, motion.q_f, motion.p, z, y, lin.m, lin.f)
            add_stress_form(element, g, scale, h)
            set_material_matrix(element, g, dt, scale, material)
            for m in range(nn):
                set_rows(element, g, m, turns, x[element.nodes[m]], z, y, test_rows, row, trial_rows)
            transposed_product(material_n, trial_n, 12, 12, width, stress_n[row * width :])
        transposed_product(test_n, stress_n, 12 * ng, width, width, k_n)
        add_geometric(element, h, turns, x, k, form, products)
        for m in range(nn):
            from_spins(spin[element.nodes[m]], k, 12 * m)
            add_rows(k, 12 * m, element.nodes[m], column, slots[e, :, m], data)
