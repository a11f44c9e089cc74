"""What one of several processes ("ranks") that share a run computes of a step.

The equations are divided into ranges with as many entries of the matrix each; they are numbered along the model, so a
range is a piece of it. A rank computes its equations whole: it does every beam element that touches its nodes, so that
elements at the border between two ranks are done twice and no forces have to be added across it. Sums are made in the
order of a run on one process, and the equations are the same to the last bit. Kinds of parts whose calls cannot be
divided (`fem_mbd.compiled.calls.Split`): joints, springs, contacts, loads: are done by every rank.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from fem_mbd.arrays import Array, Flags, Indices
from fem_mbd.compiled.calls import Call, Task
from fem_mbd.compiled.threads import piece
from fem_mbd.errors import InputError
from fem_mbd.model.part_kind import PartKind
from fem_mbd.scheme.system import System


class Whole:
    """Everything, as in a run that is not shared.

    Parameters
    ----------
    system : of the run
    """

    def __init__(self, system: System):
        self.system = system

    def near(self, call: Call) -> list[Task]:
        """A loop over nodes, for those that the parts to be done need."""
        return [call]

    def wanted(self, call: Call) -> list[Task]:
        """A loop over nodes, for those whose equations are wanted."""
        return [call]

    def of_kinds(self, phase: str) -> list[Task]:
        """What the parts to be done do in a phase."""
        return [task for kind in self.system.kinds for task in kind.tasks(phase, self.system.work)]

    def clear_values(self, call: Call) -> list[Task]:
        """Matrix values set to zero by ``call``, as far as they are added to."""
        return [call]

    def exchange(self, array: Array) -> list[Task]:
        """Make the equations that others have computed known, in ``array`` (size,)."""
        return []


class Share(Whole):
    """The share of one rank.

    Parameters
    ----------
    system : of the run, numbered for several ranks
    rank : number of this one, from 0
    fill : makes a function that fills the rows of other ranks in an array (size,), of which each rank knows those from
        ``bounds[rank]`` to ``bounds[rank + 1]``

    Attributes
    ----------
    bounds : (ranks + 1,) first equation of each rank

    Raises
    ------
    InputError
        When there are more ranks than parts, or than nodes and constraints with equations.
    """

    def __init__(self, system: System, rank: int, fill: Callable[[Indices], Callable[[Array], Task]]):
        super().__init__(system)
        self.bounds = _bounds(system)
        self._fill = fill(self.bounds)
        first, behind = self.bounds[rank], self.bounds[rank + 1]
        equation = system.equation
        own = ((equation >= first) & (equation < behind)).any(axis=1)
        self._wanted = own | (equation < 0).all(axis=1)  # forces on supports are asked of every rank
        near = self._wanted.copy()
        self._parts: dict[PartKind, list[slice]] = {}
        for kind in system.kinds:
            there = kind.nodes >= 0
            if _is_divisible(kind, system):
                done = (self._wanted[kind.nodes] & there).any(axis=1)
                self._parts[kind] = list(_runs(np.flatnonzero(done)))
                there &= done[:, None]
            near[kind.nodes[there]] = True
        self._near = near
        of_nodes = equation[near]
        rows = np.unique(np.concatenate([of_nodes[of_nodes >= 0], system.constraint_equation.ravel()]))
        self._values = [
            slice(int(system.indptr[run.start]), int(system.indptr[run.stop])) for run in _runs(rows)
        ]

    def near(self, call: Call) -> list[Task]:
        return _for_nodes(call, self._near)

    def wanted(self, call: Call) -> list[Task]:
        return _for_nodes(call, self._wanted)

    def of_kinds(self, phase: str) -> list[Task]:
        tasks: list[Task] = []
        for kind in self.system.kinds:
            for task in kind.tasks(phase, self.system.work):
                runs = self._parts.get(kind)
                if runs is None or not isinstance(task, Call):
                    tasks.append(task)
                else:
                    tasks += [piece(task, run.start, run.stop) for run in runs]
        return tasks

    def clear_values(self, call: Call) -> list[Task]:
        return [piece(call, run.start, run.stop) for run in self._values]

    def exchange(self, array: Array) -> list[Task]:
        return [self._fill(array)]


def _bounds(system: System) -> Indices:
    """(ranks + 1,) first equation of each rank: blocks of nodes and constraints, with as many entries each."""
    pattern, ranks = system.pattern, system.ranks
    parts, blocks = sum(len(kind.nodes) for kind in system.kinds), len(pattern.first)
    if ranks > min(parts, blocks):
        raise InputError(
            f"{ranks} ranks for model '{system.model.name}' of {parts} parts (elements, joints, loads) with "
            f"{blocks} nodes and constraints that can move: start {max(min(parts, blocks), 1)} at most"
        )
    entries = pattern.indptr[np.append(pattern.first, system.size)]
    cuts = np.searchsorted(entries, entries[-1] * np.arange(1, ranks) / ranks)
    # each rank has one block at least
    cuts = np.maximum.accumulate(cuts - np.arange(1, ranks)) + np.arange(1, ranks)
    cuts = np.clip(cuts, np.arange(1, ranks), blocks - ranks + np.arange(1, ranks))
    bounds: Indices = np.concatenate([[0], pattern.first[cuts], [system.size]])
    return bounds


def _is_divisible(kind: PartKind, system: System) -> bool:
    """Whether all that the kind does within Newton's iteration can be done for some of its parts."""
    phases = ("residual", "extrapolate", "tangent")
    tasks = [task for phase in phases for task in kind.tasks(phase, system.work)]
    return bool(tasks) and all(isinstance(task, Call) and task.split is not None for task in tasks)


def _for_nodes(call: Call, chosen: Flags) -> list[Task]:
    """The call for the chosen nodes (n,); its arrays have one row for a node, or as many for each."""
    if call.split is None:
        raise TypeError("this call cannot be divided")
    rows: Any = call.arguments[call.split.rows[0]]
    each = len(rows) // len(chosen)
    return [piece(call, each * run.start, each * run.stop) for run in _runs(np.flatnonzero(chosen))]


def _runs(numbers: Indices) -> Iterator[slice]:
    """Ascending numbers as ranges that follow each other without a gap."""
    ends = np.flatnonzero(np.diff(numbers) != 1)
    for first, last in zip(np.append(0, ends + 1), np.append(ends, len(numbers) - 1), strict=True):
        if len(numbers):
            yield slice(int(numbers[first]), int(numbers[last]) + 1)
