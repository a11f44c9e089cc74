"""Contacts between bodies that are not held together: point or ball on a plane, ball on ball.

Geometries: `geometry.point_on_plane`, `geometry.ball_on_ball`. Laws are given as objects, as for joints with clearance.
"""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass, field
from typing import Any

import numpy as np

from fem_mbd.base.arguments import arguments
from fem_mbd.base.validation import positive
from fem_mbd.core.model.node import Attachment, Point
from fem_mbd.core.rotations import unit_vector
from fem_mbd.errors import InputError
from fem_mbd.friction import Frictionless
from fem_mbd.friction.records import FrictionLaw, NormalLaw
from fem_mbd.joints.contact.contact_kind import Geometry
from fem_mbd.joints.contact.geometry.ball_on_ball import BallOnBall
from fem_mbd.joints.contact.geometry.point_on_plane import BallOnPlane
from fem_mbd.joints.contact.point_pair import Pairing


class Contact(Pairing):
    """Base of the single contacts; use one of the classes below."""


@arguments("k l normal friction name direction")
@dataclass(frozen=True, eq=False)
class PointOnPlane(Contact):
    """A point of body L on one side of a plane of body K, on which it sticks or slides.

    Parameters
    ----------
    k, l : Node or Point, a point of the plane and the point that touches it
    normal, friction : laws
    direction : (3,) normal of the plane, global axes, reference configuration, from the material of K to the side of L;
        the plane is infinite; (0, 0, 1) by default
    name : shown in messages and results

    Raises
    ------
    InputError
        When the direction is zero, or the point starts inside the material.
    """

    k: Attachment
    l: Attachment
    normal: NormalLaw
    friction: FrictionLaw = field(default_factory=Frictionless)
    _: KW_ONLY
    name: str = "contact"
    direction: Any = (0.0, 0.0, 1.0)

    def geometry(self) -> Geometry:
        return BallOnPlane(0.0, unit_vector(self.direction, f"direction of {self.label}"))


@arguments("k l normal friction name direction radius")
@dataclass(frozen=True, eq=False)
class SphereOnPlane(Contact):
    """A ball of ``radius`` on body L, centre l, that rolls and slides on a plane of body K.

    Parameters
    ----------
    k, l : Node or Point, a point of the plane and the ball's centre
    radius : m
    normal, friction : laws
    direction : (3,) as for `PointOnPlane`
    name : shown in messages and results

    Raises
    ------
    InputError
        When the radius is not above zero, the direction is zero, or the ball starts inside the material.
    """

    k: Attachment
    l: Attachment
    radius: float
    normal: NormalLaw
    friction: FrictionLaw = field(default_factory=Frictionless)
    _: KW_ONLY
    name: str = "contact"
    direction: Any = (0.0, 0.0, 1.0)

    def geometry(self) -> Geometry:
        normal = unit_vector(self.direction, f"direction of {self.label}")
        return BallOnPlane(positive(self.radius, f"{self.label}: radius"), normal)


@arguments("k l normal friction name radius_k radius_l")
@dataclass(frozen=True, eq=False)
class SphereOnSphere(Contact):
    """Two balls, centres k and l, that touch from outside (for one inside the other: `SphericalClearance`).

    Parameters
    ----------
    k, l : Node or Point, the two centres
    radius_k, radius_l : m
    normal, friction : laws
    name : shown in messages and results

    Raises
    ------
    InputError
        When a radius is not above zero, or the balls overlap at the start.
    """

    k: Attachment
    l: Attachment
    radius_k: float
    radius_l: float
    normal: NormalLaw
    friction: FrictionLaw = field(default_factory=Frictionless)
    _: KW_ONLY
    name: str = "contact"

    def geometry(self) -> Geometry:
        radius_k = positive(self.radius_k, f"{self.label}: radius_k")
        return BallOnBall(radius_k, positive(self.radius_l, f"{self.label}: radius_l"))

    def check_start(self, k: Point, l: Point, label: str) -> None:
        if not np.any(l.position - k.position):
            raise InputError(f"{label}: the two centres coincide at the start: move them apart")
