"""Columns of a step's matrices by parameters, and many directions carried along the steps of a stretch.

`ParameterColumns` finds derivatives by any number of parameters in a few directions. A parameter moves numbers in the
arrays that the calls of a step work on. Where each number belongs to a node or to a part, parameters of different ones
have no row in common, and one direction finds them together (`rows.directions`). Parameters that move the same numbers
(masses on one node) are replaced by these numbers where those are fewer.

`Propagation` carries directions by the matrices of each step:

    x' = -(dR/dx)^-1 dR/ds s',    s+' = dA/ds s' + dA/dx x'

The matrices are found once in each step, by directions whose number depends on how the parts are connected only
(`rows.directions`); each direction of the state costs a solution and three sparse products, 32 directions at a time.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.sparse import csc_matrix, hstack, identity

from fem_mbd.analysis.sensitivity.matrix_kernels import BLOCK_COLUMNS
from fem_mbd.analysis.sensitivity.rows import Direction, Numbers, directions
from fem_mbd.analysis.sensitivity.setup import SetUp, rows_of_numbers
from fem_mbd.analysis.sensitivity.step_kernels import repeat, take_row
from fem_mbd.analysis.sensitivity.step_matrices import STATE, UNKNOWN, Seeded, StepMatrices
from fem_mbd.analysis.sensitivity.stretch import Stretch
from fem_mbd.base.arrays import Array, Indices
from fem_mbd.core.compiled.calls import Call, CallList, Task
from fem_mbd.core.compiled.dual_calls import owner_of
from fem_mbd.core.compiled.dual_numbers import DIRECTIONS
from fem_mbd.core.compiled.signatures import flat
from fem_mbd.core.scheme.array_kernels import clear, copy
from fem_mbd.core.solver.simulation import Simulation

MAX_SINGLE_PARAMETERS = 2 * DIRECTIONS  # parameters that have a direction each
# entities of numbers that any part may read, and of those that each step begins with anew; that of a number of node k
# that only the equations of the node read is ALONE - k
EVERYWHERE, NOWHERE, ALONE = -1, -2, -3


class ParameterColumns:
    """Columns for all parameters of a set-up.

    Parameters
    ----------
    setup : derivatives of arrays by parameters
    numbers : of its simulation

    Attributes
    ----------
    seeded : the columns in components
    count : columns
    clock : the first of three further columns, by the start, end and length of the step (`Path.clocks`); None where no
        parameter moves these
    """

    def __init__(self, setup: SetUp, numbers: Numbers):
        self._setup, self._numbers = setup, numbers
        moved = setup.matrix()
        self._of_columns, self._by_columns = moved, csc_matrix(identity(moved.shape[1]))
        seeded_directions = _alone(moved.shape[1])
        if moved.shape[1] > MAX_SINGLE_PARAMETERS:
            self._divide(moved)
            seeded_directions = directions([([k], reached) for k, reached in enumerate(self._reached())])
        self.count = self._of_columns.shape[1]
        self.seeded = []
        for first in range(0, len(seeded_directions), DIRECTIONS):
            some = seeded_directions[first : first + DIRECTIONS]
            changes = [self._of_columns[:, direction.columns].sum(axis=1) for direction in some]
            self.seeded.append(Seeded(some, setup.owners, np.asarray(np.concatenate(changes, axis=1))))
        self.clock: int | None = None
        if any(rates.any() for rates in setup.breakpoint_rates.values()):
            self.clock, self.count = self.count, self.count + 3
            self.seeded.append(Seeded(_alone(3, self.clock), (), np.zeros((0, 3))))

    def _divide(self, moved: csc_matrix) -> None:
        """Columns are the parameters that move numbers of their own, and the others or the numbers that these move."""
        counts = np.bincount(moved.indices, minlength=moved.shape[0])
        shared = np.asarray((moved != 0).T @ (counts > 1)).ravel() > 0
        unshared, others = np.flatnonzero(~shared), np.flatnonzero(shared)
        places = np.unique(moved[:, others].indices)
        if len(places) < len(others):
            units = csc_matrix(
                (np.ones(len(places)), (places, np.arange(len(places)))), (moved.shape[0], len(places))
            )
            self._of_columns = csc_matrix(hstack([moved[:, unshared], units]))
            of_own = identity(moved.shape[1], format="csc")[:, unshared]
            self._by_columns = csc_matrix(
                hstack([of_own, _rows(moved[places][:, others], others, moved.shape[1])])
            )

    def _reached(self) -> list[frozenset[int]]:
        """Entities that each column reaches."""
        entity, everything = self._entities(), frozenset(range(self._numbers.entities.count))
        reached = []
        for k in range(self._of_columns.shape[1]):
            places = self._of_columns.indices[self._of_columns.indptr[k] : self._of_columns.indptr[k + 1]]
            entities = {int(number) for number in entity[places]} - {NOWHERE}
            if EVERYWHERE in entities:
                reached.append(everything)
            else:
                far = (
                    self._numbers.entities.far(number) if number > ALONE else {ALONE - number}
                    for number in entities
                )
                reached.append(frozenset().union(*far))
        return reached

    def _entities(self) -> Indices:
        """Of each number of the arrays the node or part that it belongs to."""
        simulation, numbers = self._setup.simulation, self._numbers
        workspace, state, entities = simulation.scheme.workspace, simulation.state, numbers.entities
        nodes = np.arange(entities.nodes)
        of_nodes = [workspace.centre, state.u, state.r, state.v, state.omega]
        by_owner: dict[int, Any] = {id(owner_of(array)): nodes for array in of_nodes}
        by_owner |= {id(owner_of(array)): ALONE - nodes for array in (workspace.mass, workspace.inertia)}
        anew = [array for array in vars(workspace).values() if isinstance(array, np.ndarray)]
        calls = simulation.scheme.calls
        for array in (*anew, state.slope, state.multipliers, calls.y, calls.f, calls.numbers):
            if array is not workspace.gravity:
                by_owner.setdefault(id(owner_of(array)), np.full(len(owner_of(array)), NOWHERE))
        for first, kind in zip(entities.first_part, numbers.system.kinds, strict=True):
            for phase in ("begin_step", "residual", "accept", "record_contacts", "evaluate_outputs"):
                for task in kind.tasks(phase, workspace):
                    for array in flat(getattr(task, "arguments", ())):
                        if isinstance(array, np.ndarray) and len(owner_of(array)) == len(kind.nodes):
                            by_owner.setdefault(id(owner_of(array)), first + np.arange(len(kind.nodes)))
        return np.concatenate(
            [
                by_owner.get(id(owner), np.full(len(owner), EVERYWHERE))[rows_of_numbers(owner)]
                for owner in self._setup.owners
            ]
        )

    def by_parameters(self, of_columns: Array) -> Array:
        """(parameters, components) derivatives, from those by the columns (count, components)."""
        return np.asarray(self._by_columns @ of_columns[: self._by_columns.shape[1]])


def _rows(derivatives: csc_matrix, others: Indices, count: int) -> csc_matrix:
    """(count, places) derivatives of numbers (places, others) by parameters, in the rows of these."""
    spread = csc_matrix((np.ones(len(others)), (others, np.arange(len(others)))), (count, len(others)))
    return csc_matrix(spread @ derivatives.T)


def _alone(count: int, first: int = 0) -> list[Direction]:
    """A direction for each of so many columns."""
    singles = [_Everything() for _ in range(count)]
    for k, direction in enumerate(singles, first):
        direction.columns.append(k)
    return list(singles)


class _Everything(Direction):
    """A column that may have any row."""

    def of(self, entities: Indices) -> Indices:
        return np.full(len(entities), self.columns[0])


class Propagation:
    """Directions of states through stretches.

    Parameters
    ----------
    simulation : of the model, made within `one_by_one`

    Attributes
    ----------
    matrices : of its steps
    """

    def __init__(self, simulation: Simulation):
        self.matrices = StepMatrices(simulation)
        self._of_step = [*self.matrices.calls(), *self.matrices.keep_end()]

    def worthwhile(self, count: int, factorised_steps: Stretch, at_once: int) -> bool:
        """Whether so many directions cost less than by dual numbers, ``at_once`` of them at a time.

        These evaluate a step twice each time, and solve; products and solutions of 32 directions take as long.
        """
        passes, blocks = -(-count // at_once), -(-count // BLOCK_COLUMNS)
        return (
            self.matrices.exact
            and factorised_steps.solves_many
            and 2 * passes > self.matrices.evaluations + 2 * blocks
        )

    def carry(self, factorised_steps: Stretch, count: int, start: Array, directions: Array) -> Array:
        """(numbers, k) directions behind the first steps of a stretch, reactions left out.

        Parameters
        ----------
        factorised_steps : whose factors have been made
        count : of the steps
        start : the state before the first one
        directions : (numbers, k) of the state, in its `Numbers`
        """
        matrices, many = self.matrices, -(-directions.shape[1] // BLOCK_COLUMNS)
        size, unknowns = matrices.numbers.size, len(matrices.unknowns)
        whole = np.zeros((many, size, BLOCK_COLUMNS))
        for k, block in enumerate(whole):
            some = directions[:, BLOCK_COLUMNS * k : BLOCK_COLUMNS * (k + 1)]
            block[:, : some.shape[1]] = some
        blocks, ends, right = (
            whole.reshape(many, -1),
            np.zeros(size * BLOCK_COLUMNS),
            np.zeros(unknowns * BLOCK_COLUMNS),
        )
        tasks: list[Task] = [
            Call(take_row, factorised_steps.clocks, factorised_steps.number, matrices.clock),
            Call(take_row, factorised_steps.unknowns, factorised_steps.number, matrices.unknowns),
            *self._of_step,
        ]
        for block in blocks:
            tasks += [
                Call(clear, right),
                matrices.equations[STATE].times(block, right),
                *factorised_steps.solve_many_calls(right),
                Call(clear, ends),
                matrices.ends[STATE].times(block, ends),
                matrices.ends[UNKNOWN].times(right, ends, -1),
                Call(copy, ends, block),
            ]
        matrices.start[:] = start
        calls = CallList(tasks)
        if not repeat(calls.table, factorised_steps.number, 0, count):
            calls.raise_error()
        propagated = np.moveaxis(whole, 0, 1).reshape(size, -1)[:, : directions.shape[1]].copy()
        propagated[matrices.numbers.of_reactions] = 0.0
        return propagated
