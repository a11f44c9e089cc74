"""The overhung rotor as a model, started in the steady sliding position, and its step control."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fem_mbd.cases.journal_bearing.parameters import Parameters
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
class Rotor:
    """The model and its parts; the body's node is the middle of the journal."""

    model: Model
    body: BodyHandle
    bearing: JournalBearingHandle


def start_places(p: Parameters) -> np.ndarray:
    """Centres (2, 3) of the edges at the start, far from the disk and near it: each pressed in by its own force."""
    angle = p.friction_angle
    # spin about +i1 drags the journal's lower side along -i2: it climbs there by the friction angle
    down = np.array([0.0, -np.sin(angle), -np.cos(angle)])
    pressed = np.cos(angle) * np.array(p.reactions) / p.contact_stiffness
    clearance = p.radius_sleeve - p.radius_journal
    # an edge that is tilted in the direction of the contact reaches less far there
    tilt = 2 * clearance / p.length
    depth = clearance + pressed + p.radius_journal * tilt**2 / 2
    places = np.outer([-depth[0], depth[1]], down)
    places[:, 0] = -0.5 * p.length, 0.5 * p.length
    return places


def build_rotor(p: Parameters) -> Rotor:
    """Disk on the journal's end, journal cocked in the sleeve, spinning."""
    model = Model(gravity=-p.gravity * UP, name="journal bearing")
    places = start_places(p)
    along = (places[1] - places[0]) / np.linalg.norm(places[1] - places[0])
    middle = places.mean(axis=0)
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
