"""The loop of Newton's method in compiled code; `compiled_newton` gives it its lists of calls.

It is that of SNES with full steps: equations at the predictor; then, until converged, a tangent and its factorisation
where one is due, the update, the equations again, and the verdict on the update. Source: theory.md, section 6.
"""

from __future__ import annotations

import numpy as np

from fem_mbd.core.compiled import kernel
from fem_mbd.core.compiled.calls import run_calls
from fem_mbd.core.compiled.signatures import boolean, index_rows, indices, int32, record, vector, void
from fem_mbd.core.newton import convergence, energy_residual
from fem_mbd.core.newton.convergence import CONVERGED, SLOW, TEST
from fem_mbd.core.newton.energy_residual import LEFT
from fem_mbd.core.scheme.array_kernels import copy

# reasons to end, numbered as those of SNES
DONE, TOO_MANY, NOT_FINITE, DIVERGED, LINEAR_FAILURE, STOPPED = 4, -5, -4, -9, -3, -100
NOISE = 8 * np.finfo(float).eps  # relative round-off of an equation's terms, with room for how many they are

ATTEMPT = np.dtype(
    [
        ("dt", "f8"),  # s, of the step
        ("most", "i8"),  # iterations
        ("keep", "i8"),  # a factorisation serves while Newton converges fast; else one iteration
        ("refresh", "i8"),  # the next iteration makes a factorisation
        ("reason", "i8"),
        ("iterations", "i8"),
        ("factorisations", "i8"),
        ("assembly", "i8"),  # ns
    ],
    align=True,
)


@kernel(boolean(vector, vector, indices, vector))
def at_round_off(f, diagonal, unit, noise):
    """Whether no equation is missed by more than the round-off of the places and turns that it is made of.

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
def is_finite(f):
    """Whether all entries of f (size,) are finite."""
    a, b, c, d = 0.0, 0.0, 0.0, 0.0  # one sum would wait for each addition
    behind = f.shape[0] // 4 * 4
    for k in range(0, behind, 4):
        a, b = a + f[k] * f[k], b + f[k + 1] * f[k + 1]
        c, d = c + f[k + 2] * f[k + 2], d + f[k + 3] * f[k + 3]
    for k in range(behind, f.shape[0]):
        a += f[k] * f[k]
    return np.isfinite((a + b) + (c + d))


@kernel
def _timed(attempt, clock, instant, calls):
    """Make the calls and add the time that they take to that of assembly."""
    run_calls(clock)
    attempt.assembly -= 1_000_000_000 * instant[0] + instant[1]
    done = run_calls(calls)
    run_calls(clock)
    attempt.assembly += 1_000_000_000 * instant[0] + instant[1]
    return done


@kernel
def _evaluate(attempt, clock, instant, after_tangent, residual, residual_after_tangent):
    """The equations at the iterate."""
    done = _timed(attempt, clock, instant, residual_after_tangent if after_tangent[0] else residual)
    after_tangent[0] = 0
    return done


@kernel
def _update(attempt, clock, instant, after_tangent, tangent, factorise, solve, failed):
    """Newton's update, with a fresh factorisation where one is due; a reason to end, 0 for none."""
    if attempt.refresh:
        if not _timed(attempt, clock, instant, tangent):
            return STOPPED
        after_tangent[0] = 1
        attempt.factorisations += 1
        attempt.refresh = 0 if attempt.keep else 1
        if not run_calls(factorise):
            return STOPPED
    if failed[0] == 0 and not run_calls(solve):
        return STOPPED
    return LINEAR_FAILURE if failed[0] != 0 else 0


@kernel
def _verdict(attempt, iteration, test, y, step, before, f, diagonal, unit, noise):
    """`Convergence.check`."""
    lagged = attempt.keep != 0
    if not convergence.measure(test, step, before, y, unit):
        return convergence.DIVERGED
    verdict = convergence.estimate(test, iteration > 1, lagged, False)
    if verdict != CONVERGED and convergence.estimate(test, iteration > 1, lagged, True) == CONVERGED:
        if at_round_off(f, diagonal, unit, noise):
            return CONVERGED
    return verdict


@kernel(
    void(record(ATTEMPT)[::1], index_rows, index_rows, index_rows, index_rows, index_rows, index_rows,
    indices, indices, int32[::1], record(TEST)[::1], record(LEFT)[::1], vector, vector, vector, vector,
    vector, vector, indices, vector),
)  # fmt: skip
def iterate(
    attempts, residual, residual_after_tangent, tangent, factorise, solve, clock, instant, after_tangent, failed,
    test, left, y, f, step, before, good, diagonal, unit, noise,
):  # fmt: skip
    """One attempt from the predictor in y (size,); its outcome stands in attempts (1,) of dtype ATTEMPT."""
    attempt = attempts[0]
    attempt.iterations = attempt.factorisations = attempt.assembly = 0
    failed[0] = 0
    if not _evaluate(attempt, clock, instant, after_tangent, residual, residual_after_tangent):
        attempt.reason = STOPPED
        return
    convergence.start(test, before, y)
    energy_residual.start(left)
    attempt.reason = 0 if is_finite(f) else NOT_FINITE
    while attempt.reason == 0:
        if attempt.iterations == attempt.most:
            attempt.reason = TOO_MANY
            break
        attempt.reason = _update(attempt, clock, instant, after_tangent, tangent, factorise, solve, failed)
        if attempt.reason != 0:
            break
        for k in range(y.shape[0]):
            y[k] -= step[k]
        if not _evaluate(attempt, clock, instant, after_tangent, residual, residual_after_tangent):
            attempt.reason = STOPPED
            break
        if not is_finite(f):
            attempt.reason = NOT_FINITE
            break
        attempt.iterations += 1
        verdict = _verdict(attempt, attempt.iterations, test, y, step, before, f, diagonal, unit, noise)
        if verdict == convergence.DIVERGED:
            attempt.reason = DIVERGED
        elif verdict == CONVERGED and energy_residual.small(left, good, f, y, attempt.dt, attempt.keep != 0):
            attempt.reason = DONE
        elif verdict == SLOW:
            attempt.refresh = 1
    if attempt.reason == DONE and left[0].has_good != 0:
        left[0].has_good = 0
        copy(good, y)
        if not _evaluate(attempt, clock, instant, after_tangent, residual, residual_after_tangent):
            attempt.reason = STOPPED
