"""Parameters (data of the paper, and assumptions for data it omits), model and simulation of the slider-crank.

Crank, coupler and slider are rigid and move in one plane; the caller chooses one of the joints.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import pi
from typing import Literal

from fem_mbd.case_parameters import check_not_negative, check_positive, parameter
from fem_mbd.core.model.model import Model
from fem_mbd.core.model.node import Attachment
from fem_mbd.core.model.time_functions import Polynomial
from fem_mbd.core.newton.newton_options import NewtonOptions
from fem_mbd.core.solver.simulation import Simulation
from fem_mbd.core.stepping.step_control import StepControl
from fem_mbd.core.stepping.step_rules import Penetration, Stribeck
from fem_mbd.elements import BodyHandle, Material, RigidBody
from fem_mbd.errors import InputError
from fem_mbd.friction import Ambrosio, Coulomb, FrictionLaw, Frictionless, Hertz, LankaraniNikravesh, LuGre
from fem_mbd.joints import DrivenRevolute, Prismatic, Revolute, SphericalClearance

# 1 % of the largest tangential velocity of runs at 2500 rev/min with the default data; increases with the speed
ONE_PERCENT = {"crank": 0.03, "slider": 0.0175}  # m/s
Location = Literal["crank", "slider"]
ClearanceJoint = Callable[[Attachment, Attachment], SphericalClearance]  # of bearing and journal
CRANK, COUPLER = 0.05, 0.3  # m
CRANK_MASS, CRANK_INERTIA, COUPLER_MASS, COUPLER_INERTIA = 17.9, 0.460327, 1.13, 0.0153
SLIDER_MASS, SLIDER_INERTIA = 1.013, 1e-4  # the slider does not rotate


@dataclass(frozen=True)
class Parameters:
    """Defaults are those of the paper, or assumed where the text gives none (marked so). SI units."""

    clearance_at: Literal["crank", "slider"] = parameter(
        "crank", "", "joint with clearance: crank-coupler or slider-coupler"
    )
    friction: Literal["lugre", "ambrosio", "coulomb", "none"] = parameter(
        "lugre",
        "",
        "friction law; ambrosio: eqs. 4 and 5; coulomb: regularised by an exponential; both with mu_k only",
    )
    revolutions: float = parameter(2.0, "", "of the crank; the paper shows the second")
    crank_speed: float = parameter(2500.0, "rev/min", "constant speed of the crank")
    radius_bearing: float = parameter(5e-3, "m", "nominal bearing diameter 10 mm")
    clearance: float = parameter(0.5e-3, "m", "radial clearance")
    young: float = parameter(207e9, "Pa", "of journal and bearing")
    poisson: float = parameter(0.3, "", "of both")
    density: float = parameter(7800.0, "kg/m^3", "of both, assumed (steel); for the law's range only")
    restitution: float = parameter(0.9, "", "coefficient of restitution")
    mu_k: float = parameter(0.1, "", "kinetic coefficient of friction")
    mu_s: float = parameter(0.2, "", "static coefficient of friction")
    sigma_0: float = parameter(1e5, "1/m", "bristle stiffness per unit normal force")
    sigma_1: float = parameter(0.0, "s/m", "bristle damping per unit normal force; see the case's text")
    stribeck_velocity: float = parameter(
        0.0, "m/s", "v_s; 0: 1 % of the largest tangential velocity of the run, as in the paper"
    )
    friction_point: Literal["common", "printed"] = parameter(
        "common", "", "friction acts at one point, or at the surfaces of journal and bearing"
    )
    ambrosio_v0: float = parameter(1e-4, "m/s", "v_0 of the ambrosio law, assumed")
    ambrosio_v1: float = parameter(1e-3, "m/s", "v_1 of the ambrosio law, assumed")
    coulomb_velocity: float = parameter(1e-3, "m/s", "regularisation of the coulomb law, assumed")
    dt_max: float = parameter(2e-5, "s", "largest step")
    penetration: float = parameter(4e-6, "m", "eps_p of the contact rule of step control")
    tau_min: float = parameter(0.1, "", "smallest step of the friction rule in time constants")

    def __post_init__(self) -> None:
        check_positive(self, "slider_crank_clearance", "revolutions crank_speed dt_max penetration tau_min")
        check_not_negative(self, "slider_crank_clearance", "stribeck_velocity")
        if not 0 < self.clearance < self.radius_bearing:
            raise InputError(
                f"slider_crank_clearance: clearance is {self.clearance}: it must be between zero and the "
                f"bearing's radius {self.radius_bearing}"
            )

    @property
    def v_s(self) -> float:
        """Stribeck velocity in m/s, given or from runs."""
        return self.stribeck_velocity or ONE_PERCENT[self.clearance_at] * self.crank_speed / 2500.0

    @property
    def omega(self) -> float:
        """Speed of the crank, rad/s."""
        return self.crank_speed * 2 * pi / 60

    @property
    def end_time(self) -> float:
        """Seconds for the revolutions."""
        return self.revolutions * 2 * pi / self.omega


@dataclass(frozen=True)
class Mechanism:
    """The model and its bodies; crank and coupler start in line along i1."""

    model: Model
    crank: BodyHandle
    coupler: BodyHandle
    slider: BodyHandle


def assemble(location: Location, omega: float, joint: ClearanceJoint, aside: float = 0.0) -> Mechanism:
    """The mechanism turning with ``omega`` (rad/s), with the velocities of the ideal mechanism.

    ``joint(bearing, journal)`` returns the joint at ``location``: bearing on the crank and journal on the coupler, or
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
    if location == "crank":
        model.add(Revolute(coupler.node, slider.node, at=b, axis=(0, 0, 1), name="B"))
        model.add(joint(crank.node.at((0.5 * CRANK, 0, 0)), coupler.node.at((-0.5 * COUPLER, 0, 0))))
    else:
        model.add(Revolute(crank.node, coupler.node, at=a, axis=(0, 0, 1), name="A"))
        model.add(joint(slider.node, coupler.node.at((0.5 * COUPLER, 0, 0))))
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

    def joint(bearing: Attachment, journal: Attachment) -> SphericalClearance:
        radii = p.radius_bearing, p.radius_bearing - p.clearance
        normal = LankaraniNikravesh(hertz(p), p.restitution)
        return SphericalClearance(
            bearing,
            journal,
            *radii,
            normal,
            friction_law(p),
            friction_point=p.friction_point,
            name="clearance",
        )

    return assemble(p.clearance_at, p.omega, joint)


def build(parameters: Parameters) -> Simulation:
    """Steps by the change of the gap and by the time constant of the bristles, on a geometric grid of sizes."""
    p = parameters
    rules = Penetration(p.penetration), Stribeck(p.tau_min)
    control = StepControl(*rules, dt_initial=1e-7, dt_min=1e-12, dt_max=p.dt_max, quantise=True)
    # bristle damping makes friction so stiff that a reused factorisation leaves an energy residual of 1e-9
    newton = NewtonOptions(reuse=p.friction != "lugre" or p.sigma_1 == 0.0)
    return Simulation(build_mechanism(p).model, p.end_time, control, newton=newton)
