"""When Newton has converged: an estimate of the error that is left, from the sizes of its updates.

With theta the ratio of the last two updates, theta / (1 - theta) times the last update is left, measured separately
for lengths and angles against the motion of the step. A stiff model and a tiny one are judged alike, and a slow linear
convergence (a lagged factorisation) is not mistaken for the end. A line search that takes only a share of an update
leaves the rest of it to be done, and says that the equations bend or break on the way: theta is one from then on until
three updates in a row were taken whole, which give two ratios.

Multipliers enter linearly and follow the motion, so that they are not asked; but where forces depend on them (friction
inside joints), the motion may be right before they are, and they are judged too.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum

import numpy as np

from fem_mbd.arrays import Array, Indices
from fem_mbd.compiled import kernel
from fem_mbd.solver.newton_options import NewtonOptions

LINEAR_TIGHTENING = 1e-2
ROUND_OFF = 1e-15  # of a length or of a radian: updates below this that
STALLED = 0.5  # shrink by no more than this factor are noise
WHOLE = 0.999  # share of an update from which on it counts as taken
CONFIRMED = 3  # updates taken whole, after one that was shortened, before their ratio counts


class Verdict(Enum):
    """What the updates so far say."""

    CONVERGED = 1
    GOING_ON = 0
    SLOW = 2  # linear convergence: a fresh factorisation would serve better
    DIVERGED = -1


@kernel
def _largest(y: Array, unit: Indices, out: Array) -> None:
    """Largest magnitudes among lengths, angles and multipliers; NaN counts as infinite."""
    out[0] = out[1] = out[2] = 0.0
    for i in range(y.shape[0]):
        m = abs(y[i])
        if not (m <= 1e300):
            m = np.inf
        if m > out[unit[i]]:
            out[unit[i]] = m


@kernel
def _share(step: Array, before: Array, iterate: Array) -> float:
    """The share of the step that was taken, seen in its largest entry; one where round-off hides it."""
    k = 0
    for i in range(step.shape[0]):
        if abs(step[i]) > abs(step[k]):
            k = i
    if abs(step[k]) <= 1e-12 * abs(before[k]):
        return 1.0
    return abs(iterate[k] - before[k]) / abs(step[k]) if step[k] != 0.0 else 1.0


def _never() -> bool:
    return False


class Convergence:
    """The test of one Newton solver: `start` an attempt, then `judge` after each iteration.

    Attributes
    ----------
    update, motion : (3,) largest entries among lengths (m), angles (rad) and multipliers of the last update and of
        the iterate
    share : of the last update that the line search took
    """

    def __init__(
        self,
        unit: Indices,
        length: float,
        options: NewtonOptions,
        inertia: float = 0.0,
        at_round_off: Callable[[], bool] = _never,
    ):
        """
        inertia : kg m, size of the multipliers (times dt^2) that move the model by its length, 0: not judged
        at_round_off : says whether the equations at the iterate are fulfilled as well as round-off lets them. Updates
            that shrink no more are noise then, however long the model is through which that noise adds up.
        """
        self._unit, self._options, self._at_round_off = unit, options, at_round_off
        self._judged = [(0, length), (1, 1.0)] + ([(2, inertia)] if inertia > 0.0 else [])
        self.update, self._previous, self.motion = np.zeros(3), np.zeros(3), np.zeros(3)
        self._before = np.zeros(len(unit))
        self.share = 1.0
        self._whole = CONFIRMED  # updates taken whole since one that was shortened

    def start(self, iterate: Array) -> None:
        """Begin an attempt at ``iterate`` (size,)."""
        self._before[:] = iterate
        self.share = 1.0
        self._whole = CONFIRMED

    def judge(self, iteration: int, step: Array, iterate: Array, lagged: bool) -> Verdict:
        """Judge iteration 1, 2, …: ``step`` (size,) is Newton's update before the line search, ``iterate`` after it.

        ``lagged`` says that a kept factorisation is used, which converges linearly.
        """
        self._previous, self.update = self.update, self._previous
        _largest(step, self._unit, self.update)
        _largest(iterate, self._unit, self.motion)
        if not (self.update.max() < np.inf and self.update[1] <= 1e3):  # a thousand rad
            return Verdict.DIVERGED
        self.share = _share(step, self._before, iterate)
        self._before[:] = iterate
        self._whole = self._whole + 1 if self.share >= WHOLE else 0
        return self._estimate(iteration > 1, lagged)

    def _estimate(self, has_ratio: bool, lagged: bool) -> Verdict:
        # with a kept factorisation the last update converged linearly, whatever the ones before it did
        tightening = LINEAR_TIGHTENING if lagged else 1.0
        done, slow = True, False
        update, previous, motion = self.update.tolist(), self._previous.tolist(), self.motion.tolist()
        for k, size in self._judged:
            round_off = ROUND_OFF * size
            wanted = tightening * (self._options.tolerance * motion[k] + round_off)
            theta, left = 1.0, update[k]
            known = has_ratio and self._whole >= CONFIRMED and previous[k] > 0
            if known:
                theta = update[k] / previous[k]
                left *= min(theta / max(1 - theta, 0.1), 1.0)
            if left > wanted:
                # the equations are looked at last, for that takes a pass over all of them
                done = (
                    done and theta > STALLED and (update[k] <= round_off or (known and self._at_round_off()))
                )
            slow = slow or (has_ratio and theta > self._options.reuse_rate and update[k] > wanted + round_off)
        if done:
            return Verdict.CONVERGED
        return Verdict.SLOW if slow else Verdict.GOING_ON
