"""Dissipation with a power of the approach of its own: f = f_e + D d**m d', never below zero.

d = -q is the approach in m, D in N s/m**(m + 1). m = 0 is the dash-pot of Kelvin and Voigt, whose force jumps
at first touch and would pull at the end (the clip at zero keeps it from that); m equal to the elastic
exponent is Hunt and Crossley's own form (1975), for which ``HuntCrossley`` is the shorter way; other powers
fit measured contacts. Over a step D d**m is averaged over the approach, the open part of the step counting
nothing, and multiplied by the mean rate.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from numpy.typing import NDArray

from fem_mbd.friction.checks import make_not_negative, make_positive
from fem_mbd.friction.kinds import LINEAR
from fem_mbd.friction.normal.damped import DampedLaw
from fem_mbd.friction.records import normal_record


@dataclass(frozen=True)
class PowerDamping(DampedLaw):
    """Elastic law with damping D d**m d' beside it.

    elastic: ``Linear``, ``Hertz`` or a cylinder law. viscosity: D in N s/m**(m + 1). exponent: m, zero or above.

    Raises ``InputError`` for another elastic law or parameters that are negative or not finite.
    """

    viscosity: float
    exponent: float

    def __post_init__(self) -> None:
        super().__post_init__()
        make_not_negative(self, "viscosity", "exponent")

    def record(self) -> NDArray[Any]:
        """Parameters as a 0-d array of dtype ``NORMAL_LAW``: those of the elastic law, D and m."""
        record = self.elastic.record()
        record["viscosity"], record["viscous_exponent"] = self.viscosity, self.exponent
        return record


@dataclass(frozen=True)
class KelvinVoigt:
    """Spring and dash-pot side by side, in compression only.

    stiffness: N/m. viscosity: N s/m, zero or above.

    Raises ``InputError`` for a stiffness that is not positive or a viscosity that is negative.
    """

    stiffness: float
    viscosity: float

    def __post_init__(self) -> None:
        make_positive(self, "stiffness")
        make_not_negative(self, "viscosity")

    def record(self) -> NDArray[Any]:
        """Parameters as a 0-d array of dtype ``NORMAL_LAW``."""
        record = normal_record(LINEAR, self.stiffness, 1.0)
        record["viscosity"] = self.viscosity
        return record
