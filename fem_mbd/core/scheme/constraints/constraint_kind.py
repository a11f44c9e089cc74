"""Element class of the ideal joints: constraints between two nodes, made of quadratic forms, and their drives."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from fem_mbd.base.arrays import Array, Flags, Indices
from fem_mbd.core.compiled.calls import Call, Task
from fem_mbd.core.model.function_values import StepFunctions
from fem_mbd.core.model.node import Node, Point
from fem_mbd.core.model.output import XYZ, Output, Quantity
from fem_mbd.core.model.part_kind import PartKind
from fem_mbd.core.model.time_functions import TimeFunction
from fem_mbd.core.model.workspace import Workspace
from fem_mbd.core.scheme.constraints import constraint_kernels as kernels
from fem_mbd.core.scheme.constraints.constraint_kernels import DRIVE, set_drives
from fem_mbd.core.scheme.constraints.forms import Form, list_vectors, point, store_form
from fem_mbd.core.scheme.ledger import add_amounts, columns
from fem_mbd.errors import InputError

AMOUNTS = columns("work_drivers")
PLACES = [0, 4]  # of the two nodes, among the vectors of a form
CLOSURE = 1e-9  # fraction of the model's length, or rad: largest error of a joint before a run
FORCES = (("force", "N", "F"), ("moment", "N m", "M"))
REACTION = Output(
    "reaction",
    "joint",
    tuple(
        Quantity(
            f"{name}{suffix}", unit, "by the joint on L at its point, mean of the step",
            tuple(f"{axes} {letter}{c}" for c in XYZ), axes, "mean",
        )
        for suffix, axes in (("", "global"), ("_in_k", "K"), ("_in_l", "L"))
        for name, unit, letter in FORCES
    ),
)  # fmt: skip
REACTION_AT_END = Output(
    "reaction_at_end",
    "joint",
    tuple(
        Quantity(
            f"{name}_at_end", unit, "by the joint on L at its point, at t_f",
            tuple(f"global {letter}{c}" for c in XYZ), "global",
        )
        for name, unit, letter in FORCES
    ),
)  # fmt: skip


@dataclass(frozen=True, eq=False)
class Drive:
    """A function of time in a constraint."""

    row: int
    angle: TimeFunction | None = None  # the row's two forms are weighted with (sin, cos) of the angle
    value: TimeFunction | None = None  # or the row's form equals this value
    jumps: tuple[float, ...] = ()  # s, of the function

    @property
    def function(self) -> TimeFunction:
        """The function of the angle or the value."""
        return next(function for function in (self.angle, self.value) if function is not None)


@dataclass(frozen=True, eq=False)
class Constraints:
    """One joint: its two points and its conditions.

    ``conditions(offset_k, offset_l) -> [(row, Form), …]`` is called once the mass centres of the nodes are known;
    the offsets (3,) are those of the two points from the mass centres, node axes. axes_k, axes_l (3, 3): the joint's
    triad (columns) in the axes of both nodes.
    """

    name: str
    joint: str
    k: Point
    l: Point
    conditions: Any
    drives: Sequence[Drive] = field(default_factory=tuple)
    axes_k: Array = field(default_factory=lambda: np.eye(3))
    axes_l: Array = field(default_factory=lambda: np.eye(3))


def support(name: str, ground: Node, fixed_point: Point, directions: Sequence[bool]) -> Constraints:
    """Joint that holds a point, in some of the global directions (3,), where it is in the reference configuration."""

    def conditions(x_k: Array, x_l: Array) -> list[tuple[int, Form]]:
        gap = point(1, x_l) - point(0, x_k)
        return [(row, gap.component(np.eye(3)[i])) for row, i in enumerate(np.flatnonzero(directions))]

    return Constraints(name, "support", ground.at_global(fixed_point.position), fixed_point, conditions)


def _is_vector(conditions: Sequence[tuple[int, Form]]) -> bool:
    """Whether the first conditions of a joint are the components of one vector along the global axes."""
    if [row for row, _ in conditions] != [0, 1, 2] or any(form.h.any() for _, form in conditions):
        return False
    weight = conditions[0][1].l[:, :1]
    return all(np.array_equal(form.l, weight * np.eye(3)[row]) for row, form in conditions)


class ConstraintKind(PartKind):
    """All ideal joints of a model."""

    label: ClassVar[str] = "joint"
    resists_rotation: ClassVar[bool] = True
    recorded: tuple[Output, ...] = (REACTION, REACTION_AT_END)
    view: ClassVar[str] = "joint"

    def __init__(self, specs: Sequence[Constraints], workspace: Workspace):
        self.specs = list(specs)
        count = len(self.specs)
        self.records: Any = np.zeros(count, dtype=kernels.CONSTRAINT)
        self.offsets = np.zeros((count, 2, 3))
        self.forms: list[list[tuple[int, Form]]] = []
        for record, spec, offset in zip(self.records, self.specs, self.offsets, strict=True):
            offset[0] = workspace.offset_from_centre(spec.k.node.index, spec.k.offset)
            offset[1] = workspace.offset_from_centre(spec.l.node.index, spec.l.offset)
            forms = spec.conditions(offset[0], offset[1])
            self.forms.append(forms)
            self._fill(record, spec, forms)
        # conditions on places are lengths, those on directions alone are sines of angles
        self._of_lengths = np.zeros(self.records["f_f"].shape, dtype=bool)
        for n, forms in enumerate(self.forms):
            for row, form in forms:
                self._of_lengths[n, row] |= bool(form.h[PLACES].any() or form.l[PLACES].any())
        list_vectors(self.records)
        self.nodes = self.records["nodes"].copy()
        self.multipliers = self.records["rows"].copy()
        drives = [(n, drive) for n, spec in enumerate(self.specs) for drive in spec.drives]
        self.functions = StepFunctions([d.function for _, d in drives], [d.jumps for _, d in drives])
        self._drives: Any = np.array([self._drive(n, d) for n, d in drives], dtype=DRIVE)
        self._reaction, self._at_end = np.zeros((count, 18)), np.zeros((count, 6))
        self._work = np.zeros(1)

    def vector_rows(self) -> tuple[Indices, Indices]:
        """(k,) first of three constraints of a joint whose points coincide, and (k, 2) its nodes."""
        joints = [n for n, forms in enumerate(self.forms) if _is_vector(forms[:3])]
        return self.first_row[joints], self.nodes[joints]

    @staticmethod
    def _fill(record: Any, spec: Constraints, forms: list[tuple[int, Form]]) -> None:
        record["nodes"] = spec.k.node.index, spec.l.node.index
        record["forms"], record["rows"] = len(forms), 1 + max(row for row, _ in forms)
        record["driven"] = bool(spec.drives)
        for k, (row, form) in enumerate(forms):
            record["row"][k] = row
            store_form(record, k, form)
        record["g_i"], record["g_f"] = 1.0, 1.0

    # -- drivers --------------------------------------------------------------------------------------------

    def _drive(self, n: int, drive: Drive) -> tuple[int, int, int]:
        """Record of a drive of joint n."""
        first = next(k for k, (row, _) in enumerate(self.forms[n]) if row == drive.row)
        return n, drive.row, -1 if drive.angle is None else first

    def set_instant(self, time: float, side: int = +1) -> None:
        """Set the drives to their values at a time (s), and their rates per second, as at the end of a step.

        side : at a kink or jump, +1 for the limit from later times, -1 for that from earlier ones
        """
        self.functions.at_instant(time, side)
        set_drives(self.records, self._drives, self.functions.values, 1.0)

    def hold_drives(self) -> None:
        """Keep the drives at their values of the last instant, as in a step in which nothing moves."""
        for name in ("g", "f"):
            self.records[f"{name}_i"], self.records[f"{name}_p"] = self.records[f"{name}_f"], 0.0

    def drive_values(self, time: float) -> Array:
        """(drives,) values of the drives at a time (s), rad or m."""
        return np.array([float(function.value(time, +1)) for function in self.functions.functions])

    def driven_angles(self, time: float) -> dict[str, float]:
        """Angles of driven joints by name at a time (s), rad, with their turns."""
        drives = ((spec.name, drive.angle) for spec in self.specs for drive in spec.drives)
        return {name: float(angle.value(time, +1)) for name, angle in drives if angle is not None}

    def drive_between(self, start: Array, share: float) -> None:
        """Set the drives, at rest, to ``start`` (drives,) plus a share of what they differ at the step's end."""
        values = self.functions.values
        values[:2] = start[:, None] + share * (values[1] - start[:, None])
        values[2] = 0.0
        set_drives(self.records, self._drives, values, 1.0)

    @property
    def turning_drives(self) -> Flags:
        """(drives,) whether a drive gives an angle."""
        return np.asarray(self._drives["first"] >= 0)

    def jumps(self) -> tuple[float, ...]:
        return tuple(t for spec in self.specs for drive in spec.drives for t in drive.jumps)

    def time_functions(self) -> Sequence[TimeFunction]:
        return self.functions.functions

    # -- before a run ---------------------------------------------------------------------------------------

    def are_lengths(self) -> Flags:
        return np.asarray(self._of_lengths[np.arange(self._of_lengths.shape[1]) < self.multipliers[:, None]])

    def gaps(self, q: Array) -> Array:
        """(m,) values of the conditions at q (n, 4, 3), zero where a joint closes."""
        gaps = self._gaps(q)
        return np.asarray(gaps[np.arange(gaps.shape[1]) < self.multipliers[:, None]])

    def _gaps(self, q: Array) -> Array:
        """(joints, rows) of them, filled up with zeros."""
        y, records = self._vectors(q), self.records
        gradient = 0.5 * (records["h"] @ y) + records["l"]
        values = records["g_f"] * ((gradient * y).sum(axis=(2, 3)) + records["constant"])
        gaps = -records["f_f"]
        np.add.at(gaps, (np.arange(len(gaps))[:, None], records["row"]), values)
        return np.asarray(gaps)

    def check_closure(self, q: Array, length: float) -> None:
        gaps = np.abs(self._gaps(q))
        beyond = (gaps > CLOSURE * np.where(self._of_lengths, length, 1.0)).any(axis=1)
        for spec, worst, open_ in zip(self.specs, gaps.max(axis=1).tolist(), beyond.tolist(), strict=True):
            if open_:
                gap = float(np.linalg.norm(spec.l.position - spec.k.position))
                raise InputError(
                    f"{spec.joint} joint '{spec.name}' does not close in the reference configuration: a condition is "
                    f"off by {worst:.3g} (its points are {gap:.3g} m apart); move the nodes, give points that "
                    "coincide, or start the driver from the reference position"
                )
            for drive in spec.drives:
                # half a revolution away, and whole ones, the condition of the driver is fulfilled too
                turns = 0.0 if drive.angle is None else float(drive.angle.value(0.0, +1)) / (2.0 * np.pi)
                if abs(turns) > 0.25:
                    raise InputError(
                        f"{spec.joint} joint '{spec.name}': its angle starts {turns:.3g} revolutions from the "
                        "reference configuration: it must be zero at t = 0"
                    )

    def velocity_jacobian(self, q: Array) -> Array:
        out = np.zeros((int(self.multipliers.sum()), 2, 6))
        kernels.velocity_jacobian(self.records, q, out)
        return out

    def jacobian_tasks(self, q: Array, out: Array) -> Sequence[Task]:
        return (Call(kernels.velocity_jacobian, self.records, q, out),)

    def velocity_target(self, q: Array) -> Array:
        out = np.zeros(int(self.multipliers.sum()))
        first = self._first()
        for n in np.flatnonzero(self.records["driven"]):  # only these depend on time
            record, y = self.records[n], self.vectors(n, q)
            out[first[n] : first[n] + self.multipliers[n]] += record["f_p"][: self.multipliers[n]]
            for k, (row, form) in enumerate(self.forms[n]):
                out[first[n] + row] -= record["g_p"][k] * form.value(y)
        return out

    def _first(self) -> Indices:
        """(n,) the first constraint of each joint among those of all joints."""
        return np.asarray(np.cumsum(self.multipliers) - self.multipliers)

    def _vectors(self, q: Array) -> Array:
        """(n, 1, 8, 3) `vectors` of all joints."""
        return q[self.nodes].reshape(-1, 1, 8, 3)

    # -- scheme ---------------------------------------------------------------------------------------------

    def phases(self, workspace: Workspace) -> dict[str, list[Task]]:
        joints = (self.records, self.first_row, workspace.motion, workspace.multipliers)
        driven = len(self._drives) > 0
        drives = Call(set_drives, self.records, self._drives, self.functions.values, workspace.step)
        return {
            "begin_step": [*self.functions.tasks(workspace), drives] if driven else [],
            "residual": [Call(kernels.residual, *joints, workspace.forces, workspace.constraints)],
            "tangent": [Call(
                    kernels.tangent, *joints, workspace.rotations, workspace.maps, workspace.lin,
                    self.slots, workspace.data
                )],
            "ledger": [
                Call(kernels.driver_work, *joints, workspace.step, self._work),
                Call(add_amounts, self._work, AMOUNTS, workspace.amounts),
            ]
            if driven
            else [],
            "evaluate_outputs": [
                Call(kernels.end_reactions, *joints[:2], self.offsets, workspace.q_i, workspace.lam, self._at_end),
                Call(
                    kernels.mean_reactions, *joints[:2], self.offsets, workspace.q_i, workspace.accepted, self._at_end,
                    self._reaction,
                ),
            ],
        }  # fmt: skip

    # -- outputs --------------------------------------------------------------------------------------------

    def output_arrays(self) -> dict[str, Array]:
        """Reactions on L at its point: means of the step (n, 18), and at t_f (n, 6)."""
        return {REACTION.name: self._reaction, REACTION_AT_END.name: self._at_end}

    def describe(self) -> list[dict[str, Any]]:
        return [
            {
                "name": s.name,
                "type": s.joint,
                "k": s.k.node.name,
                "l": s.l.node.name,
                "constraints": int(m),
                "point_k": s.k.offset.tolist(),
                "point_l": s.l.offset.tolist(),
                "axes_k": s.axes_k.tolist(),
                "axes_l": s.axes_l.tolist(),
            }
            for s, m in zip(self.specs, self.multipliers, strict=True)
        ]

    def part_names(self) -> Sequence[str]:
        return [spec.name for spec in self.specs]

    def vectors(self, n: int, q: Array) -> Array:
        """Ambient vectors (8, 3) of joint n's two nodes from q (nodes, 4, 3)."""
        return np.concatenate([q[self.nodes[n, 0]], q[self.nodes[n, 1]]])
