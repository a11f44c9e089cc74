"""Settings of contacts of points, balls, disks and planes."""

from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from fem_mbd import Model, Simulation
from fem_mbd.base.arrays import Array
from fem_mbd.core.rotations import rotation_about, unit_vector
from fem_mbd.friction import Linear
from fem_mbd.friction.records import FrictionLaw, NormalLaw
from fem_mbd.joints import DiskOnPlane, PointOnPlane, SphereOnPlane, SphereOnSphere, SphericalClearance
from tests.joints.contact.two_bodies import FRICTION, PLACE, two_bodies

BALLS = ("point on plane", "sphere on plane", "sphere on sphere")
SHAPES = (*BALLS, "disk on plane")
NORMAL = unit_vector((0.48, -0.6, 0.64), "normal")
ALONG = unit_vector(np.cross(NORMAL, (1, 0, 0)), "along")
TILT = 0.03  # of the disk
SOCKET, BALL = 0.05, 0.0495  # radii of "ball in socket"


@dataclass(frozen=True)
class Setting:
    """Kind of contact, gap at the start (m), laws, and a rotation of everything."""

    shape: str = "point on plane"
    gap: float = -5e-6
    normal: NormalLaw = field(default_factory=lambda: Linear(1e6))
    friction: FrictionLaw = field(default_factory=lambda: FRICTION)
    frame: Array = field(default_factory=lambda: np.eye(3))
    friction_point: Literal["common", "printed"] = "common"  # of a ball in a socket

    def bristles(self, sim: Simulation, rng: np.random.Generator) -> Array:
        """Across the normal."""
        deflection = rng.normal(size=3)
        deflection -= NORMAL * (NORMAL @ deflection)
        return np.asarray(self.frame @ (1e-6 * deflection))[None]

    def model(self, ground: bool = False) -> Model:
        """The contact between `two_bodies`."""
        model, turn = Model(), self.frame
        k, l = two_bodies(model, ground, turn)
        laws: Any = {"normal": self.normal, "friction": self.friction}
        disk = float(np.hypot(0.04 * np.sin(TILT), 0.002 * np.cos(TILT)))
        reaches = {"point on plane": 0.0, "sphere on plane": 0.04, "sphere on sphere": 0.03 + 0.05}
        reaches["ball in socket"] = SOCKET - BALL - 2 * self.gap
        aside = 0.0 if self.shape in ("sphere on sphere", "ball in socket") else 0.13
        reach = reaches.get(self.shape, disk) + self.gap
        point_k, point_l = (
            k.at_global(turn @ PLACE),
            l.at_global(turn @ (PLACE + reach * NORMAL + aside * ALONG)),
        )
        if self.shape == "sphere on sphere":
            model.add(SphereOnSphere(point_k, point_l, **laws, radius_k=0.03, radius_l=0.05))
        elif self.shape == "ball in socket":
            model.add(
                SphericalClearance(point_k, point_l, SOCKET, BALL, **laws, friction_point=self.friction_point)
            )
        elif self.shape == "sphere on plane":
            model.add(SphereOnPlane(point_k, point_l, **laws, direction=turn @ NORMAL, radius=0.04))
        elif self.shape == "disk on plane":
            axis, up = turn @ rotation_about(ALONG, TILT) @ NORMAL, turn @ NORMAL
            model.add(
                DiskOnPlane(point_k, point_l, **laws, direction=up, radius=0.04, axis=axis, crown=0.002)
            )
        else:
            model.add(PointOnPlane(point_k, point_l, **laws, direction=turn @ NORMAL))
        return model
