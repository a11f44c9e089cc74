"""Model of the slider-crank: crank, coupler and slider, rigid, in one plane, with one joint of any kind."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from fem_mbd.cases.slider_crank_clearance.parameters import Parameters
from fem_mbd.core.model.model import Model
from fem_mbd.core.model.node import Attachment
from fem_mbd.core.model.time_functions import Polynomial
from fem_mbd.elements import BodyHandle, Material, RigidBody
from fem_mbd.friction import Ambrosio, Coulomb, FrictionLaw, Frictionless, Hertz, LankaraniNikravesh, LuGre
from fem_mbd.joints import DrivenRevolute, Prismatic, Revolute, SphericalClearance

CRANK, COUPLER = 0.05, 0.3  # m
CRANK_MASS, CRANK_INERTIA, COUPLER_MASS, COUPLER_INERTIA = 17.9, 0.460327, 1.13, 0.0153
SLIDER_MASS, SLIDER_INERTIA = 1.013, 1e-4  # the slider does not rotate
Place = Literal["crank", "slider"]
Loose = Callable[[Attachment, Attachment], SphericalClearance]  # bearing, journal


@dataclass(frozen=True)
class Mechanism:
    """The model and its bodies; crank and coupler start in line along i1."""

    model: Model
    crank: BodyHandle
    coupler: BodyHandle
    slider: BodyHandle


def assemble(place: Place, omega: float, loose: Loose, aside: float = 0.0) -> Mechanism:
    """The mechanism turning with ``omega`` (rad/s), with the velocities of the ideal mechanism.

    ``loose(bearing, journal)`` returns the joint at ``place``: bearing on the crank and journal on the coupler, or
    bearing on the slider. ``aside``: m, initial displacement of the slider towards the crank from its ideal position.
    """
    model = Model(name="slider-crank with clearance")
    middle = 0.5 * CRANK, CRANK + 0.5 * COUPLER, CRANK + COUPLER - aside
    crank, coupler, slider = (
        model.add(RigidBody(mass, (inertia,) * 3, position=(x, 0.0, 0.0), name=name))
        for name, mass, inertia, x in (
            ("crank", CRANK_MASS, CRANK_INERTIA, middle[0]),
            ("coupler", COUPLER_MASS, COUPLER_INERTIA, middle[1]),
            ("slider", SLIDER_MASS, SLIDER_INERTIA, middle[2]),
        )
    )
    model.add(
        DrivenRevolute(
            model.ground, crank.node, at=(0, 0, 0), axis=(0, 0, 1), angle=Polynomial((0.0, omega)), name="O"
        )
    )
    model.add(Prismatic(model.ground, slider.node, axis=(1, 0, 0), name="guide"))
    a, b = (CRANK, 0.0, 0.0), (CRANK + COUPLER, 0.0, 0.0)
    if place == "crank":
        model.add(Revolute(coupler.node, slider.node, at=b, axis=(0, 0, 1), name="B"))
        model.add(loose(crank.node.at((0.5 * CRANK, 0, 0)), coupler.node.at((-0.5 * COUPLER, 0, 0))))
    else:
        model.add(Revolute(crank.node, coupler.node, at=a, axis=(0, 0, 1), name="A"))
        model.add(loose(slider.node, coupler.node.at((0.5 * COUPLER, 0, 0))))
    model.set_velocity(crank.node, omega=(0, 0, omega), about=(0, 0, 0))
    model.set_velocity(coupler.node, (0, omega * CRANK, 0), (0, 0, -omega * CRANK / COUPLER), about=a)
    return Mechanism(model, crank, coupler, slider)


def hertz(p: Parameters) -> Hertz:
    """Equation 19: journal in its bearing."""
    steel = Material(young=p.young, poisson=p.poisson, density=p.density)
    return Hertz.inside(p.radius_bearing, p.radius_bearing - p.clearance, steel, steel)


def friction_law(p: Parameters) -> FrictionLaw:
    """The friction law selected by the parameters."""
    if p.friction == "none":
        return Frictionless()
    if p.friction == "ambrosio":
        return Ambrosio(p.mu_k, p.ambrosio_v0, p.ambrosio_v1)
    if p.friction == "coulomb":
        return Coulomb(p.mu_k, p.coulomb_velocity)
    return LuGre(sigma_0=p.sigma_0, sigma_1=p.sigma_1, mu_s=p.mu_s, mu_k=p.mu_k, v_s=p.v_s)


def build_mechanism(p: Parameters) -> Mechanism:
    """The mechanism of the parameters."""

    def loose(bearing: Attachment, journal: Attachment) -> SphericalClearance:
        radii = p.radius_bearing, p.radius_bearing - p.clearance
        normal = LankaraniNikravesh(hertz(p), p.restitution)
        return SphericalClearance(bearing, journal, *radii, normal, friction_law(p), name="clearance")

    return assemble(p.clearance_at, p.omega, loose)
