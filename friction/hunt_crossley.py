"""Hunt-Crossley dissipation on top of an elastic law: f_n = f_e (1 + c (q_i - q_f)/dt), never below zero.

f_e is the elastic force of the step (``linear.py``, ``hertz.py``), c in s/m, (q_i - q_f)/dt the mean rate of
approach. The step loses (f_n - f_e)(q_i - q_f) >= 0, also where the clip at zero acts: there the bodies
separate faster than the law can follow and the elastic energy is lost. Source: Hunt and Crossley 1975 (force
K d**n (1 + c d')).

A free impact at speed v0 rebounds with the coefficient of restitution e that solves, for every exponent, chi
(1 + e) = ln[(1 + chi)/(1 - chi e)] with chi = c v0 (integrate v dv = -K d**n (1 + c v)/m dd over both
phases).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from numpy.typing import NDArray
from scipy.optimize import brentq

from fem_mbd.compiled import kernel
from fem_mbd.errors import InputError
from fem_mbd.friction.checks import make_not_negative
from fem_mbd.friction.hertz import Hertz
from fem_mbd.friction.linear import Linear
from fem_mbd.validation import positive


@dataclass(frozen=True)
class HuntCrossley:
    """Elastic law with dissipation proportional to the elastic force and the rate of approach.

    elastic: ``Linear`` or ``Hertz``. damping: c in s/m, zero or above.

    Raises ``InputError`` for another elastic law or a damping that is negative or not finite.
    """

    elastic: Linear | Hertz
    damping: float

    def __post_init__(self) -> None:
        if not isinstance(self.elastic, (Linear, Hertz)):
            raise InputError(f"HuntCrossley elastic is {self.elastic!r}: give a Linear or a Hertz law")
        make_not_negative(self, "damping")

    @classmethod
    def from_restitution(
        cls, elastic: Linear | Hertz, restitution: float, impact_speed: float
    ) -> HuntCrossley:
        """Law whose free impact at ``impact_speed`` (m/s) rebounds with exactly ``restitution`` (0 < e < 1).

        Raises ``InputError`` when the restitution is outside (0, 1) or the speed is not positive.
        """
        speed = positive(impact_speed, "HuntCrossley impact_speed")
        e = positive(restitution, "HuntCrossley restitution")
        if e >= 1.0:
            raise InputError(
                f"HuntCrossley restitution is {e:g}: it must be below 1 (use the elastic law alone for 1)"
            )
        return cls(elastic, _chi_of_restitution(e) / speed)

    def record(self) -> NDArray[Any]:
        """Parameters as a 0-d array of dtype ``NORMAL_LAW``: those of the elastic law and the damping."""
        record = self.elastic.record()
        record["damping"] = self.damping
        return record


def _chi_of_restitution(e: float) -> float:
    """Root chi > 0 of chi (1 + e) = ln[(1 + chi)/(1 - chi e)]; chi = 0 is the other root."""
    # The excess rises from (e**2 - 1)/2 < 0 at 0 without bound towards the pole 1/e. For small e the root is
    # closer to the pole than numbers can tell.
    low, high = 0.1 * (1.0 - e), (1.0 - 1e-15) / e
    if _excess(high, e) <= 0.0:
        return high
    return float(brentq(_excess, low, high, args=(e,), xtol=1e-300, rtol=1e-14))


def _excess(chi: float, e: float) -> float:
    """(ln[(1 + chi)/(1 - chi e)] - chi (1 + e)) / chi**2, free of the double root at 0."""
    if chi > 0.05:
        return (math.log1p(chi) - math.log1p(-chi * e) - chi * (1.0 + e)) / (chi * chi)
    return sum((e**k - (-1.0) ** k) * chi ** (k - 2) / k for k in range(2, 16))


@kernel
def damped_force(damping: float, f_e: complex, q_i: complex, q_f: complex, dt: float) -> complex:
    """Normal force (N) of the step from its elastic part ``f_e`` (N), gaps (m) and ``dt`` (s)."""
    f_n = f_e * (1.0 + damping * (q_i - q_f) / dt)
    if f_n.real < 0.0:
        return 0.0 * f_n
    return f_n
