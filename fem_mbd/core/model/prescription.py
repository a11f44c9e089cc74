"""Prescribed motion of a node, checked: its unknowns are given, and the removed equations yield the driver's work."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from fem_mbd.base.arrays import Array
from fem_mbd.core.model.jumps import MAX_ROTATION, jumps_of
from fem_mbd.core.model.node import Node, Point
from fem_mbd.core.model.prescription_kernels import PRESCRIPTION, frame
from fem_mbd.core.model.time_functions import TimeFunction, TimeFunctionLike, as_time_function
from fem_mbd.core.rotations import skew, unit_vector
from fem_mbd.errors import InputError


def check_rotation_in_step(angle: float) -> None:
    """InputError for a prescribed rotation (rad) that is too large for one step."""
    if abs(angle) > MAX_ROTATION:
        raise InputError(
            f"a prescribed rotation of {angle:.2f} rad in one step is too large: use steps of less than 2.8 rad"
        )


@dataclass(frozen=True, eq=False)
class Prescription:
    """A checked `PrescribedMotion`: the point, functions and the axis."""

    point: Point
    displacement: TimeFunction | None
    spin: Array  # (3, 3) cross product of the axis, global axes
    body_axis: Array  # (3,) the axis in node axes
    angle: TimeFunction | None
    jumps: tuple[float, ...]  # s, of displacement or angle

    @classmethod
    def of(
        cls,
        point: Point,
        displacement: TimeFunctionLike | None,
        axis: ArrayLike | None,
        angle: TimeFunctionLike | None,
        name: str,
        allow_jumps: bool = False,
    ) -> Prescription:
        """Check the arguments of a `PrescribedMotion`."""
        node = point.node
        what = f"{name} of node '{node.name}'"
        s = None if displacement is None else as_time_function(displacement, (3,), f"{what}: displacement")
        phi = None if angle is None else as_time_function(angle, (), f"{what}: angle")
        unit = np.zeros(3) if axis is None else unit_vector(axis, f"{name}: axis")
        jumps = jumps_of(s, f"{what}: displacement", allow_jumps)
        jumps += jumps_of(phi, f"{what}: angle", allow_jumps, MAX_ROTATION)
        return cls(point, s, skew(unit), node.rotation.T @ unit, phi, jumps)

    @property
    def node(self) -> Node:
        """The node that moves with the point."""
        return self.point.node

    def frame(self, t: float, side: int, centre: Array) -> tuple[Array, Array, Array, Array]:
        """Mass centre (3,), its velocity, rotation (3, 3) and angular velocity (node axes) at time t."""
        s, s_rate, angle, rate = np.zeros(3), np.zeros(3), 0.0, 0.0
        if self.displacement is not None:
            s, s_rate = np.array(self.displacement.value(t, side)), np.array(self.displacement.rate(t, side))
        if self.angle is not None:
            angle, rate = float(self.angle.value(t, side)), float(self.angle.rate(t, side))
        record: Any = np.array([self.record(centre)], dtype=PRESCRIPTION)
        x, v, r = np.empty(3), np.empty(3), np.empty((3, 3))
        frame(record[0], s, s_rate, angle, rate, x, v, r)
        return x, v, r, rate * self.body_axis

    def record(self, centre: Array) -> tuple[Any, ...]:
        """Fields of `PRESCRIPTION` in order, without functions; ``centre`` (3,) m, node axes."""
        node, arm = self.node, centre - self.point.offset
        return node.index, -1, -1, self.point.position, node.rotation, self.spin, self.body_axis, arm
