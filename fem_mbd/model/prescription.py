"""Motion prescribed at a node: its unknowns are given, its equations are dropped and give the driver's work."""

from __future__ import annotations

from dataclasses import dataclass
from math import cos, sin
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from fem_mbd.arrays import Array
from fem_mbd.errors import InputError
from fem_mbd.model.jumps import TURN, jumps_of, side_at_start
from fem_mbd.model.node import Node
from fem_mbd.model.time_functions import TimeFunction, TimeFunctionLike, as_time_function
from fem_mbd.rotations import skew, unit_vector

if TYPE_CHECKING:
    from fem_mbd.model.workspace import Workspace


def increment_for_angle(angle: float) -> float:
    """The unknown b (rad) whose Cayley map turns by ``angle`` when e is parallel to it: b + b^3/12 = 2 tan(angle/2)."""
    if abs(angle) > TURN:
        raise InputError(
            f"a prescribed rotation turns by {angle:.2f} rad in one step: use steps of less than 2.8 rad"
        )
    target = 2 * np.tan(0.5 * angle)
    # Cardano's one real root, then Newton to round-off
    b = 4 * np.sinh(np.arcsinh(0.75 * target) / 3)
    for _ in range(4):
        b -= (b + b**3 / 12 - target) / (1 + b * b / 4)
    return float(b)


@dataclass(frozen=True, eq=False)
class Prescription:
    """A `PrescribedMotion` made ready: functions and the axis."""

    node: Node
    displacement: TimeFunction | None
    spin: Array  # (3, 3) cross product of the axis, global axes
    body_axis: Array  # (3,) the axis in node axes
    angle: TimeFunction | None
    jumps: tuple[float, ...]  # s, of displacement or angle

    @classmethod
    def of(
        cls,
        node: Node,
        displacement: TimeFunctionLike | None,
        axis: ArrayLike | None,
        angle: TimeFunctionLike | None,
        name: str,
        allow_jumps: bool = False,
    ) -> Prescription:
        """The arguments of a `PrescribedMotion`, checked."""
        what = f"{name} of node '{node.name}'"
        move = None if displacement is None else as_time_function(displacement, (3,), f"{what}: displacement")
        turn = None if angle is None else as_time_function(angle, (), f"{what}: angle")
        unit = np.zeros(3) if axis is None else unit_vector(axis, f"{name}: axis")
        jumps = jumps_of(move, f"{what}: displacement", allow_jumps)
        jumps += jumps_of(turn, f"{what}: angle", allow_jumps, TURN)
        return cls(node, move, skew(unit), node.rotation.T @ unit, turn, jumps)

    def frame(self, t: float, side: int, centre: Array) -> tuple[Array, Array, Array, Array]:
        """Mass centre (3,), its velocity, rotation (3, 3) and angular velocity (node axes) at time t."""
        node = self.node
        x, v = node.position.copy(), np.zeros(3)
        if self.displacement is not None:
            x = x + np.asarray(self.displacement.value(t, side))
            v = v + np.asarray(self.displacement.rate(t, side))
        r, w = node.rotation, np.zeros(3)
        if self.angle is not None:
            angle, rate = float(self.angle.value(t, side)), float(self.angle.rate(t, side))
            r = r + self.spin @ (sin(angle) * r + (1.0 - cos(angle)) * (self.spin @ r))
            w = rate * self.body_axis
            v = v + rate * (self.spin @ (r @ centre))
        return x + r @ centre, v, r, w

    def fill(self, work: Workspace) -> None:
        """Set the node's 12 unknowns for the step from work.t_i to work.t_f."""
        n = self.node.index
        x_f, v_f, _, w_f = self.frame(work.t_f, -1, work.centre[n])
        unknowns = work.x[n]
        unknowns[0:3] = x_f - work.q_i[n, 0]
        unknowns[6:9] = work.dt * v_f - unknowns[0:3]
        if self.angle is not None:
            side = side_at_start(work.t_i, self.jumps)
            turn = float(self.angle.value(work.t_f, -1)) - float(self.angle.value(work.t_i, side))
            unknowns[3:6] = increment_for_angle(turn) * self.body_axis
            unknowns[9:12] = work.dt * w_f - unknowns[3:6]
