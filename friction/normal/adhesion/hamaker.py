"""Hertz contact with the van der Waals attraction of Hamaker, which acts at every distance.

    F = K sqrt(R) d**(3/2) - A R/(6 D_0**2)     d >= 0,        F = -A R/(6 (D_0 + q)**2)     q >= 0

A is Hamaker's constant in J, K = 4 E*/3, 1/R = 1/R_1 + 1/R_2, d = -q the approach. Hamaker, Physica 4 (1937) 1058,
for distances far below the radii. Bodies in contact are D_0 apart, some tenths of a nanometre: there the attraction is
that of Derjaguin, Muller and Toporov with a work of adhesion w = A/(12 pi D_0**2).

The force depends on the gap alone, so no energy is dissipated. The force of a step is the mean over the path.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import pi
from typing import Annotated, Any, ClassVar

from numpy.typing import NDArray

from fem_mbd.core.compiled import kernel
from fem_mbd.friction.law import Law
from fem_mbd.friction.normal.adhesion.dmt import Modulus, Radius
from fem_mbd.friction.normal.elastic.hertz import hertz_mean_force, hertz_potential
from fem_mbd.friction.parameters import Parameter
from fem_mbd.friction.records import normal_record

KIND = 9


@dataclass(frozen=True)
class Hamaker(Law):
    """Hertz's force minus the van der Waals attraction, which decreases with the square of the distance."""

    modulus: Modulus
    radius: Radius
    hamaker: Annotated[float, Parameter("Hamaker's constant", "J", above=0.0, symbol="A")]
    distance: Annotated[
        float, Parameter("distance of the surfaces of bodies in contact", "m", above=0.0, symbol="D_0")
    ] = 1.65e-10

    source: ClassVar = (
        "Hamaker, Physica 4 (1937) 1058; distance: Israelachvili, Intermolecular and Surface Forces"
    )
    examples: ClassVar = {"": {"modulus": 1e11, "radius": 0.02, "hamaker": 1e-19}}

    @property
    def pull_off(self) -> float:
        """Force in N that separates the bodies."""
        return self.hamaker * self.radius / (6.0 * self.distance**2)

    @property
    def work(self) -> float:
        """Work of adhesion of flat surfaces, J/m^2."""
        return self.hamaker / (12.0 * pi * self.distance**2)

    def record(self) -> NDArray[Any]:
        record = normal_record(KIND, 4.0 / 3.0 * self.modulus * self.radius**0.5, 1.5)
        record["scale"], record["reach"] = self.pull_off, self.distance
        return record


@kernel
def hamaker_potential(stiffness: float, pull: float, distance: float, q: complex) -> complex:
    """Potential (J) at gap ``q`` (m), zero far away."""
    if q.real >= 0.0:
        return -pull * distance * distance / (distance + q)
    return hertz_potential(stiffness, 1.5, q) + pull * (q - distance)


@kernel
def hamaker_mean_force(stiffness: float, pull: float, distance: float, q_i: complex, q_f: complex) -> complex:
    """Constant force (N, below zero it pulls) with f (q_i - q_f) = V(q_f) - V(q_i)."""
    low, high = q_i, q_f
    if q_f.real < q_i.real:
        low, high = q_f, q_i
    force = hertz_mean_force(stiffness, 1.5, q_i, q_f)
    if low.real >= 0.0:
        return force - pull * distance * distance / ((distance + low) * (distance + high))
    if high.real <= 0.0:
        return force - pull
    # constant attraction in contact, mean of the decreasing one outside, each weighted by its fraction of the path
    return force - pull * (distance * high / (distance + high) - low) / (high - low)
