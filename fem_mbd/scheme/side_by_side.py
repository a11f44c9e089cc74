"""Parts eight at a time: what they need of their nodes, and what they add to them, with a lane for each part.

A kernel that is written in numbers and in arrays of them serves eight parts at once where these hold lanes. Here is the
way between such arrays and those of all nodes and parts, in which the numbers of a node or part follow each other.
Numbers of eight rows are read, transposed, and stored side by side; sums go back in the same way. Where fewer than
eight parts are left, the last one stands in the other lanes, and nothing is added for these.
"""

from __future__ import annotations

import numpy as np

from fem_mbd.compiled import bare_kernel, kernel
from fem_mbd.compiled.lanes import load4, load8, store4, store8, transposed

SIDE = 8  # parts


@kernel
def room(count):
    """Scratch for ``count`` lanes, an array (8 count,) that begins where processors read lanes in one piece."""
    numbers = np.empty(SIDE * (count + 1))
    first = (64 - numbers.ctypes.data % 64) % 64 // 8
    return numbers[first : first + SIDE * count]


@bare_kernel
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


@bare_kernel
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


@bare_kernel
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


@bare_kernel
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


@bare_kernel
def rows_from(first, count, out):
    """Fill out (8,) with the rows from ``first`` on of ``count``; the last one again where there are no more."""
    for l in range(SIDE):
        out[l] = min(first + l, count - 1)


@bare_kernel
def _twelve(lanes, at, out):
    """Fill out (96,) with the twelve numbers of each part, one part after the other, from lanes at ``at``."""
    p = 0, 8, 16, 24, 32, 40, 48, 56
    _write(_read(lanes, p, at), out, 0, 12)
    _write(_read(lanes, p, at + 32), out, 4, 12)


@bare_kernel
def _add_twelve(numbers, at, out, place):
    store4(out, place, load4(out, place) + load4(numbers, at))
    store4(out, place + 4, load4(out, place + 4) + load4(numbers, at + 4))
    store4(out, place + 8, load4(out, place + 8) + load4(numbers, at + 8))


@bare_kernel
def add_to_nodes(lanes, nodes, count, scratch, out):
    """Add twelve lanes (96,) to the twelve numbers in out (12 n,) of ``nodes`` (8,), for the first ``count`` parts."""
    _twelve(lanes, 0, scratch)
    for l in range(count):
        _add_twelve(scratch, 12 * l, out, 12 * nodes[l])


@bare_kernel
def add_rows(k, m, nodes, first, count, column, slots, scratch, data):
    """Add the columns of the m-th nodes of k to the matrix values, for ``count`` parts from ``first`` on.

    k : (8 width^2,) lanes of matrices (width, width); nodes (8,), the m-th ones; scratch (96,)
    column, slots, data : as in `node_kernels.add_rows`, slots (parts, width, nodes of a part)
    """
    width, nowhere = slots.shape[1], data.shape[0] - 1
    for i in range(width):
        _twelve(k, SIDE * (i * width + 12 * m), scratch)
        for l in range(count):
            place = slots[first + l, i, m]
            if place == nowhere:
                continue
            if column[nodes[l], 11] == 11:
                _add_twelve(scratch, 12 * l, data, place)
            else:
                for j in range(12):
                    if column[nodes[l], j] >= 0:
                        data[place + column[nodes[l], j]] += scratch[12 * l + j]
