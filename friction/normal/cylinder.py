"""Contact laws of a cylinder in a slightly larger bore, axes parallel: indentation d = a F ln(B/F).

F in N over the length L in m, R_k, R_l in m the radii of bore and cylinder, dR = R_k - R_l, h = (1 - nu**2)/E
summed over both bodies = 1/E*, so that a = h/(pi L) in all of them. As compared by Pereira, Ramalho and
Ambrosio, Nonlinear Dynamics 63 (2011), and Machado et al., Mechanism and Machine Theory 53 (2012):

    Johnson (1985)                     d = a F [ln(4 pi E* L dR / F) - 1]
    Radzimovsky (1953)                 d = a F [2/3 + ln(4 R_k/b) + ln(4 R_l/b)],   b = 1.6 sqrt(F R_k R_l/(L E* dR))
    Dubowsky, Freudenstein (1971)      d = a F [ln(pi E* L**3 dR / (F R_k R_l)) + 1]
    Goldsmith (1960)                   the same with L in place of L**3: not consistent in units, metres are meant
    ESDU-78035 (1978)                  d = a F [ln(4 pi E* L dR / F) + 1]

They differ in the reference point of the indentation, hence in B only.

Johnson's follows from Hertz's half width (his eq. 4.43 and section 5.6). Radzimovsky's b is the survey's, with radii;
with the full width of Hertz's contact, as in engineering tables (diameters in place of radii), the bracket is smaller
by ln 2. Goldsmith, Dubowsky-Freudenstein and ESDU hold with h/pi = (1 - nu**2)/(pi E); papers without the pi define h
differently. No law is defined beyond F = B/e, where d is largest (``deepest`` is slightly smaller). Force from
indentation: with phi = F/B and x = d/(a B) the law reads -phi ln(phi) = x; phi = exp(W(-x)) is the solution that starts
at zero, W being Lambert's function on its lower branch. Newton's method for w + ln(-w) = ln(x) from the bound w = -1 -
sqrt(2u) - u, u = -1 - ln(x) (Chatzigeorgiou 2013), left of the root of an increasing concave function, converges
monotonically: no safeguard is needed.

The law ends at x = 1/e, where its stiffness is infinite. From F = B/5 on, at 0.875 of that indentation, the force
continues along its tangent, so that any indentation has a force; ``validity.py`` warns of it. Potential V = F d/2 - a
F**2/4. Over a step f = (V_f - V_i)/(d_f - d_i); for forces near each other, with m their mean and x = (F_f - F_i)/(2m),
both means over F are series in x**2 without division by a difference:

    f = m [ln(B/m) - 1 - sum x**2k/((2k-1) 2k (2k+1))] / [ln(B/m) - 1 + sum x**2k/(2k (2k+1))],   k = 1, 2 ...
"""

from __future__ import annotations

from dataclasses import dataclass
from math import exp, log, pi
from typing import Annotated, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from fem_mbd.core.compiled import kernel
from fem_mbd.errors import InputError
from fem_mbd.friction.law import Law, Parameter
from fem_mbd.friction.normal.elastic import (
    STEEL,
    ContactMaterial,
    contact_modulus,
    slow_impact_limit,
)
from fem_mbd.friction.records import ContactKernels, normal_record

END_FORCE = 0.2  # F/B from which the tangent replaces the law
END_DEPTH = END_FORCE * log(1.0 / END_FORCE)  # d/(a B) there
END_SLOPE = 1.0 / (log(1.0 / END_FORCE) - 1.0)  # d phi/dx there
END_ENERGY = 0.5 * END_FORCE * END_DEPTH - 0.25 * END_FORCE**2  # V/(a B**2) there
SERIES_LIMIT = 0.25
SERIES_TERMS = 30
MAX_ITERATIONS = 40
TINY, TINY_LOG = 1e-290, 674.2  # below this x underflow would reduce the accuracy; -ln(phi) there

PEREIRA = "as compared by Pereira, Ramalho and Ambrósio, Nonlinear Dynamics 63 (2011) 681"
BEARING = {"radius_k": 5.1e-3, "radius_l": 5e-3, "length": 15e-3, "material_k": STEEL, "material_l": STEEL}
Solid = Annotated[ContactMaterial, Parameter("material, with young, poisson and density", "")]


@dataclass(frozen=True)
class CylinderLaw(Law):
    """Base of the five laws; use one of them.

    Bore k and cylinder l, which must fit into it, touch over ``length``. Materials are for example
    ``fem_mbd.elements.Material``.
    """

    radius_k: Annotated[float, Parameter("radius of the bore", "m", above=0.0, symbol="R_k")]
    radius_l: Annotated[float, Parameter("radius of the cylinder", "m", above=0.0, symbol="R_l")]
    length: Annotated[float, Parameter("common length", "m", above=0.0, symbol="L")]
    material_k: Solid
    material_l: Solid

    def __post_init__(self) -> None:
        super().__post_init__()
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
        """Indentation in m from which on the force follows the law's tangent."""
        return END_DEPTH * self.compliance * self.scale

    @property
    def speed_limit(self) -> float:
        """Impact speed in m/s above which the bodies no longer stay elastic."""
        return slow_impact_limit(self.material_k, self.material_l)

    def record(self) -> NDArray[Any]:
        return normal_record(CYLINDER, self.compliance, self.scale)

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

    source: ClassVar = f"Johnson, Contact Mechanics (Cambridge 1985), section 5.6; {PEREIRA}"
    examples: ClassVar = {"": BEARING}

    @property
    def scale(self) -> float:
        return 4.0 * pi * self._line_stiffness * self._clearance * exp(-1.0)


@dataclass(frozen=True)
class Radzimovsky(CylinderLaw):
    """Radzimovsky (1953), University of Illinois Bulletin 408."""

    source: ClassVar = f"Radzimovsky, University of Illinois Bulletin 408 (1953); {PEREIRA}"
    examples: ClassVar = {"": BEARING}

    @property
    def scale(self) -> float:
        return 16.0 / 1.6**2 * self._line_stiffness * self._clearance * exp(2.0 / 3.0)


@dataclass(frozen=True)
class DubowskyFreudenstein(CylinderLaw):
    """Dubowsky and Freudenstein (1971), Journal of Engineering for Industry 93."""

    source: ClassVar = f"Dubowsky and Freudenstein, J. Engineering for Industry 93 (1971) 305; {PEREIRA}"
    examples: ClassVar = {"": BEARING}

    @property
    def scale(self) -> float:
        relative = self.length**2 / (self.radius_k * self.radius_l)
        return pi * self._line_stiffness * self._clearance * relative * exp(1.0)


@dataclass(frozen=True)
class Goldsmith(CylinderLaw):
    """Goldsmith (1960), Impact; its logarithm is of a quantity in 1/m**2, so the unit of length matters: metres."""

    source: ClassVar = f"Goldsmith, Impact (Edward Arnold 1960); {PEREIRA}"
    examples: ClassVar = {"": BEARING}

    @property
    def scale(self) -> float:
        return pi * self._line_stiffness * self._clearance / (self.radius_k * self.radius_l) * exp(1.0)


@dataclass(frozen=True)
class Esdu78035(CylinderLaw):
    """ESDU 78035 Tribology Series (1978)."""

    source: ClassVar = f"ESDU 78035, Contact phenomena I (1978); {PEREIRA}"
    examples: ClassVar = {"": BEARING}

    @property
    def scale(self) -> float:
        return 4.0 * pi * self._line_stiffness * self._clearance * exp(1.0)


@kernel
def cylinder_potential(p: np.ndarray, q: complex) -> complex:
    """Potential (J) at gap ``q`` (m)."""
    compliance, scale = p[0], p[1]
    if q.real >= 0.0:
        return 0.0 * q
    x = -q / (compliance * scale)
    if x.real <= END_DEPTH:
        phi = _force(x)
        return compliance * scale * scale * (0.5 * phi * x - 0.25 * phi * phi)
    beyond = x - END_DEPTH
    energy = END_ENERGY + (END_FORCE + 0.5 * END_SLOPE * beyond) * beyond
    return compliance * scale * scale * energy


@kernel
def cylinder_mean_force(p: np.ndarray, q_i: complex, q_f: complex) -> complex:
    """Constant force (N, >= 0 pushes apart) with f (q_i - q_f) = V(q_f) - V(q_i)."""
    if q_i.real < 0.0 and q_f.real < 0.0:
        scale = p[1]
        unit = p[0] * scale
        return scale * _mean_closed(-q_i / unit, -q_f / unit)
    if q_f.real < 0.0:
        return cylinder_potential(p, q_f) / q_f * (q_f / (q_i - q_f))
    if q_i.real < 0.0:
        return cylinder_potential(p, q_i) / q_i * (q_i / (q_f - q_i))
    return 0.0 * (q_i + q_f)


CYLINDER = ContactKernels(cylinder_mean_force, cylinder_potential)


@kernel
def _force(x: complex) -> complex:
    """phi of -phi ln(phi) = x for 0 < x <= ``END_DEPTH``; the last Newton step adds the complex-step derivative."""
    if x.real < TINY:
        return x / TINY_LOG
    log_x = np.log(x.real)
    u = -log_x - 1.0
    w = -1.0 - np.sqrt(2.0 * u) - u
    for _ in range(MAX_ITERATIONS):
        change = (w + np.log(-w) - log_x) * w / (w + 1.0)
        w -= change
        if abs(change) <= 1e-15 * abs(w):
            break
    phi = x.real / -w
    log_phi = np.log(phi)
    return phi - (x + phi * log_phi) / (log_phi + 1.0)


@kernel
def _mean_closed(x_i: complex, x_f: complex) -> complex:
    """Mean of phi between two indentations above zero, inside the law's range, beyond its end or across it."""
    if x_i.real <= END_DEPTH and x_f.real <= END_DEPTH:
        return _mean_in_law(x_i, x_f)
    if x_i.real > END_DEPTH and x_f.real > END_DEPTH:
        return END_FORCE + END_SLOPE * (0.5 * (x_i + x_f) - END_DEPTH)
    low, high = x_i, x_f
    if x_i.real > x_f.real:
        low, high = x_f, x_i
    inside, beyond = END_DEPTH - low, high - END_DEPTH
    mean_beyond = END_FORCE + 0.5 * END_SLOPE * beyond
    return (inside * _mean_in_law(low, END_DEPTH + 0.0 * low) + beyond * mean_beyond) / (inside + beyond)


@kernel
def _mean_in_law(x_i: complex, x_f: complex) -> complex:
    phi_i, phi_f = _force(x_i), _force(x_f)
    mean = 0.5 * (phi_i + phi_f)
    if mean.real == 0.0:
        return mean
    x = 0.5 * (phi_f - phi_i) / mean
    if x.real * x.real >= SERIES_LIMIT * SERIES_LIMIT:
        v_i, v_f = 0.5 * phi_i * x_i - 0.25 * phi_i * phi_i, 0.5 * phi_f * x_f - 0.25 * phi_f * phi_f
        return (v_f - v_i) / (x_f - x_i)
    over = -np.log(mean) - 1.0
    under = over
    x2 = x * x
    power = 1.0 + 0.0 * x2
    for k in range(1, SERIES_TERMS):
        power = power * x2
        term = power / (2.0 * k * (2.0 * k + 1.0))
        under = under + term
        over = over - term / (2.0 * k - 1.0)
        if term.real < 1e-18 * under.real:
            break
    return mean * over / under
