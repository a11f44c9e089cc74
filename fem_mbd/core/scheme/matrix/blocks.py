"""Blocks of a matrix for its factorisation: neighbours with the same couplings are merged, up to the size of a node.

These are the constraints of a joint, two unknowns each: the larger a block, the fewer loops over its couplings.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from fem_mbd.base.arrays import Indices

LARGEST = 12  # unknowns of a block: those of a free node, for which there are kernels


class Blocks(NamedTuple):
    """The b blocks of a matrix.

    Attributes
    ----------
    first, size : (b,) first equation and number of equations of each
    pointer : (b + 1,) first index of a block's couplings in ``coupled`` and ``start``
    itself : (b,) index of each block itself among them
    coupled, start : the blocks that a block is coupled with, ascending, and their first columns in its rows
    halves : the first blocks after each of two sets that are not coupled with each other
    """

    first: Indices
    size: Indices
    pointer: Indices
    itself: Indices
    coupled: Indices
    start: Indices
    halves: tuple[int, int]


def merged(
    first: Indices, size: Indices, pointer: Indices, coupled: Indices, start: Indices, halves: tuple[int, ...]
) -> Blocks:
    """Blocks of which neighbours with the same couplings are one; the arguments are those of `Blocks`."""
    count = len(first)
    is_first = np.ones(count, dtype=bool)  # a new block
    small = (size[1:] + size[:-1] <= LARGEST) & (np.diff(pointer)[1:] == np.diff(pointer)[:-1])
    width = 0
    for k in np.flatnonzero(small).tolist():
        width = int(size[k]) if is_first[k] else width
        begin, middle, end = pointer[k : k + 3]
        same = k + 1 not in halves and np.array_equal(coupled[begin:middle], coupled[middle:end])
        if same and width + size[k + 1] <= LARGEST:
            is_first[k + 1] = False
            width += int(size[k + 1])
    starts = np.flatnonzero(is_first)
    number = np.cumsum(is_first) - 1  # of the new block that a block is in
    row = np.repeat(np.arange(count), np.diff(pointer))
    kept = is_first[row] & is_first[coupled]
    row, coupled = number[row[kept]], number[coupled[kept]]
    return Blocks(
        first[starts],
        np.add.reduceat(size, starts) if count else size,
        np.searchsorted(row, np.arange(len(starts) + 1)),
        np.flatnonzero(row == coupled),
        coupled,
        start[kept],
        (
            int(number[halves[0] - 1]) + 1 if halves[0] else 0,
            int(number[halves[1] - 1]) + 1 if halves[1] else 0,
        ),
    )
