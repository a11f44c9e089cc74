"""Backtracking: the fraction of an update with which the equations decrease sufficiently, for all Newton iterations.

Of Newton's update p with a fresh tangent the sum of squares g = |f|^2 / 2 of the equations has the slope -2 g. A
fraction s is sufficient if g(s) <= (1 - 2 DECREASE s) g(0). The next fraction is at the minimum of the parabola, then
of the cubics, through the known values and the slope; where the equations have no finite value it is half as large. As
PETSc's line search "bt". Source: J. E. Dennis and R. B. Schnabel, Numerical Methods for Unconstrained Optimization and
Nonlinear Equations (1983), section 6.3.2.
"""

from __future__ import annotations

from math import sqrt

import numpy as np

from fem_mbd.core.compiled import kernel
from fem_mbd.core.compiled.signatures import float64, int64, record, void

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
def begin(search, squares):
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
def check(search, squares):
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
