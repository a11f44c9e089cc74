"""Calls of kernels that loop over nodes and parts: cut into tiles that stay in the cache, and divided among threads.

A section is a list of calls that loop over all nodes, or over the parts of a kind, one after the other
(`Split.nodes`). Each loop over a large model reads its data from memory again. So the loops are cut into pieces, and a
piece of a later loop is made as soon as the earlier loops have done all nodes that it reads: for parts those up to the
largest number of a node in them (`in_tiles`). Every node and part is processed by the loops in the same order as
before, and parts in the same order among themselves, so no result changes by a bit. Where the nodes of parts are far
apart, later loops wait for the end of the earlier ones, as without tiles. Source: M. Wolfe, More iteration space
tiling, Supercomputing '89 (1989) 655-664.

For threads (`divided`) a kernel that loops over the rows of some of its arguments is called with pieces of these
arguments. A thread makes the tiles of a section for a range of nodes, and what is between the ranges comes last. Where
most parts connect nodes far apart, each loop is divided alone, and pieces with a common node do not run at the same
time. The division does not depend on the number of threads, and so neither do the sums: any number above one gives
bitwise the same results. One thread makes the sums of undivided loops, which are in another order.

Calls release the GIL, so the threads are Python threads; an error in one of them is raised by the section.
"""

from __future__ import annotations

import functools
import itertools
import os
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from enum import Enum
from typing import Any, NamedTuple

import numpy as np

from fem_mbd.base.arrays import Indices
from fem_mbd.core.compiled.calls import OF_NODES, Call, CallList, Task

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
    ranges = []
    for loop in loops:
        rows = loop.inside(nodes)
        nodes = loop.alone(rows, nodes)
        ranges.append(rows)
    return ranges


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
    for loop, ranges in zip(loops, zip(*made, strict=True), strict=True):
        begin = 0
        for rows in [*sorted(rows for rows in ranges if rows.end > rows.begin), Range(loop.rows, loop.rows)]:
            if rows.begin > begin:
                calls.append(loop.piece(Range(begin, rows.begin)))
            begin = rows.end
    return calls


PIECES = 16  # of a loop
MIN_ROWS = 1000  # rows up to which loops are not divided
LOCAL = 0.5  # of the rows: loops are divided by ranges of nodes where these contain as many


class Parallel:
    """A task that makes lists of calls in parallel.

    Parameters
    ----------
    stages : one after the other; each consists of lists of calls that are independent of each other
    threads : number of threads
    """

    def __init__(self, stages: Iterable[Sequence[Sequence[Task]]], threads: int):
        self._threads = threads
        self._stages = [
            [CallList(itertools.chain(*stage[k::threads])) for k in range(min(threads, len(stage)))]
            for stage in stages
        ]

    def __call__(self) -> None:
        """Make all calls."""
        pool = _pool(self._threads - 1)
        for first, *others in self._stages:
            shares = [pool.submit(calls.run_without_gil) for calls in others]
            try:
                first.run_without_gil()
            finally:
                for share in shares:
                    share.result()


def divided(tasks: Iterable[Task], threads: int) -> list[Task]:
    """The tasks with their loops divided among threads, and those over nodes and parts in tiles, where they are long.

    One thread makes the same sums as without division, to the last bit.
    """
    divided_tasks: list[Task] = []
    for kind, group in itertools.groupby(tasks, _kind):
        some: list[Any] = list(group)
        if kind is _Kind.SECTION:
            loops = [Loop(call, _nodes_of(some)) for call in some]
            divided_tasks += _section(loops, threads)
        elif kind is _Kind.LOOP and threads > 1:
            divided_tasks += [Parallel([_pieces(call)], threads) for call in some]
        else:
            divided_tasks += some
    return divided_tasks


class _Kind(Enum):
    """What is done with a task: nothing, division into pieces, tiles with those before and after it."""

    OTHER, LOOP, SECTION = range(3)


def _kind(task: Task) -> _Kind:
    if not isinstance(task, Call) or task.split is None or task.split.count(task.arguments) < MIN_ROWS:
        return _Kind.OTHER
    return _Kind.LOOP if task.split.nodes is None else _Kind.SECTION


def _nodes_of(section: Sequence[Call]) -> int:
    """Number of nodes that the calls are about."""
    loops = [(call.split, call.arguments) for call in section if call.split is not None]
    return max(
        split.count(arguments) if split.nodes is OF_NODES else int(split.nodes.max()) + 1
        for split, arguments in loops
    )


def _section(loops: Sequence[Loop], threads: int) -> list[Task]:
    """A section in tiles, and in ranges of nodes for several threads, with what is between the ranges behind them."""
    nodes = loops[0].nodes
    if threads == 1:
        whole = Range(0, nodes)
        return [*in_tiles(loops, inside(loops, whole), whole)]
    bounds = np.linspace(0, nodes, PIECES + 1).astype(int).tolist()
    ranges = [Range(a, b) for a, b in itertools.pairwise(bounds)]
    rows = [inside(loops, span) for span in ranges]
    rest = outside(loops, rows)
    made = sum(part.end - part.begin for loop_rows in rows for part in loop_rows)
    if made < LOCAL * sum(loop.rows for loop in loops):
        return [task for loop in loops for task in _alone(loop.call, threads)]
    tiles = [in_tiles(loops, loop_rows, span) for loop_rows, span in zip(rows, ranges, strict=True)]
    return [Parallel([tiles, [rest]], threads)]


def _alone(call: Call, threads: int) -> list[Task]:
    """A loop of its own, in pieces of which those that have common nodes are not made at the same time."""
    split: Any = call.split
    pieces = _pieces(call)
    if split.nodes is OF_NODES:
        return [Parallel([pieces], threads)]
    bounds = _bounds(call)
    colours = _colours([np.unique(split.nodes[a:b]) for a, b in itertools.pairwise(bounds)])
    return [Parallel([[pieces[k] for k in colour] for colour in colours], threads)]


def _bounds(call: Call) -> list[int]:
    split: Any = call.split
    return np.linspace(0, split.count(call.arguments), PIECES + 1).astype(int).tolist()


def _pieces(call: Call) -> list[list[Task]]:
    return [[piece(call, a, b)] for a, b in itertools.pairwise(_bounds(call))]


def _colours(pieces: Sequence[Indices]) -> list[list[int]]:
    """Greedy colouring: groups of pieces that have no common node, each piece in the first possible group."""
    groups: list[tuple[list[int], Any]] = []
    for k, nodes in enumerate(pieces):
        for members, taken in groups:
            if not taken.intersection(nodes.tolist()):
                members.append(k)
                taken.update(nodes.tolist())
                break
        else:
            groups.append(([k], set(nodes.tolist())))
    return [members for members, _ in groups]


@functools.cache
def _pool(others: int) -> ThreadPoolExecutor:
    """The threads besides the calling one."""
    return ThreadPoolExecutor(others, thread_name_prefix="fem_mbd")


# a forked process has none of these threads
os.register_at_fork(after_in_child=_pool.cache_clear)
