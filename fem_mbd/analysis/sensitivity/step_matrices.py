"""Matrices of a step at its solution, found by the step's kernels with dual numbers.

A step solves R(x; s, p) = 0 for its unknowns x and ends in the state s+ = A(x, s, p), with outputs o = O(x, s, p). All
derivatives by s, x and p are found by the step's kernels with dual numbers, columns in groups (`rows.directions`).
Those of the equations by the unknowns are the matrix of the step, which the kernels of the run assemble.

`StartAndEnd` puts the state at the start of a step into dual numbers, and takes derivatives of its end out of them;
`StepMatrices` are the derivatives.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from fem_mbd.analysis.sensitivity import matrix_kernels as kernels
from fem_mbd.analysis.sensitivity.dual_scheme import DualScheme, places
from fem_mbd.analysis.sensitivity.matrix_kernels import MOTION
from fem_mbd.analysis.sensitivity.rows import Direction, Numbers, Sparse
from fem_mbd.analysis.sensitivity.setup import fields
from fem_mbd.base.arrays import Array, Indices
from fem_mbd.core.compiled.calls import Call, Task
from fem_mbd.core.compiled.dual_numbers import DIRECTIONS, WIDTH
from fem_mbd.core.model.part_kind import PartKind
from fem_mbd.core.scheme.system import System
from fem_mbd.core.solver.simulation import Simulation


class StartAndEnd:
    """Start and end of a step.

    Parameters
    ----------
    simulation : whose steps they are
    numbers : of its states

    Attributes
    ----------
    start : the state at the start, as `StateVector` has it
    clock : (3,) start, end and length of the step, s
    end : (8 numbers,) derivatives of the end
    """

    def __init__(self, simulation: Simulation, numbers: Numbers):
        self._numbers, self._simulation = numbers, simulation
        self.start = np.zeros(sum(array.nbytes // 8 for array in self._arrays()))
        self.clock, self.end = np.zeros(3), np.zeros(numbers.size * WIDTH)

    def _arrays(self) -> list[Any]:
        """Those of the state, in the order of `StateVector`."""
        state, workspace = self._simulation.state, self._simulation.scheme.workspace
        arrays: list[Any] = [
            state.u,
            state.r,
            state.v,
            state.omega,
            state.slope,
            state.multipliers,
            workspace.lam,
        ]
        return [*arrays, *state.history]

    def put(self, scheme: DualScheme, components: Indices, of_clock: Indices | None = None) -> list[Task]:
        """Calls that put the start into a scheme, with unit directions in components (numbers,) and, of the clock,
        (3,); None: in none.
        """
        simulation, n, duals = scheme.simulation, self._numbers, scheme.shadow.duals
        state, workspace = simulation.state, simulation.scheme.workspace
        times = np.zeros(3, dtype=np.int64) if of_clock is None else of_clock.copy()
        node_arrays = state.u, state.r, state.v, state.omega, state.slope, workspace.q_i, workspace.r_i
        of_nodes = components[n.of_nodes].reshape(-1, MOTION).copy()
        tasks: list[Task] = [
            Call(kernels.put_unknowns, self.clock, times, flat(scheme.clock)),
            Call(kernels.put_nodes, self.start, of_nodes, *(flat(duals(array)) for array in node_arrays)),
        ]
        place, m = 24 * n.entities.nodes, n.entities.constraints
        targets = [
            ([state.multipliers], np.zeros(2 * m, dtype=np.int64)),
            ([workspace.lam], components[n.of_reactions]),
            *(
                ([stored, simulation.system.kinds[k].history], components[where])
                for stored, (k, where) in zip(state.history, n.of_histories, strict=True)
            ),
        ]
        for several, some in targets:
            for array in several if len(some) else []:
                tasks.append(Call(kernels.put_numbers, self.start, place, some.copy(), flat(duals(array))))
            place += len(some)
        return tasks

    def take(self, scheme: DualScheme) -> list[Task]:
        """Calls that take the derivatives of the end out of a scheme."""
        state, workspace, n = scheme.simulation.state, scheme.simulation.scheme.workspace, self._numbers
        duals, node_arrays = scheme.shadow.duals, (state.u, state.r, state.v, state.omega)
        tasks: list[Task] = [
            Call(kernels.end_of_nodes, *(flat(duals(array)) for array in node_arrays), self.end)
        ]
        places = [n.of_reactions, *(where for _, where in n.of_histories)]
        for array, where in zip((workspace.lam, *state.history), places, strict=True):
            if where.stop > where.start:
                target = self.end[WIDTH * where.start : WIDTH * where.stop]
                tasks.append(Call(kernels.copy_lanes, flat(duals(array)), target))
        return tasks

    def keep(self, scheme: DualScheme) -> list[Task]:
        """Calls that make the values of the end in a scheme the start."""
        place, tasks = 0, []
        for array in self._arrays():
            source = flat(scheme.shadow.duals(array))
            if len(source):
                tasks.append(Call(kernels.take_numbers, source, place, self.start))
            place += len(source) // WIDTH
        return list(tasks)


def flat(duals: Any) -> Array:
    """All numbers of an array of dual numbers as one vector, without a copy."""
    numbers = duals.view()
    numbers.shape = (duals.size,)
    return np.asarray(numbers)


STATE, UNKNOWN, PARAMETER = range(3)
# evaluations of the equations of all parts; of nodes, by what no part reads; of the end of the step only. And how long
# they take, in units of the first one
WHOLLY, PARTLY, AT_END = range(3)
COSTS = (1.0, 0.5, 0.4)
Component = tuple[int, Direction] | None  # what its columns are, and which


def is_exact(system: System) -> bool:
    """Whether the matrix that a run assembles is the derivative of the equations: with redundant constraints it is
    regularised, and damping that couples far nodes, or what a rotor's inflow couples, is left out of it.
    """
    far = any(kind.reads_all or type(kind).far_damping is not PartKind.far_damping for kind in system.kinds)
    return not system.redundant and not far


class Seeded:
    """Derivatives by parameters' columns in the first components of dual numbers.

    Parameters
    ----------
    directions : of the columns, one to a component from the first on
    owners : arrays of a simulation
    changes : (numbers, components) derivatives of their numbers, in their order
    """

    def __init__(self, directions: Sequence[Direction], owners: Sequence[Any], changes: Array):
        self.directions, self._owners, self._changes = directions, owners, changes

    def calls(self, scheme: DualScheme) -> tuple[list[Task], list[Task]]:
        """Calls that put the derivatives into a scheme of that simulation, and that take them away."""
        first = 0
        put: list[Task] = []
        away: list[Task] = []
        for owner in self._owners:
            several = [places(scheme.shadow, field) for field in fields(owner)]
            where = np.concatenate(
                [np.zeros(0, dtype=np.int64), *(entry_places.ravel() for _, entry_places in several)]
            )
            rows, components = np.nonzero(self._changes[first : first + len(where)])
            if len(rows):
                words, entries = several[0][0], where[rows] + components + 1
                values, all_ = self._changes[first + rows, components], np.arange(len(rows))
                put.append(Call(kernels.take_entries, values, all_, entries, words))
                away.append(Call(kernels.take_entries, np.zeros_like(values), all_, entries, words))
            first += len(where)
        return put, away


class StepMatrices:
    """Derivatives of one step.

    Parameters
    ----------
    simulation : new, made within `one_by_one`
    seeded : columns of parameters
    parameters : how many columns these have
    entries : by the name of an output, indices of its numbers that are differentiated
    clock : the first of three columns of parameters that are the start, end and length of the step; None: there are
        none

    Attributes
    ----------
    numbers : which numbers derivatives of the state are taken by, and of
    start, unknowns, clock : the state at the start of the step, its solution and its times, to be set
    evaluations : the time of all matrices, in evaluations of all equations with dual numbers
    equations, ends, outputs : by `STATE`, `UNKNOWN` and `PARAMETER` the matrices dR, dA and dO; the equations by the
        unknowns are there only where the step's matrix is not exact (`is_exact`)
    """

    def __init__(
        self,
        simulation: Simulation,
        seeded: Sequence[Seeded] = (),
        parameters: int = 0,
        entries: Mapping[str, Indices] | None = None,
        clock: int | None = None,
    ):
        system, self._clock = simulation.system, clock
        self.entries = dict(entries or {})
        self.numbers, self._simulation = Numbers(system), simulation
        self.exact = is_exact(system)
        self._scheme = DualScheme(simulation, sorted(self.entries))
        self._state = StartAndEnd(simulation, self.numbers)
        self.start, self.clock = self._state.start, self._state.clock
        self.unknowns = np.zeros(system.size)
        self._plan(seeded)
        n = self.numbers
        columns = n.size, system.size, parameters
        of_equations, of_outputs = n.of_equations, self._of_outputs(simulation)
        column_entities = n.entity, of_equations, None
        free = np.zeros(n.size, dtype=bool)
        for _, place in n.of_histories:
            free[place] = True
        self.equations, self.ends, self.outputs = (
            [
                Sparse((len(entity), count), self._lanes_of(what), entity, by if is_end else None, free)
                for what, (count, by) in enumerate(zip(columns, column_entities, strict=True))
            ]
            for entity, is_end in ((of_equations, False), (n.entity, True), (of_outputs, False))
        )

    # -- which directions are found together ------------------------------------------------------------------

    def _plan(self, seeded: Sequence[Seeded]) -> None:
        """Put directions into components of evaluations: first those of parameters."""
        n, watched = self.numbers, set(self.entries)
        unknowns: list[Component] = [(UNKNOWN, direction) for direction in n.by_unknowns(watched, self.exact)]
        wholly: list[Component] = [
            (STATE, direction) for direction in (*n.by_state(), *n.by_velocities(followed=True))
        ]
        wholly += [] if self.exact else unknowns
        partly: list[Component] = [(STATE, direction) for direction in n.by_velocities()]
        at_end = unknowns if self.exact else []
        self._evaluations: list[tuple[Seeded | None, list[Component], int]] = []
        waiting: list[Seeded | None] = list(seeded)
        for how, queue in ((WHOLLY, wholly), (PARTLY, partly), (AT_END, at_end)):
            if self._evaluations:  # what is left of the last evaluation
                components = self._evaluations[-1][1]
                free = DIRECTIONS - len(components)
                components += queue[:free]
                queue = queue[free:]
            while queue or (waiting and how == WHOLLY):
                group = waiting.pop(0) if waiting else None
                of_parameters: list[Component] = (
                    [(PARAMETER, direction) for direction in group.directions] if group else []
                )
                free = DIRECTIONS - len(of_parameters)
                self._evaluations.append((group, of_parameters + queue[:free], how))
                queue = queue[free:]
        self.evaluations = sum(COSTS[how] for *_, how in self._evaluations)
        self.directions = sum(len(components) for _, components, _ in self._evaluations)

    def _lanes_of(self, what: int) -> list[list[Direction | None]]:
        return [
            [
                component[1] if component is not None and component[0] == what else None
                for component in components
            ]
            for _, components, _ in self._evaluations
        ]

    def _of_outputs(self, simulation: Simulation) -> Indices:
        """(watched,) entities of the outputs' numbers."""
        scheme = self._scheme
        entities = [np.zeros(0, dtype=np.int64)]
        for name, entries in self.entries.items():
            entities.append(self.numbers.of_output(name, scheme.phases.outputs[name])[entries])
        return np.concatenate(entities)

    # -- calls ------------------------------------------------------------------------------------------------

    def calls(self, measured: bool = False) -> list[Task]:
        """Calls that fill the matrices at ``start``, ``unknowns`` and ``clock``.

        Parameters
        ----------
        measured : those of the outputs too
        """
        tasks: list[Task] = []
        scheme, begun = self._scheme, False
        # states of a flow are found as the first step begins, and put away with the start of the step
        starts = any(kind.has_states for kind in self.numbers.system.kinds)
        for k, (seeded, components, how) in enumerate(self._evaluations):
            by_state, by_unknown = (self._seeds(components, what) for what in (STATE, UNKNOWN))
            put = self._state.put(scheme, by_state, self._seeds_of_clock(components))
            before, after = seeded.calls(scheme) if seeded else ([], [])
            if how == AT_END and not begun:  # what the step begins with, without derivatives
                tasks += [*put, *scheme.calls["begin"]]
                begun = True
            tasks += [*before, *put]
            if how != AT_END or starts:
                tasks += scheme.calls["begin"]
            tasks.append(Call(kernels.put_unknowns, self.unknowns, by_unknown, flat(scheme.y)))
            complete = how == WHOLLY or (measured and bool(self.entries))
            tasks += scheme.calls["residual" if complete else "ending"]
            if how != AT_END:
                for matrix in self.equations:
                    tasks += matrix.take(k, flat(scheme.f))
            tasks += [*self._ending(k, measured), *after]
        return tasks

    def _ending(self, k: int, measured: bool) -> list[Task]:
        """The end of the step, and outputs."""
        scheme = self._scheme
        tasks: list[Task] = [*(scheme.calls["record"] if measured else []), *scheme.calls["accept"]]
        tasks += self._state.take(scheme)
        for matrix in self.ends:
            tasks += matrix.take(k, self._state.end)
        if measured:
            tasks += scheme.calls["measure"]
            tasks += self._take_outputs(k, self.outputs)
        return tasks

    def _take_outputs(self, k: int, matrices: Sequence[Sparse]) -> list[Task]:
        """Entries of outputs; their numbers are in several arrays, of which each has its rows."""
        tasks: list[Task] = []
        first = 0
        where: dict[int, tuple[Array, Indices]] = {}
        count = sum(map(len, self.entries.values()))
        for name, entries in self.entries.items():
            before = 0
            for source, source_places in self._scheme.watched[name]:
                flat = source_places.ravel()
                here = (entries >= before) & (entries < before + len(flat))
                places = where.setdefault(id(source), (source, np.full(count, -WIDTH)))[1]
                places[first : first + len(entries)][here] = flat[entries[here] - before]
                before += len(flat)
            first += len(entries)
        for source, places in where.values():
            for matrix in matrices:
                tasks += matrix.take(k, source, places)
        return tasks

    def at_first(self) -> tuple[Sparse, list[Task]]:
        """(numbers, parameters) derivatives of the first state, and calls that fill these and the outputs by parameters
        there; before any others.
        """
        matrix = Sparse(self.ends[PARAMETER].shape, self._lanes_of(PARAMETER), self.numbers.entity)
        tasks: list[Task] = []
        for k, (seeded, *_) in enumerate(self._evaluations):
            if seeded is not None:
                before, after = seeded.calls(self._scheme)
                tasks += [*before, *self._state.take(self._scheme), *matrix.take(k, self._state.end)]
                tasks += [*self._scheme.calls["measure"], *self._take_outputs(k, [self.outputs[PARAMETER]])]
                tasks += after
        return matrix, tasks

    def outputs_of_state(self) -> tuple[Sparse, list[Task]]:
        """(outputs, numbers) derivatives of the outputs by the state after a step, and calls that fill them, with that
        state in ``start``, after those of `calls`.
        """
        n = self.numbers
        all_directions = [
            *n.by_state(),
            *n.by_velocities(),
            *n.by_velocities(followed=True),
            *n.by_reactions(),
        ]
        scheme = self._scheme
        parts = [all_directions[k : k + DIRECTIONS] for k in range(0, len(all_directions), DIRECTIONS)]
        matrix = Sparse(self.outputs[STATE].shape, parts, self._of_outputs(self._simulation))
        tasks: list[Task] = []
        for k, some in enumerate(parts):
            components: list[Component] = [(STATE, direction) for direction in some]
            tasks += [*self._state.put(scheme, self._seeds(components, STATE)), *scheme.calls["measure"]]
            tasks += self._take_outputs(k, [matrix])
        return matrix, tasks

    def without_directions(self) -> list[Task]:
        """Calls that go through the step with no direction, so that arrays besides the state have no derivatives."""
        scheme, n = self._scheme, self.numbers
        none = np.zeros(n.size, dtype=np.int64), np.zeros(len(self.unknowns), dtype=np.int64)
        return [
            *self._state.put(scheme, none[0]), *scheme.calls["begin"],
            Call(kernels.put_unknowns, self.unknowns, none[1], flat(scheme.y)),
            *scheme.calls["residual"], *scheme.calls["record"], *scheme.calls["accept"],
        ]  # fmt: skip

    def keep_end(self) -> list[Task]:
        """Calls that make the values of the end of the step the state at the start of the next one."""
        return self._state.keep(self._scheme)

    def _seeds_of_clock(self, components: Sequence[Component]) -> Indices:
        """(3,) the component in which each time of the step is one."""
        component_of = np.zeros(3, dtype=np.int64)
        for component, seeded in enumerate(components, 1):
            if self._clock is not None and seeded is not None and seeded[0] == PARAMETER:
                times = np.asarray(seeded[1].columns) - self._clock
                component_of[times[times >= 0]] = component
        return component_of

    def _seeds(self, components: Sequence[Component], what: int) -> Indices:
        """(columns,) the component in which each column is one."""
        component_of = np.zeros((self.numbers.size, self._simulation.system.size)[what], dtype=np.int64)
        for component, seeded in enumerate(components, 1):
            if seeded is not None and seeded[0] == what:
                component_of[seeded[1].columns] = component
        return component_of
