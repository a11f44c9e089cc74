"""Rows and columns of the matrices of a step, and groups of columns that one direction finds together.

Rows and columns belong to `Entities`: nodes, constraints and parts, numbered in this order.

Columns that no row has in common (`grouped`) are found by one direction with a one for each of them (A. R. Curtis, M.
J. D. Powell, J. K. Reid, On the estimation of sparse Jacobian matrices, J. Inst. Maths Applics 13, 1974). Which rows a
column may have follows from the model: a part reads the states of its nodes, its history and the multipliers of its
constraints and of those that it names, and adds to the equations of these nodes and constraints; velocities enter the
equations of their own node only, but for nodes that parts follow. So the number of directions depends on how parts are
connected, not on how many there are.

`Numbers` are those of a state by which derivatives are taken; `Sparse` is a matrix whose entries dual numbers fill, a
few directions at a time.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from scipy.sparse import csr_matrix

from fem_mbd.analysis.sensitivity.dual_scheme import CONTACT
from fem_mbd.analysis.sensitivity.matrix_kernels import (
    MOTION,
    add_product,
    add_transposed_product,
    take_entries,
)
from fem_mbd.base.arrays import Array, Indices
from fem_mbd.core.compiled.calls import Call
from fem_mbd.core.compiled.dual_numbers import WIDTH
from fem_mbd.core.model.part_kind import PartKind
from fem_mbd.core.scheme.matrix_structure import Coupled
from fem_mbd.core.scheme.outputs import NODE_OUTPUTS, SUPPORT
from fem_mbd.core.scheme.system import System


class Entities:
    """Nodes, constraints and parts of a system, and what they reach.

    Parameters
    ----------
    system : of the model

    Attributes
    ----------
    nodes, constraints, count : numbers of nodes, of constraints, of all entities
    followed : nodes whose velocities at the start of a step parts read
    first_part : by the kind's place in the system, the entity of its first part
    """

    def __init__(self, system: System):
        self.nodes, self.constraints = system.workspace.n, system.constraints
        before = self.nodes + self.constraints
        members: list[frozenset[int]] = []
        following: list[frozenset[int]] = []
        self.first_part: list[int] = []
        for kind in system.kinds:
            self.first_part.append(before + len(members))
            blocks = Coupled.of(kind).blocks(self.nodes)
            for row, read in zip(blocks, kind.nodes_read(), strict=True):
                entities = {int(entity) for entity in row if entity >= 0} | {
                    int(entity) for entity in read if entity > 0
                }
                members.append(frozenset(entities - {0}))  # the ground does not move
            following += [frozenset(map(int, row)) - {0} for row in kind.nodes_followed()]
        self._before, self._members, self._following = before, members, following
        self.followed: frozenset[int] = frozenset().union(*following)
        self.count = before + len(members)

    @cached_property
    def _parts(self) -> list[list[int]]:
        """Of each node and constraint its parts."""
        parts: list[list[int]] = [[] for _ in range(self._before)]
        for part, members in enumerate(self._members):
            for entity in members | self._following[part]:
                parts[entity].append(part)
        return parts

    def near(self, entity: int) -> frozenset[int]:
        """The entity and the parts that read it."""
        if entity >= self._before:
            return frozenset({entity})
        return frozenset({entity, *(self._before + part for part in self._parts[entity])})

    def far(self, entity: int) -> frozenset[int]:
        """The same, and what these parts add to."""
        if entity >= self._before:
            return self._members[entity - self._before] | {entity}
        parts = self._parts[entity]
        return self.near(entity).union(*(self._members[part] for part in parts))


def grouped(reached: Iterable[frozenset[int]]) -> list[int]:
    """Number of a group of each column (or of each entity's columns), no two of one group reaching an entity both."""
    taken: list[set[int]] = []
    group_of = []
    for entities in reached:
        for group, others in enumerate(taken):
            if others.isdisjoint(entities):
                others |= entities
                group_of.append(group)
                break
        else:
            taken.append(set(entities))
            group_of.append(len(taken) - 1)
    return group_of


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
        return np.array([self.owner.get(int(entity), -1) for entity in entities], dtype=np.int64)


def directions(blocks: Sequence[tuple[Sequence[int], frozenset[int]]]) -> list[Direction]:
    """Directions for blocks of columns, each with the entities that it reaches; one column of a block to a direction.

    Blocks have to be of the same length, with -1 for columns that are not there.
    """
    groups = grouped(reached for _, reached in blocks)
    width = len(blocks[0][0]) if blocks else 0
    by_group = [Direction() for _ in range((max(groups, default=-1) + 1) * width)]
    for group, (block, reached) in zip(groups, blocks, strict=True):
        for k, column in enumerate(block):
            if column >= 0:
                by_group[group * width + k].add(column, reached)
    return [direction for direction in by_group if direction.columns]


NODES = {output.name for output in NODE_OUTPUTS}
ROTATION = slice(3, 6)


class Numbers:
    """The numbers of a state that derivatives are taken by: displacement, turn, velocity and angular velocity of each
    node, then the reactions of constraints, which only outputs read, then the numbers of histories.

    Parameters
    ----------
    system : of the model

    Attributes
    ----------
    size : how many they are
    entity : (size,) the entity that each belongs to
    of_nodes, of_reactions : slices
    of_histories : (place in the system's kinds, slice) of each kind with a history
    """

    def __init__(self, system: System):
        self.system, self.entities = system, Entities(system)
        n, m = self.entities.nodes, self.entities.constraints
        entity = [np.repeat(np.arange(n), MOTION), n + np.arange(m)]
        self.of_nodes, self.of_reactions = slice(0, MOTION * n), slice(MOTION * n, MOTION * n + m)
        self.size, self.of_histories = MOTION * n + m, []
        for k, kind in enumerate(system.kinds):
            if kind.history is not None:
                parts = kind.history_parts()
                each = kind.history.nbytes // 8 // max(len(parts), 1)
                entity.append(self.entities.first_part[k] + np.repeat(parts, each))
                place = slice(self.size, self.size + len(entity[-1]))
                self.of_histories.append((k, place))
                self.size = place.stop
        self.entity: Indices = np.concatenate(entity)
        velocities = np.arange(MOTION * n).reshape(n, MOTION)
        self.velocities: Indices = np.concatenate([velocities[:, 6:9].ravel(), velocities[:, 9:].ravel()])

    def from_changes(self, change: Array, state: Array) -> Array:
        """(size,) a small change of a state, as `StateVector` has it, in these numbers."""
        n, m = self.entities.nodes, self.entities.constraints
        u, r = change[: 3 * n].reshape(n, 3), change[3 * n : 12 * n].reshape(n, 3, 3)
        v, omega = change[12 * n : 15 * n].reshape(n, 3), change[15 * n : 18 * n].reshape(n, 3)
        spun = np.einsum("nji,njk->nik", state[3 * n : 12 * n].reshape(n, 3, 3), r)
        turn = 0.5 * np.stack(
            [spun[:, 2, 1] - spun[:, 1, 2], spun[:, 0, 2] - spun[:, 2, 0], spun[:, 1, 0] - spun[:, 0, 1]],
            axis=1,
        )
        motion = np.concatenate([u, turn, v, omega], axis=1).ravel()
        return np.concatenate([motion, change[24 * n + 2 * m :]])

    def by_state(self) -> list[Direction]:
        """Directions of the numbers of the state but velocities."""
        entities, of_nodes = self.entities, np.arange(MOTION * self.entities.nodes).reshape(-1, MOTION)
        of_state = directions([(of_nodes[k, :6].tolist(), entities.far(k)) for k in range(1, entities.nodes)])
        for _, place in self.of_histories:
            of_parts: dict[int, list[int]] = {}
            for column in range(place.start, place.stop):
                of_parts.setdefault(int(self.entity[column]), []).append(column)
            width = max(map(len, of_parts.values()), default=0)
            of_state += directions(
                [(some + [-1] * (width - len(some)), entities.far(part)) for part, some in of_parts.items()]
            )
        return of_state

    def by_velocities(self, followed: bool = False) -> list[Direction]:
        """Directions of velocities, which enter the equations of their own node; or of those that parts follow."""
        of_nodes, entities = np.arange(MOTION * self.entities.nodes).reshape(-1, MOTION), self.entities
        chosen = [k for k in range(1, entities.nodes) if (k in entities.followed) == followed]
        return directions(
            [(of_nodes[k, 6:].tolist(), entities.far(k) if followed else frozenset({k})) for k in chosen]
        )

    def by_reactions(self) -> list[Direction]:
        """Directions of the reactions of constraints."""
        n, first = self.entities.nodes, self.of_reactions.start
        return directions(
            [([first + l], self.entities.near(n + l)) for l in range(self.entities.constraints)]
        )

    def by_unknowns(self, watched: set[str], exact: bool) -> list[Direction]:
        """Directions of the unknowns of a step.

        Parameters
        ----------
        watched : names of outputs that are differentiated
        exact : whether the derivatives of the equations by them are known; else they are wanted too
        """
        entities, system = self.entities, self.system
        kinds = [
            k
            for k, kind in enumerate(system.kinds)
            if kind.history is not None or watched & _outputs_of(kind)
        ]
        ends = [*entities.first_part, entities.count]
        parts = {part for k in kinds for part in range(ends[k], ends[k + 1])}
        far = not exact or SUPPORT.name in watched

        def reached(entity: int) -> frozenset[int]:
            if far:
                return entities.far(entity)
            return frozenset({entity}) | (entities.near(entity) & parts)

        n = entities.nodes
        of_unknowns = directions([(system.equation[k].tolist(), reached(k)) for k in range(1, n)])
        if far or watched or any(kind.read_rows is not None for kind in system.kinds):
            pairs = system.constraint_equation
            of_unknowns += directions([(pairs[l].tolist(), reached(n + l)) for l in range(len(pairs))])
        return of_unknowns

    @property
    def of_equations(self) -> Indices:
        """(equations,) entity of each equation, and of each unknown."""
        entity, n = np.zeros(self.system.size, dtype=np.int64), self.entities.nodes
        free = self.system.equation >= 0
        entity[self.system.equation[free]] = np.broadcast_to(np.arange(n)[:, None], free.shape)[free]
        pairs = self.system.constraint_equation
        entity[pairs] = n + np.arange(len(pairs))[:, None]
        return entity

    def of_output(self, name: str, arrays: list[Any]) -> Indices:
        """(numbers,) entity of each number of an output, given its arrays."""
        widths = [array.nbytes // 8 // max(len(array), 1) for array in arrays]
        if name in NODES:
            rows = [np.arange(self.entities.nodes)]
        elif name == SUPPORT.name:
            rows = [np.array(self.system.supports, dtype=np.int64)]
        else:
            rows = []
            for first, kind in zip(self.entities.first_part, self.system.kinds, strict=True):
                for output in kind.recorded:
                    if output.name == name:
                        counts = np.asarray(kind.row_counts(output), dtype=np.int64)
                        rows.append(first + np.repeat(np.arange(len(counts)), counts))
            if name == CONTACT:
                rows = [np.concatenate(rows)]
        return np.concatenate(
            [np.repeat(entities, width) for entities, width in zip(rows, widths, strict=True)]
        )


def _outputs_of(kind: PartKind) -> set[str]:
    return {output.name for output in kind.recorded} | ({CONTACT} if kind.has_contacts else set())


class Sparse:
    """A matrix in compressed rows, with the pattern that directions give it.

    Parameters
    ----------
    shape : rows, columns
    evaluations : of each evaluation with dual numbers the directions in its components, None for others
    entity : (rows,) that each row belongs to
    column_entity : (columns,) entities of the columns, of which rows of other entities have no entry; None: all that
        they reach
    free : (rows,) rows for which ``column_entity`` does not hold

    Attributes
    ----------
    indptr, columns, values : CSR
    """

    def __init__(
        self,
        shape: tuple[int, int],
        evaluations: Sequence[Sequence[Direction | None]],
        entity: Indices,
        column_entity: Indices | None = None,
        free: Any = False,
    ):
        rows, columns, places, evaluation = [], [], [], []
        for k, components in enumerate(evaluations):
            for component, direction in enumerate(components, 1):
                if direction is None:
                    continue
                column = direction.of(entity)
                chosen = column >= 0
                if column_entity is not None:
                    chosen &= np.logical_or(free, column_entity[column] == entity)
                (some,) = np.nonzero(chosen)
                rows.append(some)
                columns.append(column[some])
                places.append(WIDTH * some + component)
                evaluation.append(np.full(len(some), k))
        none = np.zeros(0, dtype=np.int64)
        row, column = np.concatenate([none, *rows]), np.concatenate([none, *columns])
        order = np.lexsort((column, row))
        entry = np.empty(len(order), dtype=np.int64)
        entry[order] = np.arange(len(order))
        self.shape = shape
        self.indptr: Indices = np.searchsorted(row[order], np.arange(shape[0] + 1)).astype(np.int64)
        self.columns: Indices = column[order]
        self.values = np.zeros(len(order))
        place, which = np.concatenate([none, *places]), np.concatenate([none, *evaluation])
        self._parts = [(place[which == k], entry[which == k]) for k in range(len(evaluations))]

    def take(self, k: int, source: Array, where: Indices | None = None) -> list[Call]:
        """Call that takes the entries of evaluation k out of dual numbers.

        Parameters
        ----------
        source : dual numbers (8 rows,) of the rows, or a larger array
        where : (rows,) places of their numbers in that array, negative for rows that it does not have
        """
        places, entries = self._parts[k]
        if where is not None:
            first = where[places // WIDTH]
            places, entries = (first + places % WIDTH)[first >= 0], entries[first >= 0]
        return [Call(take_entries, source, places, entries, self.values)] if len(places) else []

    def times(self, x: Array, out: Array, sign: int = 1) -> Call:
        """Call that adds the matrix times x (32 columns,), times a sign, to out (32 rows,)."""
        return Call(add_product, self.indptr, self.columns, self.values, x, out, sign)

    def add_transposed(self, x: Array, out: Array, sign: int = 1) -> None:
        """Add the transpose times x (rows, 8), times a sign, to out (columns, 8)."""
        add_transposed_product(self.indptr, self.columns, self.values, x, out, sign)

    @property
    def scipy(self) -> csr_matrix:
        """As SciPy has it, with these values."""
        return csr_matrix((self.values, self.columns, self.indptr), shape=self.shape)
