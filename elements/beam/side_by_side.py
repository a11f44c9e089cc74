"""Compiled kernels of many beam elements: those of one (`kernels`, `tangent`) with lanes for eight elements.

Source: as there. How lanes are filled and what becomes of them: `fem_mbd.scheme.side_by_side`.
"""

from __future__ import annotations

import numpy as np

from fem_mbd.compiled import bare_kernel, kernel
from fem_mbd.compiled.lanes import as_lanes, record_of_lanes
from fem_mbd.compiled.products import transposed_products
from fem_mbd.elements.beam.kernels import add_stressed, extrapolate_stress
from fem_mbd.elements.beam.tangent_parts import (
    add_geometric,
    begin_gauss,
    set_law,
    set_rows,
    sum_stresses,
)
from fem_mbd.scheme.form_tangent import from_spins, turn_maps
from fem_mbd.scheme.side_by_side import SIDE, add_matrices, add_to_nodes, gather, room, rows_from, scatter

VISCOSITY = 36  # numbers of a Gauss point


@bare_kernel
def _load(elements, numbers, words, first, element, record, nodes):
    """Fill the lanes of ``element``, whose memory is record, and nodes (nn, 8) from the elements from ``first`` on.

    numbers : (elements words,) the same records as plain numbers
    """
    nn = nodes.shape[0]
    rows = nodes[0]  # for a while
    rows_from(first, elements.shape[0], rows)
    element.viscous = 0
    for l in range(SIDE):
        element.viscous |= elements[rows[l]].viscous
    count = words if element.viscous else words - VISCOSITY * (nn - 1)
    gather(numbers, rows, words, count, record)
    for l in range(SIDE):
        e = min(first + l, elements.shape[0] - 1)
        for m in range(nn):
            nodes[m, l] = elements[e].nodes[m]


@kernel
def residual(elements, numbers, dt, q_f, p, force_m, force_f):
    """As `kernels.residual`; numbers (elements, words) are the records' ones."""
    words, nn = numbers.shape[1], elements[0].nodes.shape[0]
    record, vectors, scratch = room(words + words // SIDE + 1), room(48 * nn), room(12 * nn)
    nodes, element = np.empty((nn, SIDE), np.int64), record_of_lanes(record, elements)
    own, lanes = vectors.reshape((4, nn, 96)), as_lanes(vectors.reshape((4, nn, 4, 3, SIDE)))
    flat, q_n, p_n = numbers.reshape(-1), q_f.reshape(-1), p.reshape(-1)
    m_n, f_n = force_m.reshape(-1), force_f.reshape(-1)
    for m in range(nn):
        element.nodes[m] = m
    for first in range(0, elements.shape[0], SIDE):
        _load(elements, flat, words, first, element, record, nodes)
        for m in range(nn):
            gather(q_n, nodes[m], 12, 12, own[0, m])
            gather(p_n, nodes[m], 12, 12, own[1, m])
        own[2:] = 0.0
        add_stressed(element, dt, lanes[0], lanes[1], lanes[2], lanes[3])
        count = min(SIDE, elements.shape[0] - first)
        add_to_nodes(own[2], nodes, count, scratch, m_n)
        add_to_nodes(own[3], nodes, count, scratch, f_n)


@kernel
def extrapolate(elements, numbers, dt, q_f, p, dq, dp):
    """As `kernels.extrapolate`; numbers (elements, words) are the records' ones."""
    words, nn = numbers.shape[1], elements[0].nodes.shape[0]
    record, vectors = room(words + words // SIDE + 1), room(48 * nn)
    nodes, element = np.empty((nn, SIDE), np.int64), record_of_lanes(record, elements)
    own, lanes = vectors.reshape((4, nn, 96)), as_lanes(vectors.reshape((4, nn, 4, 3, SIDE)))
    flat, q_n, p_n, dq_n, dp_n = (
        numbers.reshape(-1),
        q_f.reshape(-1),
        p.reshape(-1),
        dq.reshape(-1),
        dp.reshape(-1),
    )
    rows, stresses = np.empty(SIDE, np.int64), 12 * (nn - 1)
    at = words - (VISCOSITY + 12) * (nn - 1)
    for m in range(nn):
        element.nodes[m] = m
    for first in range(0, elements.shape[0], SIDE):
        _load(elements, flat, words, first, element, record, nodes)
        for m in range(nn):
            gather(q_n, nodes[m], 12, 12, own[0, m])
            gather(p_n, nodes[m], 12, 12, own[1, m])
            gather(dq_n, nodes[m], 12, 12, own[2, m])
            gather(dp_n, nodes[m], 12, 12, own[3, m])
        extrapolate_stress(element, dt, lanes[0], lanes[1], lanes[2], lanes[3])
        rows_from(first, elements.shape[0], rows)
        scatter(record[SIDE * at : SIDE * (at + stresses)], rows, words, at, stresses, flat)


@kernel
def tangent(elements, numbers, dt, x, q_f, p, r_f, spin, w_m, lin_m, lin_f, column, slots, data):
    """As `tangent.tangent`; numbers (elements, words) are the records' ones."""
    words, width, nn = numbers.shape[1], slots.shape[1], slots.shape[2]
    ng = nn - 1
    record, scratch = room(words + words // SIDE + 1), room(width * width)
    nodes, element = np.empty((nn, SIDE), np.int64), record_of_lanes(record, elements)
    # of the nodes: q_f, p, lin_m and lin_f; x; r_f; spin; w_m
    vectors, own_x, own_r = room(48 * nn), room(12 * nn), room(9 * nn)
    own_spin, own_w = room(18 * nn), room(54 * nn)
    own, lanes = vectors.reshape((4, nn, 96)), as_lanes(vectors.reshape((4, nn, 4, 3, SIDE)))
    x_m, r_m = as_lanes(own_x.reshape((nn, 12, SIDE))), as_lanes(own_r.reshape((nn, 3, 3, SIDE)))
    spin_m, map_m = as_lanes(own_spin.reshape((nn, 3, 6, SIDE))), as_lanes(own_w.reshape((nn, 3, 3, 6, SIDE)))
    # matrices
    tested_n, stress_n, moving_n = room(12 * ng * width), room(12 * ng * width), room(12 * width)
    k_n, law_n, h_n = room(width * width), room(144), room(32 * nn * nn)
    tested, moving = (
        as_lanes(tested_n.reshape((12 * ng, width, SIDE))),
        as_lanes(moving_n.reshape((12, width, SIDE))),
    )
    k, law = as_lanes(k_n.reshape((width, width, SIDE))), as_lanes(law_n.reshape((12, 12, SIDE)))
    h, turns = (
        as_lanes(h_n.reshape((2, nn, nn, 4, 4, SIDE))),
        as_lanes(room(18 * nn).reshape((2, nn, 3, 3, SIDE))),
    )
    z, y = as_lanes(room(63).reshape((3, 3, 7, SIDE))), as_lanes(room(84).reshape((4, 3, 7, SIDE)))
    form, products = as_lanes(room(48).reshape((3, 4, 4, SIDE))), as_lanes(room(27).reshape((3, 3, 3, SIDE)))
    tested_n[:] = 0.0
    moving_n[:] = 0.0
    s, on_e = turns[0], turns[1]
    flat, q_n, p_n, x_n = numbers.reshape(-1), q_f.reshape(-1), p.reshape(-1), x.reshape(-1)
    r_n, spin_n, w_n = r_f.reshape(-1), spin.reshape(-1), w_m.reshape(-1)
    sum_m, sum_f = lin_m.reshape(-1), lin_f.reshape(-1)
    for m in range(nn):
        element.nodes[m] = m
    for first in range(0, elements.shape[0], SIDE):
        _load(elements, flat, words, first, element, record, nodes)
        for m in range(nn):
            gather(q_n, nodes[m], 12, 12, own[0, m])
            gather(p_n, nodes[m], 12, 12, own[1, m])
            gather(x_n, nodes[m], 12, 12, own_x[96 * m : 96 * m + 96])
            gather(r_n, nodes[m], 9, 9, own_r[72 * m : 72 * m + 72])
            gather(spin_n, nodes[m], 18, 18, own_spin[144 * m : 144 * m + 144])
            gather(w_n, nodes[m], 54, 54, own_w[432 * m : 432 * m + 432])
            turn_maps(map_m[m], s[m], on_e[m])
        own[2:] = 0.0
        h_n[:] = 0.0
        for g in range(ng):
            scale, row = dt * dt * element.weight[g], 12 * g
            begin_gauss(element, g, scale, lanes[0], lanes[1], z, y, lanes[2], lanes[3])
            sum_stresses(element, g, scale, h)
            set_law(element, g, dt, scale, law)
            for m in range(nn):
                set_rows(element, g, m, s[m], on_e[m], r_m[m], x_m[m], z, y, tested, row, moving)
            transposed_products(law_n, moving_n, 12, 12, width, stress_n[SIDE * row * width :])
        transposed_products(tested_n, stress_n, 12 * ng, width, width, k_n)
        add_geometric(element, h, s, on_e, r_m, x_m, k, form, products)
        count = min(SIDE, elements.shape[0] - first)
        for m in range(nn):
            from_spins(spin_m[m], k, 12 * m)
        add_to_nodes(own[2], nodes, count, scratch, sum_m)
        add_to_nodes(own[3], nodes, count, scratch, sum_f)
        add_matrices(k_n, nodes, first, count, column, slots, scratch, data)
