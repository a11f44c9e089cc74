"""What Newton's remaining residual does to the energy balance, and how long it pays to make it less.

The step's equations f(y) = 0 times the step's motion y are its balance of energy: what is left of them when Newton
stops, f.y / dt^2, stands in the ledger as `residual`. Newton's own test looks at places and turns; in a contact whose
force is large against all inertia an error of 1e-10 of the motion can be more than 1e-11 of the energy.
"""

from __future__ import annotations

import numpy as np

from fem_mbd.arrays import Array

# of the run's energy scale: what a step may leave without another iteration; with a kept factorisation an iteration
# costs little and leaves a tenth or so, with a fresh one it leaves round-off
SMALL, SMALL_KEPT = 1e-12, 3e-14
MOST = 3  # iterations more than places and turns need: round-off may not allow less
GAIN = 0.5  # an iteration that leaves more than this share of the work is the last


class WorkLeft:
    """The test of one Newton solver.

    Attributes
    ----------
    scale : J, the run's energies so far; 0 leaves the test out
    good : (size,) the best iterate at which Newton had converged, while `has_good`
    """

    def __init__(self, size: int):
        self.scale = 0.0
        self.good = np.zeros(size)
        self.has_good = False
        self._work, self._more = np.inf, 0

    def start(self) -> None:
        """Begin an attempt."""
        self.has_good = False
        self._work, self._more = np.inf, 0

    def small(self, f: Array, y: Array, dt: float, kept: bool = False) -> bool:
        """Whether a converged iterate ``y`` with residual ``f``, both (size,), may be the last; ``dt`` in s.

        ``kept`` : with a factorisation of an earlier iteration.
        """
        allowed = (SMALL_KEPT if kept else SMALL) * self.scale
        work = abs(float(f @ y)) / dt**2
        last = work <= allowed or self._more == MOST or work > GAIN * self._work or self.scale == 0.0
        self._more += 1
        self._work = work
        self.has_good = not last
        if not last:
            self.good[:] = y
        return last
