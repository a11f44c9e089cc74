"""Settings of a disk in a cylinder."""

from dataclasses import dataclass, field

import numpy as np
from scipy.optimize import brentq

from fem_mbd import Model, Simulation
from fem_mbd.base.arrays import Array
from fem_mbd.core.rotations import rotation_about, triad_with_third
from fem_mbd.friction import Linear
from fem_mbd.friction.records import FrictionLaw, NormalLaw
from fem_mbd.joints import SpatialClearance
from fem_mbd.joints.contact.disk_in_cylinder import contact_direction, gap_at
from tests.joints.contact.two_bodies import FRICTION, PLACE, two_bodies

AXIS = np.array([0.48, -0.6, 0.64])
RADIUS_K, RADIUS_L = 0.05, 0.0495


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

    def bristles(self, sim: Simulation, rng: np.random.Generator) -> Array:
        """Components in the cylinder's surface."""
        return np.array([[0.0, *(1e-6 * rng.normal(size=2))]])

    def model(self, ground: bool = False) -> Model:
        """Body 1 has the cylinder, body 2 the disk."""
        model, turn = Model(), self.frame
        k, l = two_bodies(model, ground, turn)
        triad = turn @ triad_with_third(AXIS)
        y, e = self.place()
        joint = SpatialClearance(
            k.at_global(turn @ PLACE), l.at_global(turn @ PLACE + triad @ y), RADIUS_K, RADIUS_L,
            self.normal, self.friction, axis=triad[:, 2], disk_axis=triad @ e,
        )  # fmt: skip
        model.add(joint)
        return model
