"""Hertz-type contact: F = K d**n with d = -q, so V(q) = K d**(n+1) / (n+1) for q < 0, zero for q >= 0.

q is the gap in m (negative: overlap), K in N/m**n; n = 3/2 for two spheres (Hertz 1882; Johnson, Contact
Mechanics, eq. 4.23), other exponents for conforming or rough bodies. Over a step the force is constant with
f (q_i - q_f) = V(q_f) - V(q_i) (Bauchau and Ju, section 3). When both ends are closed that quotient is the
mean of F over the approach,

    f = K m**n  sum_k  C(n, 2k) x**(2k) / (2k + 1),     m = (d_i + d_f)/2,  x = (d_f - d_i)/(2 m),

and the series is used for small x, where the difference of the potentials is dominated by round-off.

The stiffness of an elliptic (here circular) contact area is K = (4/3) E* / sqrt(curvature), with 1/E* the sum
of (1 - nu**2)/E over both bodies and the curvature the sum of 1/R, concave surfaces negative (Johnson,
Contact Mechanics, eqs. 4.23 and 4.24). Impacts stay elastic below about 1e-5 sqrt(E/rho) (Love, Mathematical
Theory of Elasticity; quoted in most reviews of contact laws).

Linear contact spring: V(q) = k q**2 / 2 for q < 0, zero for q >= 0.

q is the gap in m (negative: the bodies overlap), k in N/m. Over a step the force is constant and such that
its work is the change of the potential, f (q_i - q_f) = V(q_f) - V(q_i) (Bauchau and Ju, section 3). For the
quadratic potential the quotient is simplified in each case, so there is no division by a small number.

Elastic load of surface asperities in a lubricated contact, which begins before the nominal surfaces touch.

    F = k (eps - eps_tr) e,      e = eps c the journal's eccentricity in a bearing of clearance c

(Harnoy, Bearing Design in Machinery, Marcel Dekker 2003, chapter 17; Harnoy and Friedland 1994). In terms of the
approach d = e - eps_tr c of the asperities this is k/c (d**2 + eps_tr c d): a linear and a quadratic spring in
parallel.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, isnan, sqrt
from typing import Annotated, Any, ClassVar, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from fem_mbd.base.validation import finite, positive
from fem_mbd.core.compiled import kernel
from fem_mbd.errors import InputError
from fem_mbd.friction.law import Law, Parameter
from fem_mbd.friction.records import ContactKernels, normal_record

SLOW_IMPACT = 1e-5
# Below this x the series converges in a dozen terms; above it the quotient loses less than one digit.
SERIES_LIMIT = 0.25
SERIES_TERMS = 40


class ContactMaterial(Protocol):
    """Young's modulus in Pa, Poisson's ratio, density in kg/m**3: ``fem_mbd.elements.Material`` is one."""

    @property
    def young(self) -> float: ...

    @property
    def poisson(self) -> float: ...

    @property
    def density(self) -> float: ...


class Solid(NamedTuple):
    """Young's modulus (Pa), Poisson's ratio, density (kg/m**3)."""

    young: float
    poisson: float
    density: float


STEEL = Solid(207e9, 0.3, 7850.0)


def contact_modulus(material_k: ContactMaterial, material_l: ContactMaterial, law: str = "contact") -> float:
    """E* in Pa. Raises ``InputError``, naming ``law``, unless E is positive and the ratio between -1 and 1/2."""
    compliance_k = _plane_compliance(material_k, f"{law} material_k")
    return 1.0 / (compliance_k + _plane_compliance(material_l, f"{law} material_l"))


def hertz_stiffness(curvature: float, material_k: ContactMaterial, material_l: ContactMaterial) -> float:
    """K in N/m**1.5 of two bodies whose relative curvature is ``curvature`` in 1/m, above zero."""
    modulus = contact_modulus(material_k, material_l, "Hertz")
    return 4.0 / 3.0 * modulus / sqrt(positive(curvature, "Hertz curvature"))


def slow_impact_limit(*materials: ContactMaterial) -> float:
    """Impact speed in m/s up to which the bodies stay elastic: the smaller limit of the materials."""
    return min(
        SLOW_IMPACT
        * sqrt(positive(m.young, "contact material young") / positive(m.density, "contact material density"))
        for m in materials
    )


def _plane_compliance(material: ContactMaterial, label: str) -> float:
    young = positive(material.young, f"{label} young")
    if isnan(material.poisson):
        raise InputError(f"{label} poisson is missing: give it beside young")
    poisson = finite(material.poisson, f"{label} poisson")
    if not -1.0 < poisson <= 0.5:
        raise InputError(f"{label} poisson is {poisson:g}: it must lie between -1 and 0.5")
    return (1.0 - poisson * poisson) / young


@dataclass(frozen=True)
class Hertz(Law):
    """Force K d**n of the approach d; the constructors from geometry and material also set the speed limit.

    An exponent below 1 would make the stiffness infinite at first touch.
    """

    stiffness: Annotated[float, Parameter("stiffness", "N/m**exponent", above=0.0, symbol="K")]
    exponent: Annotated[float, Parameter("exponent, 1.5 for spheres", at_least=1.0, symbol="n")] = 1.5
    speed_limit: Annotated[
        float, Parameter("speed of impact above which a warning is given", "m/s", above=0.0, unlimited=True)
    ] = inf

    source: ClassVar = "Hertz, J. reine und angewandte Mathematik 92 (1882) 156"

    @classmethod
    def spheres(
        cls, radius_k: float, radius_l: float, material_k: ContactMaterial, material_l: ContactMaterial
    ) -> Hertz:
        """Two spheres.

        Parameters
        ----------
        radius_k, radius_l : m
        material_k, material_l : with ``young`` and ``poisson``
        """
        curvature = 1.0 / positive(radius_k, "Hertz radius_k") + 1.0 / positive(radius_l, "Hertz radius_l")
        return cls._of_curvature(curvature, material_k, material_l)

    @classmethod
    def sphere_on_plane(
        cls, radius: float, material_k: ContactMaterial, material_l: ContactMaterial
    ) -> Hertz:
        """A sphere on a half-space.

        Parameters
        ----------
        radius : m
        material_k, material_l : with ``young`` and ``poisson``
        """
        return cls._of_curvature(1.0 / positive(radius, "Hertz radius"), material_k, material_l)

    @classmethod
    def inside(
        cls, radius_k: float, radius_l: float, material_k: ContactMaterial, material_l: ContactMaterial
    ) -> Hertz:
        """A sphere in a socket; also used for a journal in its bearing.

        The curvature of the socket is negative. The formula is for small contact areas: it overestimates the
        indentation of conforming surfaces.

        Parameters
        ----------
        radius_k, radius_l : m, of the socket and of the sphere
        material_k, material_l : with ``young`` and ``poisson``
        """
        outer, inner = positive(radius_k, "Hertz radius_k"), positive(radius_l, "Hertz radius_l")
        if inner >= outer:
            raise InputError(f"Hertz.inside: radius_l = {inner:g} m does not fit into radius_k = {outer:g} m")
        return cls._of_curvature(1.0 / inner - 1.0 / outer, material_k, material_l)

    @classmethod
    def _of_curvature(cls, curvature: float, k: ContactMaterial, l: ContactMaterial) -> Hertz:
        return cls(hertz_stiffness(curvature, k, l), 1.5, slow_impact_limit(k, l))

    def record(self) -> NDArray[Any]:
        return normal_record(HERTZ, self.stiffness, self.exponent)


BALL = Hertz.sphere_on_plane(0.02, STEEL, STEEL)
Hertz.examples = {"": {"stiffness": BALL.stiffness, "speed_limit": BALL.speed_limit}}


@kernel
def hertz_potential(stiffness: float, exponent: float, q: complex) -> complex:
    """Potential (J) at gap ``q`` (m)."""
    if q.real >= 0.0:
        return 0.0 * q
    return stiffness * (-q) ** (exponent + 1.0) / (exponent + 1.0)


@kernel
def hertz_mean_force(stiffness: float, exponent: float, q_i: complex, q_f: complex) -> complex:
    """Constant force (N, >= 0 pushes apart) with f (q_i - q_f) = V(q_f) - V(q_i)."""
    if q_i.real < 0.0 and q_f.real < 0.0:
        return _mean_force_closed(stiffness, exponent, -q_i, -q_f)
    factor = stiffness / (exponent + 1.0)
    if q_f.real < 0.0:
        return factor * (-q_f) ** exponent * (q_f / (q_f - q_i))
    if q_i.real < 0.0:
        return factor * (-q_i) ** exponent * (q_i / (q_i - q_f))
    return 0.0 * (q_i + q_f)


@kernel
def _mean_force_closed(stiffness: float, exponent: float, d_i: complex, d_f: complex) -> complex:
    """Mean of K d**n between the approaches ``d_i`` and ``d_f``, both above zero."""
    mean = 0.5 * (d_i + d_f)
    x = 0.5 * (d_f - d_i) / mean
    if x.real * x.real < SERIES_LIMIT * SERIES_LIMIT:
        return stiffness * mean**exponent * _mean_series(exponent, x * x)
    power = exponent + 1.0
    return stiffness * (d_f**power - d_i**power) / (power * (d_f - d_i))


@kernel
def _mean_series(n: float, x2: complex) -> complex:
    """sum_k C(n, 2k) x2**k / (2k + 1), summed until the terms are below round-off."""
    total = 1.0 + 0.0 * x2
    term = 1.0 + 0.0 * x2
    for k in range(SERIES_TERMS):
        term = term * x2 * ((n - 2 * k) * (n - 2 * k - 1.0)) / ((2 * k + 1.0) * (2 * k + 2.0))
        increment = term / (2 * k + 3.0)
        total = total + increment
        if increment.real * increment.real < 1e-36 * total.real * total.real:
            break
    return total


@kernel
def _hertz_force(p: np.ndarray, q_i: complex, q_f: complex) -> complex:
    return hertz_mean_force(p[0], p[1], q_i, q_f)


@kernel
def _hertz_energy(p: np.ndarray, q: complex) -> complex:
    return hertz_potential(p[0], p[1], q)


HERTZ = ContactKernels(_hertz_force, _hertz_energy)


@dataclass(frozen=True)
class Linear(Law):
    """Linear spring in compression only."""

    stiffness: Annotated[float, Parameter("stiffness", "N/m", above=0.0, symbol="k")]

    source: ClassVar = "spring in compression"
    examples: ClassVar = {"": {"stiffness": 1e7}}

    def record(self) -> NDArray[Any]:
        return normal_record(LINEAR, self.stiffness)


@kernel
def linear_potential(stiffness: float, q: complex) -> complex:
    """Potential (J) at gap ``q`` (m)."""
    if q.real >= 0.0:
        return 0.0 * q
    return 0.5 * stiffness * q * q


@kernel
def linear_mean_force(stiffness: float, q_i: complex, q_f: complex) -> complex:
    """Constant force (N, >= 0 pushes apart) with f (q_i - q_f) = V(q_f) - V(q_i)."""
    if q_i.real < 0.0 and q_f.real < 0.0:
        return -0.5 * stiffness * (q_i + q_f)
    if q_f.real < 0.0:
        return 0.5 * stiffness * q_f * (q_f / (q_i - q_f))
    if q_i.real < 0.0:
        return 0.5 * stiffness * q_i * (q_i / (q_f - q_i))
    return 0.0 * (q_i + q_f)


@kernel
def _linear_force(p: np.ndarray, q_i: complex, q_f: complex) -> complex:
    return linear_mean_force(p[0], q_i, q_f)


@kernel
def _linear_energy(p: np.ndarray, q: complex) -> complex:
    return linear_potential(p[0], q)


LINEAR = ContactKernels(_linear_force, _linear_energy)


@dataclass(frozen=True)
class ElasticAsperities(Law):
    """Elastic load of asperities between a journal and its bearing; the gap is that of the asperities."""

    stiffness: Annotated[float, Parameter("load per eccentricity and ratio", "N/m", above=0.0, symbol="k")]
    clearance: Annotated[float, Parameter("difference of the radii", "m", above=0.0, symbol="c")]
    transition: Annotated[
        float,
        Parameter("eccentricity ratio at which asperities touch", above=0.0, below=1.0, symbol="eps_tr"),
    ]

    source: ClassVar = "Harnoy, Bearing Design in Machinery (Marcel Dekker 2003), chapter 17"
    examples: ClassVar = {"": {"stiffness": 1e9, "clearance": 1e-4, "transition": 0.9}}

    def record(self) -> NDArray[Any]:
        """Parameters as a 0-d array of dtype ``NORMAL_LAW``: stiffnesses of the linear and the quadratic part."""
        return normal_record(ASPERITIES, self.stiffness * self.transition, self.stiffness / self.clearance)


@kernel
def asperity_potential(p: np.ndarray, q: complex) -> complex:
    """Potential (J) at gap ``q`` (m) of the asperities."""
    return linear_potential(p[0], q) + hertz_potential(p[1], 2.0, q)


@kernel
def asperity_mean_force(p: np.ndarray, q_i: complex, q_f: complex) -> complex:
    """Constant force (N, >= 0 pushes apart) with f (q_i - q_f) = V(q_f) - V(q_i)."""
    linear, quadratic = p[0], p[1]
    return linear_mean_force(linear, q_i, q_f) + hertz_mean_force(quadratic, 2.0, q_i, q_f)


ASPERITIES = ContactKernels(asperity_mean_force, asperity_potential)
