"""Calls of kernels divided among threads.

A kernel that loops over the rows of some of its arguments does them in pieces, given pieces of these arguments. Calls
that follow each other and run over the same rows, each of which needs nothing but its own, are one section: a thread
makes them all for its pieces. Where rows add to nodes that they share (`Split.nodes`), pieces that share any do not run
at the same time. How rows are divided does not depend on how many threads there are, and so neither do sums: any number
above one gives the same bits. One gives those of the plain loops, whose sums are made in another order.

Threads make calls while Python's lock is free, so they are Python's own; what one raises is raised by the section.
"""

from __future__ import annotations

import functools
import itertools
import os
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

from fem_mbd.base.arrays import Indices
from fem_mbd.core.compiled.calls import Call, CallList, Task

PIECES = 16  # of a loop
FEW = 1000  # rows that are not worth dividing


class Parallel:
    """Lists of calls made at the same time: a task like any other.

    Parameters
    ----------
    stages : one after the other, each of lists of calls that do not disturb each other
    threads : that share them
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
        for own, *others in self._stages:
            shares = [pool.submit(calls.run_without_gil) for calls in others]
            try:
                own.run_without_gil()
            finally:
                for share in shares:
                    share.result()


def divided(tasks: Iterable[Task], threads: int) -> list[Task]:
    """The tasks with all loops that can be divided among threads divided; unchanged for one thread."""
    found: list[Task] = []
    section: list[Call] = []
    for task in tasks:
        rows = _rows(task) if threads > 1 else 0
        if section and not (rows == _rows(section[0]) and _independent(task) and _independent(section[0])):
            found.append(_parallel(section, threads))
            section = []
        if rows >= FEW and isinstance(task, Call):
            section.append(task)
        else:
            found.append(task)
    return [*found, _parallel(section, threads)] if section else found


def _rows(task: Task) -> int:
    """Over how many rows a call can be divided; 0 for none."""
    if not isinstance(task, Call) or task.split is None:
        return 0
    return len(task.arguments[task.split.rows[0]])


def _independent(task: Task) -> bool:
    return isinstance(task, Call) and task.split is not None and task.split.nodes is None


def _parallel(section: Sequence[Call], threads: int) -> Parallel:
    bounds = np.linspace(0, _rows(section[0]), PIECES + 1).astype(int)
    pieces = [
        [piece(call, int(a), int(b)) for call in section] for a, b in zip(bounds, bounds[1:], strict=False)
    ]
    split = section[0].split
    nodes = None if split is None else split.nodes
    if nodes is None:
        return Parallel([pieces], threads)
    colours = _colours([np.unique(nodes[a:b]) for a, b in zip(bounds, bounds[1:], strict=False)])
    return Parallel([[pieces[k] for k in colour] for colour in colours], threads)


def piece(call: Call, first: int, behind: int) -> Call:
    """The call for its rows ``first`` to ``behind``."""
    rows = () if call.split is None else call.split.rows
    arguments = [a[first:behind] if k in rows else a for k, a in enumerate(call.arguments)]
    return Call(call.kernel, *arguments)


def _colours(pieces: Sequence[Indices]) -> list[list[int]]:
    """Pieces in groups of which no two have a node in common, each piece in the first group that takes it."""
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
    """The threads beside the one that asks for them."""
    return ThreadPoolExecutor(others, thread_name_prefix="fem_mbd")


# a process that this one forks has none of its threads
os.register_at_fork(after_in_child=_pool.cache_clear)
