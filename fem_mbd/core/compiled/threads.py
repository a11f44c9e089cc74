"""Calls of kernels divided among threads.

A kernel that loops over the rows of some of its arguments is called with pieces of these arguments. Consecutive calls
that loop over the same rows, and in which each row uses only its own data, form a section: a thread makes them all for
its pieces. Where rows add to shared nodes (`Split.nodes`), pieces with a common node do not run at the same time. The
division into pieces does not depend on the number of threads, and so neither do the sums: any number above one gives
bitwise the same results. One thread runs the undivided loops, whose sums are in another order.

Calls release the GIL, so the threads are Python threads; an error in one of them is raised by the section.
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
FEW = 1000  # rows up to which loops are not divided


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
        for own, *others in self._stages:
            shares = [pool.submit(calls.run_without_gil) for calls in others]
            try:
                own.run_without_gil()
            finally:
                for share in shares:
                    share.result()


def divided(tasks: Iterable[Task], threads: int) -> list[Task]:
    """The tasks with their loops divided among threads where possible; unchanged for one thread."""
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
    """Number of rows of a call that can be divided; 0 for other tasks."""
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


def piece(call: Call, first: int, end: int) -> Call:
    """The call for its rows ``first`` to ``end``."""
    rows = () if call.split is None else call.split.rows
    arguments = [a[first:end] if k in rows else a for k, a in enumerate(call.arguments)]
    return Call(call.kernel, *arguments)


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
