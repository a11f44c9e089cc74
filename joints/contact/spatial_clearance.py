"""Spatial joint with clearance: a thin disk in a cylinder, free to tilt and to slide along it.

Bauchau and Ju, section 2.2. Geometry and discretisation: `geometry.disk_in_cylinder`.
"""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass, replace
from typing import Any

import numpy as np

from fem_mbd.base.arguments import arguments
from fem_mbd.base.arrays import Array
from fem_mbd.base.validation import array
from fem_mbd.core.model.model import Model
from fem_mbd.core.model.node import Point, as_point
from fem_mbd.core.rotations import unit_vector
from fem_mbd.errors import InputError
from fem_mbd.joints.contact.clearance import Clearance
from fem_mbd.joints.contact.contact_kind import ClearanceHandle, Geometry, add_contact
from fem_mbd.joints.contact.geometry.ball_in_socket import fitting_radii
from fem_mbd.joints.contact.geometry.disk_in_cylinder import DiskInCylinder
from fem_mbd.joints.contact.points_and_spheres import DiskOnPlane
from fem_mbd.joints.contact.ranges import LARGEST_TILT
from fem_mbd.joints.pair import required_direction


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
