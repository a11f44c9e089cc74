"""Hertzian contact stiffness from geometry and material, and the impact speed up to which elastic laws hold.

The stiffness of an elliptic (here circular) contact area is K = (4/3) E* / sqrt(curvature), with 1/E* the sum
of (1 - nu**2)/E over both bodies and the curvature the sum of 1/R, concave surfaces negative (Johnson,
Contact Mechanics, eqs. 4.23 and 4.24). Impacts stay elastic below about 1e-5 sqrt(E/rho) (Love, Mathematical
Theory of Elasticity; quoted in most reviews of contact laws).
"""

from __future__ import annotations

from math import isnan, sqrt
from typing import NamedTuple, Protocol

from fem_mbd.base.validation import finite, positive
from fem_mbd.errors import InputError

SLOW_IMPACT = 1e-5


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
    return 1.0 / (
        _plane_compliance(material_k, f"{law} material_k")
        + _plane_compliance(material_l, f"{law} material_l")
    )


def hertz_stiffness(curvature: float, material_k: ContactMaterial, material_l: ContactMaterial) -> float:
    """K in N/m**1.5 of two bodies whose relative curvature is ``curvature`` in 1/m, above zero."""
    return (
        4.0
        / 3.0
        * contact_modulus(material_k, material_l, "Hertz")
        / sqrt(positive(curvature, "Hertz curvature"))
    )


def slow_impact_limit(*materials: ContactMaterial) -> float:
    """Impact speed in m/s up to which the bodies stay elastic: the smaller limit of the materials."""
    return min(
        SLOW_IMPACT
        * sqrt(positive(m.young, "contact material young") / positive(m.density, "contact material density"))
        for m in materials
    )


def _plane_compliance(material: ContactMaterial, what: str) -> float:
    young = positive(material.young, f"{what} young")
    if isnan(material.poisson):
        raise InputError(f"{what} poisson is missing: give it beside young")
    poisson = finite(material.poisson, f"{what} poisson")
    if not -1.0 < poisson <= 0.5:
        raise InputError(f"{what} poisson is {poisson:g}: it must lie between -1 and 0.5")
    return (1.0 - poisson * poisson) / young
