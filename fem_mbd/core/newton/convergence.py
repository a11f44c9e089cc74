"""When Newton has converged: an estimate of the error that is left, from the sizes of its updates.

With theta the ratio of the last two updates, theta / (1 - theta) times the last update is left, measured separately
for lengths and angles against the motion of the step. A stiff model and a tiny one are judged alike, and a slow linear
convergence (a lagged factorisation) is not mistaken for the end. A line search that takes only a share of an update
leaves the rest of it to be done, and says that the equations bend or break on the way: theta is one from then on until
three updates in a row were taken whole, which give two ratios.

A kept factorisation converges linearly, and at first too well: the parts of the error that shrink slowly show when the
others have gone. So what is left has to be a hundredth of the tolerance there, and a thousandth of the last update has
to be less than that too, however small theta is. An error that hides in this update and shrinks by `reuse_rate`, the
slowest that is allowed, is 2.5 tolerances at most.

Updates below round-off that shrink no more are noise. Near a singular place (a disk that falls flat) noise is some
times as large: updates that have not shrunk three times in a row, the last two with fresh tangents, are noise too.

Multipliers enter linearly and follow the motion, so that they are not asked; but where forces depend on them (friction
inside joints), the motion may be right before they are, and they are judged too.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import IntEnum
from typing import Any

import numpy as np

from fem_mbd.base.arrays import Array, Indices
from fem_mbd.core.compiled import kernel
from fem_mbd.core.compiled.signatures import boolean, indices, int64, record, vector, void
from fem_mbd.core.newton.newton_options import NewtonOptions
from fem_mbd.core.scheme.array_kernels import copy

LINEAR_TIGHTENING = 1e-2  # of what is allowed, with a kept factorisation,
HIDDEN = 1e-3  # and the share of the last update that may not be more
ROUND_OFF = 1e-15  # of a length or of a radian: updates below this that
STALLED = 0.5  # shrink by no more than this factor are noise,
NOISE, PATIENCE = 10.0, 3  # and those below so many times as much after so many of them
WHOLE = 0.999  # share of an update from which on it counts as taken
CONFIRMED = 3  # updates taken whole, after one that was shortened, before their ratio counts
MOST_TURNED = 1e3  # rad: an update that turns more has no meaning


class Verdict(IntEnum):
    """What the updates so far say."""

    CONVERGED = 1
    GOING_ON = 0
    SLOW = 2  # linear convergence: a fresh factorisation would serve better
    DIVERGED = -1


CONVERGED, GOING_ON, SLOW, DIVERGED = (int(v) for v in Verdict)

TEST = np.dtype(
    [
        ("tolerance", "f8"),
        ("reuse_rate", "f8"),
        ("size", "f8", (3,)),  # m, rad, kg m: updates are noise below round-off times these; 0: not judged
        ("update", "f8", (3,)),  # largest entries of the last update, of the one before it, of the iterate
        ("previous", "f8", (3,)),
        ("motion", "f8", (3,)),
        ("share", "f8"),  # of the last update that the line search took
        ("whole", "i8"),  # updates taken whole since one that was shortened
        ("stalled", "i8"),  # updates in a row that did not shrink
    ],
    align=True,
)


@kernel
def _largest(y, unit, out):
    """Largest magnitudes among lengths, angles and multipliers; NaN counts as infinite."""
    out[0] = out[1] = out[2] = 0.0
    for i in range(y.shape[0]):
        m = abs(y[i])
        if not (m <= 1e300):
            m = np.inf
        if m > out[unit[i]]:
            out[unit[i]] = m


@kernel
def _share(step, before, iterate):
    """The share of the step that was taken, seen in its largest entry; one where round-off hides it."""
    k = 0
    for i in range(step.shape[0]):
        if abs(step[i]) > abs(step[k]):
            k = i
    if abs(step[k]) <= 1e-12 * abs(before[k]):
        return 1.0
    return abs(iterate[k] - before[k]) / abs(step[k]) if step[k] != 0.0 else 1.0


@kernel(void(record(TEST)[::1], vector, vector))
def start(test, before, iterate):
    """Begin an attempt at ``iterate`` (size,); ``test`` (1,) of dtype TEST."""
    copy(iterate, before)
    test[0].share = 1.0
    test[0].whole = CONFIRMED
    test[0].stalled = 0


@kernel(boolean(record(TEST)[::1], vector, vector, vector, indices))
def measure(test, step, before, iterate, unit):
    """Note the sizes of an update; False when they say that Newton diverged."""
    t = test[0]
    for k in range(3):
        t["previous"][k] = t["update"][k]
    _largest(step, unit, t["update"])
    _largest(iterate, unit, t["motion"])
    largest = max(t["update"][0], t["update"][1], t["update"][2])
    if not (largest < np.inf and t["update"][1] <= MOST_TURNED):
        return False
    t.share = _share(step, before, iterate)
    copy(iterate, before)
    t.whole = t.whole + 1 if t.share >= WHOLE else 0
    return True


@kernel(int64(record(TEST)[::1], boolean, boolean, boolean))
def estimate(test, has_ratio, lagged, at_round_off):
    """The verdict on the update measured last.

    at_round_off : whether the equations are fulfilled as well as round-off lets them. That takes a pass over all of
        them: False first, and True only where it changes the verdict to CONVERGED.
    """
    t = test[0]
    tightening = LINEAR_TIGHTENING if lagged else 1.0
    done, slow, noise = True, False, True
    for k in range(3):
        if t["size"][k] <= 0.0:
            continue
        update, previous = t["update"][k], t["previous"][k]
        round_off = ROUND_OFF * t["size"][k]
        wanted = tightening * (t.tolerance * t["motion"][k] + round_off)
        theta, left = 1.0, update
        known = has_ratio and t.whole >= CONFIRMED and previous > 0.0
        if known:
            theta = update / previous
            left *= min(theta / max(1.0 - theta, 0.1), 1.0)
        if left > wanted or (lagged and HIDDEN * update > wanted + round_off):
            done = done and theta > STALLED and (update <= round_off or (known and at_round_off))
            noise = noise and known and theta > STALLED and update <= NOISE * round_off
        slow = slow or (has_ratio and theta > t.reuse_rate and update > wanted + round_off)
    if not at_round_off:
        t.stalled = t.stalled + 1 if noise and not done else 0
    if done or t.stalled >= PATIENCE:
        return CONVERGED
    return SLOW if slow else GOING_ON


def _never() -> bool:
    return False


class Convergence:
    """The test of one Newton solver: `start` an attempt, then `check` after each iteration.

    Attributes
    ----------
    test : (1,) of dtype `TEST`
    before : (size,) the iterate before the last update
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
        self._unit, self._at_round_off = unit, at_round_off
        self.test: Any = np.zeros(1, dtype=TEST)
        self.test["tolerance"], self.test["reuse_rate"] = options.tolerance, options.reuse_rate
        self.test["size"] = length, 1.0, inertia
        self.before = np.zeros(len(unit))

    @property
    def update(self) -> Array:
        """(3,) largest entries of the last update: length (m), angle (rad), multiplier."""
        return self.test["update"][0]

    @property
    def share(self) -> float:
        """Of the last update that the line search took."""
        return float(self.test["share"][0])

    def start(self, iterate: Array) -> None:
        """Begin an attempt at ``iterate`` (size,)."""
        start(self.test, self.before, iterate)

    def check(self, iteration: int, step: Array, iterate: Array, lagged: bool) -> Verdict:
        """Judge iteration 1, 2, …: ``step`` (size,) is Newton's update before the line search, ``iterate`` after it.

        ``lagged`` says that a kept factorisation is used, which converges linearly.
        """
        if not measure(self.test, step, self.before, iterate, self._unit):
            return Verdict.DIVERGED
        verdict = estimate(self.test, iteration > 1, lagged, False)
        if verdict != CONVERGED and estimate(self.test, iteration > 1, lagged, True) == CONVERGED:
            verdict = CONVERGED if self._at_round_off() else verdict
        return Verdict(verdict)
