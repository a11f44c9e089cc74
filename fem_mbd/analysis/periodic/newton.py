"""Newton's method for periodic motions, with further unknowns and equations."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from fem_mbd.analysis.periodic.problem import Point
from fem_mbd.analysis.periodic.shooting import PERIOD, Evaluation, Linearised, Shooting, largest
from fem_mbd.base.arrays import Array
from fem_mbd.errors import SolverFailure

CONVERGED = 1e-10  # of the last change of the coordinates, which are of order one
CONVERGED_AMPLITUDE = (
    1e-8  # of the last change over the size of the motion, where this is small beside the model
)
ROUND_OFF_CHANGE = 1e-7  # changes below it may stop to decrease: steps are solved to a tolerance
UNRESOLVED = 1e-8  # what a period may miss its start by where Newton's method makes it no less
ITERATIONS = 25
HALVINGS = 6
FAST_RATIO = 0.3  # of the change before: with less, kept derivatives serve once more
LARGEST = 0.5  # change of a coordinate in an iteration


class LostOrbit(SolverFailure):
    """Newton's method has found no periodic motion.

    Attributes
    ----------
    residual : what was left, in coordinates of order one
    """

    def __init__(self, message: str, residual: float):
        self.residual = residual
        super().__init__(message)


@dataclass(frozen=True, eq=False)
class Condition:
    """Further equations, as many as further unknowns.

    Attributes
    ----------
    names : of the unknowns: `PERIOD` (over itself), `GAIN`, or a parameter (over ``scale``)
    rows : (k, unknowns) of the equations, from a linearisation
    missing : (k,) their right sides, from runs: zero where the equations are fulfilled
    scale : of the parameter
    """

    names: tuple[str, ...] = ()
    rows: Callable[[Linearised], Array] = lambda linear: np.zeros((0, linear.residual().size))
    missing: Callable[[Evaluation], Array] = lambda _: np.zeros(0)
    scale: float = 1.0


@dataclass(frozen=True, eq=False)
class Solution:
    """A periodic motion.

    Attributes
    ----------
    linear : runs and derivatives at it
    iterations : of Newton's method
    change : last change of the coordinates
    """

    linear: Linearised
    iterations: int
    change: float

    @property
    def point(self) -> Point:
        """States, values and period."""
        return self.linear.of.point


def solve(
    shooting: Shooting,
    point: Point,
    condition: Condition | None = None,
    iterations: int = ITERATIONS,
    kept: float = 0.0,
    near: Linearised | None = None,
    watch: Callable[[int, float], None] = lambda iteration, change: None,
    exact: bool = True,
    fast: float = FAST_RATIO,
) -> Solution:
    """The periodic motion near a point.

    Parameters
    ----------
    shooting : of the problem
    point : to begin with
    condition : further unknowns and equations
    iterations : at most
    kept : a last change that is small enough where derivatives are kept from one iteration to the next, as long as
        changes become small fast; zero: they are calculated in each of them
    near : derivatives at a motion nearby, by the same unknowns, to begin with where derivatives are kept
    watch : called with the number of each iteration and the change of the coordinates in the one before
    exact : whether derivatives at the motion itself are wanted, or the kept ones will do
    fast : ratio of a change to the one before, below which derivatives are kept

    Returns
    -------
    Solution

    Raises
    ------
    LostOrbit
        When the iteration does not converge.
    SolverFailure
        When a run fails from the start.
    """
    condition = condition or Condition()
    evaluation = shooting.evaluate(point, None if near is None else near.of)
    linear, up_to_date = (near, False) if kept and near is not None else (None, True)
    before = change = np.inf
    whole, step = True, np.zeros(0)
    for iteration in range(1, iterations + 1):
        watch(iteration, change)
        if linear is None or not (kept and whole and (iteration == 1 or change < fast * before)):
            linear, up_to_date = _linearised(shooting, evaluation, condition), True
        else:
            linear, up_to_date = _updated(linear, evaluation, condition, step), False
        before = change
        step = linear.solve(condition.rows(linear), condition.missing(evaluation))
        y, others = linear.spread(step)
        change = max(largest(evaluation, y), float(np.abs(others).max(initial=0.0)))
        if not np.isfinite(change):
            break
        stalled = change > 0.3 * before and (
            change <= ROUND_OFF_CHANGE or linear.largest_residual() <= UNRESOLVED
        )
        done = change <= min(CONVERGED, CONVERGED_AMPLITUDE * evaluation.motion) or stalled
        if not done:
            tried = _damped(shooting, linear, y, others, condition)
            if tried is None:
                break
            evaluation, whole = tried
        if done and not exact:
            return Solution(linear, iteration, change)
        if done or change <= kept:
            at_solution = linear if done and up_to_date else _linearised(shooting, evaluation, condition)
            if at_solution.largest_residual() <= max(linear.largest_residual(), kept):
                return Solution(at_solution, iteration, change)
            linear, whole, change = None, True, np.inf  # other histories have equations now
    raise _lost(evaluation, iteration, np.inf if linear is None else linear.largest_residual())


def _lost(evaluation: Evaluation, iterations: int, residual: float) -> LostOrbit:
    return LostOrbit(
        f"no periodic motion was found near the start at {_where(evaluation.point)}: after {iterations} iterations "
        f"the end of a period differs from its start by {residual:.3g} (lengths relative to the model's, rad). Try a "
        "better initial guess (settle, at), more segments, or more steps where contacts close",
        residual,
    )


def _linearised(shooting: Shooting, evaluation: Evaluation, condition: Condition) -> Linearised:
    """Derivatives by the states and the further unknowns."""
    return shooting.linearise(evaluation, shooting.seeds(evaluation.point, condition.names, condition.scale))


def _updated(linear: Linearised, evaluation: Evaluation, condition: Condition, step: Array) -> Linearised:
    """Kept derivatives at the next iterate, with Broyden's update by the step that led to it.

    After a whole step linear equations would be fulfilled: what they miss is the update's left factor. Source: C. G.
    Broyden, A class of methods for solving nonlinear simultaneous equations, Math. Comp. 19 (1965).
    """
    updated = replace(linear, of=evaluation)
    if not step.size:
        return updated
    missed = np.concatenate([updated.residual().ravel(), -condition.missing(evaluation)])
    return replace(updated, secants=(*linear.secants, (missed, step / (step @ step))))


def _where(point: Point) -> str:
    values = ", ".join(f"{name} = {value:.9g}" for name, value in point.values.items())
    return values or f"period {point.period:.6g} s"


def _damped(
    shooting: Shooting, linear: Linearised, y: Array, others: Array, condition: Condition
) -> tuple[Evaluation, bool] | None:
    """The next iterate, and whether it is that of the whole change, or of a part of it that leaves less."""
    scales = [linear.of.point.period if name == PERIOD else condition.scale for name in linear.names]
    whole = {
        name: float(change) * (1.0 if name == "gain" else scale)
        for name, change, scale in zip(linear.names, others, scales, strict=True)
    }
    size = max(largest(linear.of, y), float(np.abs(others).max(initial=0.0)))
    share = min(1.0, LARGEST / size) if size > 0.0 else 1.0
    left, best, least = _left(linear, linear.of, condition), None, np.inf
    for _ in range(HALVINGS):
        try:
            changes = {name: share * change for name, change in whole.items()}
            point = shooting.with_passive(linear, shooting.moved(linear.of, share * y, changes))
            trial = shooting.evaluate(point, linear.of)
            remains = _left(linear, trial, condition)
            if remains < (1.0 - 0.25 * share) * left or size < 1e-3:
                return trial, share == 1.0
            if remains < least:
                best, least = (trial, share == 1.0), remains
        except SolverFailure:
            pass
        share *= 0.5
    return best


def _left(linear: Linearised, evaluation: Evaluation, condition: Condition) -> float:
    """The largest residual of all equations."""
    residual = largest(evaluation, np.where(linear.active, evaluation.residuals, 0.0))
    return max(residual, float(np.abs(condition.missing(evaluation)).max(initial=0.0)))
