"""Parameters and model of the overhung rotor, started in the steady sliding position, and its step control."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import eigh

from fem_mbd.case_parameters import check_positive, parameter
from fem_mbd.core.model.model import Model
from fem_mbd.core.rotations import triad_with_first
from fem_mbd.core.solver.simulation import Simulation
from fem_mbd.core.stepping.step_control import StepControl
from fem_mbd.core.stepping.step_rules import Penetration, Stribeck
from fem_mbd.elements import BodyHandle, RigidBody
from fem_mbd.friction import HuntCrossley, Linear, LuGre
from fem_mbd.friction.records import NormalLaw
from fem_mbd.joints import JournalBearing, JournalBearingHandle

AXIS = np.array([1.0, 0.0, 0.0])
UP = np.array([0.0, 0.0, 1.0])


@dataclass(frozen=True)
class Parameters:
    """The rotor and its bearing; SI units. The case's data are its own."""

    end_time: float = parameter(2.6, "s", "slightly beyond the standstill")
    speed: float = parameter(30.0, "rad/s", "spin at the start")
    mass: float = parameter(3.0, "kg", "of the overhung disk; the journal has none")
    disk_radius: float = parameter(0.1, "m", "of the disk, thin and uniform")
    overhang: float = parameter(0.06, "m", "from the journal's end to the disk")
    length: float = parameter(0.1, "m", "of the journal, between its edges")
    radius_sleeve: float = parameter(20.2e-3, "m", "of the sleeve")
    radius_journal: float = parameter(20e-3, "m", "of the journal")
    gravity: float = parameter(9.81, "m/s^2", "across the axis")
    contact_stiffness: float = parameter(15e6, "N/m", "linear contact spring of each edge")
    hunt_crossley: float = parameter(0.5, "s/m", "contact damping")
    friction: float = parameter(0.2, "", "mu_s = mu_k of the LuGre model")
    sigma_0: float = parameter(1e5, "1/m", "bristle stiffness of the LuGre model")
    sigma_1: float = parameter(1e-2, "s/m", "damping of the bristles")
    stribeck_velocity: float = parameter(1e-3, "m/s", "v_s of the LuGre model")
    penetration: float = parameter(3e-6, "m", "eps_p of the contact rule of step control")
    tau_min: float = parameter(0.1, "", "smallest step of the friction rule in time constants")
    dt_max: float = parameter(2e-4, "s", "largest step")

    def __post_init__(self) -> None:
        check_positive(
            self, "journal_bearing", "end_time speed mass disk_radius gravity friction dt_max overhang"
        )

    @property
    def reactions(self) -> tuple[float, float]:
        """Forces (N) that carry the weight: on the edge far from the disk (pressed up) and on the one near it."""
        weight = self.mass * self.gravity
        return weight * self.overhang / self.length, weight * (self.length + self.overhang) / self.length

    @property
    def friction_angle(self) -> float:
        """atan(mu), rad."""
        return float(np.arctan(self.friction))

    @property
    def inertia(self) -> float:
        """Polar moment of the disk, kg m^2."""
        return self.mass * self.disk_radius**2 / 2

    @property
    def deceleration(self) -> float:
        """rad/s^2: both edges' forces carry the weight and touch the friction circle of radius r sin(atan mu)."""
        arm = self.radius_journal * np.sin(self.friction_angle)
        return float(arm * sum(self.reactions) / self.inertia)

    @property
    def standstill(self) -> float:
        """Time (s) at which the spin reaches zero."""
        return self.speed / self.deceleration

    @property
    def rocking(self) -> float:
        """rad/s, small oscillations of the journal at rest, rolling back and forth on both edges.

        Two unknowns: the angle of the edges round the sleeve, and the spin. An edge e is c_e (clearance and
        penetration) off the axis; bristles of stiffness sigma_0 f_e hold its rolling, c_e angle + r spin.
        """
        far, near = self.reactions
        c_far, c_near = (
            self.radius_sleeve - self.radius_journal + force / self.contact_stiffness for force in (far, near)
        )
        share = self.overhang / self.length
        shift = c_near * (1 + share) + c_far * share  # displacement of the disk's centre per unit angle
        tilt = (c_near + c_far) / self.length
        mass = np.diag([self.mass * shift**2 + self.inertia / 2 * tilt**2, self.inertia])
        stiffness = np.diag([self.mass * self.gravity * shift, 0.0])
        for force, c in ((far, c_far), (near, c_near)):
            rolled = np.array([c, self.radius_journal])
            stiffness += self.sigma_0 * force * np.outer(rolled, rolled)
        return float(np.sqrt(eigh(stiffness, mass, eigvals_only=True)[0]))


@dataclass(frozen=True)
class Rotor:
    """The model and its parts; the body's node is the middle of the journal."""

    model: Model
    body: BodyHandle
    bearing: JournalBearingHandle


def start_positions(p: Parameters) -> np.ndarray:
    """Centres (2, 3) of the edges at the start, far from the disk and near it: each pressed in by its own force."""
    angle = p.friction_angle
    # spin about +i1 moves the journal's lower side along -i2: it climbs there by the friction angle
    down = np.array([0.0, -np.sin(angle), -np.cos(angle)])
    pressed = np.cos(angle) * np.array(p.reactions) / p.contact_stiffness
    clearance = p.radius_sleeve - p.radius_journal
    # an edge tilted in the direction of the contact extends less far there
    tilt = 2 * clearance / p.length
    depth = clearance + pressed + p.radius_journal * tilt**2 / 2
    positions = np.outer([-depth[0], depth[1]], down)
    positions[:, 0] = -0.5 * p.length, 0.5 * p.length
    return positions


def build_rotor(p: Parameters) -> Rotor:
    """Disk on the journal's end, journal tilted in the sleeve, spinning."""
    model = Model(gravity=-p.gravity * UP, name="journal bearing")
    positions = start_positions(p)
    along = (positions[1] - positions[0]) / np.linalg.norm(positions[1] - positions[0])
    middle = positions.mean(axis=0)
    moments = np.array([p.inertia, p.inertia / 2, p.inertia / 2])
    body = model.add(
        RigidBody(
            p.mass, moments, middle, rotation=triad_with_first(along, UP), centre=(0.5 * p.length + p.overhang, 0, 0),
            name="rotor",
        )
    )  # fmt: skip
    normal: NormalLaw = Linear(p.contact_stiffness)
    if p.hunt_crossley > 0:
        normal = HuntCrossley(Linear(p.contact_stiffness), p.hunt_crossley)
    friction = LuGre(
        sigma_0=p.sigma_0, sigma_1=p.sigma_1, mu_s=p.friction, mu_k=p.friction, v_s=p.stribeck_velocity
    )
    bearing = model.add(
        JournalBearing(
            model.ground, body.node, p.radius_sleeve, p.radius_journal, p.length, normal, friction,
            axis=AXIS, journal_axis=along, name="bearing",
        )
    )  # fmt: skip
    model.set_velocity(body.node, omega=p.speed * along)
    return Rotor(model, body, bearing)


def build(parameters: Parameters) -> Simulation:
    """Contact and friction rules of step control, below `dt_max`."""
    p = parameters
    rules = Penetration(p.penetration), Stribeck(p.tau_min, v_min=50.0)
    control = StepControl(*rules, dt_initial=min(1e-5, p.dt_max), dt_max=p.dt_max)
    return Simulation(build_rotor(p).model, p.end_time, control)
