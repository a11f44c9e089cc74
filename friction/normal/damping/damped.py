"""Base class of contact laws that add damping to an elastic law.

The exact relation between damping and restitution: chi (1 + e) = ln[(1 + chi)/(1 - chi e)].

A free impact on f = f_e(d) (1 + chi d'/v0) at the speed v0 rebounds with e v0: both phases of v dv/(1 + chi
v/v0) = -f_e dd/m have the same right-hand side, whatever f_e is.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from math import inf
from typing import Annotated

import scipy

from fem_mbd.errors import InputError
from fem_mbd.friction.law import Law
from fem_mbd.friction.normal.elastic.cylinder import CylinderLaw
from fem_mbd.friction.normal.elastic.hertz import Hertz
from fem_mbd.friction.normal.elastic.linear import Linear
from fem_mbd.friction.parameters import Parameter

Elastic = Linear | Hertz | CylinderLaw


@dataclass(frozen=True)
class DampedLaw(Law):
    """Base of laws that contain an ``elastic`` law: ``Linear``, ``Hertz`` or of a cylinder. InputError for another."""

    elastic: Annotated[Elastic, Parameter("law without damping: Linear, Hertz or of a cylinder", "")]

    def __post_init__(self) -> None:
        super().__post_init__()
        if not isinstance(self.elastic, Elastic):
            raise InputError(
                f"{type(self).__name__} elastic is {self.elastic!r}: give a Linear or a Hertz law or one for cylinders"
            )

    @property
    def speed_limit(self) -> float:
        """m/s, that of the elastic law (``validity.py``)."""
        return float(getattr(self.elastic, "speed_limit", inf))

    @property
    def deepest(self) -> float:
        """m, that of the elastic law."""
        return float(getattr(self.elastic, "deepest", inf))


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
