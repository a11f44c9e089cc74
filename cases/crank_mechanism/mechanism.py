"""Model of the mechanism: crank, link, slider, beam, their joints, and consistent initial velocities."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fem_mbd.base.arrays import Array
from fem_mbd.cases.crank_mechanism.parameters import Parameters
from fem_mbd.core.model.model import Model
from fem_mbd.core.model.time_functions import Ramp
from fem_mbd.elements import Beam, BeamHandle, BodyHandle, RigidBody, Section
from fem_mbd.elements.section.outline import ellipse
from fem_mbd.errors import InputError
from fem_mbd.friction import Frictionless, HuntCrossley, Linear, LuGre
from fem_mbd.friction.records import FrictionLaw
from fem_mbd.joints import DrivenRevolute, Prismatic, Spherical, SphericalClearance, Universal

I1, I2, I3 = np.eye(3)
YOUNG, SHEAR, DENSITY = 73e9, 27.4e9, 2700.0  # aluminium, assumed
CRANK, LINK, SLIDER_MASS = 0.2, 1.0, 5.0
LINK_MASS = 0.85


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
            name="Q",
        )
    )
