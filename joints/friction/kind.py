"""All joints with friction of a model: registration, data, history, calls of a step, energies, outputs.

The compiled functions of outputs (forces and torques, contributions, states of the laws), energies and history come
first.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, ClassVar

import numpy as np

from fem_mbd.base.arrays import Array, Indices
from fem_mbd.core.compiled import kernel
from fem_mbd.core.compiled.calls import Call, Check, Task
from fem_mbd.core.compiled.signatures import array3, float64, matrix, record, vector, void
from fem_mbd.core.model.model import Model
from fem_mbd.core.model.output import Output, Quantity
from fem_mbd.core.model.part_kind import PartKind
from fem_mbd.core.model.workspace import Workspace
from fem_mbd.core.scheme.constraints.constraint_kind import ConstraintKind, Constraints
from fem_mbd.core.scheme.ledger import add_amounts, columns
from fem_mbd.core.scheme.outputs import first_rows
from fem_mbd.errors import InputError, SolverFailure
from fem_mbd.friction.records import FRICTION_LAW, FrictionLaw
from fem_mbd.friction.static.anisotropic import Frictionless
from fem_mbd.friction.tangential import state_count, stored_energy, take_mean_deflection
from fem_mbd.joints.friction import kernels
from fem_mbd.joints.friction.contributions import (
    CONTRIBUTION,
    FRICTION_JOINT,
    NONE,
    Contribution,
    history_type,
)
from fem_mbd.joints.friction.joint_friction import JointFriction


def _along(name: str) -> tuple[str, ...]:
    return tuple(f"{name} {n}" for n in (1, 2, 3))


TOTAL = Output(
    "joint_friction",
    "joint_friction",
    (
        Quantity(
            "torque",
            "N m",
            "friction on L about the joint's axes",
            _along("friction_torque"),
            "joint",
            "mean",
        ),
        Quantity(
            "force", "N", "friction on L along the joint's axes", _along("friction_force"), "joint", "mean"
        ),
    ),
)
CONTRIBUTIONS = Output(
    "joint_friction_contribution",
    "contribution",
    (
        Quantity("normal_force", "N", "of the surfaces, mean of the step", within="mean"),
        Quantity(
            "slip_velocity", "m/s", "of L on K at the surfaces", _along("slip_velocity"), "surface", "mean"
        ),
        Quantity(
            "friction_force", "N", "on L at the surfaces", _along("surface_friction"), "surface", "mean"
        ),
    ),
    many=True,
)
BRISTLE = Output(
    "joint_bristle",
    "joint_bristle",
    (
        Quantity(
            "bristle",
            "m",
            "states of the friction law at t_f, contribution by contribution",
            _along("joint_bristle"),
            "surface",
        ),
    ),
    many=True,
)


@kernel(void(record(FRICTION_JOINT)[::1], record(CONTRIBUTION)[::1], matrix, float64, matrix, matrix))
def friction_forces(joints, parts, part_results, dt, contributions, totals):
    """Fill contributions (parts, 7) and totals (joints, 6), torque and force on L, from part_results (parts, 9).

    The rates are zero before the first step.
    """
    per = 1.0 / dt if dt > 0.0 else 1.0
    for m in range(parts.shape[0]):
        for i in range(7):
            contributions[m, i] = part_results[m, i] * (per if 1 <= i < 4 else 1.0)
    for n in range(joints.shape[0]):
        totals[n, :] = 0.0
        for m in range(joints[n].first, joints[n].first + joints[n].count):
            for j in range(3):
                c = parts[m]["coordinate"][j]
                if c != NONE:
                    totals[n, c] += parts[m]["length"][j] * part_results[m, 4 + j]
            if parts[m].face_axis != NONE:
                totals[n, 1 - parts[m].face_axis] += part_results[m, 8]


@kernel(void(record(FRICTION_LAW)[::1], array3, matrix, vector))
def friction_energies(laws, z_f, part_results, out):
    """Add the energy in the bristles and the loss of the step to out (2,), J; part_results as in `kernels`."""
    for k in range(part_results.shape[0]):
        out[0] += stored_energy(laws[k], z_f[k], part_results[k, 0])
        out[1] += part_results[k, 7]


@kernel(void(array3, matrix, float64[:, :, :], float64[:]))
def store_history(z_f, part_results, bristles, normal_force):
    """Store the history of the converged step."""
    for k in range(part_results.shape[0]):
        normal_force[k] = part_results[k, 0]
        for n in range(z_f.shape[1]):
            for i in range(3):
                bristles[k, n, i] = z_f[k, n, i]


AMOUNTS = columns("bristle", "dissipation_friction")
Surfaces = Callable[[JointFriction], Sequence[Contribution]]


@dataclass(frozen=True, eq=False)
class JointFrictionSpec:
    """Data of the friction of one joint, for `JointFrictionKind`.

    name : of the joint, with ".friction"; law : used by all contributions; triads : of the joint in the axes of K and
        L, axis 1 fixed to L when ``cross``; overlap (m) grows by ``overlap_rate`` times the displacement along axis 3;
        in_statics : whether it also acts in equilibria
    """

    name: str
    joint: Constraints
    law: FrictionLaw
    contributions: Sequence[Contribution]
    triads: tuple[Array, Array]
    cross: bool = False
    overlap: float = 1.0
    overlap_rate: float = 0.0
    in_statics: bool = True


class JointFrictionKind(PartKind):
    """Friction of all joints. ``history``: one element for each contribution, of dtype `history_type`."""

    label: ClassVar[str] = "joint friction"
    specs: Sequence[JointFrictionSpec]

    def __init__(self, specs: Sequence[JointFrictionSpec], workspace: Workspace):
        self.specs = list(specs)
        self.joints: Any = np.zeros(len(self.specs), dtype=FRICTION_JOINT)
        first = 0
        for entry, spec in zip(self.joints, self.specs, strict=True):
            _fill(entry, spec, workspace)
            entry["first"], entry["count"] = first, len(spec.contributions)
            first += len(spec.contributions)
        self.parts: Any = np.zeros(first, dtype=CONTRIBUTION)
        for part, contribution in zip(
            self.parts, (c for s in self.specs for c in s.contributions), strict=True
        ):
            contribution.fill(part)
        self.laws = np.stack([s.law.record() for s in self.specs for _ in s.contributions])
        self.nodes = self.joints["nodes"].copy()
        self.multipliers = np.zeros(len(self.specs), dtype=np.int64)
        self._states = np.array([int(state_count(law)) for law in self.laws])
        states = max(1, int(self._states.max()))
        self.recorded = (TOTAL, CONTRIBUTIONS, BRISTLE) if self._states.any() else (TOTAL, CONTRIBUTIONS)
        self.history: Any = np.zeros(first, dtype=history_type(states))
        self.z_f = np.zeros((first, states, 3))
        self.part_results = np.zeros((first, 9))
        self._sums, self._bristles = np.zeros(2), np.zeros((int(self._states.sum()), 3))
        self._contributions, self._totals = np.zeros((first, 7)), np.zeros((len(self.specs), 6))
        self._neglected = False
        self._with_overlap = np.flatnonzero(self.joints["overlap_rate"])

    def history_parts(self) -> Indices:
        """Of the contributions of each joint."""
        return np.repeat(np.arange(len(self.joints)), self.joints["count"])

    def find_rows(self, kinds: Sequence[PartKind]) -> None:
        """Find the ideal joints whose reactions press the surfaces, and the rows of their multipliers."""
        ideal = next(kind for kind in kinds if isinstance(kind, ConstraintKind))
        index = {id(spec): n for n, spec in enumerate(ideal.specs)}
        self.ideal = ideal.records
        self.joints["joint"] = [index[id(spec.joint)] for spec in self.specs]
        counts = ideal.multipliers[self.joints["joint"]]
        self.joints["rows"] = counts
        self.reaction_row = ideal.first_row[self.joints["joint"]].copy()
        number = np.arange(int(counts.max()))
        self.read_rows = np.where(number < counts[:, None], self.reaction_row[:, None] + number, -1)

    def take_middle_of_step(self) -> None:
        take_mean_deflection(self.laws)

    def neglect_friction(self) -> None:
        self._neglected, self._phases = True, None
        self.part_results[:] = 0.0

    def neglect_friction_inactive_in_statics(self) -> None:
        of_parts = np.repeat([s.in_statics for s in self.specs], [len(s.contributions) for s in self.specs])
        self.laws[~of_parts] = Frictionless().record()

    def friction_records(self) -> Sequence[Any]:
        return list(self.laws)

    def _check_overlaps(self, workspace: Workspace) -> None:
        for n in self._with_overlap:
            entry, spec = self.joints[n], self.specs[n]
            overlap = spec.overlap + spec.overlap_rate * (_slide(entry, workspace.q_i) - entry["slide"])
            if overlap <= 0.0:
                raise SolverFailure(
                    f"friction of joint '{spec.joint.name}': at t = {workspace.t_i:.6g} s the displacement exceeds its "
                    f"overlap of {spec.overlap:g} m: the parts are separated. Give a larger initial_overlap"
                )

    def _step(self, workspace: Workspace) -> tuple[Any, ...]:
        friction = kernels.FrictionJoints(self.joints, self.parts, self.ideal, self.reaction_row, self.laws)
        history = kernels.History(self.history["bristles"], self.history["normal_force"])
        loaded = kernels.Loaded(workspace.x, workspace.multipliers, workspace.r_i, workspace.q_i)
        return friction, history, workspace.step, loaded

    def phases(self, workspace: Workspace) -> dict[str, list[Task]]:
        begin: list[Task] = (
            [Check(partial(self._check_overlaps, workspace))] if len(self._with_overlap) else []
        )
        phases: dict[str, list[Task]] = {
            "begin_step": begin,
            "ledger": [
                Call(friction_energies, self.laws, self.z_f, self.part_results, self._sums),
                Call(add_amounts, self._sums, AMOUNTS, workspace.amounts),
            ],
            "accept": [
                Call(
                    store_history,
                    self.z_f,
                    self.part_results,
                    self.history["bristles"],
                    self.history["normal_force"],
                )
            ],
        }
        phases["evaluate_outputs"] = [
            Call(
                friction_forces,
                self.joints,
                self.parts,
                self.part_results,
                workspace.step,
                self._contributions,
                self._totals,
            ),
            Call(first_rows, self.history["bristles"], self._states, self._bristles),
        ]
        if self._neglected:
            return phases
        step = self._step(workspace)
        return phases | {
            "residual": [Call(kernels.residual, *step, workspace.rows, self.z_f, self.part_results)],
            "tangent": [Call(kernels.tangent, *step, self.part_results, self.slots, workspace.data)],
        }

    def initial_energy(self, workspace: Workspace) -> None:
        # bristles may be deflected at the start of a run, in an equilibrium with friction
        past = self.history
        energies = zip(self.laws, past["bristles"], past["normal_force"], strict=True)
        workspace.ledger["bristle"] += sum(float(stored_energy(law, z, f_n).real) for law, z, f_n in energies)

    def row_counts(self, output: Output) -> Sequence[int]:
        if output is TOTAL:
            return [1] * len(self.specs)
        if output is CONTRIBUTIONS:
            return [len(spec.contributions) for spec in self.specs]
        ends = np.cumsum([0, *self._states])
        return [int(ends[j["first"] + j["count"]] - ends[j["first"]]) for j in self.joints]

    def output_arrays(self) -> dict[str, Array]:
        """Contributions (parts, 7), totals (joints, 6), and states of the laws (rows, 3) where they have any."""
        arrays = {CONTRIBUTIONS.name: self._contributions, TOTAL.name: self._totals}
        return arrays | {BRISTLE.name: self._bristles} if len(self._bristles) else arrays

    def describe(self) -> list[dict[str, Any]]:
        return [
            {
                "name": s.name,
                "joint": s.joint.name,
                "contributions": [c.name for c in s.contributions],
                "friction": repr(s.law),
            }
            for s in self.specs
        ]


def _fill(entry: Any, spec: JointFrictionSpec, workspace: Workspace) -> None:
    joint = spec.joint
    workspace.put_points(entry, joint.k, joint.l)
    entry["axes"] = spec.triads
    axis = joint.k.node.rotation @ spec.triads[0][:, 2]
    entry["slide"] = axis @ (joint.l.position - joint.k.position)
    entry["cross"], entry["overlap"] = spec.cross, spec.overlap
    entry["overlap_rate"] = spec.overlap_rate


def _slide(entry: Any, q: Array) -> float:
    """Position of L's point relative to K's along axis 3; q (nodes, 4, 3)."""
    k, l = q[entry["nodes"][0]], q[entry["nodes"][1]]
    gap = l[0] + entry["arm"][1] @ l[1:] - k[0] - entry["arm"][0] @ k[1:]
    return float(gap @ (entry["axes"][0][:, 2] @ k[1:]))


def friction_of(
    friction: JointFriction,
    joint: Constraints,
    surfaces: Surfaces,
    triads: tuple[Array, Array],
    cross: bool = False,
) -> JointFrictionSpec:
    """The data that the model registers; InputError, naming the joint, for missing lengths."""
    what = f"{joint.joint} joint '{joint.name}'"
    friction.refuse_unread(joint.joint.split()[-1], what)
    try:
        contributions = surfaces(friction)
    except InputError as error:
        raise InputError(f"friction of {what}: {error}") from error
    if not contributions:
        raise InputError(
            f"friction of {what}: none of its loads acts on the surfaces of a {joint.joint} joint"
        )
    friction.warn_if_active(what)
    return JointFrictionSpec(
        f"{joint.name}.friction",
        joint,
        friction.law_in_effect(),
        [replace(part, viscous=friction.viscous) for part in contributions],
        triads,
        cross,
        friction.initial_overlap or 1.0,
        friction.overlap_rate if friction.initial_overlap else 0.0,
        friction.in_statics,
    )


def register(model: Model, spec: JointFrictionSpec) -> None:
    """Register the joint's friction with the model."""
    model.registry.add(JointFrictionKind, spec)
