"""Contact laws of a cylinder in a slightly larger bore, axes parallel: indentation d = a F ln(B/F).

F in N over the length L in m, R_k, R_l in m the radii of bore and cylinder, dR = R_k - R_l, h = (1 - nu**2)/E
summed over both bodies = 1/E*, so that a = h/(pi L) in all of them. As compared by Pereira, Ramalho and
Ambrosio, Nonlinear Dynamics 63 (2011), and Machado et al., Mechanism and Machine Theory 53 (2012):

    Johnson (1985)                     d = a F [ln(4 pi E* L dR / F) - 1]
    Radzimovsky (1953)                 d = a F [2/3 + ln(4 R_k/b) + ln(4 R_l/b)],   b = 1.6 sqrt(F R_k R_l/(L E* dR))
    Dubowsky, Freudenstein (1971)      d = a F [ln(pi E* L**3 dR / (F R_k R_l)) + 1]
    Goldsmith (1960)                   the same with L in place of L**3: not consistent in units, metres are meant
    ESDU-78035 (1978)                  d = a F [ln(4 pi E* L dR / F) + 1]

They differ in the place that the indentation is counted from, hence in B only. Kernels: ``cylinder_kernels.py``.

Johnson's follows from Hertz's half width (his eq. 4.43 and section 5.6). Radzimovsky's b is the survey's, with radii;
with the full width of Hertz's contact, as in tables for engineers (diameters in place of radii), the bracket is less by
ln 2. Goldsmith, Dubowsky-Freudenstein and ESDU hold with h/pi = (1 - nu**2)/(pi E); where papers leave out the pi of h
they mean another h. No law is defined beyond F = B/e, where d is largest (``deepest`` is a little less).
"""

from __future__ import annotations

from dataclasses import dataclass
from math import exp, pi
from typing import Any

from numpy.typing import NDArray

from fem_mbd.errors import InputError
from fem_mbd.friction.checks import make_positive
from fem_mbd.friction.kinds import CYLINDER
from fem_mbd.friction.normal.contact_stiffness import ContactMaterial, contact_modulus, slow_impact_limit
from fem_mbd.friction.normal.cylinder_kernels import END_DEPTH
from fem_mbd.friction.records import normal_record


@dataclass(frozen=True)
class CylinderLaw:
    """Base of the five laws; use one of them.

    radius_k, radius_l, length: of bore and cylinder and of their common length, m. material_k, material_l:
    with ``young``, ``poisson`` and ``density``, e.g. ``fem_mbd.elements.Material``.

    Raises ``InputError`` for sizes that are not positive, a cylinder that does not fit or an unusable material.
    """

    radius_k: float
    radius_l: float
    length: float
    material_k: ContactMaterial
    material_l: ContactMaterial

    def __post_init__(self) -> None:
        make_positive(self, "radius_k", "radius_l", "length")
        if self.radius_l >= self.radius_k:
            raise InputError(
                f"{type(self).__name__}: radius_l = {self.radius_l:g} m does not fit into radius_k = "
                f"{self.radius_k:g} m"
            )
        contact_modulus(self.material_k, self.material_l, type(self).__name__)

    @property
    def compliance(self) -> float:
        """a in m/N."""
        return 1.0 / (pi * contact_modulus(self.material_k, self.material_l) * self.length)

    @property
    def scale(self) -> float:
        """B in N."""
        raise TypeError("CylinderLaw is a base class: use Johnson, Radzimovsky, Goldsmith …")

    @property
    def deepest(self) -> float:
        """Indentation in m from which on the force follows the law's tangent instead of the law."""
        return END_DEPTH * self.compliance * self.scale

    @property
    def speed_limit(self) -> float:
        """Impact speed in m/s above which the bodies no longer stay elastic."""
        return slow_impact_limit(self.material_k, self.material_l)

    def record(self) -> NDArray[Any]:
        """Parameters as a 0-d array of dtype ``NORMAL_LAW``."""
        record = normal_record(CYLINDER, 0.0, 1.0)
        record["compliance"], record["scale"] = self.compliance, self.scale
        return record

    @property
    def _line_stiffness(self) -> float:
        """E* L in N/m."""
        return contact_modulus(self.material_k, self.material_l) * self.length

    @property
    def _clearance(self) -> float:
        return self.radius_k - self.radius_l


@dataclass(frozen=True)
class Johnson(CylinderLaw):
    """Johnson (1985), Contact Mechanics, section 5.6."""

    @property
    def scale(self) -> float:
        return 4.0 * pi * self._line_stiffness * self._clearance * exp(-1.0)


@dataclass(frozen=True)
class Radzimovsky(CylinderLaw):
    """Radzimovsky (1953), University of Illinois Bulletin 408."""

    @property
    def scale(self) -> float:
        return 16.0 / 1.6**2 * self._line_stiffness * self._clearance * exp(2.0 / 3.0)


@dataclass(frozen=True)
class DubowskyFreudenstein(CylinderLaw):
    """Dubowsky and Freudenstein (1971), Journal of Engineering for Industry 93."""

    @property
    def scale(self) -> float:
        relative = self.length**2 / (self.radius_k * self.radius_l)
        return pi * self._line_stiffness * self._clearance * relative * exp(1.0)


@dataclass(frozen=True)
class Goldsmith(CylinderLaw):
    """Goldsmith (1960), Impact; its logarithm is of a quantity in 1/m**2, so the unit of length matters: metres."""

    @property
    def scale(self) -> float:
        return pi * self._line_stiffness * self._clearance / (self.radius_k * self.radius_l) * exp(1.0)


@dataclass(frozen=True)
class Esdu78035(CylinderLaw):
    """ESDU 78035 Tribology Series (1978)."""

    @property
    def scale(self) -> float:
        return 4.0 * pi * self._line_stiffness * self._clearance * exp(1.0)
