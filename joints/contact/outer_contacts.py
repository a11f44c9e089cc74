"""Contacts between bodies that are not held together: point or ball on a plane, ball on ball.

Geometries: `geometry.point_on_plane`, `geometry.ball_on_ball`. Laws are given as objects, as for joints with clearance.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from fem_mbd.base.validation import positive
from fem_mbd.core.model.node import Attachment, Point
from fem_mbd.core.rotations import unit_vector
from fem_mbd.errors import InputError
from fem_mbd.friction import Frictionless
from fem_mbd.friction.records import FrictionLaw, NormalLaw
from fem_mbd.joints.contact.contact_kind import Geometry
from fem_mbd.joints.contact.geometry.ball_on_ball import BallOnBall
from fem_mbd.joints.contact.geometry.point_on_plane import BallOnPlane
from fem_mbd.joints.contact.pairing import Pairing


@dataclass(frozen=True, eq=False)
class Contact(Pairing):
    """Base of the single contacts; use one of the classes below.

    Parameters
    ----------
    k, l : Node or Point of the two bodies
    normal : normal contact law
    friction : friction law, none when left out
    name : shown in messages and results
    """

    k: Attachment
    l: Attachment
    normal: NormalLaw
    friction: FrictionLaw = field(default_factory=Frictionless)
    name: str = "contact"


@dataclass(frozen=True, eq=False)
class PointOnPlane(Contact):
    """A point of body L that stays on one side of a plane of body K, in which it sticks or slides.

    Parameters
    ----------
    k, l : Node or Point, a point of the plane and the point that touches it
    normal, friction : laws
    direction : (3,) normal of the plane, global axes, reference configuration, from the material of K to the side of L;
        the plane has no edges; (0, 0, 1) when left out
    name : shown in messages and results

    Raises
    ------
    InputError
        When the direction has none, or the point starts inside the material.
    """

    direction: Any = (0.0, 0.0, 1.0)

    def geometry(self) -> Geometry:
        return BallOnPlane(0.0, unit_vector(self.direction, f"direction of {self.label}"))


@dataclass(frozen=True, eq=False)
class SphereOnPlane(Contact):
    """A ball of ``radius`` on body L, centre l, that rolls and slides on a plane of body K.

    Parameters
    ----------
    k, l : Node or Point, a point of the plane and the ball's centre
    normal, friction : laws
    direction : (3,) as for `PointOnPlane`
    radius : m
    name : shown in messages and results

    Raises
    ------
    InputError
        When the radius is not above zero, the direction has none, or the ball starts inside the material.
    """

    direction: Any = (0.0, 0.0, 1.0)
    radius: float = 0.0

    def geometry(self) -> Geometry:
        normal = unit_vector(self.direction, f"direction of {self.label}")
        return BallOnPlane(positive(self.radius, f"{self.label}: radius"), normal)


@dataclass(frozen=True, eq=False)
class SphereOnSphere(Contact):
    """Two balls, centres k and l, that touch from outside (for one inside the other: `SphericalClearance`).

    Parameters
    ----------
    k, l : Node or Point, the two centres
    normal, friction : laws
    radius_k, radius_l : m
    name : shown in messages and results

    Raises
    ------
    InputError
        When a radius is not above zero, or the balls start inside each other.
    """

    radius_k: float = 0.0
    radius_l: float = 0.0

    def geometry(self) -> Geometry:
        radius_k = positive(self.radius_k, f"{self.label}: radius_k")
        return BallOnBall(radius_k, positive(self.radius_l, f"{self.label}: radius_l"))

    def check_start(self, k: Point, l: Point, label: str) -> None:
        if not np.any(l.position - k.position):
            raise InputError(f"{label}: the two centres start at the same place: move them apart")
