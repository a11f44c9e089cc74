"""Adjoint of a run: derivatives of a few outputs by any number of parameters, found in the reverse order of its steps.

A step solves R(x; s, p) = 0 for its unknowns x and ends in the state s+ = A(x, s, p). With an asterisk for the
derivative of an output by a quantity, the step backwards is

    x* = (dA/dx)^T s+*,    (dR/dx)^T mu = x*,
    s* = (dA/ds)^T s+* - (dR/ds)^T mu,    p* = p* + (dA/dp)^T s+* - (dR/dp)^T mu

All products come from the step's operations, recorded by its own kernels (`RecordedScheme`) and gone through backwards.
The matrix is a means only, as in `Forward`: what it leaves of x* is found from the operations and solved for again.
Source: A. Griewank, A. Walther, Evaluating Derivatives, 2nd ed., SIAM 2008, section 15.2 (adjoints of fixed points).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_matrix

from fem_mbd.analysis.sensitivity.path import Path
from fem_mbd.analysis.sensitivity.recording.parts import ROOM, Parts, of_elements
from fem_mbd.analysis.sensitivity.recording.recorded_scheme import RecordedScheme
from fem_mbd.analysis.sensitivity.state_vector import StateVector
from fem_mbd.analysis.sensitivity.steps.factors import Factors
from fem_mbd.analysis.sensitivity.steps.step_kernels import gather
from fem_mbd.analysis.sensitivity.steps.stretch import linearising
from fem_mbd.base.arrays import Array, Indices
from fem_mbd.core.compiled.calls import Call, CallList, Task
from fem_mbd.core.scheme.array_kernels import clear, copy
from fem_mbd.core.scheme.system import System
from fem_mbd.core.solver.simulation import Simulation
from fem_mbd.errors import SolverFailure

SMALL = 1e-12  # of the multipliers mu of a kind of equations
STALLED, LEFT = (
    0.3,
    1e-5,
)  # what a pass has to leave of the last change, and what may be left where it does not
FLOOR = 1e-2  # of the multipliers of all kinds, below which those of a kind are round-off
MOST = 40  # passes


class Weights(NamedTuple):
    """Derivatives of outputs by recorded rows.

    Attributes
    ----------
    column : name of the recorded output
    entries : (k,) indices of its numbers
    values : (k, lanes) derivatives by these numbers
    """

    column: str
    entries: Indices
    values: Array


class Adjoint:
    """Adjoints along the steps of a path in the reverse order, of several outputs at once (lanes).

    Parameters
    ----------
    scheme : seeded with the inputs that belong to parameters
    path : of the same simulation
    weights : of the outputs' rows: before the first step, and after each step
    lanes : as of the tape
    plain : another simulation at its start, for states and matrices; None: the scheme's own

    Attributes
    ----------
    passes : solutions with the matrix so far
    states : (steps + 1, size) the states between the steps
    at_end : (size, lanes) adjoints of the state at the end of the step that was made last, those by the outputs of this
        state included
    """

    def __init__(
        self,
        scheme: RecordedScheme,
        path: Path,
        weights: Sequence[Sequence[Weights]],
        lanes: int,
        plain: Simulation | None = None,
    ):
        self.scheme, self._path, self._weights = scheme, path, weights
        simulation = plain or scheme.simulation
        self._plain, calls = simulation.scheme, simulation.scheme.calls
        self._vector, self._unknowns = StateVector(simulation), np.zeros(len(calls.y))
        begin: list[Task] = [*calls.begin, Call(copy, self._unknowns, calls.y)]
        self._follow = CallList([*begin, *calls.residual, *calls.accept])
        self._values = np.zeros(len(calls.values))
        places = transposing(simulation.system)
        self._linearise = CallList(
            [*begin, *linearising(simulation), Call(gather, calls.values, places, self._values)]
        )
        self._factors = Factors(simulation.system, self._values)
        work = simulation.scheme.work
        self._forces, self._largest = (work.force_m, work.force_f), 0
        self._parts: Parts | None = scheme.parts
        cleared = [Call(clear, one.reshape(-1)) for one in self._forces]
        self._sum_forces = CallList([*cleared, *of_elements(simulation.system)] if scheme.parts else [])
        # equations of forces (times dt^2), of moments and of constraints, with the size of their multipliers' units
        length, mass = max(simulation.system.length, 1.0), float(simulation.system.work.mass.sum())
        kinds = [
            (np.flatnonzero(simulation.system.unit == k), size)
            for k, size in enumerate((1.0, 1.0 / length, mass))
        ]
        self._kinds = [(kind, size) for kind, size in kinds if len(kind)]
        self._tape = scheme.tape
        self._tape.lanes(lanes)
        self.passes = 0
        self.at_end = np.zeros((scheme.size, lanes))
        self.states = self._forward()

    def _forward(self) -> Array:
        """(steps + 1, size) the states between the steps."""
        found = np.zeros((len(self._path) + 1, self.scheme.size))
        found[0] = self._vector.get()
        for k, (clock, unknowns) in enumerate(zip(self._path.clocks, self._path.unknowns, strict=True), 1):
            self._plain.work.clock[:], self._unknowns[:] = clock, unknowns
            self._follow()
            found[k] = self._vector.get()
        return found

    def steps(self, end: Array) -> Iterator[tuple[int, Array]]:
        """Number of a step and adjoints (size, lanes) of the state at its start, from the last step to the first.

        Parameters
        ----------
        end : (size, lanes) adjoints of the last state, besides those by recorded rows

        Raises
        ------
        SolverFailure
            Where the adjoint of a step is not found.
        """
        adjoint = end
        for number in range(len(self._path) - 1, -1, -1):
            adjoint = self._step(number, adjoint)
            yield number, adjoint
        self.scheme.restart(self.states[0])
        if self._weights[0]:
            self._record_start()

    @property
    def of_parameters(self) -> Array:
        """(parameters, lanes) adjoints of the inputs that belong to parameters, when all steps have been made."""
        return self._tape.adjoints[1 : self.scheme.inputs[0].start].copy()

    def _record_start(self) -> None:
        """Outputs before the first step."""
        while True:
            self.scheme.start()
            first = self._tape.count
            self.scheme.measure()
            if not self._tape.enlarge():
                break
            self.scheme.restart(self.states[0])
        self._add_outputs(0)
        self._tape.back(first, self._tape.count)

    def _step(self, number: int, adjoint: Array) -> Array:
        """Adjoints of the state at the start of a step from those at its end."""
        tape, (state, _) = self._tape, self.scheme.inputs
        self._factorise(number)
        first, middle, behind, accepted = self._record(number)
        end = self.scheme.end
        tape.add(end, adjoint)
        self._add_outputs(number + 1)
        tape.back(accepted, tape.count)
        self.at_end = tape.adjoints[end]
        self.at_end[_repeated(end)] = 0.0
        tape.back(first, accepted)
        self._solve(number, first, middle, behind)
        tape.back(state.stop, first)  # the predictor
        found = tape.adjoints[state].copy()
        tape.adjoints[state] = 0.0
        return found

    def _record(self, number: int) -> tuple[int, int, int, int]:
        """Record a step; the numbers before the operations of its equations, before those with sums of forces (else
        the same), behind them, and behind those of its end.
        """
        scheme, clock, unknowns = self.scheme, self._path.clocks[number], self._path.unknowns[number]
        watched = bool(self._weights[number + 1])
        self._parts = None if watched else scheme.parts
        while True:
            (scheme.put if number else scheme.restart)(self.states[number])
            scheme.start()
            if self._parts is None:
                first, behind = scheme.solve(clock, unknowns)
                middle = first
            else:
                first, middle, behind = scheme.solve_with_forces(clock, unknowns, self._forces)
            self._equations = scheme.equations
            accepted = scheme.accept(watched)
            if not self._tape.enlarge() and self._has_room():
                return first, middle, behind, accepted

    def _has_room(self) -> bool:
        """Whether the parts of the equations have room on the tape; where they have not nothing is recorded."""
        if self._parts is None:
            return True
        if self._largest == 0:
            found = self._parts.largest()
            if self._tape.enlarge():
                return False
            self._largest = found
        return not self._tape.reserve(self._tape.count + ROOM * self._largest)

    def _add_outputs(self, row: int) -> None:
        for one in self._weights[row]:
            self._tape.add(self.scheme.output(one.column)[one.entries], one.values)

    def _solve(self, number: int, first: int, middle: int, behind: int) -> None:
        """Add the adjoints that flow through the solution of the equations."""
        clock = self._path.clocks[number]
        tape, (_, unknowns) = self._tape, self.scheme.inputs
        total, last, done = np.zeros((unknowns.stop - unknowns.start, tape.adjoints.shape[1])), np.inf, 0
        while True:
            change = self._factors.solve(tape.adjoints[unknowns])
            self.passes += 1
            left = self._left(change, total) if done else np.inf
            stalled = done > 1 and not left < STALLED * last
            if done and (left <= SMALL or (stalled and left < LEFT)):
                tape.adjoints[unknowns] = 0.0
                return
            if stalled or done > MOST or not np.isfinite(change).all():
                raise SolverFailure(
                    f"the adjoint of the step that ends at t = {float(clock[1]):.9g} s was not found: at its solution "
                    "the matrix of the step is nearly singular"
                )
            total += change
            tape.add(self._equations, -change)
            tape.back(middle, behind)
            if self._parts is not None:
                forces, n = self.scheme.forces, len(self._forces[0])
                self._parts.back(tape.adjoints[forces].reshape(2, n, -1, tape.adjoints.shape[1]))
                tape.adjoints[forces] = 0.0
                tape.back(first, middle)
            last, done = left, done + 1

    def _left(self, change: Array, total: Array) -> float:
        """The change of the multipliers as a share of themselves, the worst of all kinds and lanes."""
        sizes = [np.abs(total[kind]).max(axis=0) / size for kind, size in self._kinds]
        of_all, left = FLOOR * np.max(sizes, axis=0), 0.0
        for (kind, size), own in zip(self._kinds, sizes, strict=True):
            largest, allowed = np.abs(change[kind]).max(axis=0) / size, own + of_all
            shares = np.divide(largest, allowed, out=np.zeros_like(own), where=allowed > 0.0)
            left = max(left, float(shares.max()))
        return left

    def _factorise(self, number: int) -> None:
        """Factors of the transposed matrix of a step."""
        self._vector.put(self.states[number])
        self._plain.work.clock[:], self._unknowns[:] = self._path.clocks[number], self._path.unknowns[number]
        self._linearise()
        self._factors.make()
        self._sum_forces()


def _repeated(numbers: Indices) -> Indices:
    """Places of numbers that occur before, as those of a copy, or that are zero."""
    found = np.ones(len(numbers), dtype=bool)
    found[np.unique(numbers, return_index=True)[1]] = False
    return np.flatnonzero(found | (numbers == 0))


def transposing(system: System) -> Indices:
    """Places of the transposed matrix's values, CSR, among those of the matrix: its pattern is symmetric."""
    count = len(system.indices)
    matrix = csr_matrix((np.arange(count), system.indices, system.indptr), shape=(system.size, system.size))
    found = matrix.T.tocsr()
    found.sort_indices()
    if not (np.array_equal(found.indices, system.indices) and np.array_equal(found.indptr, system.indptr)):
        raise RuntimeError("the pattern of the matrix is not symmetric")
    return np.asarray(found.data, dtype=np.int64)
