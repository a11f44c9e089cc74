"""Rolling disk and rolling ball: wheels, hoops and balls that roll on a plane of another body without slip.

Source: Neimark and Fufaev, Dynamics of Nonholonomic Systems (AMS, 1972), chapters 1 and 3; equations:
`fem_mbd.joints.rolling_kernels` and docs/explanation/rolling.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from functools import partial
from typing import Any, ClassVar

import numpy as np

from fem_mbd.base.arguments import arguments
from fem_mbd.base.arrays import Array
from fem_mbd.base.validation import positive
from fem_mbd.core.compiled.calls import Call, Check, Task
from fem_mbd.core.model.model import Model
from fem_mbd.core.model.node import Attachment, Handle, Point, as_point
from fem_mbd.core.model.output import XYZ, Output, Quantity
from fem_mbd.core.model.part_kind import PartKind, pair_data
from fem_mbd.core.model.workspace import Workspace
from fem_mbd.core.rotations import triad_with_third
from fem_mbd.core.scheme.constraints.constraint_kind import CLOSURE
from fem_mbd.errors import InputError, SolverFailure
from fem_mbd.joints import rolling_kernels
from fem_mbd.joints.pair import required_direction
from fem_mbd.joints.rolling_kernels import ROLLING, ROWS

CONTACT = Output(
    "rolling",
    "rolling",
    (
        Quantity("contact_point", "m", "contact point of L on the plane", tuple(f"contact {c}" for c in XYZ), "global"),
        Quantity("normal_force", "N", "on L along the normal, mean of the step; tension negative", within="mean"),
        Quantity(
            "friction_force", "N", "on L along the plane, mean of the step",
            tuple(f"friction_force {c}" for c in XYZ), "global", "mean",
        ),
    ),
)  # fmt: skip
FLAT_ANGLE_SINE = 1e-3  # sine of the angle between a disk and its plane up to which it lies flat


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
    resists_rotation: ClassVar[bool] = True
    recorded: tuple[Output, ...] = (CONTACT,)

    def __init__(self, specs: Sequence[RollingSpec], workspace: Workspace):
        self.specs = list(specs)
        count = len(self.specs)
        self.records: Any = np.zeros(count, dtype=ROLLING)
        for record, spec in zip(self.records, self.specs, strict=True):
            workspace.put_points(record, spec.k, spec.l)
            record["plane"], record["radius"] = spec.plane, spec.radius
            record["ball"] = spec.axle is None
            record["axle"] = 0.0 if spec.axle is None else spec.axle
        self.nodes = self.records["nodes"].copy()
        self.multipliers = np.full(count, ROWS)
        self._disks = np.flatnonzero(self.records["ball"] == 0)
        self._heights = np.zeros((count, 2))
        self._contacts = np.zeros((count, 7))

    def phases(self, workspace: Workspace) -> dict[str, list[Task]]:
        motion = (workspace.x, workspace.multipliers, workspace.r_i, workspace.q_i)
        joints = (self.records, self.first_row, *motion)
        return {
            "begin_step": [Check(partial(self._check_not_flat, workspace))] if len(self._disks) else [],
            "residual": [Call(rolling_kernels.residual, *joints, workspace.rows, workspace.constraints)],
            "tangent": [Call(rolling_kernels.tangent, *joints, self.slots, workspace.data)],
            "evaluate_outputs": [
                Call(
                    rolling_kernels.contacts,
                    self.records,
                    self.first_row,
                    workspace.q_i,
                    workspace.lam,
                    workspace.accepted,
                    self._contacts,
                )
            ],
        }

    def _check_not_flat(self, workspace: Workspace) -> None:
        rolling_kernels.heights(self.records, workspace.q_i, self._heights)
        worst = int(np.argmin(self._heights[:, 1]))
        if not self._heights[worst, 1] > FLAT_ANGLE_SINE:
            raise SolverFailure(
                f"rolling disk '{self.specs[worst].name}' lies flat at t = {workspace.t_i:.6g} s: it has no unique "
                "point of contact. End the run earlier, or support it by a contact (DiskOnPlane)"
            )

    def check_closure(self, q: Array, length: float) -> None:
        rolling_kernels.heights(self.records, q, self._heights)
        for spec, (error, steepness) in zip(self.specs, self._heights, strict=True):
            if not steepness > FLAT_ANGLE_SINE:
                raise InputError(
                    f"rolling disk '{spec.name}' starts flat on its plane: its axis must not be the plane's normal"
                )
            if abs(error) > CLOSURE * length:
                raise InputError(
                    f"{spec.joint} '{spec.name}' does not touch its plane in the reference configuration: its "
                    f"centre is too high by {error:.3g} m; a point of the plane and the centre are given by k and l"
                )

    def velocity_jacobian(self, q: Array) -> Array:
        out = np.zeros((len(self.specs), ROWS, 2, 6))
        rolling_kernels.jacobians(self.records, q, out)
        return out.reshape(len(self.specs) * ROWS, 2, 6)

    def jacobian_tasks(self, q: Array, out: Array) -> Sequence[Task]:
        return (Call(rolling_kernels.jacobians, self.records, q, out.reshape(-1, ROWS, 2, 6)),)

    def output_arrays(self) -> dict[str, Array]:
        return {CONTACT.name: self._contacts}

    def describe(self) -> list[dict[str, Any]]:
        return [
            pair_data(s, "radius")
            | {"type": s.joint, "point_k": s.k.offset.tolist(), "point_l": s.l.offset.tolist()}
            for s in self.specs
        ]


@dataclass(frozen=True, eq=False, repr=False)
class RollingHandle(Handle):
    """A rolling joint in a model; ``result.of(handle)`` gives contact_point, normal_force and friction_force.

    Attributes
    ----------
    name : shown in messages and results
    k, l : a point of the plane, and the centre of the rolling body
    spec : its data
    """

    name: str
    k: Point
    l: Point
    spec: RollingSpec


@arguments()
@dataclass(frozen=True, eq=False)
class RollingBall:
    """A ball on body L rolls without slip on a plane of body K.

    Three conditions: the centre stays at the height of the radius, and the two bodies' points at the contact have the
    same velocity along the plane. The ball may spin about the plane's normal without resistance. The plane is infinite,
    may move, and is a bilateral constraint (``normal_force`` may be tensile, below zero).

    Parameters
    ----------
    k : Node or Point of the model, a point of the plane
    l : Node or Point, the centre of the ball
    radius : m
    direction : (3,) normal of the plane, from it to the centre, global axes, reference configuration
    name : shown in messages and results

    Raises
    ------
    InputError
        For a radius that is not above zero, a missing direction, one body on both sides; when the run starts, for a
        centre that is not a radius (of a leaning disk: its height) above the plane.
    """

    k: Attachment
    l: Attachment
    radius: float
    _: KW_ONLY
    direction: Any = None
    name: str = ""

    kind: ClassVar[str] = "rolling ball"

    def __post_init__(self) -> None:
        positive(self.radius, f"{self.label}: radius (m)")
        required_direction(self.direction, "direction", self.label)

    @property
    def label(self) -> str:
        """Name in messages."""
        return f"{self.kind} '{self.name}'"

    def disk_axis(self) -> Array | None:
        """Unit vector of a disk's axis, global axes, reference configuration; None for a ball."""
        return None

    def build(self, model: Model) -> RollingHandle:
        """Register the joint."""
        name = model.registry.unique_name(self.name or self.kind)
        k, l = as_point(self.k), as_point(self.l)
        if k.node is l.node:
            raise InputError(f"{self.kind} '{name}' rolls on its own node '{k.node.name}': give two bodies")
        for point in (k, l):
            model.registry.require_rotation(point, f"{self.kind} '{name}'")
        axis = self.disk_axis()
        normal = required_direction(self.direction, "direction", self.label)
        spec = RollingSpec(
            name, self.kind, k, l, float(self.radius), k.node.rotation.T @ triad_with_third(normal),
            None if axis is None else np.asarray(l.node.rotation.T @ axis),
        )  # fmt: skip
        model.registry.add(RollingKind, spec)
        return RollingHandle(name, k, l, spec)


@arguments()
@dataclass(frozen=True, eq=False)
class RollingDisk(RollingBall):
    """A thin disk on body L, a wheel or a hoop, rolls without slip on a plane of body K with its sharp rim.

    As `RollingBall`, with the height that corresponds to the disk's inclination. It may rotate about the contact point
    and tip over without resistance. When it lies flat it has no unique contact point: the run ends there.

    Parameters
    ----------
    k, l, radius, direction, name : as for `RollingBall`; l is the centre of the disk
    axis : (3,) of the disk, global axes, reference configuration
    """

    _: KW_ONLY
    axis: Any = None
    kind: ClassVar[str] = "rolling disk"

    def __post_init__(self) -> None:
        super().__post_init__()
        self.disk_axis()

    def disk_axis(self) -> Array:
        return required_direction(self.axis, "axis", self.label)
