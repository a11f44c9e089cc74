"""The exact relation between damping and restitution: chi (1 + e) = ln[(1 + chi)/(1 - chi e)].

A free impact on f = f_e(d) (1 + chi d'/v0) at the speed v0 rebounds with e v0: both phases of v dv/(1 + chi
v/v0) = -f_e dd/m have the same right-hand side, whatever f_e is.
"""

from __future__ import annotations

import math

import scipy


def chi_of_restitution(e: float) -> float:
    """Root chi > 0 for 0 < e < 1, 0 for e = 1."""
    if e == 1.0:
        return 0.0
    # The excess rises from (e**2 - 1)/2 < 0 at 0 without bound towards the pole 1/e. For small e the difference between
    # root and pole is below round-off.
    low, high = 0.1 * (1.0 - e), (1.0 - 1e-15) / e
    if _excess(high, e) <= 0.0:
        return high
    return float(scipy.optimize.brentq(_excess, low, high, args=(e,), xtol=1e-300, rtol=1e-14))


def actual_restitution(chi: float) -> float:
    """e in (0, 1] of a free impact on a law with this chi >= 0."""
    if chi == 0.0:
        return 1.0
    # e = 0 makes the excess negative (ln(1 + chi) < chi), the pole e = 1/chi and e = 1 make it positive.
    high = min(1.0, (1.0 - 1e-15) / chi)
    if _excess(chi, high) <= 0.0:
        return high
    return float(scipy.optimize.brentq(lambda e: _excess(chi, e), 0.0, high, xtol=1e-300, rtol=1e-14))


def _excess(chi: float, e: float) -> float:
    """(ln[(1 + chi)/(1 - chi e)] - chi (1 + e)) / chi**2, free of the double root at 0."""
    if chi > 0.05:
        return (math.log1p(chi) - math.log1p(-chi * e) - chi * (1.0 + e)) / (chi * chi)
    return sum((e**k - (-1.0) ** k) * chi ** (k - 2) / k for k in range(2, 16))
