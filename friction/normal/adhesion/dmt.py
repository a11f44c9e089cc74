"""Derjaguin-Muller-Toporov (DMT) adhesion of small, hard spheres: Hertz's force, and attraction across a small gap.

    F = K sqrt(R) d**(3/2) - 2 pi w R     d >= 0,        F = -2 pi w R (1 - q/h)     0 <= q <= h

w is the work of adhesion in J/m**2, K = 4 E*/3, 1/R = 1/R_1 + 1/R_2, d = -q the approach. Derjaguin, Muller and Toporov
1975: Hertz's profile, pull-off force 2 pi w R. The attraction outside is due to a constant stress w/h over the range h
(Dugdale; Maugis 1992), Derjaguin's approximation for a paraboloid; h is some interatomic distances. It holds for a
Tabor number (R w**2/(E*'**2 h**3))**(1/3) below about 0.1, with E*' the contact modulus; ``jkr.py`` above about 5,
``maugis.py`` everywhere.

The force depends on the gap alone, so no energy is dissipated. The force of a step is the mean over the path.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import pi
from typing import Annotated, Any, ClassVar

from numpy.typing import NDArray

from fem_mbd.core.compiled import kernel
from fem_mbd.friction.law import Law
from fem_mbd.friction.normal.elastic.hertz import hertz_mean_force, hertz_potential
from fem_mbd.friction.parameters import Parameter
from fem_mbd.friction.records import normal_record

KIND = 4
Modulus = Annotated[float, Parameter("contact modulus", "Pa", above=0.0, symbol="E*")]
Radius = Annotated[
    float, Parameter("radius of a ball on a plane, 1/(1/R_1 + 1/R_2)", "m", above=0.0, symbol="R")
]
Work = Annotated[float, Parameter("work of adhesion", "J/m2", above=0.0, symbol="w")]


@dataclass(frozen=True)
class DMT(Law):
    """Hertz's force minus a constant attraction, which vanishes linearly over a gap."""

    modulus: Modulus
    radius: Radius
    work: Work
    reach: Annotated[float, Parameter("gap over which attraction vanishes", "m", above=0.0, symbol="h")]

    source: ClassVar = "Derjaguin, Muller and Toporov, J. Colloid and Interface Science 53 (1975) 314"
    examples: ClassVar = {"": {"modulus": 1e11, "radius": 0.02, "work": 0.1, "reach": 1e-8}}

    @property
    def pull_off(self) -> float:
        """Force in N that separates the bodies."""
        return 2.0 * pi * self.work * self.radius

    def record(self) -> NDArray[Any]:
        record = normal_record(KIND, 4.0 / 3.0 * self.modulus * self.radius**0.5, 1.5)
        record["scale"], record["reach"] = self.pull_off, self.reach
        return record


@kernel
def dmt_potential(stiffness: float, pull: float, reach: float, q: complex) -> complex:
    """Potential (J) at gap ``q`` (m), zero far away."""
    if q.real >= reach:
        return 0.0 * q
    if q.real >= 0.0:
        return -0.5 * pull * (reach - q) * (reach - q) / reach
    return hertz_potential(stiffness, 1.5, q) + pull * (q - 0.5 * reach)


@kernel
def dmt_mean_force(stiffness: float, pull: float, reach: float, q_i: complex, q_f: complex) -> complex:
    """Constant force (N, below zero it pulls) with f (q_i - q_f) = V(q_f) - V(q_i)."""
    low, high = q_i, q_f
    if q_f.real < q_i.real:
        low, high = q_f, q_i
    # weights of the path in contact and of the path across the gap with its mean attraction
    inside = _fraction(low, high, -1e300, 0.0)
    a, b = _clamped(low, 0.0, reach), _clamped(high, 0.0, reach)
    across = _fraction(low, high, 0.0, reach) * (1.0 - 0.5 * (a + b) / reach)
    return hertz_mean_force(stiffness, 1.5, q_i, q_f) - pull * (inside + across)


@kernel
def _clamped(q: complex, least: float, most: float) -> complex:
    """``q`` limited to least..most."""
    if q.real < least:
        return least + 0.0 * q
    return q if q.real <= most else most + 0.0 * q


@kernel
def _fraction(low: complex, high: complex, least: float, most: float) -> complex:
    """Fraction of the path from ``low`` to ``high`` between two gaps."""
    if high.real <= low.real:
        return (1.0 if least <= low.real < most else 0.0) + 0.0 * low
    return (_clamped(high, least, most) - _clamped(low, least, most)) / (high - low)
