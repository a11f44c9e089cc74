"""Tangent stiffness of beam elements, one element after the other (compiled); formulas: `tangent_parts`."""

from __future__ import annotations

import numpy as np

from fem_mbd.core.compiled import kernel
from fem_mbd.core.compiled.products import transposed_product
from fem_mbd.core.compiled.signatures import (
    array3,
    array4,
    float64,
    index_rows,
    matrix,
    record,
    slots,
    vector,
    void,
)
from fem_mbd.core.scheme.constraints.form_tangent import NodeTurn, from_spins, turn_maps
from fem_mbd.core.scheme.nodes.node_kernels import add_rows
from fem_mbd.elements.beam.kernels import beam_dtype
from fem_mbd.elements.beam.tangent_parts import (
    add_geometric,
    begin_gauss,
    set_law,
    set_rows,
    sum_stresses,
)


@kernel
def _gather_turns(element, r_f, w_m, s, on_e, r):
    """What the rows need of the element's nodes: `turn_maps` and R_f (nn, 3, 3)."""
    for m in range(element.nodes.shape[0]):
        n = element.nodes[m]
        turn_maps(w_m[n], s[m], on_e[m])
        for i in range(3):
            for j in range(3):
                r[m, i, j] = r_f[n, i, j]


@kernel(
    *(void(record(beam_dtype(nn))[::1], float64, matrix, array3, array3, array3, array3, array4, array3,
    array3, index_rows, slots, vector) for nn in (2, 3, 4)),
)  # fmt: skip
def tangent(elements, dt, x, q_f, p, r_f, spin, w_m, lin_m, lin_f, column, slots, data):
    """Add every element's tangent to the matrix values and its extrapolated ambient forces to lin_m, lin_f (n, 4, 3).

    x : (n, 12); q_f, p : (n, 4, 3); r_f : (n, 3, 3); spin : (n, 3, 6); w_m : (n, 3, 3, 6)
    column : (n, 12), slots : (elements, 12 nn, nn), as in `add_rows`
    """
    width, nn = slots.shape[1], slots.shape[2]
    ng = nn - 1
    # entries that are zero for every element are never written
    tested_n, moving_n, stress_n = np.zeros(12 * ng * width), np.zeros(12 * width), np.empty(12 * ng * width)
    k_n, law_n = np.empty(width * width), np.empty(144)
    tested, moving = tested_n.reshape((12 * ng, width)), moving_n.reshape((12, width))
    k, law = k_n.reshape((width, width)), law_n.reshape((12, 12))
    h, turns = np.empty((2, nn, nn, 4, 4)), np.empty((3, nn, 3, 3))
    z, y, form, products = np.empty((3, 3, 7)), np.empty((4, 3, 7)), np.empty((3, 4, 4)), np.empty((3, 3, 3))
    s, on_e, r = turns[0], turns[1], turns[2]
    for e in range(elements.shape[0]):
        element = elements[e]
        _gather_turns(element, r_f, w_m, s, on_e, r)
        h[:] = 0.0
        for g in range(ng):
            scale, row = dt * dt * element.weight[g], 12 * g
            begin_gauss(element, g, scale, q_f, p, z, y, lin_m, lin_f)
            sum_stresses(element, g, scale, h)
            set_law(element, g, dt, scale, law)
            for m in range(nn):
                node = NodeTurn(s[m], on_e[m], r[m], x[element.nodes[m]])
                set_rows(element, g, m, node, z, y, tested, row, moving)
            transposed_product(law_n, moving_n, 12, 12, width, stress_n[row * width :])
        transposed_product(tested_n, stress_n, 12 * ng, width, width, k_n)
        add_geometric(element, h, s, on_e, r, x, k, form, products)
        for m in range(nn):
            from_spins(spin[element.nodes[m]], k, 12 * m)
            add_rows(k, 12 * m, element.nodes[m], column, slots[e, :, m], data)
