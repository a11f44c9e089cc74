"""Joints with clearance: ball in socket, disk in ring, and a thin disk that tilts and slides in a cylinder.

Bauchau and Ju, sections 2.1 and 2.2. Geometry and discretisation: `disk_in_cylinder`.
"""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass, field, replace
from typing import Any, ClassVar, Literal, get_args

import numpy as np

from fem_mbd.base.arguments import arguments
from fem_mbd.base.arrays import Array
from fem_mbd.base.validation import array
from fem_mbd.core.model.model import Model
from fem_mbd.core.model.node import Attachment, Point, as_point
from fem_mbd.core.rotations import unit_vector
from fem_mbd.errors import InputError
from fem_mbd.friction import Frictionless
from fem_mbd.friction.records import FrictionLaw, NormalLaw
from fem_mbd.joints.contact.balls import BallInSocket, fitting_radii
from fem_mbd.joints.contact.contact_kind import ClearanceHandle, Geometry, Pairing, add_contact, rubs
from fem_mbd.joints.contact.disk_in_cylinder import DiskInCylinder
from fem_mbd.joints.contact.points_and_spheres import DiskOnPlane
from fem_mbd.joints.contact.ranges import LARGEST_TILT
from fem_mbd.joints.ideal import Planar
from fem_mbd.joints.pair import required_direction

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


@arguments()
@dataclass(frozen=True, eq=False)
class SpatialClearance(Clearance):
    """A thin disk of radius_l on body L inside a cylinder of radius_k on body K; friction, also along the cylinder.

    One contact point, the deepest. A disk that is tilted by more than about sqrt(clearance / radius_l) can touch the
    cylinder at two points at once; then only the deeper one is used. A run ends when the tilt exceeds 60 degrees.

    Parameters
    ----------
    k, l : Node or Point, a point of the cylinder's axis and the disk's centre
    radius_k, radius_l : m, radius_k above radius_l
    normal, friction : laws as for `SphericalClearance`
    axis : (3,) axis of the cylinder in global axes, reference configuration; infinitely long without stops
    disk_axis : (3,) axis of the disk likewise; by default that of the cylinder
    stops : (2,) m, positions of two walls that close the cylinder, along its axis from the point of K, lower one first;
        the disk touches them as a `DiskOnPlane`, crowned by a thousandth of radius_l, with the same laws. None: no ends
    name : shown in messages and results

    Raises
    ------
    InputError
        When the axis is missing, or the disk does not fit, starts outside the cylinder or its stops, or is tilted by
        more than 60 degrees.
    """

    _: KW_ONLY
    axis: Any = None
    disk_axis: Any = None
    stops: Any = None

    def build(self, model: Model) -> ClearanceHandle:
        joint = super().build(model)
        if self.stops is None:
            return joint
        low, high = (
            self._stop(model, f"{joint.name}.{end}", side) for end, side in (("low", 1), ("high", -1))
        )
        return replace(joint, stops=(low, high))

    def _stop(self, model: Model, name: str, side: int) -> ClearanceHandle:
        """Contact with the wall at that end of the cylinder (1: low, -1: high)."""
        k, l = as_point(self.k), as_point(self.l)
        cylinder, disk = self.axes()
        wall = k.position + self._stop_positions()[0 if side > 0 else 1] * cylinder
        contact = DiskOnPlane(
            k.node.at_global(wall),
            l,
            normal=self.normal,
            friction=self.friction,
            name=name,
            direction=side * cylinder,
            radius=self.radius_l,
            axis=disk,
        )
        return add_contact(model, contact.spec(model))

    def _stop_positions(self) -> Array:
        """Positions of the two stops (2,), m along the axis."""
        stops = array(self.stops, (2,), f"{self.label}: stops")
        if stops[0] >= stops[1]:
            raise InputError(
                f"{self.label}: stops are {stops[0]:g} and {stops[1]:g} m: give the lower one first"
            )
        return stops

    def axes(self) -> tuple[Array, Array]:
        """Unit axes (3,) of cylinder and disk, global, reference configuration."""
        cylinder = required_direction(self.axis, "axis", self.label)
        if self.disk_axis is None:
            return cylinder, cylinder
        return cylinder, unit_vector(self.disk_axis, f"disk_axis of {self.label}")

    def geometry(self) -> Geometry:
        return DiskInCylinder(*fitting_radii(self.radius_k, self.radius_l, self.label), *self.axes())

    def check_start(self, k: Point, l: Point, label: str) -> None:
        cylinder, disk = self.axes()
        if abs(cylinder @ disk) < np.cos(LARGEST_TILT):
            raise InputError(
                f"{label}: the disk's axis starts {np.degrees(np.arccos(abs(cylinder @ disk))):.0f} "
                "degrees from the cylinder's: give axes that are nearly parallel"
            )
        x = l.position - k.position
        distance = float(np.linalg.norm(x - cylinder * (cylinder @ x)))
        if distance > self.radius_k:
            raise InputError(
                f"{label}: the disk's centre starts {distance:.4g} m from the cylinder's axis, "
                f"outside its radius of {self.radius_k:.4g} m: move them together"
            )
        if self.stops is not None:
            (low, high), position = self._stop_positions(), float(cylinder @ x)
            if not low < position < high:
                raise InputError(
                    f"{label}: the disk starts {position:.4g} m along the axis, not between its stops at {low:g} and "
                    f"{high:g} m: move them together"
                )
