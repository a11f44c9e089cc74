"""Newton's iteration, compiled; `compiled_newton` gives it its lists of calls.

It is the iteration of SNES: equations at the predictor; then, until converged, a fresh tangent and factorisation if
requested, the update (by `broyden` where factors are kept), the equations at the whole update or at a fraction of it
(`line_search`), and the convergence test. Source: theory.md, section 6.
"""

from __future__ import annotations

from typing import Annotated, Any, NamedTuple

import numpy as np

from fem_mbd.core.compiled import kernel
from fem_mbd.core.compiled.calls import run_calls
from fem_mbd.core.compiled.signatures import boolean, index_rows, indices, int32, matrix, record, vector, void
from fem_mbd.core.newton import broyden, convergence, energy_residual, line_search
from fem_mbd.core.newton.broyden import HISTORY
from fem_mbd.core.newton.convergence import CONVERGED, SLOW, TEST
from fem_mbd.core.newton.energy_residual import ENERGY_TEST
from fem_mbd.core.newton.line_search import SEARCH
from fem_mbd.core.scheme.array_kernels import copy

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
    history: Annotated[Any, record(HISTORY)[::1]]  # (1,) of `broyden`
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
def _status(attempt, iteration, test, v):
    """As `Convergence.check`."""
    lagged = attempt.reuse != 0
    if not convergence.record_update(test, v.step, v.before, v.y, v.unit):
        return convergence.DIVERGED
    status = convergence.estimate(test, iteration > 1, lagged, False)
    if status != CONVERGED and convergence.estimate(test, iteration > 1, lagged, True) == CONVERGED:
        if at_round_off(v.f, v.diagonal, v.unit, v.noise):
            return CONVERGED
    return status


@kernel
def _take(attempt, lists, search, v):
    """Subtract the update from the iterate, or a fraction of it (`line_search`); return a reason to end, 0 for none."""
    line_search.begin(search, sum_of_squares(v.f) if attempt.backtracking else 0.0)
    while True:
        for k in range(v.y.shape[0]):
            v.y[k] = v.before[k] - search[0].fraction * v.step[k]
        if not _evaluate(attempt, lists):
            return STOPPED
        squares = sum_of_squares(v.f)
        if not attempt.backtracking:
            return 0 if np.isfinite(squares) else NOT_FINITE
        outcome = line_search.check(search, squares)
        if outcome == line_search.TAKE:
            return 0
        if outcome == line_search.FAIL:
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
    most = attempt.max_iterations * (BACKTRACKING_FACTOR if attempt.backtracking else 1)
    for iteration in range(1, most + 1):
        if attempt.refresh:
            tests.history[0].count = 0
        reason = _update(attempt, lists)
        if reason == 0:
            if attempt.reuse:
                broyden.improve(tests.history, tests.updates, tests.weight, v.step)
            reason = _take(attempt, lists, tests.search, v)
        if reason != 0:
            return reason
        attempt.iterations += 1
        status = _status(attempt, iteration, tests.test, v)
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
