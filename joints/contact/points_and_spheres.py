"""Contacts of bodies that are otherwise free: point, ball, disk or plane face on a plane, ball on ball.

Geometries: `planes`, `balls`. Laws are given as objects, as for joints with clearance. The faces of a disk are slightly
crowned: an axial stop, the end of a journal in its bearing. A plane face (`FaceOnPlane`) touches at several points,
each with its own bristle states.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass, field
from typing import Any

import numpy as np

from fem_mbd.base.arguments import arguments
from fem_mbd.base.validation import positive
from fem_mbd.core.model.model import Model
from fem_mbd.core.model.node import Attachment, Point, as_point
from fem_mbd.core.rotations import triad_with_third, unit_vector
from fem_mbd.errors import InputError
from fem_mbd.friction import Frictionless
from fem_mbd.friction.records import FrictionLaw, NormalLaw
from fem_mbd.joints.contact.balls import BallOnBall
from fem_mbd.joints.contact.contact_kind import (
    ClearanceHandle,
    Geometry,
    Pairing,
    add_contact,
    check_laws,
    rubs,
    warn_about_friction,
)
from fem_mbd.joints.contact.planes import BallOnPlane, SpheroidOnPlane

CROWN_RATIO = 1e-3  # default height of the crown over the radius


class Contact(Pairing):
    """Base of the single contacts; use one of the classes below."""


@arguments()
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

    def turns(self) -> tuple[bool, bool]:
        return True, False

    def geometry(self) -> Geometry:
        return BallOnPlane(0.0, unit_vector(self.direction, f"direction of {self.label}"))


@arguments()
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

    def turns(self) -> tuple[bool, bool]:
        return True, rubs(self.friction)

    def geometry(self) -> Geometry:
        normal = unit_vector(self.direction, f"direction of {self.label}")
        return BallOnPlane(positive(self.radius, f"{self.label}: radius"), normal)


@arguments()
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

    def turns(self) -> tuple[bool, bool]:
        return rubs(self.friction), rubs(self.friction)

    def geometry(self) -> Geometry:
        radius_k = positive(self.radius_k, f"{self.label}: radius_k")
        return BallOnBall(radius_k, positive(self.radius_l, f"{self.label}: radius_l"))

    def check_start(self, k: Point, l: Point, label: str) -> None:
        if not np.any(l.position - k.position):
            raise InputError(f"{label}: the two centres coincide at the start: move them apart")


def crown_of(crown: float | None, radius: float, what: str) -> float:
    """Height (m) of a face's crown, by default the fraction CROWN_RATIO of the radius (m); ``what`` names the part.

    Raises
    ------
    InputError
        When it is not above zero.
    """
    return CROWN_RATIO * radius if crown is None else positive(crown, f"{what}: crown")


@arguments()
@dataclass(frozen=True, eq=False)
class DiskOnPlane(Contact):
    """A disk on body L that touches a plane of body K with its face or, tilted, with its rim.

    A face that is exactly flat touches at its centre or at its rim, never in between: the smallest tilt moves the
    contact from one side of the disk to the other. So the faces are crowned: half a spheroid each, higher by ``crown``
    at the centre than at the rim. The contact point moves smoothly from the centre to the rim over tilts of some crown
    / radius. A contact point transmits no moment about the normal: there is no friction when the face spins about its
    own centre.

    Parameters
    ----------
    k, l : Node or Point, a point of the plane and the middle of the disk's rim
    radius : m, of the rim
    normal, friction : laws
    direction : (3,) normal of the plane, global axes, reference configuration, from the material of K to the side of L;
        the plane is infinite; (0, 0, 1) by default
    name : shown in messages and results
    axis : (3,) of the disk, global axes, reference configuration; default ``direction``
    crown : m, height of either face above the rim; default a thousandth of the radius

    Raises
    ------
    InputError
        When radius or crown are not above zero, a direction is zero, or the disk starts inside the material.
    """

    k: Attachment
    l: Attachment
    radius: float
    normal: NormalLaw
    friction: FrictionLaw = field(default_factory=Frictionless)
    _: KW_ONLY
    name: str = "contact"
    direction: Any = (0.0, 0.0, 1.0)
    axis: Any = None
    crown: float | None = None

    def geometry(self) -> Geometry:
        normal = unit_vector(self.direction, f"direction of {self.label}")
        axis = normal if self.axis is None else unit_vector(self.axis, f"axis of {self.label}")
        radius = positive(self.radius, f"{self.label}: radius")
        return SpheroidOnPlane(radius, crown_of(self.crown, radius, self.label), normal, axis)


@arguments()
@dataclass(frozen=True, eq=False)
class FaceOnPlane:
    """Several points of a face of L on a plane of K: each a `PointOnPlane` with its own bristles.

    Three points or more carry moments. The laws are those of one point: for a face of area A and a law whose stiffness
    grows with the area, give A divided by the number of points.

    Parameters
    ----------
    k, direction : as for `PointOnPlane`
    points : sequence of Node or Point, all of one body
    normal, friction : laws of each point
    name : shown in messages and results

    Raises
    ------
    InputError
        When there are no points, they belong to several bodies, or one starts inside the material.
    """

    k: Attachment
    points: Sequence[Attachment]
    normal: NormalLaw
    friction: FrictionLaw = field(default_factory=Frictionless)
    _: KW_ONLY
    direction: Any = (0.0, 0.0, 1.0)
    name: str = "face"

    def __post_init__(self) -> None:
        if len(self.points) == 0:
            raise InputError(f"contact '{self.name}': points is empty: give one point or more of the face")
        check_laws(self.normal, self.friction, f"contact '{self.name}'")

    def build(self, model: Model) -> list[ClearanceHandle]:
        """Called by `Model.add`."""
        self._check_body(model)
        warn_about_friction(self.friction, f"contact '{self.name}'", slip_turns=True)
        parts = [
            PointOnPlane(
                self.k, point, self.normal, self.friction, name=f"{self.name}.{n}", direction=self.direction
            )
            for n, point in enumerate(self.points, 1)
        ]
        return [add_contact(model, part.spec(model)) for part in parts]

    def _check_body(self, model: Model) -> None:
        """InputError unless the points are those of one node, or of nodes connected by beams."""
        nodes = {point.node.index: point.node.name for point in map(as_point, self.points)}
        reached = {min(nodes)}
        elements = [
            set(map(int, spec.nodes))
            for kind, specs in model.specs.items()
            if kind.one_body
            for spec in specs
        ]
        while touching := [element for element in elements if element & reached]:
            reached = reached.union(*touching)
            elements = [element for element in elements if element not in touching]
        if not reached.issuperset(nodes):
            raise InputError(
                f"contact '{self.name}': points belong to several bodies "
                f"({', '.join(repr(name) for name in nodes.values())}): give one face for each body"
            )


def circle_of_points(
    centre: Attachment, radius: float, count: int, direction: Any = (0.0, 0.0, 1.0), first: Any = None
) -> list[Point]:
    """``count`` points of the centre's body on a circle about it, for `FaceOnPlane`.

    Parameters
    ----------
    centre : Node or Point
    radius : m
    count : 1 or more
    direction : (3,) axis of the circle, global axes, reference configuration
    first : (3,) likewise, from the centre towards the first point, projected normal to the axis; arbitrary by default

    Raises
    ------
    InputError
        For a radius or count that is not above zero, or directions that are zero.
    """
    radius = positive(radius, "circle_of_points radius")
    if count < 1:
        raise InputError(f"circle_of_points count is {count}: it must be 1 or above")
    triad = triad_with_third(direction, "direction of circle_of_points")
    across = triad[:, 0]
    if first is not None:
        start = unit_vector(first, "first of circle_of_points")
        across = unit_vector(start - triad[:, 2] * (triad[:, 2] @ start), "first of circle_of_points")
    side = np.cross(triad[:, 2], across)
    middle = as_point(centre)
    angles = 2.0 * np.pi * np.arange(count) / count
    return [
        middle.node.at_global(middle.position + radius * (np.cos(a) * across + np.sin(a) * side))
        for a in angles
    ]
