"""The most expensive loops over nodes of `node_kernels`, compiled, in SIMD batches of eight nodes."""

from __future__ import annotations

import numpy as np

from fem_mbd.core.compiled import kernel
from fem_mbd.core.compiled.signatures import array3, float64, index_rows, matrix, slots, vector, void
from fem_mbd.core.model.workspace import Forces, Masses
from fem_mbd.core.scheme.nodes.batches import (
    BATCH_SIZE,
    add_matrices,
    aligned_scratch,
    fetch_places,
    gather,
    rows_from,
    scatter,
    simd_scratch,
)
from fem_mbd.core.scheme.nodes.node_kernels import finish_node, node_block
from fem_mbd.core.scheme.nodes.node_map import node_configuration


@kernel(void(matrix, array3, array3, array3, Masses, Forces, index_rows, slots, vector))
def node_tangent(x, r_i, r_f, g, masses, lin, column, slots, data):
    """As `node_kernels.node_tangent`."""
    (mass, inertia), (lin_m, lin_f) = masses, lin
    (x_l, own_x), (r_l, own_r) = simd_scratch(12, (12,)), simd_scratch(18, (2, 3, 3))
    (g_l, own_g), (j_l, own_j) = simd_scratch(18, (3, 6)), simd_scratch(9, (3, 3))
    (q_l, own_q), (m_l, own_m) = simd_scratch(24, (2, 4, 3)), simd_scratch(1, (1,))
    (k_l, k), geo, scratch = simd_scratch(144, (12, 12)), simd_scratch(36, (6, 6))[1], aligned_scratch(144)
    rows = np.empty((1, BATCH_SIZE), np.int64)
    x_n, start, end, g_n = x.reshape(-1), r_i.reshape(-1), r_f.reshape(-1), g.reshape(-1)
    j_n, on_m, on_f = inertia.reshape(-1), lin_m.reshape(-1), lin_f.reshape(-1)
    n = x.shape[0]
    for first in range(0, n, BATCH_SIZE):
        count = min(BATCH_SIZE, n - first)
        fetch_places(slots, first, count, data)
        rows_from(first, n, rows[0])
        gather(x_n, rows[0], 12, 12, x_l)
        gather(start, rows[0], 9, 9, r_l[:72])
        gather(end, rows[0], 9, 9, r_l[72:])
        gather(g_n, rows[0], 18, 18, g_l)
        gather(j_n, rows[0], 9, 9, j_l)
        gather(on_m, rows[0], 12, 12, q_l[:96])
        gather(on_f, rows[0], 12, 12, q_l[96:])
        for l in range(BATCH_SIZE):
            m_l[l] = mass[rows[0, l]]
        node_block(own_x, own_r[0], own_r[1], own_g, own_m[0], own_j, own_q[0], own_q[1], k, geo)
        add_matrices(k_l, rows, first, count, column, slots, scratch, data)


@kernel(void(matrix, array3, array3, array3, array3, array3))
def kinematics(x, r_i, q_i, q_f, p, r_f):
    """As `node_kernels.kinematics`."""
    (x_l, own_x), (r_l, own_r) = simd_scratch(12, (12,)), simd_scratch(18, (2, 3, 3))
    (q_l, own_q), rows = simd_scratch(36, (3, 4, 3)), np.empty(BATCH_SIZE, np.int64)
    x_n, start, place = x.reshape(-1), r_i.reshape(-1), q_i.reshape(-1)
    q_n, p_n, end = q_f.reshape(-1), p.reshape(-1), r_f.reshape(-1)
    for first in range(0, x.shape[0], BATCH_SIZE):
        rows_from(first, x.shape[0], rows)
        gather(x_n, rows, 12, 12, x_l)
        gather(start, rows, 9, 9, r_l[:72])
        gather(place, rows, 12, BATCH_SIZE, q_l[:96])  # only the three numbers of the position are used
        node_configuration(own_x, own_r[0], own_q[0], own_q[1], own_q[2], own_r[1])
        scatter(q_l[96:192], rows, 12, 0, 12, q_n)
        scatter(q_l[192:], rows, 12, 0, 12, p_n)
        scatter(r_l[72:], rows, 9, 0, 9, end)


@kernel(void(matrix, matrix, Masses, vector, float64, array3, array3, Forces, matrix))
def finish_rows(x, x_i, masses, gravity, dt, r_i, r_f, forces, rows):
    """As `node_kernels.finish_rows`."""
    (mass, inertia), (force_m, force_f) = masses, forces
    (x_l, own_x), (r_l, own_r) = simd_scratch(12, (12,)), simd_scratch(18, (2, 3, 3))
    (j_l, own_j), (f_l, own_f) = simd_scratch(9, (3, 3)), simd_scratch(24, (2, 4, 3))
    (w_l, own_w), (m_l, own_m), (rows_l, own) = (
        simd_scratch(6, (6,)),
        simd_scratch(1, (1,)),
        simd_scratch(12, (12,)),
    )
    nodes = np.empty(BATCH_SIZE, np.int64)
    x_n, start, end, j_n = x.reshape(-1), r_i.reshape(-1), r_f.reshape(-1), inertia.reshape(-1)
    on_m, on_f, rows_n = force_m.reshape(-1), force_f.reshape(-1), rows.reshape(-1)
    fall = dt * dt * gravity[0], dt * dt * gravity[1], dt * dt * gravity[2]
    for first in range(0, x.shape[0], BATCH_SIZE):
        rows_from(first, x.shape[0], nodes)
        for l in range(BATCH_SIZE):  # fewer numbers than parts of a batch
            m_l[l] = mass[nodes[l]]
            for i in range(6):
                w_l[BATCH_SIZE * i + l] = x_i[nodes[l], i]
        gather(x_n, nodes, 12, 12, x_l)
        gather(start, nodes, 9, 9, r_l[:72])
        gather(end, nodes, 9, 9, r_l[72:])
        gather(j_n, nodes, 9, 9, j_l)
        gather(on_m, nodes, 12, 12, f_l[:96])
        gather(on_f, nodes, 12, 12, f_l[96:])
        gather(rows_n, nodes, 12, 12, rows_l)
        finish_node(own_x, own_w, own_m[0], own_j, fall, own_r[0], own_r[1], own_f[0], own_f[1], own)
        scatter(rows_l, nodes, 12, 0, 12, rows_n)
