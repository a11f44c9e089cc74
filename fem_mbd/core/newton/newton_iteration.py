"""Newton's iteration, compiled, with its line search; class `CompiledNewton` calls it in place of PETSc's SNES.

The line search (`check_line_search`) finds the fraction of an update with which the equations decrease sufficiently,
by backtracking, for all Newton iterations. Of Newton's update p with a fresh tangent the sum of squares g = |f|^2 / 2
of the equations has the slope -2 g. A fraction s is sufficient if g(s) <= (1 - 2 DECREASE s) g(0). The next fraction is
at the minimum of the parabola, then of the cubics, through the known values and the slope; where the equations have no
finite value it is half as large. As PETSc's line search "bt". Source: J. E. Dennis and R. B. Schnabel, Numerical
Methods for Unconstrained Optimization and Nonlinear Equations (1983), section 6.3.2.

The kernel `iterate` is the iteration of SNES: equations at the predictor; then, until converged, a fresh tangent and
factorisation if requested, the update (by Broyden's formula where factors are kept), the equations at the whole update
or at a fraction of it, and the convergence test. Source: theory.md, section 6. It calls equations, tangent,
factorisation and linear solve by their addresses (`fem_mbd.core.compiled.calls`), from the lists that `CompiledNewton`
gives it. The iterates are bitwise those of SNES where PETSc's preconditioner solves the linear equations, where full
updates are taken.
"""

from __future__ import annotations

import ctypes
import functools
import time
from contextlib import suppress
from functools import partial
from math import sqrt
from typing import Annotated, Any, NamedTuple

import numpy as np

from fem_mbd.base.arrays import Array
from fem_mbd.core.compiled import kernel
from fem_mbd.core.compiled.calls import Call, CallList, ForeignCall, ForeignError, run_calls
from fem_mbd.core.compiled.signatures import (
    boolean,
    float64,
    index_rows,
    indices,
    int32,
    int64,
    matrix,
    record,
    vector,
    void,
)
from fem_mbd.core.linear_solvers.linear_solver import LU
from fem_mbd.core.newton import convergence, energy_residual
from fem_mbd.core.newton.convergence import CONVERGED, ITERATING, SLOW, TEST, Convergence, Status
from fem_mbd.core.newton.energy_residual import ENERGY_TEST, EnergyResidualTest
from fem_mbd.core.newton.jacobian_reuse import HISTORY, Broyden, improve_factors
from fem_mbd.core.scheme.array_kernels import copy
from fem_mbd.core.scheme.tdg import StepCalls

DECREASE = 1e-4  # fraction of the predicted decrease that is sufficient
SHORTEST, MAX_TRIALS = (
    1e-12,
    40,
)  # fraction of an update that is the last to be tried, and number of fractions
SMALLEST, LARGEST = 0.1, 0.5  # ratios of one fraction to the one before
TAKE, SHORTEN, FAIL = range(3)  # what becomes of a fraction

SEARCH = np.dtype(
    [
        ("fraction", "f8"),  # to be tried, or taken
        ("squares", "f8"),  # |f|^2 without the update
        ("earlier", "f8"),  # the fraction tried before, 0: none with finite equations
        ("bend", "f8"),  # (g(s) / g(0) - 1 + 2 s) / s^2 there
        ("trials", "i8"),
    ],
    align=True,
)


@kernel(void(record(SEARCH)[::1], float64))
def begin_line_search(search, squares):
    """Begin with the whole update; search (1,) of dtype SEARCH, squares: |f|^2 before it."""
    s = search[0]
    s.fraction, s.squares, s.earlier, s.bend, s.trials = 1.0, squares, 0.0, 0.0, 0


@kernel
def _minimum(s, bend):
    """Minimum of the parabola or cubic through g(0), its slope, and g at the present and the earlier fraction."""
    if s.earlier == 0.0:
        return 1.0 / bend
    a = (bend - s.bend) / (s.fraction - s.earlier)
    b = (s.fraction * s.bend - s.earlier * bend) / (s.fraction - s.earlier)
    return 1.0 / b if a == 0.0 else (sqrt(max(b**2 + 6.0 * a, 0.0)) - b) / (3.0 * a)


@kernel(int64(record(SEARCH)[::1], float64))
def check_line_search(search, squares):
    """Whether to TAKE the present fraction with the equations' |f|^2 = squares, to SHORTEN it to the next one, or FAIL.

    search (1,) of dtype SEARCH
    """
    s = search[0]
    if squares <= (1.0 - 2.0 * DECREASE * s.fraction) * s.squares:
        return TAKE
    shorter, finite = LARGEST * s.fraction, np.isfinite(squares)
    if finite:
        bend = (squares / s.squares - 1.0 + 2.0 * s.fraction) / s.fraction**2 if s.squares > 0.0 else np.inf
        shorter = min(max(_minimum(s, bend), SMALLEST * s.fraction), shorter)
        s.bend = bend
    s.trials += 1
    failed = s.fraction <= SHORTEST or s.trials == MAX_TRIALS
    s.earlier, s.fraction = s.fraction if finite else 0.0, shorter
    return FAIL if failed else SHORTEN


# numbered as PETSc's SNESConvergedReason; STOPPED: a call has failed
DONE, TOO_MANY, NOT_FINITE, LINE_SEARCH, DIVERGED, LINEAR_FAILURE, STOPPED = 4, -5, -4, -6, -9, -3, -100
BACKTRACKING_FACTOR = 3  # times as many iterations are allowed with backtracking

ATTEMPT = np.dtype(
    [
        ("dt", "f8"),  # s, of the step
        ("max_iterations", "i8"),  # with full steps
        ("backtracking", "i8"),  # shorten updates with which the equations do not decrease
        ("reuse", "i8"),  # reuse a factorisation while Newton converges fast; else for one iteration only
        ("refresh", "i8"),  # the next iteration computes a factorisation
        ("log", "i8"),  # whether each iteration is reported
        ("reason", "i8"),
        ("iterations", "i8"),
        ("factorisations", "i8"),
        ("assembly", "i8"),  # ns
        ("iteration", "i8"),  # present one, for the report
        ("status", "i8"),  # of convergence after it
    ],
    align=True,
)


@kernel(boolean(vector, vector, indices, vector))
def at_round_off(f, diagonal, unit, noise):
    """Whether no residual is larger than what round-off of the positions and rotations causes.

    f, diagonal, unit, noise (size,): equations, the tangent's diagonal, 2 for constraints, round-off of a row over its
    diagonal entry.
    """
    for k in range(f.shape[0]):
        # a constraint is a length itself
        stiffness = 1.0 if unit[k] == 2 else abs(diagonal[k])
        if not abs(f[k]) <= noise[k] * stiffness:
            return False
    return True


@kernel
def sum_of_squares(f):
    """|f|^2 of f (size,); not finite if an entry is not."""
    # four independent sums: a single one is limited by the latency of additions
    a, b, c, d = 0.0, 0.0, 0.0, 0.0
    rest = f.shape[0] // 4 * 4
    for k in range(0, rest, 4):
        a, b = a + f[k] * f[k], b + f[k + 1] * f[k + 1]
        c, d = c + f[k + 2] * f[k + 2], d + f[k + 3] * f[k + 3]
    for k in range(rest, f.shape[0]):
        a += f[k] * f[k]
    return (a + b) + (c + d)


class Lists(NamedTuple):
    """Lists of calls, the tables of `CallList` objects, and what they set."""

    residual: Annotated[Any, index_rows]  # the equations
    residual_after_tangent: Annotated[Any, index_rows]  # the same after an evaluation of the tangent
    tangent: Annotated[Any, index_rows]
    factorise: Annotated[Any, index_rows]
    solve: Annotated[Any, index_rows]  # for the update
    report: Annotated[Any, index_rows]  # an iteration
    timer: Annotated[Any, index_rows]  # reads the clock
    timestamp: Annotated[Any, indices]  # (2,) s and ns of the clock
    after_tangent: Annotated[Any, indices]  # (1,) whether the last evaluation was one of the tangent
    failed: Annotated[Any, int32[::1]]  # (1,) whether a pivot is zero


class Tests(NamedTuple):
    """State of line search, convergence tests and Broyden's updates."""

    search: Annotated[Any, record(SEARCH)[::1]]  # (1,)
    test: Annotated[Any, record(TEST)[::1]]  # (1,)
    energy_test: Annotated[Any, record(ENERGY_TEST)[::1]]  # (1,)
    history: Annotated[Any, record(HISTORY)[::1]]  # (1,) of `Broyden`
    updates: Annotated[Any, matrix]  # (most, size)
    weight: Annotated[Any, vector]  # (size,)


class Vectors(NamedTuple):
    """Vectors (size,) of the equations."""

    y: Annotated[Any, vector]  # iterate: m, rad, multipliers times dt^2
    f: Annotated[Any, vector]  # equations
    step: Annotated[Any, vector]  # update, subtracted from y
    before: Annotated[Any, vector]  # iterate before it
    best: Annotated[Any, vector]  # converged iterate of the smallest energy residual
    earlier: Annotated[Any, vector]  # the best one before an attempt with full steps
    diagonal: Annotated[Any, vector]  # of the tangent
    unit: Annotated[Any, indices]  # 2 for constraints, see `convergence`
    noise: Annotated[Any, vector]  # round-off of an equation over its diagonal entry


@kernel
def _timed(attempt, lists, calls):
    """Make the calls and add their time to that of assembly."""
    run_calls(lists.timer)
    attempt.assembly -= 1_000_000_000 * lists.timestamp[0] + lists.timestamp[1]
    done = run_calls(calls)
    run_calls(lists.timer)
    attempt.assembly += 1_000_000_000 * lists.timestamp[0] + lists.timestamp[1]
    return done


@kernel
def _evaluate(attempt, lists):
    """Evaluate the equations at the iterate."""
    calls = lists.residual_after_tangent if lists.after_tangent[0] else lists.residual
    done = _timed(attempt, lists, calls)
    lists.after_tangent[0] = 0
    return done


@kernel
def _update(attempt, lists):
    """Compute Newton's update, with a fresh factorisation if requested; return a reason to end, 0 for none."""
    if attempt.refresh:
        if not _timed(attempt, lists, lists.tangent):
            return STOPPED
        lists.after_tangent[0] = 1
        attempt.factorisations += 1
        attempt.refresh = 0 if attempt.reuse else 1
        if not run_calls(lists.factorise):
            return STOPPED
    if lists.failed[0] == 0 and not run_calls(lists.solve):
        return STOPPED
    return LINEAR_FAILURE if lists.failed[0] != 0 else 0


@kernel
def _status(attempt, iteration, fresh, test, v):
    """As `Convergence.check`."""
    lagged, ratio = attempt.reuse != 0, iteration > 1
    if not convergence.record_update(test, v.step, v.before, v.y, v.unit):
        return convergence.DIVERGED
    status = convergence.estimate(test, ratio, lagged, fresh, False)
    if status != CONVERGED and convergence.estimate(test, ratio, lagged, fresh, True) == CONVERGED:
        if at_round_off(v.f, v.diagonal, v.unit, v.noise):
            return CONVERGED
    return status


@kernel
def _take(attempt, lists, search, v):
    """Subtract the update from the iterate, or a fraction of it; return a reason to end, 0 for none."""
    begin_line_search(search, sum_of_squares(v.f) if attempt.backtracking else 0.0)
    while True:
        for k in range(v.y.shape[0]):
            v.y[k] = v.before[k] - search[0].fraction * v.step[k]
        if not _evaluate(attempt, lists):
            return STOPPED
        squares = sum_of_squares(v.f)
        if not attempt.backtracking:
            return 0 if np.isfinite(squares) else NOT_FINITE
        outcome = check_line_search(search, squares)
        if outcome == TAKE:
            return 0
        if outcome == FAIL:
            copy(v.before, v.y)
            return LINE_SEARCH


@kernel
def _attempt(attempt, lists, tests, v):
    """Iterate from y; return the reason to end. Iterations and factorisations are added to those of ``attempt``."""
    lists.failed[0] = tests.history[0].count = 0
    if not _evaluate(attempt, lists):
        return STOPPED
    convergence.start(tests.test, v.before, v.y)
    energy_residual.start(tests.energy_test)
    if not np.isfinite(sum_of_squares(v.f)):
        return NOT_FINITE
    most, status = attempt.max_iterations * (BACKTRACKING_FACTOR if attempt.backtracking else 1), ITERATING
    for iteration in range(1, most + 1):
        fresh = attempt.refresh != 0
        if fresh:
            tests.history[0].count = 0
        reason = _update(attempt, lists)
        if reason == 0:
            if attempt.reuse and iteration == 2 and status == ITERATING:
                if convergence.is_negligible(tests.test, v.step, v.unit) and energy_residual.is_last(
                    tests.energy_test, v.best, v.f, v.y, attempt.dt, True
                ):
                    return DONE
            if attempt.reuse:
                improve_factors(tests.history, tests.updates, tests.weight, v.step)
            reason = _take(attempt, lists, tests.search, v)
        if reason != 0:
            return reason
        attempt.iterations += 1
        status = _status(attempt, iteration, fresh, tests.test, v)
        if attempt.log:
            attempt.iteration, attempt.status = iteration, status
            run_calls(lists.report)
        if status == convergence.DIVERGED:
            return DIVERGED
        if status == CONVERGED:
            if energy_residual.is_last(tests.energy_test, v.best, v.f, v.y, attempt.dt, attempt.reuse != 0):
                return DONE
            if attempt.backtracking:
                return LINE_SEARCH
        if status == SLOW:
            attempt.refresh = 1
    return TOO_MANY


@kernel(void(record(ATTEMPT)[::1], Lists, Tests, Vectors))
def iterate(attempts, lists, tests, vectors):
    """Solve from the predictor in y; the outcome is written to attempts (1,) of dtype ATTEMPT.

    The solve ends at the best converged iterate. Where Newton fails after it has converged, because the energy residual
    could not be reduced, it continues from that iterate with full steps and fresh factorisations. It may have failed as
    the allowed number of iterations was reached. And backtracking uses the norm of all equations: once that is the
    round-off of the stiff ones it shortens or rejects updates that would reduce the energy residual of the others,
    which full steps do not.
    """
    attempt, e = attempts[0], tests.energy_test[0]
    y, best, earlier = vectors.y, vectors.best, vectors.earlier
    attempt.iterations = attempt.factorisations = attempt.assembly = 0
    attempt.reason = _attempt(attempt, lists, tests, vectors)
    if e.has_best == 0 or attempt.reason == STOPPED or attempt.reason == LINEAR_FAILURE:
        return
    copy(best, y)
    if attempt.reason != DONE:
        copy(best, earlier)
        allowed, attempt.backtracking, attempt.reuse, attempt.refresh = e.residual, 0, 0, 1
        attempt.reason = _attempt(attempt, lists, tests, vectors)
        if attempt.reason == STOPPED:
            return
        if e.has_best != 0:
            copy(best, y)
        if (e.has_best == 0 and attempt.reason != DONE) or not e.residual <= allowed:
            copy(earlier, y)
    e.has_best = 0
    attempt.reason = DONE if _evaluate(attempt, lists) else STOPPED


MAX_ITERATIONS, REUSE, LOG, REASON, ASSEMBLY, STATUS = (
    (ATTEMPT.names or ()).index(name)
    for name in ("max_iterations", "reuse", "log", "reason", "assembly", "status")
)


def new_attempt() -> tuple[Any, Any]:
    """The record of attempts, (1,) of dtype `ATTEMPT`, and its field ``reuse`` as an array (1,)."""
    attempt = np.zeros(1, dtype=ATTEMPT)
    return attempt, attempt.view(np.int64)[REUSE : REUSE + 1]


class Attempt(NamedTuple):
    """Outcome of one attempt."""

    reason: int
    iterations: int
    factorisations: int
    assembly: int  # ns


class CompiledNewton:
    """The compiled iteration of one solver.

    Parameters
    ----------
    calls : equations and tangent
    test, energy_test : convergence tests of the solver
    broyden : its history of updates
    arrays : diagonal, unit, noise of `at_round_off`
    lu : of the matrix, whose values it reads
    attempt : (1,) of dtype `ATTEMPT`, from `new_attempt`

    Attributes
    ----------
    attempt : the same
    task : the call that makes an attempt
    releases_gil : whether other threads may run Python during an attempt
    timer, timestamp : the call that reads the clock, and its result (2,), s and ns
    """

    def __init__(
        self,
        calls: StepCalls,
        test: Convergence,
        broyden: Broyden,
        energy_test: EnergyResidualTest,
        arrays: tuple[Any, ...],
        lu: LU,
        attempt: Any,
    ):
        self._step, self._lu, self.releases_gil = np.zeros(len(calls.y)), lu, lu.releases_gil
        self.timestamp = np.zeros(2, dtype=np.int64)  # s and ns
        now = ForeignCall(_clock_gettime(), time.CLOCK_MONOTONIC, self.timestamp.ctypes.data)
        self.timer = CallList([now])
        self._lists = [
            *calls.lists,
            CallList(lu.factorise()),
            CallList(lu.solve(calls.f, self._step)),
            self.timer,
        ]
        self.attempt = attempt
        # views of the record as arrays: Python reads and writes them faster than its fields
        self._dt, self._counts = self.attempt.view(np.float64), self.attempt.view(np.int64)
        self._log = partial(_report, self._counts, calls.f, test)
        # table of one call, empty until iterations are logged: a call of a function of Python is a reference cycle,
        # which delays the release of this object
        self._report, self._reporting = np.zeros_like(self.timer.table), CallList([])
        *tables, timer = (task_list.table for task_list in self._lists)
        set_by_calls = self.timestamp, calls.after_tangent, lu.failed
        lists = Lists(*(*tables, self._report, timer, *set_by_calls))
        search: Any = np.zeros(1, dtype=SEARCH)
        tests = Tests(search, test.test, energy_test.record, broyden.history, broyden.updates, broyden.weight)
        vectors = Vectors(
            calls.y, calls.f, self._step, test.before, energy_test.best, np.zeros(len(calls.y)), *arrays
        )
        self.task = Call(iterate, self.attempt, lists, tests, vectors)
        self._run = CallList([self.task])

    def solve(
        self, dt: float, max_iterations: int, backtracking: bool, reuse: bool, refresh: bool, log: bool
    ) -> Attempt:
        """One attempt from the predictor in ``calls.y``; the arguments are fields of `ATTEMPT`.

        Raises
        ------
        Exception
            An exception of a Python function among the calls.
        """
        if log and not self._reporting.table.size:
            self._reporting = CallList([self._log])
            self._report[:] = self._reporting.table
        self._dt[0] = dt
        self._counts[MAX_ITERATIONS : LOG + 1] = max_iterations, backtracking, reuse, refresh, log
        (self._run.run_without_gil if self.releases_gil else self._run)()
        self._counts[LOG] = 0
        return self.outcome()

    def outcome(self) -> Attempt:
        """Outcome of the last attempt.

        Raises
        ------
        Exception
            An exception of a Python function among the calls.
        """
        reason, iterations, factorisations, assembly = self._counts[REASON : ASSEMBLY + 1].tolist()
        self.releases_gil = self.releases_gil or (self._lu.releases_gil_later and factorisations > 0)
        if reason == STOPPED:
            for task_list in self._lists:
                with suppress(ForeignError):  # an error of PETSc, which its own SNES will report
                    task_list.raise_error()
        return Attempt(reason, iterations, factorisations, assembly)


def _report(counts: Any, f: Array, test: Convergence) -> None:
    """Report the iteration that `iterate` has written to the record of attempts."""
    iteration, status = counts[STATUS - 1 :].tolist()
    test.log(iteration, float(np.linalg.norm(f)), Status(status))


@functools.cache
def _clock_gettime() -> int:
    """Address of the system's function that reads a clock."""
    return ctypes.cast(ctypes.CDLL(None).clock_gettime, ctypes.c_void_p).value or 0
