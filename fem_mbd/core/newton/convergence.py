"""Convergence test of Newton's method: an estimate of the remaining error from the sizes of the updates.

With theta the ratio of the last two updates, the remaining error is theta / (1 - theta) times the last update, compared
with the motion of the step, separately for lengths and angles. So the test does not depend on the stiffness or the size
of a model, and slow linear convergence (with a reused factorisation) does not pass for convergence. A line search that
takes only a fraction of an update leaves the rest of it as error, and shows that the equations are strongly nonlinear
or not smooth: theta is set to one until three full updates in a row have been taken, which give two ratios.

With a reused factorisation convergence is linear but for Broyden's updates, and faster at first: slowly decreasing
parts of the error show only when the others have gone. So the remaining error must then be a hundredth of the
tolerance, and a thousandth of the last update must be below that limit too, however small theta is. A
part of the error that is hidden in this update and decreases by `reuse_rate`, the slowest allowed, is then at most 2.5
tolerances.

Where the equations of a step are linear the first update solves them. No ratio tells so yet, but the second update of
kept factors costs a linear solve only, and it is the error of the first one: if it is below the limit, a hundredth of
the tolerance, the step ends without it (`is_negligible`), and without another evaluation of the equations. All later
updates together would be a quarter of it at most, where they decrease by `reuse_rate`.

Updates below round-off that do not decrease any more are noise. Near a singular position (a disk that falls flat) noise
is several times as large: updates that have not decreased three times in a row, the last two with fresh tangents, are
noise too.

Multipliers enter linearly and follow the motion, so they are not tested; but where forces depend on them (friction
inside joints), the motion may converge before they do, and they are tested too.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from enum import IntEnum
from typing import Any

import numpy as np

from fem_mbd.base.arrays import Array, Indices
from fem_mbd.core.compiled import kernel
from fem_mbd.core.compiled.signatures import array3, boolean, float64, indices, int64, record, vector, void
from fem_mbd.core.newton.equations import NewtonOptions
from fem_mbd.core.scheme.array_kernels import copy

LOG = logging.getLogger("fem_mbd.newton")
# with a reused factorisation: factor of the allowed error, and fraction of the last update that must be below it too
LINEAR_TIGHTENING, LAST_UPDATE_RATIO = 1e-2, 1e-3
# updates below this fraction of a length or a radian are round-off if larger than this ratio of the last one
ROUND_OFF, STALL_RATIO = 1e-15, 0.5
# after so many updates that stall below this multiple of round-off, the iteration has converged
MAX_STALLED, STALL_LEVEL = 3, 10.0
# relative round-off of the terms of an equation, with a margin for their number
RESIDUAL_ROUND_OFF = 8 * float(np.finfo(float).eps)
FULL = 0.999  # fraction of an update from which on it counts as a full one
FULL_UPDATES = 3  # full updates, after a shortened one, before their ratio counts
MAX_ROTATION = 1e3  # rad: an update with a larger rotation has no meaning


class Status(IntEnum):
    """State of convergence after an update."""

    CONVERGED = 1
    ITERATING = 0
    SLOW = 2  # linear convergence: a fresh factorisation would be better
    DIVERGED = -1


CONVERGED, ITERATING, SLOW, DIVERGED = (int(v) for v in Status)

TEST = np.dtype(
    [
        ("tolerance", "f8"),
        ("reuse_rate", "f8"),
        ("size", "f8", (3,)),  # m, rad, kg m: updates are noise below round-off times these; 0: not tested
        ("update", "f8", (3,)),  # largest entries of the last update, of the one before it, of the iterate
        ("previous", "f8", (3,)),
        ("motion", "f8", (3,)),
        ("next", "f8", (3,)),  # largest entries of an update that is not taken yet
        ("fraction", "f8"),  # of the last update that the line search took
        ("full", "i8"),  # full updates since a shortened one
        ("stalled", "i8"),  # updates in a row that did not decrease
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
def _fraction(step, before, iterate):
    """Fraction of the step that was taken, from its largest entry; one where round-off hides it."""
    k = 0
    for i in range(step.shape[0]):
        if abs(step[i]) > abs(step[k]):
            k = i
    if abs(step[k]) <= 1e-12 * abs(before[k]):
        return 1.0
    return abs(iterate[k] - before[k]) / abs(step[k]) if step[k] != 0.0 else 1.0


@kernel(void(array3, float64, float64, record(TEST)[::1], indices, vector, vector))
def set_round_off(q, length, spacing, test, unit, noise, longest):
    """Set what counts as round-off: positions far from the origin are as inaccurate as their coordinates are large.

    Coordinates larger than the model count as its length times a power of two, so that nothing changes from step to
    step but where a model has moved far.

    q : (n, 4, 3) of the nodes at the start of the step; length, spacing m, as in `Convergence`; noise (size,) as in
        `at_round_off`; longest (1,) m, as in `StepCalls`
    """
    largest = length
    for n in range(q.shape[0]):
        for i in range(3):
            largest = max(largest, abs(q[n, 0, i]))
    ratio = 1.0
    while ratio * length < largest and largest < np.inf:
        ratio *= 2.0
    if ratio * length == test[0]["size"][0]:
        return
    test[0]["size"][0], test[0]["size"][1] = ratio * length, ratio * length / spacing
    longest[0] = ratio * length
    for k in range(unit.shape[0]):
        noise[k] = RESIDUAL_ROUND_OFF * test[0]["size"][1 if unit[k] == 1 else 0]


@kernel(void(record(TEST)[::1], vector, vector))
def start(test, before, iterate):
    """Begin an attempt at ``iterate`` (size,); ``test`` (1,) of dtype TEST."""
    copy(iterate, before)
    test[0].fraction = 1.0
    test[0].full = FULL_UPDATES
    test[0].stalled = 0


@kernel(boolean(record(TEST)[::1], vector, vector, vector, indices))
def record_update(test, step, before, iterate, unit):
    """Record the sizes of an update; False when Newton has diverged."""
    t = test[0]
    for k in range(3):
        t["previous"][k] = t["update"][k]
    _largest(step, unit, t["update"])
    _largest(iterate, unit, t["motion"])
    largest = max(t["update"][0], t["update"][1], t["update"][2])
    if not (largest < np.inf and t["update"][1] <= MAX_ROTATION):
        return False
    t.fraction = _fraction(step, before, iterate)
    copy(iterate, before)
    t.full = t.full + 1 if t.fraction >= FULL else 0
    return True


@kernel(int64(record(TEST)[::1], boolean, boolean, boolean, boolean))
def estimate(test, has_ratio, lagged, fresh, at_round_off):
    """Status after the update recorded last.

    fresh : it is the first one with its factors: what it is over the one before says how good the factors before were
    at_round_off : whether the residuals of all equations are at round-off. That takes a loop over all of them: so it is
        False first, and True only where that changes the status to CONVERGED.
    """
    t = test[0]
    tightening = LINEAR_TIGHTENING if lagged else 1.0
    converged, slow, noise = True, False, True
    for k in range(3):
        if t["size"][k] <= 0.0:
            continue
        update, previous = t["update"][k], t["previous"][k]
        round_off = ROUND_OFF * t["size"][k]
        allowed = tightening * (t.tolerance * t["motion"][k] + round_off)
        theta, error = 1.0, update
        known = has_ratio and t.full >= FULL_UPDATES and previous > 0.0
        if known:
            theta = update / previous
            error *= min(theta / max(1.0 - theta, 0.1), 1.0)
        if error > allowed or (lagged and LAST_UPDATE_RATIO * update > allowed + round_off):
            converged = (
                converged and theta > STALL_RATIO and (update <= round_off or (known and at_round_off))
            )
            noise = noise and known and theta > STALL_RATIO and update <= STALL_LEVEL * round_off
        slow = slow or (has_ratio and not fresh and theta > t.reuse_rate and update > allowed + round_off)
    if not at_round_off:
        t.stalled = t.stalled + 1 if noise and not converged else 0
    if converged or t.stalled >= MAX_STALLED:
        return CONVERGED
    return SLOW if slow else ITERATING


@kernel(boolean(record(TEST)[::1], vector, indices))
def is_negligible(test, update, unit):
    """Whether the iterate needs no further update: this one, update (size,), of kept factors, is below the limit."""
    t = test[0]
    _largest(update, unit, t["next"])
    for k in range(3):
        allowed = LINEAR_TIGHTENING * (t.tolerance * t["motion"][k] + ROUND_OFF * t["size"][k])
        # multipliers as well: what they miss need not move anything
        if not t["next"][k] <= allowed:
            return False
    return True


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
        spacing: float | None = None,
    ):
        """
        length : m, of the model: positions have its round-off
        spacing : m, the smallest distance of two nodes of a flexible line, by default the length: its rotations have
            the round-off of positions over it
        inertia : kg m, size of the multipliers (times dt^2) that move the model by its length, 0: not tested
        at_round_off : returns whether the residuals at the iterate are at round-off. Updates that do not decrease any
            more are noise then, also in long models in which this noise accumulates.
        """
        self._unit, self._at_round_off = unit, at_round_off
        self.test: Any = np.zeros(1, dtype=TEST)
        self.test["tolerance"], self.test["reuse_rate"] = options.tolerance, options.reuse_rate
        self.test["size"] = length, length / (spacing or length), inertia
        self.before = np.zeros(len(unit))

    @property
    def update(self) -> Array:
        """(3,) largest entries of the last update: length (m), angle (rad), multiplier."""
        return self.test["update"][0]

    @property
    def noise(self) -> float:
        """Last update over the length or one radian, where Newton ended as updates had stopped decreasing; else 0."""
        test = self.test[0]
        if test["stalled"] < MAX_STALLED:
            return 0.0
        return float(max(u / s for u, s in zip(test["update"][:2], test["size"][:2], strict=True)))

    def start(self, iterate: Array) -> None:
        """Begin an attempt at ``iterate`` (size,)."""
        start(self.test, self.before, iterate)

    def check(self, iteration: int, step: Array, iterate: Array, lagged: bool, fresh: bool = False) -> Status:
        """Status after iteration 1, 2, …: ``step`` (size,) is Newton's update, ``iterate`` the one after line search.

        ``lagged`` : a reused factorisation, with linear convergence; ``fresh`` : as for `estimate`.
        """
        if not record_update(self.test, step, self.before, iterate, self._unit):
            return Status.DIVERGED
        status = estimate(self.test, iteration > 1, lagged, fresh, False)
        if status != CONVERGED and estimate(self.test, iteration > 1, lagged, fresh, True) == CONVERGED:
            status = CONVERGED if self._at_round_off() else status
        return Status(status)

    def is_negligible(self, update: Array) -> bool:
        """Whether the iterate needs no further update: ``update`` (size,), of kept factors, is below the limit."""
        return bool(is_negligible(self.test, update, self._unit))

    def log(self, iteration: int, norm: float, status: Status) -> None:
        """Report an iteration with the sizes of its update; ``norm`` of the equations after it."""
        LOG.debug(
            "iteration %d: |f| %.3e, largest update %.3e m, %.3e rad, multipliers %.3e, fraction taken %.3g: %s",
            iteration, norm, *self.update.tolist(), self.test["fraction"][0], status.name,
        )  # fmt: skip
