"""Residual, energies and tangent of many beam elements, eight at a time in SIMD registers (compiled).

Sources: `forces`, `tangent`. SIMD batches: `fem_mbd.core.scheme.nodes.batches`.
"""

from __future__ import annotations

from typing import Annotated, Any, NamedTuple

import numpy as np

from fem_mbd.core.compiled import kernel
from fem_mbd.core.compiled.signatures import (
    array3,
    float64,
    index_rows,
    int64,
    matrix,
    record,
    slots,
    vector,
    void,
)
from fem_mbd.core.compiled.simd import fetch, simd_record
from fem_mbd.core.compiled.vectors import transposed_products
from fem_mbd.core.model.workspace import Forces, Maps, Motion, Rotations
from fem_mbd.core.scheme.constraints.forms import from_spins, turn_maps
from fem_mbd.core.scheme.nodes.batches import (
    BATCH_SIZE,
    add_matrices,
    add_to_nodes,
    aligned_scratch,
    fetch_places,
    gather,
    rows_from,
    scatter,
    simd_scratch,
)
from fem_mbd.elements.beam.forces import (
    add_element_energies,
    add_element_forces,
    beam_dtype,
    extrapolate_stresses,
)
from fem_mbd.elements.beam.tangent import (
    PADDED,
    PLACE_ROWS,
    ROWS,
    Arrays,
    Numbers as FlatArrays,
    element_tangent,
)

POINT_NUMBERS = 9  # numbers per Gauss point after the nodes that include all before the offsets
VISCOSITY, STRESSES = 36, 12  # numbers per Gauss point: the last ones of a record, and those before them


class Numbers(NamedTuple):
    """The records of elements as numbers, for SIMD vectors."""

    words: Annotated[Any, matrix]  # (elements, words) the same memory
    alike: Annotated[
        Any, int64
    ]  # index of the first number behind their stiffness; 0 where that is not alike


def as_numbers(elements: Any) -> Numbers:
    """Those of records, whose offsets and stiffness must not be changed afterwards."""
    numbers = elements.view(np.float64).reshape(len(elements), -1)
    fields: Any = elements.dtype.fields
    begin, end = fields["offset"][1] // 8, fields["strain_0"][1] // 8
    return Numbers(numbers, end if bool((numbers[:, begin:end] == numbers[0, begin:end]).all()) else 0)


@kernel
def _record(words):
    """Array for a batch of records of ``words`` numbers, and for one that contains what is not float64."""
    return aligned_scratch(words + words // BATCH_SIZE + 1)


@kernel
def _scratch(words, nn, vectors):
    """Arrays for a batch of records, for their nodes (nn, 8), and for ``vectors`` vectors of each node.

    The vectors as numbers (vectors, nn, 96) and as SIMD values (vectors, nn, 4, 3).
    """
    numbers, vectors_n = simd_scratch(12 * vectors * nn, (vectors, nn, 4, 3))
    return _record(words), np.empty((nn, BATCH_SIZE), np.int64), numbers.reshape((vectors, nn, 96)), vectors_n


@kernel
def _number_nodes(element):
    """Number the nodes of the batch from 0."""
    for m in range(element.nodes.shape[0]):
        element.nodes[m] = m


@kernel
def _load(elements, numbers, words, alike, unread, first, element, record, nodes):
    """Fill the batch ``element``, whose memory is record, and nodes (nn, 8) from the elements from ``first`` on.

    numbers : (elements words,) the same records as numbers; without viscosity, it and the ``unread`` numbers before it
        are not loaded; of the first ``alike`` numbers, those from the offsets on are loaded for the first batch only
    """
    nn = nodes.shape[0]
    rows = nodes[0]  # scratch, filled with nodes below
    rows_from(first, elements.shape[0], rows)
    element.viscous = 0
    for l in range(BATCH_SIZE):
        element.viscous |= elements[rows[l]].viscous
    count = words if element.viscous else words - VISCOSITY * (nn - 1) - unread
    # records of large models are not in the cache: prefetch the next ones
    if first + 2 * BATCH_SIZE <= elements.shape[0]:
        for at in range((first + BATCH_SIZE) * words, (first + 2 * BATCH_SIZE) * words, words):
            fetch(numbers, at)
            for k in range(alike, count, BATCH_SIZE):
                fetch(numbers, at + k)
            fetch(numbers, at + count - 1)
    known = alike if first > 0 else 0
    if known > 0:
        gather(numbers, rows, words, POINT_NUMBERS * (nn - 1) + nn, record)
    gather(numbers[known:], rows, words, count - known, record[BATCH_SIZE * known :])
    for l in range(BATCH_SIZE):
        e = min(first + l, elements.shape[0] - 1)
        for m in range(nn):
            nodes[m, l] = elements[e].nodes[m]


@kernel(
    *(void(record(beam_dtype(nn))[::1], Numbers, float64, array3, array3, array3, array3) for nn in (2, 3, 4))
)
def residual(elements, numbers, dt, q_f, p, force_m, force_f):
    """As `forces.residual`."""
    words, nn = numbers.words.shape[1], elements[0].nodes.shape[0]
    (record, nodes, vectors, vectors_n), scratch = _scratch(words, nn, 4), aligned_scratch(12 * nn)
    element, flat, q_n, p_n = (
        simd_record(record, elements),
        numbers.words.reshape(-1),
        q_f.reshape(-1),
        p.reshape(-1),
    )
    m_n, f_n = force_m.reshape(-1), force_f.reshape(-1)
    _number_nodes(element)
    for first in range(0, elements.shape[0], BATCH_SIZE):
        _load(elements, flat, words, numbers.alike, STRESSES * (nn - 1), first, element, record, nodes)
        for m in range(nn):
            gather(q_n, nodes[m], 12, 12, vectors[0, m])
            gather(p_n, nodes[m], 12, 12, vectors[1, m])
        vectors[2:] = 0.0
        add_element_forces(element, dt, vectors_n[0], vectors_n[1], vectors_n[2], vectors_n[3])
        count = min(BATCH_SIZE, elements.shape[0] - first)
        add_to_nodes(vectors[2], nodes, count, scratch, m_n)
        add_to_nodes(vectors[3], nodes, count, scratch, f_n)


@kernel(
    *(void(record(beam_dtype(nn))[::1], Numbers, float64, array3, array3, array3, array3) for nn in (2, 3, 4))
)
def extrapolate(elements, numbers, dt, q_f, p, dq, dp):
    """As `forces.extrapolate`."""
    words, nn = numbers.words.shape[1], elements[0].nodes.shape[0]
    record, nodes, vectors, vectors_n = _scratch(words, nn, 4)
    element, flat = simd_record(record, elements), numbers.words.reshape(-1)
    q_n, p_n, dq_n, dp_n = q_f.reshape(-1), p.reshape(-1), dq.reshape(-1), dp.reshape(-1)
    stresses = STRESSES * (nn - 1)
    at = words - VISCOSITY * (nn - 1) - stresses
    _number_nodes(element)
    for first in range(0, elements.shape[0], BATCH_SIZE):
        _load(elements, flat, words, numbers.alike, stresses, first, element, record, nodes)
        for m in range(nn):
            gather(q_n, nodes[m], 12, 12, vectors[0, m])
            gather(p_n, nodes[m], 12, 12, vectors[1, m])
            gather(dq_n, nodes[m], 12, 12, vectors[2, m])
            gather(dp_n, nodes[m], 12, 12, vectors[3, m])
        extrapolate_stresses(element, dt, vectors_n[0], vectors_n[1], vectors_n[2], vectors_n[3])
        rows_from(first, elements.shape[0], nodes[0])
        scatter(record[BATCH_SIZE * at : BATCH_SIZE * (at + stresses)], nodes[0], words, at, stresses, flat)


@kernel(*(void(record(beam_dtype(nn))[::1], Numbers, float64, array3, array3, vector) for nn in (2, 3, 4)))
def energies(elements, numbers, dt, q_f, p, out):
    """As `forces.energies`."""
    words, nn = numbers.words.shape[1], elements[0].nodes.shape[0]
    record, nodes, vectors, vectors_n = _scratch(words, nn, 2)
    element, flat = simd_record(record, elements), numbers.words.reshape(-1)
    q_n, p_n = q_f.reshape(-1), p.reshape(-1)
    sums_n, sums = simd_scratch(3, (3,))
    _number_nodes(element)
    for first in range(0, elements.shape[0], BATCH_SIZE):
        _load(elements, flat, words, numbers.alike, STRESSES * (nn - 1), first, element, record, nodes)
        for m in range(nn):
            gather(q_n, nodes[m], 12, 12, vectors[0, m])
            gather(p_n, nodes[m], 12, 12, vectors[1, m])
        sums_n[:] = 0.0
        add_element_energies(element, dt, vectors_n[0], vectors_n[1], sums)
        for l in range(min(BATCH_SIZE, elements.shape[0] - first)):
            for k in range(3):
                out[k] += sums_n[BATCH_SIZE * k + l]


@kernel
def _load_nodes(nodes, all_nodes, vectors, element_nodes):
    """Fill ``vectors`` and ``element_nodes`` with the quantities of the nodes of a batch of elements; all are flat.

    all_nodes : q_f, p, x, R_f, spin derivatives and W_m of all nodes; element_nodes : the last four of the elements'
    """
    (q_f, p, x, r_f, spin, w_m), (own_x, own_r, own_spin, own_w) = all_nodes, element_nodes
    for m in range(nodes.shape[0]):
        gather(q_f, nodes[m], 12, 12, vectors[0, m])
        gather(p, nodes[m], 12, 12, vectors[1, m])
        gather(x, nodes[m], 12, 12, own_x[96 * m : 96 * m + 96])
        gather(r_f, nodes[m], 9, 9, own_r[72 * m : 72 * m + 72])
        gather(spin, nodes[m], 18, 18, own_spin[144 * m : 144 * m + 144])
        gather(w_m, nodes[m], 54, 54, own_w[432 * m : 432 * m + 432])


@kernel(
    *(void(record(beam_dtype(nn))[::1], Numbers, float64, Motion, Rotations, Maps, Forces, index_rows, slots,
    vector) for nn in (2, 3, 4)),
)  # fmt: skip
def tangent(elements, numbers, dt, motion, rotations, maps, lin, column, slots, data):
    """As `tangent.tangent`."""
    x, r_f, spin = rotations
    words, width, nn = numbers.words.shape[1], slots.shape[1], slots.shape[2]
    ng, half = nn - 1, 6 * nn
    (record, nodes, vectors, vectors_n), scratch = _scratch(words, nn, 4), aligned_scratch(width * width)
    element, flat = simd_record(record, elements), numbers.words.reshape(-1)
    own_x, x_m = simd_scratch(12 * nn, (nn, 12))
    own_spin, spin_m = simd_scratch(18 * nn, (nn, 3, 6))
    own_w, map_m = simd_scratch(54 * nn, (nn, 3, 3, 6))
    turns_n, turns = simd_scratch(27 * nn, (3, nn, 3, 3))
    own_r = turns_n[18 * nn * BATCH_SIZE :]
    place_n, place = simd_scratch(PLACE_ROWS * ng * half, (ng, 2, 3, half))
    turn_n, turn = simd_scratch(ROWS * ng * half, (ng, 2, 8, half))
    place_stress_n, place_stress = simd_scratch(PLACE_ROWS * ng * width, (ng, 2, 3, width))
    turn_stress_n, turn_stress = simd_scratch(ROWS * ng * width, (ng, 2, 8, width))
    m_n, stiffness = simd_scratch(ROWS * PADDED, (ROWS, PADDED))
    moved_n, moved = simd_scratch(16 * half, (2, 8, half))
    half_n, half_rows = simd_scratch(2 * PADDED * half, (2, PADDED, half))
    k_n, k = simd_scratch(width * width, (width, width))
    h_n, h = simd_scratch(32 * nn * nn, (2, nn, nn, 4, 4))
    arrays = Arrays(
        place, turn, place_stress, turn_stress, stiffness, moved, half_rows, k, turns, h,
        simd_scratch(63, (3, 3, 7))[1], simd_scratch(84, (4, 3, 7))[1], simd_scratch(42, (2, 3, 7))[1],
        simd_scratch(144, (12, 12))[1], simd_scratch(192, (12, 16))[1], simd_scratch(48, (3, 4, 4))[1],
        simd_scratch(27, (3, 3, 3))[1],
    )  # fmt: skip
    flat_arrays = FlatArrays(place_n, turn_n, place_stress_n, turn_stress_n, m_n, moved_n, half_n, k_n, h_n)
    of_nodes = (
        motion.q_f.reshape(-1),
        motion.p.reshape(-1),
        x.reshape(-1),
        r_f.reshape(-1),
        spin.reshape(-1),
        maps.w_m.reshape(-1),
    )
    sum_m, sum_f = lin.m.reshape(-1), lin.f.reshape(-1)
    m_n[:] = 0.0  # entries that are zero for all elements are not written below
    moved_n[:] = 0.0
    _number_nodes(element)
    for first in range(0, elements.shape[0], BATCH_SIZE):
        count = min(BATCH_SIZE, elements.shape[0] - first)
        fetch_places(slots, first, count, data)
        _load(elements, flat, words, numbers.alike, 0, first, element, record, nodes)
        _load_nodes(nodes, of_nodes, vectors, (own_x, own_r, own_spin, own_w))
        for m in range(nn):
            turn_maps(map_m[m], turns[0, m], turns[1, m])
        vectors[2:] = 0.0
        q, p, own_lin = vectors_n[0], vectors_n[1], Forces(vectors_n[2], vectors_n[3])
        element_tangent(element, dt, q, p, x_m, own_lin, arrays, flat_arrays, transposed_products, BATCH_SIZE)
        for m in range(nn):
            from_spins(spin_m[m], k, 12 * m)
        add_to_nodes(vectors[2], nodes, count, scratch, sum_m)
        add_to_nodes(vectors[3], nodes, count, scratch, sum_f)
        add_matrices(k_n, nodes, first, count, column, slots, scratch, data)
