"""Johnson-Kendall-Roberts (JKR) adhesion of large, soft spheres: contact persists beyond zero indentation.

    F = K a**3/R - c a**(3/2),      d = a**2/R - 2 c a**(1/2)/(3 K),      c = sqrt(6 pi w K),      K = 4 E*/3

Johnson, Kendall and Roberts 1971, with the approach d = -q as in Johnson, Contact Mechanics, section 5.5: a is the
radius of contact, w the work of adhesion in J/m**2, 1/R = 1/R_1 + 1/R_2. Bodies snap into contact at d = 0 and separate
at d_c = -3 a_c**2/R with a_c**(3/2) = c R/(6 K); the pull-off force under a dead weight is 3/2 pi w R. The energy

    U = 2 K a**5/(5 R**2) - 2 c a**(7/2)/(3 R) + c**2 a**2/(6 K)

is below zero at first touch and above zero at d_c: both differences are dissipated (by waves), in the step that closes
or opens the contact. With x = sqrt(a) all terms are polynomials, and the mean force of a step is a quotient of sums
without cancellation. The impact speed, which is zero for an open contact, records whether the contact is closed in 0 <
q < -d_c.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import pi, sqrt
from typing import Any, ClassVar

from numpy.typing import NDArray

from fem_mbd.core.compiled import kernel
from fem_mbd.friction.law import Law
from fem_mbd.friction.normal.adhesion.dmt import Modulus, Radius, Work
from fem_mbd.friction.records import normal_record

KIND = 5
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
        record = normal_record(KIND, k, 1.0)
        record["scale"], record["compliance"], record["reach"] = c, self.radius, self.hold
        return record


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
def jkr_potential(k: float, c: float, r: float, q: complex) -> complex:
    """U (J) of a closed contact at gap ``q`` (m)."""
    return _energy(k, c, r, _root(k, c, r, -q))


@kernel
def jkr_mean_force(k: float, c: float, r: float, q_i: complex, q_f: complex) -> complex:
    """Constant force (N, negative: attraction) with f (q_i - q_f) = V(q_f) - V(q_i) while the bodies adhere."""
    return _mean(k, c, r, _root(k, c, r, -q_i), _root(k, c, r, -q_f))
