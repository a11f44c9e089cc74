"""Parts eight at a time: what they need of their nodes, and what they add to them, with a lane for each part.

A kernel that is written in numbers and in arrays of them serves eight parts at once where these hold lanes. Here is the
way between such arrays and those of all nodes and parts, in which the numbers of a node or part follow each other.
Numbers of eight rows are read, transposed, and stored side by side; sums go back in the same way. Where fewer than
eight parts are left, the last one stands in the other lanes, and nothing is added for these.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

import numpy as np

from fem_mbd.core.compiled import kernel
from fem_mbd.core.compiled.simd import as_simd, fetch, load4, load8, store4, store8, transposed

SIDE = 8  # parts
MANY = 6  # fewer parts or nodes are calculated one after the other
_alone = ContextVar("_alone", default=False)


def many(count: int) -> bool:
    """Whether so many parts or nodes are calculated eight at a time."""
    return count >= MANY and not _alone.get()


@contextmanager
def one_by_one() -> Iterator[None]:
    """Within the block simulations are made that calculate parts and nodes one after the other."""
    token = _alone.set(True)
    try:
        yield
    finally:
        _alone.reset(token)


@kernel
def room(count):
    """Scratch for ``count`` lanes, an array (8 count,) that begins where processors read lanes in one piece."""
    numbers = np.empty(SIDE * (count + 1))
    first = (64 - numbers.ctypes.data % 64) % 64 // 8
    return numbers[first : first + SIDE * count]


@kernel
def simd_scratch(count, shape):
    """Room for an array of ``shape``, which has ``count`` entries, as plain numbers and as lanes."""
    numbers = room(count)
    return numbers, as_simd(numbers.reshape(shape + (SIDE,)))


@kernel
def _read(values, p, behind):
    """Eight numbers from each of eight places p, ``behind`` further on, side by side."""
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
def _write(lanes, out, at, stride):
    """Store eight lanes, ``stride`` apart."""
    store8(out, at, lanes[0])
    store8(out, at + stride, lanes[1])
    store8(out, at + 2 * stride, lanes[2])
    store8(out, at + 3 * stride, lanes[3])
    store8(out, at + 4 * stride, lanes[4])
    store8(out, at + 5 * stride, lanes[5])
    store8(out, at + 6 * stride, lanes[6])
    store8(out, at + 7 * stride, lanes[7])


@kernel
def gather(values, rows, stride, count, out):
    """Fill out (8 count,) with the first ``count`` numbers of eight ``rows`` (8,), side by side; count >= 8.

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
    for k in range(0, count, SIDE):
        first = min(k, count - SIDE)  # some are read twice where eight do not divide the count
        _write(_read(values, p, first), out, SIDE * first, SIDE)


@kernel
def scatter(lanes, rows, stride, behind, count, out):
    """The way back: ``count`` numbers (8 count,) to eight ``rows`` of out, ``behind`` further on; count >= 8."""
    p = 0, 8, 16, 24, 32, 40, 48, 56
    for k in range(0, count, SIDE):
        first = min(k, count - SIDE)
        numbers = _read(lanes, p, SIDE * first)
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
    """Fill out (8,) with the rows from ``first`` on of ``count``; the last one again where there are no more."""
    for l in range(SIDE):
        out[l] = min(first + l, count - 1)


@kernel
def _twelves(lanes, at, out, to, apart):
    """Twelve numbers of each part, from lanes at ``at`` to out at ``to``, parts ``apart`` from each other."""
    p = 0, 8, 16, 24, 32, 40, 48, 56
    _write(_read(lanes, p, at), out, to, apart)
    _write(_read(lanes, p, at + 32), out, to + 4, apart)


@kernel
def _add_twelve(numbers, at, out, place):
    store4(out, place, load4(out, place) + load4(numbers, at))
    store4(out, place + 4, load4(out, place + 4) + load4(numbers, at + 4))
    store4(out, place + 8, load4(out, place + 8) + load4(numbers, at + 8))


@kernel
def add_to_nodes(lanes, nodes, count, scratch, out):
    """Add twelve lanes for each node of the parts to the twelve numbers of these nodes, part after part.

    lanes : (nn, 96); nodes (nn, 8) of the parts, the first ``count`` of which take part; out (12 n,)
    scratch : (96 nn,)
    """
    nn = nodes.shape[0]
    for m in range(nn):
        _twelves(lanes[m], 0, scratch, 12 * m, 12 * nn)
    for l in range(count):
        for m in range(nn):
            _add_twelve(scratch, 12 * (nn * l + m), out, 12 * nodes[m, l])


@kernel
def fetch_places(slots, first, count, data):
    """Ask for the memory that `add_matrices` is going to add to: of large matrices it is slow."""
    for l in range(first, first + count):
        for i in range(slots.shape[1]):
            for m in range(slots.shape[2]):
                fetch(data, slots[l, i, m])
                fetch(data, slots[l, i, m] + 11)


@kernel
def add_matrices(k, nodes, first, count, column, slots, scratch, data):
    """Add the matrices of ``count`` parts from ``first`` on to the matrix values, part after part.

    Sums are made in that order so that they do not depend on which parts stand side by side.

    k : (8 width^2,) lanes of matrices (width, width); nodes (nn, 8); scratch (8 width^2,)
    column, slots, data : as in `node_kernels.add_rows`, slots (parts, width, nn)
    """
    width, nn, nowhere = slots.shape[1], slots.shape[2], data.shape[0] - 1
    for at in range(0, width * width, 12):
        _twelves(k, SIDE * at, scratch, at, width * width)
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
