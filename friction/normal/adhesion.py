"""Derjaguin-Muller-Toporov (DMT) adhesion of small, hard spheres: Hertz's force, and attraction across a small gap.

    F = K sqrt(R) d**(3/2) - 2 pi w R     d >= 0,        F = -2 pi w R (1 - q/h)     0 <= q <= h

w is the work of adhesion in J/m**2, K = 4 E*/3, 1/R = 1/R_1 + 1/R_2, d = -q the approach. Derjaguin, Muller and Toporov
1975: Hertz's profile, pull-off force 2 pi w R. The attraction outside is due to a constant stress w/h over the range h
(Dugdale; Maugis 1992), Derjaguin's approximation for a paraboloid; h is some interatomic distances. It holds for a
Tabor number (R w**2/(E*'**2 h**3))**(1/3) below about 0.1, with E*' the contact modulus; ``adhesion.py`` above about 5,
``maugis.py`` everywhere.

The force depends on the gap alone, so no energy is dissipated. The force of a step is the mean over the path.

Hertz contact with the van der Waals attraction of Hamaker, which acts at every distance.

    F = K sqrt(R) d**(3/2) - A R/(6 D_0**2)     d >= 0,        F = -A R/(6 (D_0 + q)**2)     q >= 0

A is Hamaker's constant in J, K = 4 E*/3, 1/R = 1/R_1 + 1/R_2, d = -q the approach. Hamaker, Physica 4 (1937) 1058,
for distances far below the radii. Bodies in contact are D_0 apart, some tenths of a nanometre: there the attraction is
that of Derjaguin, Muller and Toporov with a work of adhesion w = A/(12 pi D_0**2).

The force depends on the gap alone, so no energy is dissipated. The force of a step is the mean over the path.

Johnson-Kendall-Roberts (JKR) adhesion of large, soft spheres: contact persists beyond zero indentation.

    F = K a**3/R - c a**(3/2),      d = a**2/R - 2 c a**(1/2)/(3 K),      c = sqrt(6 pi w K),      K = 4 E*/3

Johnson, Kendall and Roberts 1971, with the approach d = -q as in Johnson, Contact Mechanics, section 5.5: a is the
radius of contact, w the work of adhesion in J/m**2, 1/R = 1/R_1 + 1/R_2. Bodies snap into contact at d = 0 and separate
at d_c = -3 a_c**2/R with a_c**(3/2) = c R/(6 K); the pull-off force under a dead weight is 3/2 pi w R. The energy

    U = 2 K a**5/(5 R**2) - 2 c a**(7/2)/(3 R) + c**2 a**2/(6 K)

is below zero at first touch and above zero at d_c: both differences are dissipated (by waves), in the step that closes
or opens the contact. With x = sqrt(a) all terms are polynomials, and the mean force of a step is a quotient of sums
without cancellation. The impact speed, which is zero for an open contact, records whether the contact is closed in 0 <
q < -d_c.

Snap-in and separation of bodies with adhesion: contact closes at one gap and opens at a larger one.

The equilibria of elastic bodies with adhesion form a branch that extends up to the gap ``reach``. Approaching bodies
snap onto it at the gap ``touch``; separating bodies leave it at ``reach``. V is the energy of the branch, zero for
separate bodies: negative at ``touch`` and positive at ``reach``, so both jumps dissipate energy (by waves).

In a step the force is the mean over the part of the path on which the bodies adhere; the work of the elastic force is
the change of the stored energy. Both are the same unless the step contains a jump.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import pi, sqrt
from typing import Annotated, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from fem_mbd.core.compiled import kernel
from fem_mbd.friction.law import Law, Parameter
from fem_mbd.friction.normal.elastic import hertz_mean_force, hertz_potential
from fem_mbd.friction.records import ADHESION, SNAPS_IN, ContactKernels, normal_record

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
        stiffness = 4.0 / 3.0 * self.modulus * self.radius**0.5
        return normal_record(DMT_KERNELS, stiffness, self.pull_off, adhesion=ADHESION, reach=self.reach)


@kernel
def dmt_potential(law: np.void, p: np.ndarray, q: complex) -> complex:
    """Potential (J) at gap ``q`` (m), zero far away."""
    stiffness, pull, reach = p[0], p[1], law["reach"]
    if q.real >= reach:
        return 0.0 * q
    if q.real >= 0.0:
        return -0.5 * pull * (reach - q) * (reach - q) / reach
    return hertz_potential(stiffness, 1.5, q) + pull * (q - 0.5 * reach)


@kernel
def dmt_mean_force(law: np.void, p: np.ndarray, q_i: complex, q_f: complex) -> complex:
    """Constant force (N, below zero it pulls) with f (q_i - q_f) = V(q_f) - V(q_i)."""
    stiffness, pull, reach = p[0], p[1], law["reach"]
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


DMT_KERNELS = ContactKernels(dmt_mean_force, dmt_potential)


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
        stiffness = 4.0 / 3.0 * self.modulus * self.radius**0.5
        return normal_record(HAMAKER, stiffness, self.pull_off, adhesion=ADHESION, reach=self.distance)


@kernel
def hamaker_potential(law: np.void, p: np.ndarray, q: complex) -> complex:
    """Potential (J) at gap ``q`` (m), zero far away."""
    stiffness, pull, distance = p[0], p[1], law["reach"]
    if q.real >= 0.0:
        return -pull * distance * distance / (distance + q)
    return hertz_potential(stiffness, 1.5, q) + pull * (q - distance)


@kernel
def hamaker_mean_force(law: np.void, p: np.ndarray, q_i: complex, q_f: complex) -> complex:
    """Constant force (N, below zero it pulls) with f (q_i - q_f) = V(q_f) - V(q_i)."""
    stiffness, pull, distance = p[0], p[1], law["reach"]
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


HAMAKER = ContactKernels(hamaker_mean_force, hamaker_potential)
MAX_ITERATIONS = 60


@dataclass(frozen=True)
class JKR(Law):
    """Elastic contact with adhesion inside the contact area."""

    modulus: Modulus
    radius: Radius
    work: Work

    source: ClassVar = "Johnson, Kendall and Roberts, Proc. Royal Society A 324 (1971) 301"
    examples: ClassVar = {"": {"modulus": 1e6, "radius": 0.02, "work": 0.1}}

    @property
    def pull_off(self) -> float:
        """Force in N of a dead weight that separates the bodies."""
        return 1.5 * pi * self.work * self.radius

    @property
    def hold(self) -> float:
        """Gap in m at which the contact separates."""
        k, c = self._constants()
        return 3.0 * (c * self.radius / (6.0 * k)) ** (4.0 / 3.0) / self.radius

    def _constants(self) -> tuple[float, float]:
        k = 4.0 / 3.0 * self.modulus
        return k, sqrt(6.0 * pi * self.work * k)

    def record(self) -> NDArray[Any]:
        """Parameters as a 0-d array of dtype ``NORMAL_LAW``: K, c, R and the gap of separation."""
        k, c = self._constants()
        return normal_record(JKR_KERNELS, k, c, self.radius, adhesion=SNAPS_IN, reach=self.hold)


@kernel
def _root(k: float, c: float, r: float, d: complex) -> complex:
    """Square root of the contact radius at the approach ``d``, on the stable branch."""
    slope, depth = 2.0 * c / (3.0 * k), max(d.real, 0.0)
    x = (r * depth) ** 0.25 + (r * slope) ** (1.0 / 3.0)
    # Newton's iterates decrease monotonically to the root of this convex function
    for _ in range(MAX_ITERATIONS):
        step = (x * x * x * x / r - slope * x - d.real) / (4.0 * x * x * x / r - slope)
        x -= step
        if step <= 1e-16 * x:
            break
    # the root is exact to round-off; add its complex-step derivative
    return x + (d - d.real) / (4.0 * x * x * x / r - slope)


@kernel
def _energy(k: float, c: float, r: float, x: complex) -> complex:
    """U of the radius x**2."""
    x4 = x * x * x * x
    return x4 * (2.0 * k * x4 * x * x / (5.0 * r * r) - 2.0 * c * x * x * x / (3.0 * r) + c * c / (6.0 * k))


@kernel
def _sum(x: complex, y: complex, n: int) -> complex:
    """(x**n - y**n)/(x - y)."""
    total, power = 0.0 * x + 0.0 * y, 1.0 + 0.0 * x
    for _ in range(n):
        total, power = total * y + power, power * x
    return total


@kernel
def _mean(k: float, c: float, r: float, x: complex, y: complex) -> complex:
    """Mean force between the radii x**2 and y**2 over the approach."""
    work = 2.0 * k * _sum(x, y, 10) / (5.0 * r * r) - 2.0 * c * _sum(x, y, 7) / (3.0 * r)
    change = _sum(x, y, 4) / r - 2.0 * c / (3.0 * k)
    if change.real <= 1e-12 * c / k:
        return k * x**6 / r - c * x**3
    return (work + c * c * _sum(x, y, 4) / (6.0 * k)) / change


@kernel
def jkr_potential(p: np.ndarray, q: complex) -> complex:
    """U (J) of a closed contact at gap ``q`` (m)."""
    k, c, r = p[0], p[1], p[2]
    return _energy(k, c, r, _root(k, c, r, -q))


@kernel
def jkr_mean_force(p: np.ndarray, q_i: complex, q_f: complex) -> complex:
    """Constant force (N, negative: attraction) with f (q_i - q_f) = V(q_f) - V(q_i) while the bodies adhere."""
    k, c, r = p[0], p[1], p[2]
    return _mean(k, c, r, _root(k, c, r, -q_i), _root(k, c, r, -q_f))


JKR_KERNELS = ContactKernels(jkr_mean_force, jkr_potential)


@kernel
def adheres_after(adheres: bool, touch: float, reach: float, q_f: float) -> bool:
    """Whether the bodies adhere at the end of a step, at the gap ``q_f``; ``adheres``: at its start."""
    return q_f < touch or (adheres and q_f < reach)


@kernel
def adhesion_path(adheres, touch, reach, q_i, q_f):
    """Gaps (m) between which the bodies adhere in a step that begins or ends so, and their fraction of the path."""
    none = 0.0 * (q_i + q_f)
    if not adheres:
        return touch + none, q_f + none, (touch - q_f) / (q_i - q_f)
    if q_f.real < reach:
        return q_i + none, q_f + none, 1.0 + none
    return q_i + none, reach + none, (reach - q_i) / (q_f - q_i)
