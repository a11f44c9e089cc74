"""Parameters (data of the paper, and assumptions for data it omits), model, simulation, critical speeds of the rotor.

The model: shaft, disk, revolute joint with its torque, and the joint with clearance. The critical speeds are those of
the linearised model with the end T constrained to the axis: between the two critical speeds of a shaft of unequal
stiffness the straight shaft is unstable: the paper's unstable zone. The eccentricity is left out: to the linearised
model it is a load.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from math import pi, sqrt
from typing import Literal

import numpy as np

from fem_mbd.base.arrays import Array
from fem_mbd.case_parameters import check_not_negative, check_positive, parameter
from fem_mbd.core.model.model import Model
from fem_mbd.core.model.node import Node
from fem_mbd.core.model.time_functions import Harmonic, Piecewise, Polynomial
from fem_mbd.core.solver.simulation import Simulation
from fem_mbd.core.stepping.step_control import StepControl
from fem_mbd.core.stepping.step_rules import Penetration, Stribeck
from fem_mbd.elements import Beam, BeamHandle, JointTorque, RigidBody, Section
from fem_mbd.errors import InputError
from fem_mbd.friction import Frictionless, HuntCrossley, Linear, LuGre
from fem_mbd.friction.records import FrictionLaw, NormalLaw
from fem_mbd.joints import DrivenRevolute, Revolute, SpatialClearance
from fem_mbd.joints.pair import Condition, Joint, PairFrame, on_axis

AXIS = np.array([0.0, 0.0, 1.0])
UP = np.array([0.0, 1.0, 0.0])  # direction of section axis 3 at the start
FIRST_STEP = 1e-4  # s
MIN_FREQUENCY = 1.0  # rad/s: lower frequencies are rotation or sliding of the whole shaft


@dataclass(frozen=True)
class Parameters:
    """Defaults are those of the paper, or assumed where the text gives none (marked so). SI units."""

    end_time: float = parameter(3.0, "s", "assumed: the paper's text mentions nothing later than 2.6 s")
    dt_max: float = parameter(2e-3, "s", "largest step, assumed")
    damping: float = parameter(8e-4, "s", "Kelvin-Voigt damping of the shaft, assumed; 0 gives dry whirl")
    whirl_time: float = parameter(1.5, "s", "end of the undamped run shown in the figures; 0: no such run")
    length: float = parameter(6.0, "m", "of the shaft, from R to T")
    bending_2: float = parameter(28.2e3, "N m^2", "bending stiffness about section axis 2")
    bending_3: float = parameter(28.7e3, "N m^2", "bending stiffness about section axis 3")
    torsion: float = parameter(22.1e3, "N m^2", "torsional stiffness")
    section: Literal["fitted", "tube"] = parameter(
        "fitted", "", "shear and axial stiffness: fitted to the critical speeds, or those of the paper's tube"
    )
    shear: float | None = parameter(
        None,
        "N",
        "shear stiffness in both directions; none: 2.0 MN fitted to the critical speeds, 4.4 MN of the tube",
    )
    axial: float | None = parameter(
        None, "N", "axial stiffness; none: 50 MN with the fitted section, assumed, 22.6 MN of the tube"
    )
    mass_per_length: float = parameter(0.848, "kg/m", "of the shaft")
    mean_radius: float = parameter(
        50e-3, "m", "of the tube; with the wall it gives the rotary inertia, assumed"
    )
    wall: float = parameter(5e-3, "m", "thickness of the tube's wall")
    polar_factor: float = parameter(1.0, "", "scales the tube's rotary inertia m (R^2 + t^2/4), assumed 1")
    eccentricity: float = parameter(
        1e-3, "m", "offset of the shaft's mass centre from its axis, whole length"
    )
    eccentricity_angle: float = parameter(
        90.0,
        "deg",
        "direction of that offset from section axis 2 towards 3, chosen to agree with the paper's statements",
    )
    disk_mass: float = parameter(5.0, "kg", "rigid disk at mid-span, centred on the axis (assumed)")
    disk_radius: float = parameter(15e-3, "m", "of that disk, whose inertia is that of a thin one")
    torque: float = parameter(0.825, "N m", "Q0 of the torque Q0 (1 - cos 2 pi t) at R")
    speed: float = parameter(0.0, "rad/s", "a driver turns the rotor at this speed; 0: the torque turns it")
    torque_time: float = parameter(0.93, "s", "t_s, from which the torque is constant")
    radius_cylinder: float = parameter(80.8e-3, "m", "outer race of the joint at T")
    radius_disk: float = parameter(80e-3, "m", "inner race")
    contact_stiffness: float = parameter(15e6, "N/m", "linear contact spring")
    hunt_crossley: float = parameter(0.0, "s/m", "contact damping, assumed none")
    friction: float = parameter(0.3, "", "mu_s = mu_k of the LuGre model; 0 for a frictionless contact")
    sigma_0: float = parameter(1e5, "1/m", "bristle stiffness of the LuGre model")
    stribeck_velocity: float = parameter(1e-3, "m/s", "v_s of the LuGre model")
    penetration: float = parameter(3e-6, "m", "eps_p of the contact rule of step control, eq. 19")
    tau_min: float = parameter(0.1, "", "smallest step of the friction rule in time constants, eq. 33")
    gravity: float = parameter(0.0, "m/s^2", "across the shaft; the paper has none")
    elements: int = parameter(6, "", "beam elements of the shaft, an even number: a node carries the disk")
    order: Literal[2, 3, 4] = parameter(3, "", "nodes per element")

    @property
    def shear_stiffness(self) -> float:
        """GA in N: given, fitted (2.0 MN), or half of G A, G from the torsional stiffness of a thin tube."""
        if self.shear is not None:
            return self.shear
        return 2.0e6 if self.section == "fitted" else 0.5 * self.torsion / self._turning_radius**2

    @property
    def axial_stiffness(self) -> float:
        """EA in N: given, assumed (50 MN), or E from the mean bending stiffness of a thin tube."""
        if self.axial is not None:
            return self.axial
        bending = 0.5 * (self.bending_2 + self.bending_3)
        return 50e6 if self.section == "fitted" else 2.0 * bending / self._turning_radius**2

    @property
    def _turning_radius(self) -> float:
        """m, radius of gyration of a thin tube about its axis, root of R^2 + t^2/4."""
        return sqrt(self.mean_radius**2 + self.wall**2 / 4)

    def __post_init__(self) -> None:
        check_positive(
            self,
            "supercritical_rotor",
            "end_time dt_max length torque_time mean_radius polar_factor disk_mass",
        )
        if self.elements < 2 or self.elements % 2:
            raise InputError(
                f"supercritical_rotor: elements is {self.elements}: give an even number, so that a node is at mid-span"
            )
        check_not_negative(self, "supercritical_rotor", "whirl_time")


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
        steady = p.torque * (1 - np.cos(2 * pi * p.torque_time))
        torque = Piecewise((p.torque_time,), (rising, steady))
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


def build(parameters: Parameters) -> Simulation:
    """The paper's rules: contact with q_min = 5, alpha = 1.2; friction with v_min = 500, alpha = 1.2."""
    p = parameters
    contact = Penetration(p.penetration, q_min=5.0, alpha=1.2)
    friction = Stribeck(p.tau_min, v_min=500.0, alpha=1.2)
    control = StepControl(contact, friction, dt_initial=min(FIRST_STEP, p.dt_max), dt_max=p.dt_max)
    return Simulation(build_rotor(p).model, p.end_time, control)


@dataclass(frozen=True, eq=False)
class PointOnAxis(Joint):
    """Joint with two conditions: the point of L stays on the shaft's axis through the point of K, free to slide and to
    tilt.
    """

    def axis_direction(self) -> Array:
        return AXIS

    def conditions(self, x_k: Array, x_l: Array, frame: PairFrame) -> list[Condition]:
        return on_axis(x_k, x_l, frame, 0)


@dataclass(frozen=True)
class CriticalSpeeds:
    """rad/s: the two lowest critical speeds, and the two lowest natural frequencies at rest."""

    zone: tuple[float, float]
    at_rest: tuple[float, float]


def held_shaft(parameters: Parameters) -> Model:
    """The shaft at rest, clamped in bending at R, constrained to its axis at T and without eccentricity."""
    p = replace(parameters, gravity=0.0, eccentricity=0.0)
    rotor = build_shaft(p)
    model = rotor.model
    model.add(PointOnAxis(model.ground.at(p.length * AXIS), rotor.shaft.end, name="T"))
    return model


@lru_cache(maxsize=4)
def critical_speeds(parameters: Parameters) -> CriticalSpeeds:
    """Critical speeds and frequencies of the undamped `held_shaft`."""
    from fem_mbd.analysis.modal.modes import modes  # not at module level: a run does not need it
    from fem_mbd.analysis.rotors import critical

    model = held_shaft(replace(parameters, damping=0.0))
    zone = critical.critical_speeds(model, axis=AXIS, number=2).speeds
    natural = modes(model, 6, undamped=True).frequencies_hz * 2 * np.pi
    natural = np.sort(natural[natural > MIN_FREQUENCY])
    return CriticalSpeeds((float(zone[0]), float(zone[1])), (float(natural[0]), float(natural[1])))
