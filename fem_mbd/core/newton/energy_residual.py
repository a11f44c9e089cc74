"""What Newton's remaining residual does to the energy balance, and how long it pays to make it less.

The step's equations f(y) = 0 times the step's motion y are its balance of energy: what is left of them when Newton
stops, f.y / dt^2, stands in the ledger as `residual`. Newton's own test looks at places and turns; in a contact whose
force is large against all inertia an error of 1e-10 of the motion can be more than 1e-11 of the energy.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from fem_mbd.base.arrays import Array
from fem_mbd.core.compiled import kernel
from fem_mbd.core.compiled.signatures import boolean, float64, record, vector, void
from fem_mbd.core.scheme.array_kernels import copy
from fem_mbd.core.scheme.ledger_names import RESOLVED

# of the run's energy scale: what a step may leave without another iteration; with a kept factorisation an iteration
# costs little and leaves a tenth or so, with a fresh one it leaves round-off
SMALL, SMALL_KEPT = RESOLVED, 3e-14
MOST = 3  # iterations more than places and turns need: round-off may not allow less
GAIN = 0.5  # an iteration that leaves more than this share of the work is the last


LEFT = np.dtype(
    [
        ("scale", "f8"),  # J, the run's energies so far; 0 leaves the test out
        ("work", "f8"),  # J, left by the best converged iterate
        ("more", "i8"),  # converged iterates so far
        # there is an iterate to fall back to: Newton goes on, or its last one leaves more
        ("has_good", "i8"),
    ],
    align=True,
)


@kernel(void(record(LEFT)[::1]))
def start(left):
    """Begin an attempt; ``left`` (1,) of dtype LEFT."""
    left[0].work = np.inf
    left[0].more = 0
    left[0].has_good = 0


@kernel(boolean(record(LEFT)[::1], vector, vector, vector, float64, boolean))
def small(left, good, f, y, dt, kept):
    """Whether a converged iterate ``y`` with equations ``f``, both (size,), may be the last; else it is kept in good.

    A last one that leaves more than the one in good, and too much, is no good end: ``has_good`` says so. dt in s;
    kept : with a factorisation of an earlier iteration.
    """
    state = left[0]
    allowed = (SMALL_KEPT if kept else SMALL) * state.scale
    work = 0.0
    for k in range(y.shape[0]):
        work += f[k] * y[k]
    work = abs(work) / dt**2
    last = work <= allowed or state.more == MOST or work > GAIN * state.work or state.scale == 0.0
    worse = work > max(state.work, SMALL * state.scale)
    state.more += 1
    state.work = state.work if worse else work
    state.has_good = 1 if worse or not last else 0
    if not last:
        copy(y, good)
    return last


class EnergyResidualTest:
    """The test of one Newton solver.

    Attributes
    ----------
    left : (1,) of dtype `LEFT`
    good : (size,) the best iterate at which Newton had converged, while `has_good`
    """

    def __init__(self, size: int):
        self.left: Any = np.zeros(1, dtype=LEFT)
        self.good = np.zeros(size)
        self.start()

    @property
    def scale(self) -> float:
        """Of the run's energies so far, J; 0 leaves the test out."""
        return float(self.left["scale"][0])

    @scale.setter
    def scale(self, energy: float) -> None:
        self.left["scale"] = energy

    @property
    def work(self) -> float:
        """Left by the best iterate at which Newton had converged, J."""
        return float(self.left["work"][0])

    @property
    def has_good(self) -> bool:
        """Whether Newton had converged at an iterate that is better than where it ended, or gone on from there."""
        return bool(self.left["has_good"][0])

    def start(self) -> None:
        """Begin an attempt."""
        start(self.left)

    def small(self, f: Array, y: Array, dt: float, kept: bool = False) -> bool:
        """Whether a converged iterate ``y`` with residual ``f``, both (size,), may be the last; ``dt`` in s.

        ``kept`` : with a factorisation of an earlier iteration.
        """
        return bool(small(self.left, self.good, f, y, dt, kept))
