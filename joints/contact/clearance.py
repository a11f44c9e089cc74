"""Spherical and planar joints with clearance: ball in socket, disk in ring (Bauchau and Ju, section 2.1)."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass, field
from typing import Any, ClassVar, Literal, get_args

import numpy as np

from fem_mbd.base.arguments import arguments
from fem_mbd.core.model.model import Model
from fem_mbd.core.model.node import Attachment, Point
from fem_mbd.errors import InputError
from fem_mbd.friction import Frictionless
from fem_mbd.friction.records import FrictionLaw, NormalLaw
from fem_mbd.joints.contact.contact_kind import ClearanceHandle, Geometry, Pairing, rubs
from fem_mbd.joints.contact.geometry.ball_in_socket import BallInSocket, fitting_radii
from fem_mbd.joints.pair import required_direction
from fem_mbd.joints.planar import Planar

FrictionPoint = Literal["common", "printed"]
FRICTION_POINTS = get_args(FrictionPoint)


@dataclass(frozen=True, eq=False)
class Clearance(Pairing):
    """Base of the joints with clearance; use one of the classes derived from it.

    Parameters
    ----------
    k, l : Node or Point of the two bodies
    radius_k, radius_l : m, outer and inner radius
    normal : normal contact law
    friction : friction law, none by default
    name : shown in messages and results
    """

    k: Attachment
    l: Attachment
    radius_k: float
    radius_l: float
    normal: NormalLaw
    friction: FrictionLaw = field(default_factory=Frictionless)
    _: KW_ONLY
    name: str = "clearance"

    what: ClassVar[str] = "clearance joint"

    def check_start(self, k: Point, l: Point, label: str) -> None:
        distance = float(np.linalg.norm(l.position - k.position))
        if distance > self.radius_k:
            raise InputError(
                f"{label}: the centres start {distance:.4g} m apart, outside the socket of "
                f"{self.radius_k:.4g} m: move them together"
            )


@dataclass(frozen=True, eq=False)
class BallClearance(Clearance):
    """Base of those with the geometry of a ball in a socket."""

    _: KW_ONLY
    friction_point: FrictionPoint = "common"

    def turns(self) -> tuple[bool, bool]:
        return rubs(self.friction), rubs(self.friction)

    def geometry(self) -> Geometry:
        radii = fitting_radii(self.radius_k, self.radius_l, self.label)
        if self.friction_point not in FRICTION_POINTS:
            raise InputError(
                f"{self.label}: friction_point is {self.friction_point!r}: give one of {FRICTION_POINTS}"
            )
        return BallInSocket(*radii, printed=self.friction_point == "printed")


@arguments()
@dataclass(frozen=True, eq=False)
class SphericalClearance(BallClearance):
    """A ball of radius_l on body L inside a socket of radius_k on body K.

    Parameters
    ----------
    k, l : Node or Point, the two centres
    radius_k, radius_l : m, radius_k above radius_l
    normal : normal law, e.g. Linear(15e6) or HuntCrossley(Hertz(…), …)
    friction : friction law, e.g. LuGre(…)
    friction_point : "common": friction acts on both bodies at one point, the ball's deepest; "printed":
        on each at its own surface, as Bauchau and Ju print it (eqs. 5 to 7). Their two points are the penetration d
        apart: the forces leave a moment mu f_n d, and bodies that rotate together slip
    name : shown in messages and results

    Raises
    ------
    InputError
        When the ball does not fit, or the centres start further apart than the socket's radius.
    """


@arguments()
@dataclass(frozen=True, eq=False)
class PlanarClearance(BallClearance):
    """A revolute joint with clearance: a planar joint, normal ``axis`` (global) fixed to K, and a disk in a ring.

    Parameters
    ----------
    k, l : Node or Point, the two centres
    radius_k, radius_l : m, of the ring and of the disk
    normal, friction, friction_point : as for `SphericalClearance`
    axis : (3,) normal of the plane, global axes, reference configuration
    name : shown in messages and results

    Raises
    ------
    InputError
        As `SphericalClearance`, and when the axis is missing or has no direction.
    """

    _: KW_ONLY
    axis: Any = None
    slip_turns: ClassVar[bool] = False  # forwards and backwards only

    def __post_init__(self) -> None:
        required_direction(self.axis, "axis", self.label)
        super().__post_init__()

    def build(self, model: Model) -> ClearanceHandle:
        model.add(Planar(self.k, self.l, direction=self.axis, name=f"{self.name}.plane"))
        return super().build(model)
