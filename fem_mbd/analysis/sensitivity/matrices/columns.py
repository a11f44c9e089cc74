"""Columns of the matrices of a step, in groups that one direction finds together.

Columns that no row has in common are found by one direction with a one for each of them (A. R. Curtis, M. J. D. Powell,
J. K. Reid, On the estimation of sparse Jacobian matrices, J. Inst. Maths Applics 13, 1974). Which rows a column may
have follows from the model: a part reads the states of its nodes, its history and the multipliers of its constraints
and of those that it names, and adds to the equations of these nodes and constraints; velocities enter the equations of
their own node only. So the number of directions depends on how parts are connected, not on how many there are.

Rows and columns belong to entities: nodes, constraints and parts, numbered in this order.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property

import numpy as np

from fem_mbd.base.arrays import Indices
from fem_mbd.core.scheme.matrix.structure import Coupled
from fem_mbd.core.scheme.system import System


class Entities:
    """Nodes, constraints and parts of a system, and what they reach.

    Parameters
    ----------
    system : of the model

    Attributes
    ----------
    nodes, constraints, count : numbers of nodes, of constraints, of all entities
    first_part : by the kind's place in the system, the entity of its first part
    """

    def __init__(self, system: System):
        self.nodes, self.constraints = system.work.n, system.constraints
        before = self.nodes + self.constraints
        members: list[frozenset[int]] = []
        self.first_part: list[int] = []
        for kind in system.kinds:
            self.first_part.append(before + len(members))
            blocks = Coupled.of(kind).blocks(self.nodes)
            for row, read in zip(blocks, kind.nodes_read(), strict=True):
                own = {int(one) for one in row if one >= 0} | {int(one) for one in read if one > 0}
                members.append(frozenset(own - {0}))  # the ground does not move
        self._before, self._members = before, members
        self.count = before + len(members)

    @cached_property
    def _parts(self) -> list[list[int]]:
        """Of each node and constraint its parts."""
        found: list[list[int]] = [[] for _ in range(self._before)]
        for part, members in enumerate(self._members):
            for one in members:
                found[one].append(part)
        return found

    def near(self, entity: int) -> frozenset[int]:
        """The entity and the parts that read it."""
        if entity >= self._before:
            return frozenset({entity})
        return frozenset({entity, *(self._before + part for part in self._parts[entity])})

    def far(self, entity: int) -> frozenset[int]:
        """The same, and what these parts add to."""
        if entity >= self._before:
            return self._members[entity - self._before] | {entity}
        own = self._parts[entity]
        return self.near(entity).union(*(self._members[part] for part in own))


def grouped(reached: Iterable[frozenset[int]]) -> list[int]:
    """Number of a group of each column (or of each entity's columns), no two of one group reaching an entity both."""
    taken: list[set[int]] = []
    found = []
    for own in reached:
        for group, others in enumerate(taken):
            if others.isdisjoint(own):
                others |= own
                found.append(group)
                break
        else:
            taken.append(set(own))
            found.append(len(taken) - 1)
    return found


class Direction:
    """Columns that one direction finds: their numbers, and for each the entities that it reaches."""

    def __init__(self) -> None:
        self.columns: list[int] = []
        self.owner: dict[int, int] = {}

    def add(self, column: int, reached: Iterable[int]) -> None:
        """One more column."""
        self.columns.append(column)
        for entity in reached:
            self.owner[entity] = column

    def of(self, entities: Indices) -> Indices:
        """The column that reaches each entity (k,), -1 for none."""
        return np.array([self.owner.get(int(one), -1) for one in entities], dtype=np.int64)


def directions(columns: Sequence[tuple[Sequence[int], frozenset[int]]]) -> list[Direction]:
    """Directions for blocks of columns, each with the entities that it reaches; one column of a block to a direction.

    Blocks have to be of the same length, with -1 for columns that are not there.
    """
    groups = grouped(reached for _, reached in columns)
    width = len(columns[0][0]) if columns else 0
    found = [Direction() for _ in range((max(groups, default=-1) + 1) * width)]
    for group, (own, reached) in zip(groups, columns, strict=True):
        for k, column in enumerate(own):
            if column >= 0:
                found[group * width + k].add(column, reached)
    return [one for one in found if one.columns]
