"""Prescribed motion of nodes in a step: their unknowns are given, and the removed equations yield the driver's work.

With the displacement s, its rate, the angle phi about an axis n through the given point x_0, and the mass centre c from
it in node axes: x = x_0 + s + R c, R = (1 + sin(phi) n~ + (1 - cos(phi)) n~ n~) R_0. Unknowns (a, b, c, e) as in
`fem_mbd.core.scheme.nodes.node_map`: at both ends of the step the node has the prescribed position and velocity.

The kernel `fill` sets the unknowns of these nodes, `Prescription` is the checked motion of one, and `PrescribedMotions`
has the calls for all of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from fem_mbd.base.arrays import Array
from fem_mbd.core.compiled import kernel
from fem_mbd.core.compiled.calls import Call, Task
from fem_mbd.core.compiled.signatures import array3, float64, matrix, record, vector, void
from fem_mbd.core.model.function_values import MAX_ROTATION, StepFunctions, jumps_of
from fem_mbd.core.model.node import Node, Point
from fem_mbd.core.model.time_functions import TimeFunction, TimeFunctionLike, as_time_function
from fem_mbd.core.model.workspace import Workspace
from fem_mbd.core.rotations import skew, unit_vector
from fem_mbd.errors import InputError

PRESCRIPTION = np.dtype(
    [
        ("node", "i8"),
        ("displacement", "i8"),  # number of the function among those of the step, -1: none
        ("angle", "i8"),
        ("position", "f8", (3,)),  # of the point in the reference configuration
        ("rotation", "f8", (3, 3)),
        ("spin", "f8", (3, 3)),  # n~, global axes
        ("axis", "f8", (3,)),  # n in node axes
        ("centre", "f8", (3,)),  # m from the point, node axes
    ],
    align=True,
)


@kernel(void(record(PRESCRIPTION), vector, vector, float64, float64, vector, vector, matrix))
def frame(prescription, s, s_rate, angle, rate, x, v, r):
    """Fill mass centre x (3,), its velocity v (3,) and rotation r (3, 3) from displacement (3,), angle and rates."""
    sine, versine, r_0, spin = (
        np.sin(angle),
        1.0 - np.cos(angle),
        prescription["rotation"],
        prescription["spin"],
    )
    for j in range(3):
        # n~ R_0 and n~ n~ R_0, column by column
        n0 = spin[0, 0] * r_0[0, j] + spin[0, 1] * r_0[1, j] + spin[0, 2] * r_0[2, j]
        n1 = spin[1, 0] * r_0[0, j] + spin[1, 1] * r_0[1, j] + spin[1, 2] * r_0[2, j]
        n2 = spin[2, 0] * r_0[0, j] + spin[2, 1] * r_0[1, j] + spin[2, 2] * r_0[2, j]
        r[0, j] = r_0[0, j] + sine * n0 + versine * (spin[0, 0] * n0 + spin[0, 1] * n1 + spin[0, 2] * n2)
        r[1, j] = r_0[1, j] + sine * n1 + versine * (spin[1, 0] * n0 + spin[1, 1] * n1 + spin[1, 2] * n2)
        r[2, j] = r_0[2, j] + sine * n2 + versine * (spin[2, 0] * n0 + spin[2, 1] * n1 + spin[2, 2] * n2)
    c = prescription["centre"]
    a0 = r[0, 0] * c[0] + r[0, 1] * c[1] + r[0, 2] * c[2]
    a1 = r[1, 0] * c[0] + r[1, 1] * c[1] + r[1, 2] * c[2]
    a2 = r[2, 0] * c[0] + r[2, 1] * c[1] + r[2, 2] * c[2]
    x[0], x[1], x[2] = (
        prescription["position"][0] + s[0] + a0,
        prescription["position"][1] + s[1] + a1,
        prescription["position"][2] + s[2] + a2,
    )
    for i in range(3):
        v[i] = s_rate[i] + rate * (spin[i, 0] * a0 + spin[i, 1] * a1 + spin[i, 2] * a2)


@kernel
def _unknowns(prescription, values, dt, q_i, x, scratch):
    """Fill x (12,) of one node, whose mass centre is at q_i (3,) at t_i; scratch (7, 3)."""
    zero, position, velocity, rotation = scratch[0], scratch[1], scratch[2], scratch[3:6]
    increment, angle, rate = 0.0, 0.0, 0.0
    if prescription.angle >= 0:
        angle, rate = values[1, prescription.angle, 0], values[2, prescription.angle, 0]
        increment = angle - values[0, prescription.angle, 0]
    if not abs(increment) <= MAX_ROTATION:
        raise ValueError("a prescribed rotation in one step is too large")
    s, s_rate = zero, zero
    if prescription.displacement >= 0:
        s, s_rate = values[1, prescription.displacement], values[2, prescription.displacement]
    frame(prescription, s, s_rate, angle, rate, position, velocity, rotation)
    for i in range(3):
        x[i] = position[i] - q_i[i]
        x[6 + i] = dt * velocity[i] - x[i]
        # exact while e is parallel to b (`node_map`)
        x[3 + i] = increment * prescription["axis"][i]
        x[9 + i] = dt * rate * prescription["axis"][i] - x[3 + i]


@kernel(void(record(PRESCRIPTION)[::1], array3, float64, array3, matrix))
def fill(prescriptions, values, dt, q_i, x):
    """Set the unknowns x (n, 12) of nodes with prescribed motion; q_i (n, 4, 3).

    prescriptions : records of dtype `PRESCRIPTION`
    values : (3, functions, 3), of `fem_mbd.core.model.function_values.StepFunctions`

    Raises ValueError for a rotation that is too large for one step.
    """
    scratch = np.zeros((7, 3))
    for k in range(prescriptions.shape[0]):
        node = prescriptions[k].node
        _unknowns(prescriptions[k], values, dt, q_i[node, 0], x[node], scratch)


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


class PrescribedMotions:
    """Prescribed motions of a model's nodes.

    Parameters
    ----------
    motions : one for each node with a prescribed motion
    """

    def __init__(self, motions: Sequence[Prescription]):
        self._motions = list(motions)

    def tasks(self, workspace: Workspace) -> list[Task]:
        """Calls that set the unknowns of the nodes at the beginning of a step."""
        if not self._motions:
            return []
        parts = [(m, f) for m in self._motions for f in (m.displacement, m.angle) if f is not None]
        functions = StepFunctions([f for _, f in parts], [m.jumps for m, _ in parts])
        records: Any = np.array(
            [m.record(workspace.centre[m.node.index]) for m in self._motions], dtype=PRESCRIPTION
        )
        number = 0
        for entry, motion in zip(records, self._motions, strict=True):
            for name, function in (("displacement", motion.displacement), ("angle", motion.angle)):
                entry[name] = -1 if function is None else number
                number += function is not None
        return [
            *functions.tasks(workspace),
            _Fill(fill, records, functions.values, workspace.step, workspace.q_i, workspace.x),
        ]


class _Fill(Call):
    """Call of the kernel `fill`, whose error message gives the rotation that is too large."""

    def raise_error(self) -> None:
        records, values = self.arguments[:2]
        for entry in records[records["angle"] >= 0]:
            check_rotation_in_step(values[1, entry["angle"], 0] - values[0, entry["angle"], 0])
        super().raise_error()
