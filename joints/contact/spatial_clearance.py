"""Joint with clearance in space: a thin disk inside a cylinder, free to tilt and to slide along it.

Bauchau and Ju, section 2.2. Geometry and discretisation: `disk_in_cylinder` and `spatial_clearance_kernels`.
"""

from __future__ import annotations

from dataclasses import dataclass
from types import ModuleType
from typing import Any, ClassVar

import numpy as np

from fem_mbd.errors import InputError
from fem_mbd.joints.contact import spatial_clearance_kernels as kernels
from fem_mbd.joints.contact.clearance import ClearanceHandle, ClearanceKind, SphericalClearance
from fem_mbd.model.model import Model
from fem_mbd.model.node import as_point
from fem_mbd.model.workspace import Workspace
from fem_mbd.rotations import triad_with_third, unit_vector

LARGEST_TILT = np.radians(60.0)  # at the start: a joint, not a coin that lies across a pipe


@dataclass(frozen=True, eq=False)
class SpatialClearance(SphericalClearance):
    """A thin disk of radius_l on body L inside a cylinder of radius_k on body K; friction, also along the cylinder.

    Parameters
    ----------
    k, l : Node or Point, a point of the cylinder's axis and the disk's centre
    radius_k, radius_l : m, radius_k above radius_l
    normal, friction : laws as for `SphericalClearance`
    axis : (3,) axis of the cylinder in global axes, reference configuration; it has no ends
    disk_axis : (3,) axis of the disk likewise; that of the cylinder when left out

    One contact point, the deepest. A disk that is tilted by more than about sqrt(clearance / radius_l) can touch the
    cylinder at two places at once; then the deeper one counts.

    Raises
    ------
    InputError
        When the disk does not fit, starts outside the cylinder, or is tilted by more than 60 degrees.
    """

    axis: Any = (0.0, 0.0, 1.0)
    disk_axis: Any = None

    def axes(self) -> tuple[np.ndarray, np.ndarray]:
        """Unit axes (3,) of cylinder and disk, global, reference configuration."""
        cylinder = unit_vector(self.axis, f"axis of clearance joint '{self.name}'")
        if self.disk_axis is None:
            return cylinder, cylinder
        return cylinder, unit_vector(self.disk_axis, f"disk_axis of clearance joint '{self.name}'")

    def build(self, model: Model) -> ClearanceHandle:
        name = model.unique_name(self.name)
        k, l = as_point(self.k), as_point(self.l)
        if k.node is l.node:
            raise InputError(
                f"clearance joint '{name}' joins node '{k.node.name}' to itself: give two bodies"
            )
        cylinder, disk = self.axes()
        if abs(cylinder @ disk) < np.cos(LARGEST_TILT):
            raise InputError(
                f"clearance joint '{name}': the disk's axis starts {np.degrees(np.arccos(abs(cylinder @ disk))):.0f} "
                "degrees from the cylinder's: give axes that are nearly parallel"
            )
        x = l.position - k.position
        distance = float(np.linalg.norm(x - cylinder * (cylinder @ x)))
        if distance > self.radius_k:
            raise InputError(
                f"clearance joint '{name}': the disk's centre starts {distance:.4g} m from the cylinder's axis, "
                f"outside its radius of {self.radius_k:.4g} m: move them together"
            )
        self.tell(name)
        model.register(SpatialClearanceKind, (self, name))
        return ClearanceHandle(name, k, l, self)


class SpatialClearanceKind(ClearanceKind):
    """All contacts of a disk in a cylinder. History: as of `ClearanceKind`, bristles along (d1, d2, d3)."""

    label: ClassVar[str] = "spatial contact"
    kernels: ClassVar[ModuleType] = kernels

    def _set_start(self, work: Workspace) -> None:
        """Axes in the nodes' own axes, gap and normal of the reference configuration; bristles relaxed."""
        for c, (spec, _) in enumerate(self.specs):
            assert isinstance(spec, SpatialClearance)
            cylinder, disk = spec.axes()
            k, l = as_point(spec.k), as_point(spec.l)
            triad = triad_with_third(cylinder)
            self.records["axes_k"][c] = k.node.rotation.T @ triad
            self.records["axis_l"][c] = l.node.rotation.T @ disk
            y = triad.T @ (l.position - k.position)
            place = kernels.contact_direction(y, triad.T @ disk, float(spec.radius_l))
            gap = kernels.gap_at(y, triad.T @ disk, *place, float(spec.radius_k), float(spec.radius_l))
            normal = triad[:, :2] @ place
            self.records["place_i"][c] = place
            self.records["gap_i"][c] = self.records["gap_f"][c] = gap
            self.records["normal"][c] = self.records["normal_f"][c] = normal
            self.history[c, -4:-1] = normal

    def begin_step(self, work: Workspace) -> None:
        kernels.begin(self.records, work.q_i)
