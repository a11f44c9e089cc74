"""Joint with clearance in space: a thin disk inside a cylinder, free to tilt and to slide along it.

Bauchau and Ju, section 2.2. Geometry and discretisation: `geometry.disk_in_cylinder`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from fem_mbd.arrays import Array
from fem_mbd.errors import InputError
from fem_mbd.joints.contact.clearance import Clearance
from fem_mbd.joints.contact.contact_kind import Geometry
from fem_mbd.joints.contact.geometry.ball_in_socket import fitting_radii
from fem_mbd.joints.contact.geometry.disk_in_cylinder import DiskInCylinder
from fem_mbd.joints.contact.tilt import LARGEST_TILT
from fem_mbd.model.node import Point
from fem_mbd.rotations import unit_vector


@dataclass(frozen=True, eq=False)
class SpatialClearance(Clearance):
    """A thin disk of radius_l on body L inside a cylinder of radius_k on body K; friction, also along the cylinder.

    One contact point, the deepest. A disk that is tilted by more than about sqrt(clearance / radius_l) can touch the
    cylinder at two places at once; then the deeper one counts. A run ends where the tilt passes 60 degrees.

    Parameters
    ----------
    k, l : Node or Point, a point of the cylinder's axis and the disk's centre
    radius_k, radius_l : m, radius_k above radius_l
    normal, friction : laws as for `SphericalClearance`
    axis : (3,) axis of the cylinder in global axes, reference configuration; it has no ends
    disk_axis : (3,) axis of the disk likewise; that of the cylinder when left out
    name : shown in messages and results

    Raises
    ------
    InputError
        When the disk does not fit, starts outside the cylinder, or is tilted by more than 60 degrees.
    """

    axis: Any = (0.0, 0.0, 1.0)
    disk_axis: Any = None

    def axes(self) -> tuple[Array, Array]:
        """Unit axes (3,) of cylinder and disk, global, reference configuration."""
        cylinder = unit_vector(self.axis, f"axis of {self.label}")
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
