"""Parameters (data of the paper, and assumptions for data it omits), mechanism and simulation of the two cases.

The mechanism: crank, link, slider, beam, their joints, and consistent initial velocities.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from fem_mbd.base.arrays import Array
from fem_mbd.base.validation import whole_number
from fem_mbd.case_parameters import check_positive, parameter
from fem_mbd.core.model.model import Model
from fem_mbd.core.model.time_functions import Ramp
from fem_mbd.core.newton.equations import NewtonOptions
from fem_mbd.core.solver.simulation import Simulation
from fem_mbd.core.stepping.step_control import StepControl
from fem_mbd.core.stepping.step_rules import Penetration, PrintedPenetration, PrintedStribeck, Stribeck
from fem_mbd.elements import Beam, BeamHandle, BodyHandle, RigidBody, Section
from fem_mbd.elements.section.shapes import ellipse_corners as ellipse
from fem_mbd.errors import InputError
from fem_mbd.friction import Frictionless, HuntCrossley, Linear, LuGre
from fem_mbd.friction.records import FrictionLaw
from fem_mbd.joints import DrivenRevolute, Prismatic, Spherical, SphericalClearance, Universal

LINK_MASS = 0.85
NO_LIMIT = 5e-3  # s, twice the largest step chosen by the printed rules
FIRST_STEP = 1e-5  # s, case 2: the ball starts pressed against the socket
I1, I2, I3 = np.eye(3)
YOUNG, SHEAR, DENSITY = 73e9, 27.4e9, 2700.0  # aluminium, assumed
CRANK, LINK, SLIDER_MASS = 0.2, 1.0, 5.0


@dataclass(frozen=True)
class Parameters:
    """Defaults are those of the paper, or assumed where the text gives none (marked so). SI units."""

    case: Literal[1, 2] = parameter(
        2, "", "1: ideal spherical joint at Q, 2: clearance, contact and friction"
    )
    revolutions: float = parameter(6.0, "", "crank revolutions; the paper shows the fifth of six")
    dt: float = parameter(1e-3, "s", "constant step of case 1")
    dt_max: float = parameter(2.5e-4, "s", "largest step of case 2, a twentieth of the ball's whirl; assumed")
    steps: Literal["resolved", "printed"] = parameter(
        "resolved", "", "case 2: resolved, or only the paper's rules as printed"
    )
    damping: float = parameter(1e-3, "s", "Kelvin-Voigt damping of all beams, assumed")
    hunt_crossley: float = parameter(0.0, "s/m", "contact damping, assumed none")
    crank_speed: float = parameter(20.0, "rad/s", "constant speed of the crank")
    beam_length: float = parameter(0.6, "m", "cantilevered beam, assumed")
    offset: float = parameter(0.4, "m", "distance of the crank's axis from the beam's, assumed")
    phase: float = parameter(200.0, "deg", "direction of that offset about i1, from i2, assumed")
    slider_inertia: float = parameter(5e-3, "kg m^2", "about all axes, assumed")
    axial_factor: float = parameter(
        1.0, "", "scales the axial stiffness of all beams, assumed to be that of tubes"
    )
    radius_socket: float = parameter(50e-3, "m", "outer race of the joint at Q")
    radius_ball: float = parameter(49.5e-3, "m", "inner race")
    contact_stiffness: float = parameter(15e6, "N/m", "linear contact spring")
    friction: float = parameter(
        0.3, "", "mu_s = mu_k of the LuGre model, 0: none; with 0.22 the joint opens near 275 deg"
    )
    sigma_0: float = parameter(1e5, "1/m", "bristle stiffness of the LuGre model")
    stribeck_velocity: float = parameter(1e-3, "m/s", "v_s of the LuGre model")
    friction_point: Literal["common", "printed"] = parameter(
        "common", "", "friction acts at one point, or as printed at the surfaces of ball and socket"
    )
    bristle: Literal["vector", "scalar"] = parameter(
        "vector", "", "bristle state: vector, or the paper's scalar"
    )
    penetration: float = parameter(3e-6, "m", "eps_p of the contact rule of step control, eq. 19")
    tau_min: float = parameter(5e-4, "", "smallest step of the friction rule in time constants, eq. 33")
    elements: int = parameter(2, "", "beam elements of link and beam; the crank has half as many")
    order: Literal[2, 3, 4] = parameter(3, "", "nodes per element")

    def __post_init__(self) -> None:
        check_positive(self, "crank_mechanism", "revolutions dt dt_max crank_speed beam_length")
        whole_number(self.elements, "crank_mechanism: elements")

    @property
    def end_time(self) -> float:
        """Seconds for the crank revolutions."""
        return self.revolutions * 2 * np.pi / self.crank_speed


@dataclass(frozen=True)
class Mechanism:
    """The model and its parts."""

    model: Model
    crank: BeamHandle
    link: BeamHandle
    beam: BeamHandle
    slider: BodyHandle


@dataclass(frozen=True)
class Start:
    """Rigid-body kinematics at theta = 0: positions, velocities, and the force on the link at Q, global axes."""

    s: Array
    p: Array
    q: Array
    crank_spin: Array
    link_spin: Array
    v_p: Array
    v_q: Array
    force: Array


def tube_section(
    bending_2: float, bending_3: float, torsion: float, mass: float, axial_factor: float
) -> Section:
    """Aluminium tube with the given bending and torsional stiffness (N m^2) and mass (kg/m); the other properties
    follow.
    """
    area = mass / DENSITY
    inertia = DENSITY * np.array([bending_2 + bending_3, bending_2, bending_3]) / YOUNG
    shear = 0.5 * SHEAR * area
    stiffness = np.diag([axial_factor * YOUNG * area, shear, shear, torsion, bending_2, bending_3])
    # drawn as a thin-walled tube of this stiffness: EI = EA r^2 / 2
    drawn = ellipse(*np.sqrt(2.0 * np.array([bending_3, bending_2]) / (YOUNG * area)))
    return Section(stiffness, mass, np.diag(inertia), outline=drawn)


def start(p: Parameters) -> Start:
    """Positions, velocities and the joint force of the rigid mechanism at the start."""
    angle = np.radians(p.phase)
    s = p.offset * (np.cos(angle) * I2 + np.sin(angle) * I3)
    crank_end = s + CRANK * I2
    aside = float(np.hypot(crank_end[1], crank_end[2]))
    if aside >= LINK:
        raise InputError(
            f"crank_mechanism: offset = {p.offset} m puts the crank's end {aside:.3g} m off the slide, out "
            "of the link's reach"
        )
    q = np.sqrt(LINK**2 - aside**2) * I1
    along = (q - crank_end) / LINK
    w = p.crank_speed * I1
    v_p, a_p = np.cross(w, CRANK * I2), np.cross(w, np.cross(w, CRANK * I2))
    # |Q - P| = LINK: velocity and acceleration of the slider along i1
    v_q = (along @ v_p) / along[0] * I1
    relative = v_q - v_p
    a_q = (along @ a_p - relative @ relative / LINK) / along[0] * I1
    across = np.cross(along, relative) / LINK
    axis = _link_axis(along)
    # the universal joint transmits rotation: d(i3 fixed to the crank . axis fixed to the link)/dt = 0
    turning = lambda spin: np.cross(w, I3) @ axis + I3 @ np.cross(across + spin * along, axis)  # noqa: E731
    spin = -turning(0.0) / (turning(1.0) - turning(0.0))
    force = _force_on_link(along, a_p, a_q)
    return Start(s, crank_end, q, w, across + spin * along, v_p, v_q, force)


def _link_axis(along: Array) -> Array:
    axis = np.cross(along, I3)
    return axis / np.linalg.norm(axis)


def _force_on_link(along: Array, a_p: Array, a_q: Array) -> Array:
    """Force (3,) on the link at Q: moment balance of a thin rod about P, and the slider's balance along i1."""
    lever = LINK_MASS * (a_p / 6 + a_q / 3)
    across = lever - along * (along @ lever)
    axial = (-SLIDER_MASS * a_q[0] - across[0]) / along[0]
    return across + axial * along


def build_mechanism(p: Parameters) -> Mechanism:
    """The model of either case, with consistent initial velocities; in case 2 the ball starts in contact."""
    at = start(p)
    shift = np.zeros(3)
    if p.case == 2:
        press = float(np.linalg.norm(at.force))
        # the link is pushed by -n f_n, n from the socket's centre to the ball's
        shift = at.force / press * (p.radius_socket - p.radius_ball + press / p.contact_stiffness)
    model = Model(name="crank mechanism")
    crank = _crank(model, p, at)
    link = _link(model, p, at)
    tip = I1 + shift
    section = tube_section(23e3, 23e3, 18e3, 1.6, p.axial_factor)
    beam = model.add(
        Beam(
            section,
            tip,
            tip + p.beam_length * I1,
            elements=p.elements,
            order=p.order,
            damping=p.damping,
            name="beam",
        )
    )
    model.fix(beam.end)
    slider = model.add(
        RigidBody(SLIDER_MASS, p.slider_inertia * np.ones(3), position=at.q + shift, name="slider")
    )
    model.add(
        DrivenRevolute(
            model.ground,
            crank.start,
            at=at.s,
            axis=I1,
            angle=Ramp(0.0, p.end_time, 0.0, p.crank_speed * p.end_time),
            name="S",
        )
    )
    along = (at.q - at.p) / LINK
    model.add(Universal(crank.end, link.start, axis_k=I3, axis_l=_link_axis(along), name="P"))
    model.add(Prismatic(beam.start, slider.node, axis=I1, name="slide"))
    _joint_at_q(model, p, slider, link)
    model.set_velocity(crank.nodes, np.zeros(3), at.crank_spin, about=at.s)
    model.set_velocity(link.nodes, at.v_p, at.link_spin, about=at.p)
    model.set_velocity(slider.node, at.v_q)
    return Mechanism(model, crank, link, beam, slider)


def _crank(model: Model, p: Parameters, at: Start) -> BeamHandle:
    section = tube_section(23.2e3, 29.8e3, 28e3, 1.6, p.axial_factor)
    count = max(1, p.elements // 2)
    return model.add(
        Beam(section, at.s, at.p, up=I1, elements=count, order=p.order, damping=p.damping, name="crank")
    )


def _link(model: Model, p: Parameters, at: Start) -> BeamHandle:
    section = tube_section(12e3, 12e3, 9e3, LINK_MASS, p.axial_factor)
    return model.add(
        Beam(section, at.p, at.q, up=I3, elements=p.elements, order=p.order, damping=p.damping, name="link")
    )


def _joint_at_q(model: Model, p: Parameters, slider: BodyHandle, link: BeamHandle) -> None:
    if p.case == 1:
        model.add(Spherical(slider.node, link.end, name="Q"))
        return
    normal = Linear(p.contact_stiffness)
    friction: FrictionLaw = Frictionless()
    if p.friction > 0:
        friction = LuGre(
            sigma_0=p.sigma_0, mu_s=p.friction, mu_k=p.friction, v_s=p.stribeck_velocity, form=p.bristle
        )
    model.add(
        SphericalClearance(
            slider.node,
            link.end,
            p.radius_socket,
            p.radius_ball,
            HuntCrossley(normal, p.hunt_crossley) if p.hunt_crossley > 0 else normal,
            friction,
            friction_point=p.friction_point,
            name="Q",
        )
    )


def build(parameters: Parameters) -> Simulation:
    """Case 1: constant step. Case 2: the paper's rules with q_min = v_min = 5, alpha 1.2 and 1.5."""
    p = parameters
    if p.case == 1:
        return Simulation(
            build_mechanism(p).model, p.end_time, StepControl.fixed(p.dt), newton=NewtonOptions()
        )
    control = printed_control(p) if p.steps == "printed" else resolved_control(p)
    return Simulation(build_mechanism(p).model, p.end_time, control, newton=NewtonOptions(reuse=True))


def printed_control(p: Parameters) -> StepControl:
    """The rules as printed: no limit on the growth of steps, and a largest step that is never reached."""
    contact = PrintedPenetration(p.penetration, q_min=5.0, alpha=1.2)
    friction = PrintedStribeck(p.tau_min, v_min=5.0, alpha=1.5)
    return StepControl(contact, friction, dt_initial=FIRST_STEP, dt_max=NO_LIMIT, growth=float("inf"))


def resolved_control(p: Parameters) -> StepControl:
    """The same rules in this package's reading, with a largest step that resolves the ball's whirl.

    Sizes are rounded down to a geometric grid, so that the factorisation is reused over the many small steps.
    """
    contact = Penetration(p.penetration, q_min=5.0, alpha=1.2)
    friction = Stribeck(p.tau_min, v_min=5.0, alpha=1.5)
    return StepControl(contact, friction, dt_initial=FIRST_STEP, dt_max=p.dt_max, quantise=True)
