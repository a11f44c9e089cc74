"""Two free bodies in general position, a closed contact of each kind between them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from fem_mbd.base.arrays import Array
from fem_mbd.core.model.model import Model
from fem_mbd.core.rotations import rotation_about, unit_vector
from fem_mbd.core.solver.simulation import Simulation
from fem_mbd.elements import RigidBody
from fem_mbd.friction import Linear, LuGre
from fem_mbd.friction.records import FrictionLaw, NormalLaw
from fem_mbd.joints import DiskOnPlane, PointOnPlane, SphereOnPlane, SphereOnSphere, SphericalClearance
from fem_mbd.joints.contact.contact_kind import ContactKind
from tests.core.scheme_tools import simulation

BALLS = ("point on plane", "sphere on plane", "sphere on sphere")
SHAPES = (*BALLS, "disk on plane")
NORMAL = unit_vector((0.48, -0.6, 0.64), "normal")
PLACE = np.array([0.4, 0.1, -0.2])
ALONG = unit_vector(np.cross(NORMAL, (1, 0, 0)), "along")
TILT = 0.03  # of the disk
SOCKET, BALL = 0.05, 0.0495  # radii of "ball in socket"
FRICTION = LuGre(sigma_0=1e5, sigma_1=5e-3, sigma_2=0.01, mu_s=0.4, mu_k=0.3, v_s=0.02)


@dataclass(frozen=True)
class Setting:
    """Kind of contact, gap at the start (m), laws, and a rotation of everything."""

    shape: str = "point on plane"
    gap: float = -5e-6
    normal: NormalLaw = field(default_factory=lambda: Linear(1e6))
    friction: FrictionLaw = field(default_factory=lambda: FRICTION)
    frame: Array = field(default_factory=lambda: np.eye(3))


def contact_model(setting: Setting, ground: bool = False) -> Model:
    """Mass centres are off the nodes and the contact is off both."""
    s, turn = setting, setting.frame
    model = Model()
    at_k, at_l = turn @ rotation_about((1, 2, 3), 0.7), turn @ rotation_about((1, -2, 1), 1.4)
    k = model.add(
        RigidBody(2.0, (0.03, 0.04, 0.05), turn @ (0.1, 0.2, 0), rotation=at_k, centre=(0.1, 0, 0.05))
    ).node
    l = model.add(
        RigidBody(1.0, (0.02, 0.025, 0.03), turn @ (0.7, 0.2, 0.1), rotation=at_l, centre=(0, 0.2, 0.05))
    ).node
    if ground:
        model.fix(k)
    disk = float(np.hypot(0.04 * np.sin(TILT), 0.002 * np.cos(TILT)))
    reaches = {"point on plane": 0.0, "sphere on plane": 0.04, "sphere on sphere": 0.03 + 0.05}
    reach = reaches.get(s.shape, disk)
    aside = 0.0 if s.shape in ("sphere on sphere", "ball in socket") else 0.13
    if s.shape == "ball in socket":
        reach = SOCKET - BALL - 2 * s.gap
    point_k = k.at_global(turn @ PLACE)
    point_l = l.at_global(turn @ (PLACE + (reach + s.gap) * NORMAL + aside * ALONG))
    laws: Any = {"normal": s.normal, "friction": s.friction}
    if s.shape == "sphere on sphere":
        model.add(SphereOnSphere(point_k, point_l, **laws, radius_k=0.03, radius_l=0.05))
    elif s.shape == "ball in socket":
        model.add(SphericalClearance(point_k, point_l, SOCKET, BALL, **laws))
    elif s.shape == "sphere on plane":
        model.add(SphereOnPlane(point_k, point_l, **laws, direction=turn @ NORMAL, radius=0.04))
    elif s.shape == "disk on plane":
        axis = turn @ rotation_about(ALONG, TILT) @ NORMAL
        model.add(
            DiskOnPlane(
                point_k, point_l, **laws, direction=turn @ NORMAL, radius=0.04, axis=axis, crown=0.002
            )
        )
    else:
        model.add(PointOnPlane(point_k, point_l, **laws, direction=turn @ NORMAL))
    return model


def contacts(sim: Simulation) -> ContactKind:
    return next(k for k in sim.system.kinds if isinstance(k, ContactKind))


def contact_step(
    setting: Setting, dt: float, seed: int = 0, speed: float = 0.1, ground: bool = False
) -> tuple[Simulation, Array, ContactKind]:
    """A step with random velocities and loaded bristles, evaluated at unknowns off its predictor."""
    rng = np.random.default_rng(seed)
    sim = simulation(contact_model(setting, ground), dt)
    free = ~sim.system.held
    sim.state.v[:] = np.where(free[:, :3], speed * (rng.normal(size=(3, 3)) @ setting.frame.T), 0.0)
    sim.state.omega[:] = np.where(free[:, 3:], speed * rng.normal(size=(3, 3)), 0.0)
    kind = contacts(sim)
    deflection = rng.normal(size=3)
    deflection -= NORMAL * (NORMAL @ deflection)
    kind.history["bristles"][0, 0] = setting.frame @ (1e-6 * deflection)
    kind.history["normal_force"][0] = 3.0
    y = sim.scheme.begin(dt)
    offset = rng.normal(size=(sim.scheme.work.n, 4, 3))
    offset[:, (0, 2)] = offset[:, (0, 2)] @ setting.frame.T
    equation = sim.system.equation
    y[equation[equation >= 0]] += (0.1 * speed * dt * offset).reshape(-1, 12)[equation >= 0]
    sim.scheme.residual(y, np.empty_like(y))
    return sim, y, kind
