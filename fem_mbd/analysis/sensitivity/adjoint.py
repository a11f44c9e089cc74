"""Adjoint of a run: derivatives of a few outputs by any number of parameters, found in the reverse order of its steps.

A step solves R(x; s, p) = 0 for its unknowns x and ends in the state s+ = A(x, s, p), with outputs O(x, s, p). With an
asterisk for the derivative of a result by a quantity, o* by the recorded outputs, the step backwards is

    x* = (dA/dx)' s+* + (dO/dx)' o*,    (dR/dx)' mu = x*,
    s* = (dA/ds)' s+* + (dO/ds)' o* - (dR/ds)' mu,    p* = p* + (dA/dp)' s+* + (dO/dp)' o* - (dR/dp)' mu

All matrices are those of `StepMatrices`, found by the step's own kernels with dual numbers. Source: A. Griewank, A.
Walther, Evaluating Derivatives, 2nd ed., SIAM 2008, sections 8.1 (compressed Jacobians), 15.2 (adjoints of fixed
points).

`adjoint_gradients` has the derivatives of a run's outputs by any number of parameters, several outputs in each backward
pass.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_matrix

from fem_mbd.analysis.sensitivity.dual_scheme import phases_of, refuse
from fem_mbd.analysis.sensitivity.forward import clock_rates
from fem_mbd.analysis.sensitivity.growth import LARGEST, AdjointGrowth
from fem_mbd.analysis.sensitivity.matrix_kernels import add_transposed_product
from fem_mbd.analysis.sensitivity.parameters import ParameterColumns
from fem_mbd.analysis.sensitivity.recorded_run import Path, StateVector, end_rates
from fem_mbd.analysis.sensitivity.rows import Numbers
from fem_mbd.analysis.sensitivity.setup import Build, SetUp
from fem_mbd.analysis.sensitivity.step_kernels import gather
from fem_mbd.analysis.sensitivity.step_matrices import PARAMETER, STATE, UNKNOWN, StepMatrices
from fem_mbd.analysis.sensitivity.stretch import Factors, linearising
from fem_mbd.base.arrays import Array, Indices
from fem_mbd.core.compiled.calls import Call, CallList, Task
from fem_mbd.core.compiled.dual_numbers import WIDTH
from fem_mbd.core.scheme.array_kernels import copy
from fem_mbd.core.scheme.system import System
from fem_mbd.core.solver.simulation import Simulation
from fem_mbd.errors import InputError, SolverFailure

TOLERANCE = 1e-12  # of the multipliers mu of a kind of equations
# a pass that leaves more than this ratio of the last change has stalled, which is accepted below the tolerance
STALL_RATIO, STALL_TOLERANCE = 0.3, 1e-5
ROUND_OFF_RATIO = 1e-2  # of the multipliers of all kinds, below which those of a kind are round-off
# of the multipliers of later steps, below which those of a step add nothing (where nothing can move, those of a motion)
NEGLIGIBLE = 1e-16
MAX_PASSES = 40


class WithoutAdjoint(InputError):
    """An output that has derivatives in the order of the steps only."""


class Weights(NamedTuple):
    """Derivatives of results by recorded rows.

    Attributes
    ----------
    column : name of the recorded output
    entries : (k,) indices of its numbers
    values : (k, components) derivatives by these numbers
    """

    column: str
    entries: Indices
    values: Array


class Adjoint:
    """Adjoints along the steps of a path in the reverse order, of up to eight results at once (components).

    Parameters
    ----------
    simulation : new, made within `one_by_one`
    path : of the same simulation
    weights : of the results' rows: before the first step, and after each step
    plain : another simulation at its start, for states and matrices
    setup : derivatives of the simulation's arrays by parameters; None: there are no parameters
    errors : whether `at_end` is wanted

    Attributes
    ----------
    passes : solutions with the matrix so far
    states : (steps + 1, …) the states between the steps, as `StateVector` has them
    numbers : which adjoints of states are by
    at_end : (numbers, 8) adjoints of the state at the end of the step that was made last, those by the outputs of this
        state included

    Raises
    ------
    InputError
        For what has no derivatives (as `DualScheme`).
    WithoutAdjoint
        For outputs that are worked out in Python, and for rigid contacts.
    """

    def __init__(
        self,
        simulation: Simulation,
        path: Path,
        weights: Sequence[Sequence[Weights]],
        plain: Simulation,
        setup: SetUp | None = None,
        errors: bool = False,
    ):
        self._path, self._plain = path, plain.scheme
        entries = _entries(weights)
        _refuse(simulation, sorted(entries))
        calls = plain.scheme.calls
        self._vector, self._unknowns = StateVector(plain), np.zeros(len(calls.y))
        begin: list[Task] = [*calls.begin, Call(copy, self._unknowns, calls.y)]
        self._follow = CallList([*begin, *calls.residual, *calls.accept])
        self._transposed, places = np.zeros(len(calls.values)), transposing(plain.system)
        self._linearise = CallList(
            [*begin, *linearising(plain), Call(gather, calls.values, places, self._transposed)]
        )
        self._factors, system = Factors(plain.system, self._transposed), plain.system
        # equations of forces (times dt^2), of moments and of constraints, with the size of their multipliers' units
        length, mass = system.coordinates, float(system.workspace.mass.sum())
        kinds = [(np.flatnonzero(system.unit == k), size) for k, size in enumerate((1.0, 1.0 / length, mass))]
        self._kinds = [(kind, size) for kind, size in kinds if len(kind)]
        self._parameters = ParameterColumns(setup, Numbers(system)) if setup else None
        parameters = self._parameters
        seeded, count = (parameters.seeded, parameters.count) if parameters else ([], 0)
        self._clock: int | None = parameters.clock if parameters else None
        self._events = _event_rates(path, setup) if setup else None
        self._matrices = matrices = StepMatrices(simulation, seeded, count, entries, self._clock)
        self.numbers = matrices.numbers
        of_unknowns = matrices.equations[UNKNOWN]
        self._matrix = of_unknowns.indptr, of_unknowns.columns, of_unknowns.values
        if matrices.exact:
            self._matrix = system.indptr.astype(np.int64), system.indices.astype(np.int64), calls.values
        self._of_outputs = [_spread(row, entries) for row in weights]
        self._start_of_outputs()
        self._calls = {watched: CallList(matrices.calls(watched)) for watched in (False, True)}
        self._errors = errors
        if errors:
            self._of_end, tasks = matrices.outputs_of_state()
            self._measure_end, self._clear = CallList(tasks), CallList(matrices.without_directions())
        self.passes, self._largest = 0, np.zeros(WIDTH)
        self.at_end = np.zeros((self.numbers.size, WIDTH))
        self.states = self._forward()

    def _start_of_outputs(self) -> None:
        """Derivatives of the first state and of its outputs by parameters."""
        self._of_columns = np.zeros((self._matrices.outputs[PARAMETER].shape[1], WIDTH))
        self._of_events = np.zeros((0 if self._events is None else self._events.shape[-1], WIDTH))
        self._first, tasks = self._matrices.at_first()
        CallList(tasks)()
        if self._of_outputs[0] is not None:
            self._matrices.outputs[PARAMETER].add_transposed(self._of_outputs[0], self._of_columns)

    def _forward(self) -> Array:
        """(steps + 1, …) the states between the steps."""
        states = np.zeros((len(self._path) + 1, self._vector.size))
        states[0] = self._vector.get()
        for k, (clock, unknowns) in enumerate(zip(self._path.clocks, self._path.unknowns, strict=True), 1):
            self._plain.workspace.clock[:], self._unknowns[:] = clock, unknowns
            self._follow()
            states[k] = self._vector.get()
        return states

    def steps(self, end: Array) -> Iterator[tuple[int, Array]]:
        """Number of a step and adjoints (numbers, 8) of the state at its start, from the last step to the first.

        Parameters
        ----------
        end : (numbers, 8) adjoints of the last state, besides those by recorded rows

        Raises
        ------
        SolverFailure
            Where the adjoint of a step is not found.
        """
        adjoint = end
        for number in range(len(self._path) - 1, -1, -1):
            adjoint = self._step(number, adjoint)
            yield number, adjoint
        self._first.add_transposed(adjoint, self._of_columns)

    @property
    def of_parameters(self) -> Array:
        """(parameters, 8) adjoints of the parameters, when all steps have been made."""
        assert self._parameters is not None
        return self._parameters.by_parameters(self._of_columns) + self._of_events

    def _step(self, number: int, adjoint: Array) -> Array:
        """Adjoints of the state at the start of a step from those at its end."""
        matrices, outputs = self._matrices, self._of_outputs[number + 1]
        self._factorise(number)
        matrices.start[:], matrices.clock[:] = self.states[number], self._path.clocks[number]
        matrices.unknowns[:] = self._path.unknowns[number]
        self._calls[outputs is not None]()
        adjoints: list[Array] = []
        for what in (STATE, UNKNOWN, PARAMETER):
            total = self._of_columns if what == PARAMETER else np.zeros((matrices.ends[what].shape[1], WIDTH))
            matrices.ends[what].add_transposed(adjoint, total)
            if outputs is not None:
                matrices.outputs[what].add_transposed(outputs, total)
            adjoints.append(total)
        multipliers = self._solve(number, adjoints[UNKNOWN])
        for what in (STATE, PARAMETER):
            matrices.equations[what].add_transposed(multipliers, adjoints[what], -1)
        if self._clock is not None and self._events is not None:
            times = self._of_columns[self._clock :]
            self._of_events += self._events[number].T @ times
            times[:] = 0.0
        if self._errors:
            self._put_end(number, adjoint, outputs)
        return adjoints[STATE]

    def _put_end(self, number: int, adjoint: Array, outputs: Array | None) -> None:
        self.at_end = adjoint.copy()
        if outputs is not None:
            self._clear()
            self._matrices.start[:] = self.states[number + 1]
            self._measure_end()
            self._of_end.add_transposed(outputs, self.at_end)

    def _solve(self, number: int, right: Array) -> Array:
        """(size, 8) multipliers of the equations for right sides."""
        total, left, last, done = np.zeros_like(right), right.copy(), np.inf, 0
        while True:
            change = self._factors.solve(left)
            self.passes += 1
            share = self._left(change, total) if done else np.inf
            stalled = done > 1 and not share < STALL_RATIO * last
            if done and (share <= TOLERANCE or (stalled and share < STALL_TOLERANCE)):
                self._largest = np.maximum(self._largest, np.max(self._sizes(total), axis=0))
                return total
            if stalled or done > MAX_PASSES or not np.isfinite(change).all():
                raise SolverFailure(
                    f"the adjoint of the step that ends at t = {float(self._path.clocks[number][1]):.9g} s was not "
                    "found: at its solution the matrix of the step is nearly singular"
                )
            total += change
            add_transposed_product(*self._matrix, np.ascontiguousarray(change), left, -1)
            last, done = share, done + 1

    def _left(self, change: Array, total: Array) -> float:
        """The change of the multipliers as a share of themselves, the worst of all kinds and components."""
        sizes, left = self._sizes(total), 0.0
        others = ROUND_OFF_RATIO * np.max(sizes, axis=0) + NEGLIGIBLE / TOLERANCE * self._largest
        for size, largest in zip(sizes, self._sizes(change), strict=True):
            allowed = size + others
            shares = np.divide(largest, allowed, out=np.zeros_like(size), where=allowed > 0.0)
            left = max(left, float(shares.max()))
        return left

    def _sizes(self, multipliers: Array) -> list[Array]:
        """(8,) the largest of each kind of equations, in common units."""
        return [np.abs(multipliers[kind]).max(axis=0) / size for kind, size in self._kinds]

    def _factorise(self, number: int) -> None:
        """Factors of the transposed matrix of a step."""
        self._vector.put(self.states[number])
        self._plain.workspace.clock[:], self._unknowns[:] = (
            self._path.clocks[number],
            self._path.unknowns[number],
        )
        self._linearise()
        self._factors.make()


def _event_rates(path: Path, setup: SetUp) -> Array:
    """(steps, 3, parameters) derivatives of the starts, ends and lengths of the steps."""
    names = list(setup.breakpoint_rates)
    return clock_rates(end_rates(path, setup.breakpoints, setup.breakpoint_rates, names, len(names)))


def _refuse(simulation: Simulation, columns: Sequence[str]) -> None:
    refuse(simulation)
    name = simulation.system.model.name
    if simulation.impacts.kind is not None:
        raise WithoutAdjoint(
            f"model '{name}' has rigid contacts, whose impacts have no adjoint: give method='forward'"
        )
    disks = [kind.specs[0].name for kind in simulation.system.kinds if kind.reads_all]
    if disks:
        raise WithoutAdjoint(
            f"'{disks[0]}' has the inflow of a rotor's disk, which couples all its blades: give method='forward'"
        )
    by_hand = sorted(set(columns) & phases_of(simulation).in_python)
    if by_hand:
        raise WithoutAdjoint(
            f"outputs {', '.join(by_hand)} are worked out in Python, which has no adjoint: give method='forward'"
        )


def _entries(weights: Sequence[Sequence[Weights]]) -> dict[str, Indices]:
    """Of each output the numbers that have weights in any row."""
    entries: dict[str, list[Indices]] = {}
    for row in weights:
        for weight in row:
            entries.setdefault(weight.column, []).append(weight.entries)
    return {name: np.unique(np.concatenate(entries[name])) for name in sorted(entries)}


def _spread(row: Sequence[Weights], entries: dict[str, Indices]) -> Array | None:
    """(all entries, 8) derivatives of the results by them, from one row's weights; None for none."""
    if not row:
        return None
    firsts = dict(zip(entries, np.cumsum([0, *map(len, entries.values())]), strict=False))
    derivatives = np.zeros((sum(map(len, entries.values())), WIDTH))
    for weight in row:
        places = firsts[weight.column] + np.searchsorted(entries[weight.column], weight.entries)
        np.add.at(derivatives[:, : weight.values.shape[1]], places, weight.values)
    return derivatives


def transposing(system: System) -> Indices:
    """Places of the transposed matrix's values, CSR, among those of the matrix: its pattern is symmetric."""
    count = len(system.indices)
    matrix = csr_matrix((np.arange(count), system.indices, system.indptr), shape=(system.size, system.size))
    transposed = matrix.T.tocsr()
    transposed.sort_indices()
    if not (
        np.array_equal(transposed.indices, system.indices)
        and np.array_equal(transposed.indptr, system.indptr)
    ):
        raise RuntimeError("the pattern of the matrix is not symmetric")
    return np.asarray(transposed.data, dtype=np.int64)


OUTPUTS_PER_PASS = WIDTH - 1  # outputs; the last component is that of `AdjointGrowth`


@dataclass(frozen=True, eq=False)
class Rows:
    """Derivatives of an output by the recorded numbers that it is made of.

    Attributes
    ----------
    of : of each row, 0 before the first step and k after step k: columns, indices of their numbers, and derivatives by
        these
    """

    of: dict[int, list[tuple[str, Indices, Array]]] = field(default_factory=dict)

    @property
    def columns(self) -> set[str]:
        """Names of the recorded outputs."""
        return {column for row in self.of.values() for column, *_ in row}


def adjoint_gradients(
    build: Build,
    path: Path,
    outputs: Sequence[Rows],
    values: Mapping[str, float],
    scales: Mapping[str, float] | None = None,
    largest_growth: float = LARGEST,
) -> tuple[Array, Array]:
    """(outputs, parameters) derivatives of outputs of a run at fixed times of the steps' ends, and (steps, parameters)
    those of these times, which events move.

    Parameters
    ----------
    build : makes the simulation from the values of the parameters
    path : of its run at ``values``; its steps are kept
    outputs : to differentiate
    values : of the parameters by name
    scales : size of a parameter by name where its value is zero
    largest_growth : of a small change up to the end, beyond which derivatives are refused

    Raises
    ------
    InputError
        For runs, parameters and outputs without derivatives.
    BeyondHorizon
        Where a chaotic motion has made them useless.
    SolverFailure
        Where those of a step are not found.
    """
    setup, names = SetUp(build, values, scales or {}), list(values)
    ends = end_rates(path, setup.breakpoints, setup.breakpoint_rates, names, len(names))
    gradients = []
    for first in range(0, len(outputs), OUTPUTS_PER_PASS):
        some = outputs[first : first + OUTPUTS_PER_PASS]
        weights = together(some, len(path) + 1)
        adjoint = Adjoint(setup.simulation, path, weights, build(values), setup)
        growth = AdjointGrowth(adjoint.numbers, float(path.ends[-1]), largest_growth)
        for number, state in adjoint.steps(growth.end()):
            growth.check(float(path.clocks[number][0]), state)
        gradients.append(adjoint.of_parameters[:, : len(some)].T)
    return np.concatenate(gradients), ends


def together(outputs: Sequence[Rows], rows: int) -> list[list[Weights]]:
    """Of each of so many rows the derivatives of several outputs, one to a component."""
    weights: list[list[Weights]] = [[] for _ in range(rows)]
    for component, output in enumerate(outputs):
        for row, several in output.of.items():
            for column, entries, by in several:
                values = np.zeros((len(entries), WIDTH))
                values[:, component] = by
                weights[row].append(Weights(column, entries, values))
    return weights
