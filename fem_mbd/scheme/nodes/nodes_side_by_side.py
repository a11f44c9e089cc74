"""Compiled: the tangent of many nodes, `node_kernels` with lanes for eight nodes."""

from __future__ import annotations

import numpy as np

from fem_mbd.compiled import kernel
from fem_mbd.scheme.nodes.node_kernels import node_block
from fem_mbd.scheme.nodes.side_by_side import SIDE, add_matrices, gather, lanes_of, room, rows_from


@kernel
def node_tangent(x, r_i, r_f, g, mass, inertia, lin_m, lin_f, column, slots, data):
    """As `node_kernels.node_tangent`."""
    (x_l, own_x), (r_l, own_r) = lanes_of(12, (12,)), lanes_of(18, (2, 3, 3))
    (g_l, own_g), (j_l, own_j) = lanes_of(18, (3, 6)), lanes_of(9, (3, 3))
    (q_l, own_q), (m_l, own_m) = lanes_of(24, (2, 4, 3)), lanes_of(1, (1,))
    (k_l, k), geo, scratch = lanes_of(144, (12, 12)), lanes_of(36, (6, 6))[1], room(144)
    rows = np.empty((1, SIDE), np.int64)
    x_n, start, end, g_n = x.reshape(-1), r_i.reshape(-1), r_f.reshape(-1), g.reshape(-1)
    j_n, on_m, on_f = inertia.reshape(-1), lin_m.reshape(-1), lin_f.reshape(-1)
    n = x.shape[0]
    for first in range(0, n, SIDE):
        rows_from(first, n, rows[0])
        gather(x_n, rows[0], 12, 12, x_l)
        gather(start, rows[0], 9, 9, r_l[:72])
        gather(end, rows[0], 9, 9, r_l[72:])
        gather(g_n, rows[0], 18, 18, g_l)
        gather(j_n, rows[0], 9, 9, j_l)
        gather(on_m, rows[0], 12, 12, q_l[:96])
        gather(on_f, rows[0], 12, 12, q_l[96:])
        for l in range(SIDE):
            m_l[l] = mass[rows[0, l]]
        node_block(own_x, own_r[0], own_r[1], own_g, own_m[0], own_j, own_q[0], own_q[1], k, geo)
        add_matrices(k_l, rows, first, min(SIDE, n - first), column, slots, scratch, data)
