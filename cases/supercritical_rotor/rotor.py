"""Model of the rotor: shaft, disk, revolute joint with its torque, and the joint with clearance."""

from __future__ import annotations

from dataclasses import dataclass
from math import pi

import numpy as np

from fem_mbd.cases.supercritical_rotor.parameters import Parameters
from fem_mbd.core.model.model import Model
from fem_mbd.core.model.node import Node
from fem_mbd.core.model.time_functions import Harmonic, Piecewise, Polynomial
from fem_mbd.elements import Beam, BeamHandle, JointTorque, RigidBody, Section
from fem_mbd.friction import Frictionless, HuntCrossley, Linear, LuGre
from fem_mbd.friction.records import FrictionLaw, NormalLaw
from fem_mbd.joints import DrivenRevolute, Revolute, SpatialClearance

AXIS = np.array([0.0, 0.0, 1.0])
UP = np.array([0.0, 1.0, 0.0])  # direction of section axis 3 at the start


@dataclass(frozen=True)
class Rotor:
    """The model and its parts; ``middle`` is the node at mid-span."""

    model: Model
    shaft: BeamHandle
    middle: Node


def shaft_section(p: Parameters) -> Section:
    """The tube with its mass centre off the axis."""
    polar = p.polar_factor * p.mass_per_length * (p.mean_radius**2 + p.wall**2 / 4)
    angle = np.radians(p.eccentricity_angle)
    return Section.from_rigidities(
        EA=p.axial_stiffness, GA2=p.shear_stiffness, GA3=p.shear_stiffness,
        GJ=p.torsion, EI2=p.bending_2, EI3=p.bending_3,
        mass_per_length=p.mass_per_length,
        inertia=(polar, polar / 2, polar / 2),
        mass_centre=p.eccentricity * np.array([np.cos(angle), np.sin(angle)]),
    )  # fmt: skip


def build_shaft(p: Parameters) -> Rotor:
    """Shaft and disk, hinged to the ground at R about its axis, or driven there, and free at T."""
    model = Model(gravity=(0.0, -p.gravity, 0.0), name="supercritical rotor")
    shaft = model.add(
        Beam(
            shaft_section(p), (0, 0, 0), p.length * AXIS, up=UP, elements=p.elements, order=p.order,
            damping=p.damping, name="shaft",
        )
    )  # fmt: skip
    middle = shaft.node_nearest(0.5)
    polar = p.disk_mass * p.disk_radius**2 / 2
    # node axes are section axes: 1 along the shaft
    model.add(RigidBody(p.disk_mass, (polar, polar / 2, polar / 2), node=middle, name="disk"))
    if p.speed == 0.0:
        model.add(Revolute(model.ground, shaft.start, at=(0, 0, 0), axis=AXIS, name="R"))
    else:
        angle = Polynomial((0.0, p.speed))
        model.add(DrivenRevolute(model.ground, shaft.start, at=(0, 0, 0), axis=AXIS, angle=angle, name="R"))
        model.set_velocity(shaft, omega=p.speed * AXIS, about=(0, 0, 0))
    return Rotor(model, shaft, middle)


def build_rotor(p: Parameters) -> Rotor:
    """The complete rotor at rest, or turning with its driver, its end disk centred in the cylinder."""
    rotor = build_shaft(p)
    model, shaft = rotor.model, rotor.shaft
    if p.speed == 0.0:
        rising = Harmonic(-p.torque, 2 * pi, pi / 2, offset=p.torque)
        held = p.torque * (1 - np.cos(2 * pi * p.torque_time))
        torque = Piecewise((p.torque_time,), (rising, held))
        model.add(JointTorque(model.ground, shaft.start, AXIS, torque, name="torque"))
    normal: NormalLaw = Linear(p.contact_stiffness)
    if p.hunt_crossley > 0:
        normal = HuntCrossley(Linear(p.contact_stiffness), p.hunt_crossley)
    friction: FrictionLaw = Frictionless()
    if p.friction > 0:
        friction = LuGre(sigma_0=p.sigma_0, mu_s=p.friction, mu_k=p.friction, v_s=p.stribeck_velocity)
    model.add(
        SpatialClearance(
            model.ground.at(p.length * AXIS), shaft.end, p.radius_cylinder, p.radius_disk, normal, friction,
            name="T", axis=AXIS,
        )
    )  # fmt: skip
    return rotor
