"""Contacts of bodies that are otherwise free: point, ball or disk on a plane, ball on ball; base class of contacts.

Geometries: `geometry.point_on_plane`, `geometry.ball_on_ball`, `geometry.spheroid_on_plane`. Laws are given as objects,
as for joints with clearance. The faces of a disk are slightly crowned: an axial stop, the end of a journal in its
bearing.
"""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass, field
from typing import Any, ClassVar

import numpy as np

from fem_mbd.base.arguments import arguments
from fem_mbd.base.validation import positive
from fem_mbd.core.model.model import Model
from fem_mbd.core.model.node import Attachment, Point, as_point
from fem_mbd.core.rotations import unit_vector
from fem_mbd.errors import InputError
from fem_mbd.friction import Frictionless
from fem_mbd.friction.records import FrictionLaw, NormalLaw
from fem_mbd.joints.contact.contact_kind import ClearanceHandle, ContactSpec, Geometry, add_contact
from fem_mbd.joints.contact.geometry.ball_on_ball import BallOnBall
from fem_mbd.joints.contact.geometry.point_on_plane import BallOnPlane
from fem_mbd.joints.contact.geometry.spheroid_on_plane import SpheroidOnPlane
from fem_mbd.joints.contact.law_checks import check_laws, warn_about_friction

CROWN_RATIO = 1e-3  # default height of the crown over the radius


def rubs(friction: FrictionLaw) -> bool:
    """Whether this is a law with friction."""
    return not isinstance(friction, Frictionless)


class Pairing:
    """Base of the contacts of two points; a subclass is a dataclass with the members below and a geometry."""

    k: Attachment
    l: Attachment
    normal: NormalLaw
    friction: FrictionLaw
    name: str

    what: ClassVar[str] = "contact"  # in messages
    slip_turns: ClassVar[bool] = True  # the bodies can slip on each other in more than one direction

    @property
    def label(self) -> str:
        """Name of this contact in messages."""
        return f"{self.what} '{self.name}'"

    def geometry(self) -> Geometry:
        """The contact's geometry; InputError for invalid dimensions."""
        raise NotImplementedError

    def turns(self) -> tuple[bool, bool]:
        """Whether its forces have a moment about the given point of K, of L. A ball that does not rub has none."""
        return True, True

    def check_start(self, k: Point, l: Point, label: str) -> None:
        """Refuse an impossible initial position.

        Parameters
        ----------
        k, l : the two points
        label : of the contact, for the message

        Raises
        ------
        InputError
            Naming the contact.
        """

    def __post_init__(self) -> None:
        self.geometry()
        check_laws(self.normal, self.friction, self.label)

    def build(self, model: Model) -> ClearanceHandle:
        """Called by `Model.add`."""
        spec = self.spec(model)
        warn_about_friction(self.friction, f"{self.what} '{spec.name}'", self.slip_turns)
        return add_contact(model, spec)

    def spec(self, model: Model) -> ContactSpec:
        """Checked data of the contact, with a name that is new in the model.

        Parameters
        ----------
        model : model to which the contact is added
        """
        name = model.registry.unique_name(self.name)
        label = f"{self.what} '{name}'"
        k, l = as_point(self.k), as_point(self.l)
        if k.node is l.node:
            raise InputError(f"{label} joins node '{k.node.name}' to itself: give two bodies")
        for point, turned in zip((k, l), self.turns(), strict=True):
            (model.registry.require_rotation if turned else model.registry.require_arm)(point, label)
        self.check_start(k, l, label)
        return ContactSpec(name, k, l, self.geometry(), self.normal, self.friction)


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
