"""Two free bodies, the disk of one in the cylinder of the other, in general position with the contact closed."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from scipy.optimize import brentq

from fem_mbd.base.arrays import Array
from fem_mbd.core.model.model import Model
from fem_mbd.core.rotations import rotation_about, triad_with_third
from fem_mbd.core.solver.simulation import Simulation
from fem_mbd.elements import RigidBody
from fem_mbd.friction import Linear, LuGre
from fem_mbd.friction.records import FrictionLaw, NormalLaw
from fem_mbd.joints import SpatialClearance
from fem_mbd.joints.contact.contact_kind import ContactKind
from fem_mbd.joints.contact.geometry.deepest_point import contact_direction, gap_at
from tests.core.scheme_tools import simulation

AXIS = np.array([0.48, -0.6, 0.64])
CENTRE = np.array([0.4, 0.1, -0.2])
RADIUS_K, RADIUS_L = 0.05, 0.0495
FRICTION = LuGre(sigma_0=1e5, sigma_1=5e-3, sigma_2=0.01, mu_s=0.4, mu_k=0.3, v_s=0.02)


@dataclass(frozen=True)
class Setting:
    """Where the disk starts: off the axis at ``angle`` so far that the gap is ``gap`` (None: centred), ``along`` it,
    tilted about ``tilt_axis`` in the cylinder's cross-section.
    """

    gap: float | None = -5e-6
    angle: float = 0.9
    along: float = 0.02
    tilt: float = 0.05
    tilt_axis: tuple[float, float] = (0.6, 0.8)
    normal: NormalLaw = field(default_factory=lambda: Linear(1e6))
    friction: FrictionLaw = field(default_factory=lambda: FRICTION)
    frame: Array = field(default_factory=lambda: np.eye(3))  # turns everything

    def place(self) -> tuple[Array, Array]:
        """Centre and axis of the disk in the cylinder's axes."""
        across = np.array([np.cos(self.angle), np.sin(self.angle), 0.0])
        e = rotation_about((*self.tilt_axis, 0.0), self.tilt)[:, 2]

        def excess(radius: float) -> float:
            y = radius * across
            gap = gap_at(y, e, *contact_direction(y, e, RADIUS_L), RADIUS_K, RADIUS_L)
            return float(gap - (self.gap or 0.0))

        radius = 0.0 if self.gap is None else brentq(excess, 0.0, RADIUS_L, xtol=1e-15)
        return radius * across + (0.0, 0.0, self.along), e


def spatial_model(setting: Setting, ground: bool = False) -> Model:
    """Body 1 has the cylinder, body 2 the disk; mass centres are off the nodes and the joint is off both."""
    s = setting
    turn = s.frame
    triad = turn @ triad_with_third(AXIS)
    model = Model()
    at_k = turn @ rotation_about((1, 2, 3), 0.7)
    at_l = turn @ rotation_about((1, -2, 1), 1.4)
    y, e = s.place()
    disk_centre = turn @ CENTRE + triad @ y
    k = model.add(
        RigidBody(2.0, (0.03, 0.04, 0.05), turn @ (0.1, 0.2, 0), rotation=at_k, centre=(0.1, 0, 0.05))
    ).node
    l = model.add(
        RigidBody(1.0, (0.02, 0.025, 0.03), turn @ (0.7, 0.2, 0.1), rotation=at_l, centre=(0, 0.2, 0.05))
    ).node
    if ground:
        model.fix(k)
    model.add(
        SpatialClearance(
            k.at_global(turn @ CENTRE),
            l.at_global(disk_centre),
            RADIUS_K,
            RADIUS_L,
            s.normal,
            s.friction,
            axis=triad[:, 2],
            disk_axis=triad @ e,
        )
    )
    return model


def spatial_step(
    setting: Setting, dt: float, seed: int = 0, speed: float = 0.1, ground: bool = False
) -> tuple[Simulation, Array, ContactKind]:
    """A step with random velocities and loaded bristles, evaluated at unknowns off its predictor."""
    rng = np.random.default_rng(seed)
    sim = simulation(spatial_model(setting, ground), dt)
    free = ~sim.system.held
    sim.state.v[:] = setting.frame @ rng.normal(size=3) * 0.01 + np.where(
        free[:, :3], speed * (rng.normal(size=sim.state.v.shape) @ setting.frame.T), 0.0
    )
    sim.state.omega[:] = np.where(free[:, 3:], speed * rng.normal(size=sim.state.omega.shape), 0.0)
    sim.state.v[sim.system.held[:, 0]] = 0.0
    kind = next(k for k in sim.system.kinds if isinstance(k, ContactKind))
    kind.history["bristles"][0, 0, 1:3] = 1e-6 * rng.normal(size=2)
    kind.history["normal_force"][0] = 3.0
    y = sim.scheme.begin(dt)
    offset = rng.normal(size=(sim.scheme.work.n, 4, 3))
    offset[:, (0, 2)] = offset[:, (0, 2)] @ setting.frame.T
    equation = sim.system.equation
    y[equation[equation >= 0]] += (0.1 * speed * dt * offset).reshape(-1, 12)[equation >= 0]
    sim.scheme.residual(y, np.empty_like(y))
    return sim, y, kind
