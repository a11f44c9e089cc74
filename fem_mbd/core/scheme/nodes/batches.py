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
from fem_mbd.core.compiled.simd import as_simd, fetch, load4, load8, store4, store8, transposed

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
def _read(values, p, behind):
    """Eight numbers from each of the eight indices p plus ``behind``, transposed."""
    return transposed(
        (
            load8(values, p[0] + behind),
            load8(values, p[1] + behind),
            load8(values, p[2] + behind),
            load8(values, p[3] + behind),
            load8(values, p[4] + behind),
            load8(values, p[5] + behind),
            load8(values, p[6] + behind),
            load8(values, p[7] + behind),
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
def scatter(vectors, rows, stride, behind, count, out):
    """Inverse of `gather`: write ``count`` vectors (8 count,) to eight ``rows`` of out at ``behind``; count >= 8."""
    p = 0, 8, 16, 24, 32, 40, 48, 56
    for k in range(0, count, BATCH_SIZE):
        first = min(k, count - BATCH_SIZE)
        numbers = _read(vectors, p, BATCH_SIZE * first)
        at = behind + first
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
