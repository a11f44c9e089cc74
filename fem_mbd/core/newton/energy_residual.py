"""Second convergence test of Newton's method: the residual of the energy balance, and further iterations to reduce it.

The step's equations f(y) = 0 times the step's motion y are its energy balance: their residual when Newton stops,
f.y / dt^2, is the entry `residual` of the ledger. The first test, in `convergence`, looks at positions and rotations;
in a contact whose force is large compared with all inertia, an error of 1e-10 of the motion can be more than 1e-11 of
the energy.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from fem_mbd.base.arrays import Array
from fem_mbd.core.compiled import kernel
from fem_mbd.core.compiled.signatures import boolean, float64, record, vector, void
from fem_mbd.core.scheme.array_kernels import copy
from fem_mbd.core.scheme.ledger import RESOLVED

# energy residuals, relative to the run's energy scale, that need no further iteration; with a reused factorisation an
# iteration costs little and reduces the residual to about a tenth, with a fresh one to round-off
TOLERANCE, TOLERANCE_REUSED = RESOLVED, 3e-14
# iterations after positions and rotations have converged: round-off may not allow a smaller residual
MAX_EXTRA = 3
GAIN = 0.5  # an iteration that leaves more than this fraction of a residual below TOLERANCE is the last


ENERGY_TEST = np.dtype(
    [
        ("scale", "f8"),  # J, the run's energies so far; 0: no test
        ("residual", "f8"),  # J, of the best converged iterate
        ("iterates", "i8"),  # converged iterates so far
        # there is a better iterate to return to: Newton continues, or its last iterate has a larger residual
        ("has_best", "i8"),
    ],
    align=True,
)


@kernel(void(record(ENERGY_TEST)[::1]))
def start(test):
    """Begin an attempt; ``test`` (1,) of dtype ENERGY_TEST."""
    test[0].residual = np.inf
    test[0].iterates = 0
    test[0].has_best = 0


@kernel(boolean(record(ENERGY_TEST)[::1], vector, vector, vector, float64, boolean))
def is_last(test, best, f, y, dt, reused):
    """Whether a converged iterate ``y`` with equations ``f``, both (size,), may be the last; else it is copied to best.

    ``has_best`` is set where a last iterate has a residual that is too large and larger than that of ``best``. dt in s;
    reused : the factorisation is of an earlier iteration.
    """
    t = test[0]
    allowed = (TOLERANCE_REUSED if reused else TOLERANCE) * t.scale
    residual = 0.0
    for k in range(y.shape[0]):
        residual += f[k] * y[k]
    residual = abs(residual) / dt**2
    # noise differs from iterate to iterate: where it is more than is negligible, the best of several is taken
    no_gain = residual > GAIN * t.residual and min(residual, t.residual) <= TOLERANCE * t.scale
    last = residual <= allowed or t.iterates == MAX_EXTRA or no_gain or t.scale == 0.0
    worse = residual > max(t.residual, TOLERANCE * t.scale)
    t.iterates += 1
    t.residual = t.residual if worse else residual
    t.has_best = 1 if worse or not last else 0
    if not last and not worse:
        copy(y, best)
    return last


class EnergyResidualTest:
    """The test of one Newton solver.

    Attributes
    ----------
    record : (1,) of dtype `ENERGY_TEST`
    best : (size,) the best converged iterate, valid while `has_best`
    """

    def __init__(self, size: int):
        self.record: Any = np.zeros(1, dtype=ENERGY_TEST)
        self.best = np.zeros(size)
        self.start()

    @property
    def scale(self) -> float:
        """Scale of the run's energies so far, J; 0: no test."""
        return float(self.record["scale"][0])

    @scale.setter
    def scale(self, energy: float) -> None:
        self.record["scale"] = energy

    @property
    def residual(self) -> float:
        """Energy residual of the best converged iterate, J."""
        return float(self.record["residual"][0])

    @property
    def has_best(self) -> bool:
        """Whether Newton has converged at a better iterate than its last one, or has continued from there."""
        return bool(self.record["has_best"][0])

    def start(self) -> None:
        """Begin an attempt."""
        start(self.record)

    def is_last(self, f: Array, y: Array, dt: float, reused: bool = False) -> bool:
        """Whether a converged iterate ``y`` with residual ``f``, both (size,), may be the last; ``dt`` in s.

        ``reused`` : the factorisation is of an earlier iteration.
        """
        return bool(is_last(self.record, self.best, f, y, dt, reused))
