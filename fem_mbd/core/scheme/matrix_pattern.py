"""Sparsity pattern of the step's matrix by blocks, one for each node and each constraint, and the fill of its factors.

A block is a node (up to twelve unknowns, none where it is fixed) or a constraint (two); its unknowns are numbered
consecutively.

`merged` joins neighbours with the same couplings for the factorisation, up to the size of a node. These are the
constraints of a joint, two unknowns each: the larger a block, the fewer loops over its couplings.

`fill` adds the couplings in the factors that the matrix does not have. Elimination of a block couples the later blocks
that it is coupled with among each other. It is enough to add them to the first of these, which passes them on. Source:
A. George and J. Liu, Computer Solution of Large Sparse Positive Definite Systems (1981), section 5.2.

`Pattern` is that of the whole matrix. A part couples all unknowns of its blocks, so the pattern is that of a matrix of
blocks, a hundredth as large. The index of an entry in the matrix values is the start of its row, plus the start of its
column's block in the row, plus the column's index in the block.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

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


def fills_nothing(row: Indices, column: Indices, count: int) -> bool:
    """Whether the factors of a matrix of ``count`` blocks have the couplings of the matrix.

    row, column : its couplings, in the order of rows and columns, symmetric
    """
    later = column > row
    row, column = row[later], column[later]
    # of the later blocks that a block is coupled with, the first has to be coupled with all others
    first = column[np.searchsorted(row, row)]
    required = first * count + column
    return bool(np.isin(required[first != column], row * count + column).all())


def fill(row: Indices, column: Indices, count: int) -> tuple[Indices, Indices]:
    """Rows and columns of the couplings to be added, both (k,), k even; the arguments are those of `fills_nothing`."""
    later: list[set[int]] = [set() for _ in range(count)]
    for r, c in zip(row.tolist(), column.tolist(), strict=True):
        if c > r:
            later[r].add(c)
    added: list[tuple[int, int]] = []
    for successors in later:
        if len(successors) > 1:
            first = min(successors)
            new = successors - later[first] - {first}
            later[first] |= new
            added += [(first, other) for other in new]
    low, high = np.array(added, dtype=np.int64).reshape(-1, 2).T
    return np.concatenate([low, high]), np.concatenate([high, low])


NODE, PAIR = 12, 2  # unknowns of a node, and of a constraint
CHUNK_ENTRIES = 1 << 17  # entries that are computed at a time, to keep temporary arrays small


class Pattern:
    """The matrix pattern of a system with n nodes and m constraints.

    Parameters
    ----------
    equation : (n, 12) equation of each node unknown, -1 where it is fixed; those of a node are consecutive
    constraint_equation : (m, 2) those of the constraints
    parts : for each kind (n_parts, w) the blocks that a part couples: nodes k, then constraints n + l, -1 for none
    halves : the first equations after each of two sets that are not coupled with each other, zeros for none
    filled : whether the pattern includes the fill of an elimination by blocks, so that factors can overwrite the matrix

    Attributes
    ----------
    indptr, indices : CSR, sorted, explicit diagonal
    diagonal : (size,) its indices in the matrix values
    column : (n, 12) index of an unknown among those of its node, -1 where it is fixed
    first, size : (b,) first equation and number of equations of each block, in the order of the equations
    pointer : (b + 1,) first index of a block's couplings in ``coupled`` and ``start``
    coupled, start : the blocks that a block is coupled with, ascending, and their first columns in its rows
    fills_nothing : whether the factors of a matrix with this pattern have no entry where the matrix has none
    halves : the first blocks after each of the two sets
    """

    def __init__(
        self,
        equation: Indices,
        constraint_equation: Indices,
        parts: Sequence[Indices],
        halves: tuple[int, int] = (0, 0),
        filled: bool = False,
    ):
        self._equation, self._constraint_equation = equation, constraint_equation
        free = equation >= 0
        self.column = np.where(free, np.cumsum(free, axis=1) - 1, -1)
        lowest = np.where(free, equation, np.iinfo(np.int64).max).min(axis=1, initial=np.iinfo(np.int64).max)
        begin = np.concatenate([lowest, constraint_equation[:, 0]])
        size = np.concatenate([free.sum(axis=1), np.full(len(constraint_equation), PAIR)])
        order = np.argsort(begin, kind="stable")[: np.count_nonzero(size)]
        self.first, self.size = begin[order], size[order]
        self._rank = np.full(len(begin) + 1, -1, dtype=np.int64)  # one more for missing blocks
        self._rank[order] = np.arange(len(order))
        self.halves = tuple(int(block) for block in np.searchsorted(self.first, halves))
        self._couple(parts, filled)
        self._expand()

    def _couple(self, parts: Sequence[Indices], filled: bool) -> None:
        """Find the blocks that are coupled by parts, and by elimination."""
        count = len(self.first)
        keys = [np.arange(count) * (count + 1)]  # every block with itself
        for members in parts:
            for chunk in _chunks(len(members), members.shape[1] ** 2):
                keys.append(np.unique(self._pair_keys(self._rank[members[chunk]])))
        key = np.unique(np.concatenate(keys))
        self._key = key[key >= 0]
        row, column = np.divmod(self._key, max(count, 1))
        self.fills_nothing = fills_nothing(row, column, count)
        if filled and not self.fills_nothing:
            low, high = fill(row, column, count)
            self._key = np.sort(np.concatenate([self._key, low * count + high]))
            row, column = np.divmod(self._key, count)
            self.fills_nothing = True
        self.coupled = column
        self.pointer = np.searchsorted(row, np.arange(count + 1))
        width = np.concatenate([[0], np.cumsum(self.size[self.coupled])])
        self.start = width[:-1] - width[self.pointer[row]]
        self._length = np.diff(width[self.pointer])  # of each of a block's rows

    def _expand(self) -> None:
        """Compute rows and columns of the blocks' unknowns."""
        lengths = np.repeat(self._length, self.size)
        self.indptr = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int32)
        itself = np.searchsorted(self._key, np.arange(len(self.size)) * (len(self.size) + 1))
        inside = _ranges(self.start[itself], self.size)
        self.diagonal = self.indptr[:-1] + inside
        self.indices = np.empty(self.indptr[-1], dtype=np.int32)
        for chunk in _chunks(len(self.size), 3 * NODE * NODE):
            blocks = np.arange(len(self.size))[chunk]
            pairs = slice(self.pointer[blocks[0]], self.pointer[blocks[-1] + 1])
            columns = _ranges(self.first[self.coupled[pairs]], self.size[self.coupled[pairs]])
            at = np.concatenate([[0], np.cumsum(self._length[chunk])])[:-1]
            rows = np.repeat(np.arange(len(blocks)), self.size[chunk])
            where = _ranges(at[rows], self._length[chunk][rows])
            row = self.first[blocks[0]]
            self.indices[self.indptr[row] : self.indptr[row + len(rows)]] = columns[where]

    def _pair_keys(self, rank: Indices) -> Indices:
        """A number for each pair of the blocks of a part, (parts, w, w), negative where one is missing."""
        row, col = rank[:, :, None], rank[:, None, :]
        return np.where((row >= 0) & (col >= 0), row * len(self.first) + col, -1)

    def _starts(self, members: Indices) -> Indices:
        """(parts, w, w) first columns of a block in the rows of another one."""
        if not len(self._key):
            return np.zeros((*members.shape, members.shape[1]), dtype=np.int64)
        pairs = np.searchsorted(self._key, self._pair_keys(self._rank[members]))
        return self.start[pairs]

    @cached_property
    def merged(self) -> Blocks:
        """The blocks with those of the constraints between the same nodes as one, for factorisations."""
        return merged(self.first, self.size, self.pointer, self.coupled, self.start, self.halves)

    @property
    def dump(self) -> int:
        """The index after the matrix values, to which contributions of fixed unknowns are added."""
        return len(self.indices)

    def equations(self, members: Indices, nodes: int) -> Indices:
        """(parts, L) equations of the unknowns of nodes, the first ``nodes`` blocks, and constraints; -1 for none."""
        k, l = members[:, :nodes], members[:, nodes:]
        of_nodes = np.where(k[:, :, None] >= 0, self._equation[k], -1)
        pairs = np.full((*l.shape, PAIR), -1, dtype=np.int64)
        pairs[l >= 0] = self._constraint_equation[l[l >= 0] - len(self._equation)]
        return np.concatenate([of_nodes.reshape(len(k), -1), pairs.reshape(len(l), -1)], axis=1)

    def slots(self, members: Indices, nodes: int) -> NDArray[np.int32]:
        """(parts, L, L) indices in the matrix values of all pairs of unknowns of a part."""
        width = members.shape[1]
        block = np.repeat(np.arange(width), [NODE] * nodes + [PAIR] * (width - nodes))  # of each unknown
        slots = np.full((len(members), len(block), len(block)), self.dump, dtype=np.int32)
        if len(self.first) == 0:  # everything is fixed
            return slots
        for chunk in _chunks(len(members), len(block) ** 2):
            equation, start = self.equations(members[chunk], nodes), self._starts(members[chunk])
            inside = equation - self.first[self._rank[members[chunk]][:, block]]
            index = self.indptr[equation][:, :, None] + start[:, block][:, :, block] + inside[:, None, :]
            free = equation >= 0
            slots[chunk] = np.where(free[:, :, None] & free[:, None, :], index, self.dump)
        return slots

    def row_slots(self, nodes: Indices) -> NDArray[np.int32]:
        """(parts, 12 k, k) indices in the matrix values of the first column of each node in each row of a part."""
        parts, k = nodes.shape
        slots = np.empty((parts, NODE * k, k), dtype=np.int32)
        for chunk in _chunks(parts, NODE * k * k):
            equation, start = self.equations(nodes[chunk], k), self._starts(nodes[chunk])
            index = self.indptr[equation][:, :, None] + np.repeat(start, NODE, axis=1)
            free = (equation >= 0)[:, :, None] & (self._rank[nodes[chunk]] >= 0)[:, None, :]
            slots[chunk] = np.where(free, index, self.dump)
        return slots


def _chunks(count: int, entries: int) -> Iterator[slice]:
    """Slices of ``count`` items with so many entries each, of about `CHUNK_ENTRIES` entries."""
    step = max(CHUNK_ENTRIES // max(entries, 1), 1)
    for at in range(0, count, step):
        yield slice(at, min(at + step, count))


def _ranges(first: Indices, size: Indices) -> Indices:
    """first[0], first[0] + 1, … up to its size, then those of first[1] …"""
    ends = np.cumsum(size)
    return np.arange(int(size.sum())) + np.repeat(first - ends + size, size)
