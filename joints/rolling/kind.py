"""All rolling joints of a model: data, calls of a step, contact forces as outputs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar

import numpy as np

from fem_mbd.base.arrays import Array
from fem_mbd.core.compiled.calls import Call, Check, Task
from fem_mbd.core.model.node import Point
from fem_mbd.core.model.output import XYZ, Output, Quantity
from fem_mbd.core.model.part_kind import PartKind, pair_data
from fem_mbd.core.model.workspace import Workspace
from fem_mbd.core.scheme.constraints.constraint_kind import CLOSURE
from fem_mbd.errors import InputError, SolverFailure
from fem_mbd.joints.rolling import kernels
from fem_mbd.joints.rolling.records import ROLLING, ROWS

CONTACT = Output(
    "rolling",
    "rolling",
    (
        Quantity("contact_point", "m", "contact point of L on the plane", tuple(f"contact {c}" for c in XYZ), "global"),
        Quantity("normal_force", "N", "on L along the plane's normal, at t_f; negative: tension"),
        Quantity(
            "friction_force", "N", "on L along the plane, at t_f", tuple(f"friction_force {c}" for c in XYZ), "global"
        ),
    ),
)  # fmt: skip
FLAT = 1e-3  # sine of the angle between a disk and its plane


@dataclass(frozen=True, eq=False)
class RollingSpec:
    """Data of one rolling joint, for `RollingKind`.

    joint : its type in messages; k, l : a point of the plane, the centre of the rolling body; plane : (3, 3) two axes
    and the normal in columns, axes of node K; axle : (3,) a disk's axis in the axes of node L, None of a ball
    """

    name: str
    joint: str
    k: Point
    l: Point
    radius: float
    plane: Array
    axle: Array | None


class RollingKind(PartKind):
    """All rolling joints."""

    label: ClassVar[str] = "rolling"
    resists_turning: ClassVar[bool] = True
    recorded: tuple[Output, ...] = (CONTACT,)

    def __init__(self, specs: Sequence[RollingSpec], work: Workspace):
        self.specs = list(specs)
        count = len(self.specs)
        self.records: Any = np.zeros(count, dtype=ROLLING)
        for record, spec in zip(self.records, self.specs, strict=True):
            work.put_points(record, spec.k, spec.l)
            record["plane"], record["radius"] = spec.plane, spec.radius
            record["ball"] = spec.axle is None
            record["axle"] = 0.0 if spec.axle is None else spec.axle
        self.nodes = self.records["nodes"].copy()
        self.multipliers = np.full(count, ROWS)
        self._disks = np.flatnonzero(self.records["ball"] == 0)
        self._heights = np.zeros((count, 2))
        self._contacts = np.zeros((count, 7))

    def phases(self, work: Workspace) -> dict[str, list[Task]]:
        joints = (self.records, self.first_row, work.x, work.multipliers, work.r_i, work.q_i)
        return {
            "begin_step": [Check(partial(self._check_lying, work))] if len(self._disks) else [],
            "residual": [Call(kernels.residual, *joints, work.rows, work.constraints)],
            "tangent": [Call(kernels.tangent, *joints, self.slots, work.data)],
            "measure": [
                Call(kernels.contacts, self.records, self.first_row, work.q_i, work.lam, self._contacts)
            ],
        }

    def _check_lying(self, work: Workspace) -> None:
        kernels.heights(self.records, work.q_i, self._heights)
        worst = int(np.argmin(self._heights[:, 1]))
        if not self._heights[worst, 1] > FLAT:
            raise SolverFailure(
                f"rolling disk '{self.specs[worst].name}' lies flat at t = {work.t_i:.6g} s: it has no unique point of "
                "contact. End the run earlier, or support it by a contact (DiskOnPlane)"
            )

    def check_closure(self, q: Array, length: float) -> None:
        kernels.heights(self.records, q, self._heights)
        for spec, (error, steepness) in zip(self.specs, self._heights, strict=True):
            if not steepness > FLAT:
                raise InputError(
                    f"rolling disk '{spec.name}' starts flat on its plane: its axis must not be the plane's normal"
                )
            if abs(error) > CLOSURE * max(length, 1.0):
                raise InputError(
                    f"{spec.joint} '{spec.name}' does not touch its plane in the reference configuration: its "
                    f"centre is too high by {error:.3g} m; a point of the plane and the centre are given by k and l"
                )

    def velocity_jacobian(self, q: Array) -> Array:
        out = np.zeros((len(self.specs), ROWS, 2, 6))
        kernels.jacobians(self.records, q, out)
        return out.reshape(len(self.specs) * ROWS, 2, 6)

    def measured(self) -> dict[str, Array]:
        return {CONTACT.name: self._contacts}

    def describe(self) -> list[dict[str, Any]]:
        return [
            pair_data(s, "radius")
            | {"type": s.joint, "point_k": s.k.offset.tolist(), "point_l": s.l.offset.tolist()}
            for s in self.specs
        ]
