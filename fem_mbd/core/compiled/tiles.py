"""Loops over the nodes and the parts of a model in tiles, whose data stay in the cache from one loop to the next.

A section is a list of calls that loop over all nodes, or over the parts of a kind, one after the other. Each loop over
a large model reads its data from memory again. So the loops are cut into pieces, and a piece of a later loop is made as
soon as the earlier loops have done all nodes that it reads: for parts those up to the largest number of a node in
them. Every node and part is processed by the loops in the same order as before, and parts in the same order among
themselves, so no result changes by a bit. Where the nodes of parts are far apart, later loops wait for the end of the
earlier ones, as without tiles. Source: M. Wolfe, More iteration space tiling, Supercomputing '89 (1989) 655-664.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from fem_mbd.core.compiled.calls import OF_NODES, Call

TILE = 512  # nodes: some 900 kB of their data and of their elements'
BATCH = 8  # rows: pieces end where batches of the kernels do


class Range(NamedTuple):
    """Rows of a loop, and nodes."""

    begin: int
    end: int


class Loop:
    """The loop of a call.

    Parameters
    ----------
    call : with a `Split`
    nodes : number of nodes of the model

    Attributes
    ----------
    rows, nodes : their number
    """

    def __init__(self, call: Call, nodes: int):
        split: Any = call.split
        self.call, self.rows, self.nodes = call, split.count(call.arguments), nodes
        self._of_nodes = split.nodes is OF_NODES
        if not self._of_nodes:
            of = np.asarray(split.nodes)
            highest = of.max(axis=1, initial=-1)
            lowest = np.where(of < 0, nodes, of).min(axis=1, initial=nodes)
            self._highest = np.maximum.accumulate(highest)  # up to a row
            self._lowest = np.append(np.minimum.accumulate(lowest[::-1])[::-1], nodes)  # from a row on

    def inside(self, nodes: Range) -> Range:
        """Rows that read and write only those nodes, or a part of them."""
        if self._of_nodes:
            return nodes
        begin = int(np.searchsorted(self._lowest[:-1], nodes.begin))
        return Range(begin, max(begin, int(np.searchsorted(self._highest, nodes.end))))

    def alone(self, rows: Range, nodes: Range) -> Range:
        """Those of the nodes that no rows but the given ones read or write."""
        if self._of_nodes:
            return Range(nodes.begin, min(nodes.end, rows.end))
        before = int(self._highest[rows.begin - 1]) + 1 if rows.begin else 0
        begin = max(nodes.begin, before)
        return Range(begin, max(begin, min(nodes.end, int(self._lowest[rows.end]))))

    def piece(self, rows: Range) -> Call:
        """The call for these rows."""
        return piece(self.call, *rows)


def piece(call: Call, begin: int, end: int) -> Call:
    """The call for its rows ``begin`` to ``end``."""
    split: Any = call.split
    return Call(call.kernel, *split.cut(call.arguments, begin, end))


def inside(loops: Sequence[Loop], nodes: Range) -> list[Range]:
    """The rows of each loop that can be made, one loop after the other, without what is done for other nodes."""
    found = []
    for loop in loops:
        rows = loop.inside(nodes)
        nodes = loop.alone(rows, nodes)
        found.append(rows)
    return found


def in_tiles(loops: Sequence[Loop], ranges: Sequence[Range], nodes: Range) -> list[Call]:
    """Calls for these rows of the loops, which are `inside` of the nodes, tile after tile."""
    calls: list[Call] = []
    done = [rows.begin for rows in ranges]
    for end in range(nodes.begin + TILE, nodes.end + TILE, TILE):
        ready = Range(nodes.begin, min(end, nodes.end))
        for k, (loop, rows) in enumerate(zip(loops, ranges, strict=True)):
            last = min(loop.inside(ready).end, rows.end)
            if last < rows.end:
                last -= (last - rows.begin) % BATCH
            if last > done[k]:
                calls.append(loop.piece(Range(done[k], last)))
                done[k] = last
            ready = loop.alone(Range(rows.begin, done[k]), ready)
    return calls


def outside(loops: Sequence[Loop], made: Sequence[Sequence[Range]]) -> list[Call]:
    """Calls for the rows that none of several lists of ranges (one for each loop) contains, loop after loop."""
    calls = []
    for loop, own in zip(loops, zip(*made, strict=True), strict=True):
        begin = 0
        for rows in [*sorted(rows for rows in own if rows.end > rows.begin), Range(loop.rows, loop.rows)]:
            if rows.begin > begin:
                calls.append(loop.piece(Range(begin, rows.begin)))
            begin = rows.end
    return calls
