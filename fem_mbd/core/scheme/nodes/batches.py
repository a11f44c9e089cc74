"""SIMD batches of eight parts: gather of node data and scatter-add of forces and matrices.

A kernel that is written for numbers and arrays of numbers processes eight parts at once if these are SIMD vectors with
one element per part. The kernels here convert between such arrays and those of all nodes and parts, in which the
numbers of a node or part are contiguous: numbers of eight rows are read, transposed and stored as vectors; sums are
written back in the same way. A last, incomplete batch is filled with copies of its last part, for which nothing is
added.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

import numpy as np

from fem_mbd.core.compiled import kernel
from fem_mbd.core.compiled.signatures import array3, float64, index_rows, matrix, slots, vector, void
from fem_mbd.core.compiled.simd import as_simd, fetch, load4, load8, store4, store8, transposed
from fem_mbd.core.model.workspace import Forces, Masses
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
    (w_l, own_w), (m_l, own_m), (rows_l, own_rows) = (
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
        finish_node(own_x, own_w, own_m[0], own_j, fall, own_r[0], own_r[1], own_f[0], own_f[1], own_rows)
        scatter(rows_l, nodes, 12, 0, 12, rows_n)


BATCH_SIZE = 8  # parts in a batch
MIN_NODES, MIN_BEAMS = 6, 4  # nodes, and beam elements of one kind, from which on batches take less time
_without_batches = ContextVar("_without_batches", default=False)


def in_batches(count: int, least: int | None = None) -> bool:
    """Whether this number of nodes or parts is evaluated in batches; ``least`` : from which on, default `MIN_NODES`."""
    return count >= (MIN_NODES if least is None else least) and not _without_batches.get()


@contextmanager
def one_by_one() -> Iterator[None]:
    """Context in which new simulations do not use batches."""
    token = _without_batches.set(True)
    try:
        yield
    finally:
        _without_batches.reset(token)


@kernel
def aligned_scratch(count):
    """Scratch array (8 count,) for ``count`` SIMD vectors, aligned to 64 bytes."""
    numbers = np.empty(BATCH_SIZE * (count + 1))
    first = (64 - numbers.ctypes.data % 64) % 64 // 8
    return numbers[first : first + BATCH_SIZE * count]


@kernel
def simd_scratch(count, shape):
    """Scratch array of ``shape`` with ``count`` entries for a batch, as plain numbers and as SIMD vectors."""
    numbers = aligned_scratch(count)
    return numbers, as_simd(numbers.reshape(shape + (BATCH_SIZE,)))


@kernel
def _read(values, p, offset):
    """Eight numbers from each of the eight indices p plus ``offset``, transposed."""
    return transposed(
        (
            load8(values, p[0] + offset),
            load8(values, p[1] + offset),
            load8(values, p[2] + offset),
            load8(values, p[3] + offset),
            load8(values, p[4] + offset),
            load8(values, p[5] + offset),
            load8(values, p[6] + offset),
            load8(values, p[7] + offset),
        )
    )


@kernel
def _write(vectors, out, at, stride):
    """Store eight SIMD vectors, ``stride`` stride."""
    store8(out, at, vectors[0])
    store8(out, at + stride, vectors[1])
    store8(out, at + 2 * stride, vectors[2])
    store8(out, at + 3 * stride, vectors[3])
    store8(out, at + 4 * stride, vectors[4])
    store8(out, at + 5 * stride, vectors[5])
    store8(out, at + 6 * stride, vectors[6])
    store8(out, at + 7 * stride, vectors[7])


@kernel
def gather(values, rows, stride, count, out):
    """Fill out (8 count,) with the first ``count`` numbers of eight ``rows`` (8,) as SIMD vectors; count >= 8.

    values : (n stride,) rows of ``stride`` numbers, one after the other
    """
    p = (
        stride * rows[0],
        stride * rows[1],
        stride * rows[2],
        stride * rows[3],
        stride * rows[4],
        stride * rows[5],
        stride * rows[6],
        stride * rows[7],
    )
    for k in range(0, count, BATCH_SIZE):
        first = min(k, count - BATCH_SIZE)  # some are read twice where eight do not divide the count
        _write(_read(values, p, first), out, BATCH_SIZE * first, BATCH_SIZE)


@kernel
def scatter(vectors, rows, stride, offset, count, out):
    """Inverse of `gather`: write ``count`` vectors (8 count,) to eight ``rows`` of out at ``offset``; count >= 8."""
    p = 0, 8, 16, 24, 32, 40, 48, 56
    for k in range(0, count, BATCH_SIZE):
        first = min(k, count - BATCH_SIZE)
        numbers = _read(vectors, p, BATCH_SIZE * first)
        at = offset + first
        store8(out, stride * rows[0] + at, numbers[0])
        store8(out, stride * rows[1] + at, numbers[1])
        store8(out, stride * rows[2] + at, numbers[2])
        store8(out, stride * rows[3] + at, numbers[3])
        store8(out, stride * rows[4] + at, numbers[4])
        store8(out, stride * rows[5] + at, numbers[5])
        store8(out, stride * rows[6] + at, numbers[6])
        store8(out, stride * rows[7] + at, numbers[7])


@kernel
def rows_from(first, count, out):
    """Fill out (8,) with the row numbers from ``first`` on, below ``count``; the last one is repeated."""
    for l in range(BATCH_SIZE):
        out[l] = min(first + l, count - 1)


@kernel
def _copy_twelve(vectors, at, out, to, stride):
    """Copy twelve numbers of each part from vectors at ``at`` to out at ``to``, parts ``stride`` from each other."""
    p = 0, 8, 16, 24, 32, 40, 48, 56
    _write(_read(vectors, p, at), out, to, stride)
    _write(_read(vectors, p, at + 32), out, to + 4, stride)


@kernel
def _add_twelve(numbers, at, out, place):
    store4(out, place, load4(out, place) + load4(numbers, at))
    store4(out, place + 4, load4(out, place + 4) + load4(numbers, at + 4))
    store4(out, place + 8, load4(out, place + 8) + load4(numbers, at + 8))


@kernel
def add_to_nodes(vectors, nodes, count, scratch, out):
    """Add twelve vectors for each node of the parts to the twelve numbers of these nodes, part after part.

    vectors : (nn, 96); nodes (nn, 8) of the parts, the first ``count`` of which are added; out (12 n,)
    scratch : (96 nn,)
    """
    nn = nodes.shape[0]
    for m in range(nn):
        _copy_twelve(vectors[m], 0, scratch, 12 * m, 12 * nn)
    for l in range(count):
        for m in range(nn):
            _add_twelve(scratch, 12 * (nn * l + m), out, 12 * nodes[m, l])


@kernel
def fetch_places(slots, first, count, data):
    """Prefetch the matrix values to which `add_matrices` will add; memory access is slow for large matrices."""
    for l in range(first, first + count):
        for i in range(slots.shape[1]):
            for m in range(slots.shape[2]):
                fetch(data, slots[l, i, m])
                fetch(data, slots[l, i, m] + 11)


@kernel
def add_matrices(k, nodes, first, count, column, slots, scratch, data):
    """Add the matrices of ``count`` parts from ``first`` on to the matrix values, part after part.

    The order of the sums does not depend on how parts are divided into batches.

    k : (8 width^2,) SIMD vectors of matrices (width, width); nodes (nn, 8); scratch (8 width^2,)
    column, slots, data : as in `node_kernels.add_rows`, slots (parts, width, nn)
    """
    width, nn, nowhere = slots.shape[1], slots.shape[2], data.shape[0] - 1
    for at in range(0, width * width, 12):
        _copy_twelve(k, BATCH_SIZE * at, scratch, at, width * width)
    for l in range(count):
        for i in range(width):
            for m in range(nn):
                place, at, node = slots[first + l, i, m], (l * width + i) * width + 12 * m, nodes[m, l]
                if place == nowhere:
                    continue
                if column[node, 11] == 11:
                    _add_twelve(scratch, at, data, place)
                else:
                    for j in range(12):
                        if column[node, j] >= 0:
                            data[place + column[node, j]] += scratch[at + j]
