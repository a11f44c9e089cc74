"""All parts of drivelines of a model: data, history, calls of a step, energies, outputs. Equations: `kernels`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from fem_mbd.base.arrays import Array
from fem_mbd.core.compiled.calls import Call, Task
from fem_mbd.core.model.function_values import StepFunctions
from fem_mbd.core.model.node import Node
from fem_mbd.core.model.output import Output, Quantity
from fem_mbd.core.model.part_kind import PartKind
from fem_mbd.core.model.ranges import Range
from fem_mbd.core.model.time_functions.base import Constant, TimeFunction
from fem_mbd.core.model.workspace import Workspace
from fem_mbd.core.rotations import triad_with_third
from fem_mbd.core.scheme.ledger import add_amounts, columns
from fem_mbd.core.stepping.step_record import CONTACT_RECORD
from fem_mbd.elements.springs.parallel import stops_energy
from fem_mbd.friction import Frictionless, Linear
from fem_mbd.friction.records import FrictionLaw, NormalLaw
from fem_mbd.friction.tangential import state_count, stored_energy, take_mean_deflection
from fem_mbd.joints.driveline import kernels

AMOUNTS = columns(
    "elastic", "contact", "bristle", "dissipation_scheme", "dissipation_viscous", "dissipation_contact",
    "dissipation_friction",
)  # fmt: skip
DRIVE = Output(
    "drive",
    "drive",
    (
        Quantity("displacement", "m or rad", "coordinate of the part, counted through from the start"),
        Quantity("rate", "m/s or rad/s", "its rate"),
        Quantity("force", "N or N m", "against the coordinate, mean of the step", within="mean"),
        Quantity("friction", "N", "against the slip, mean of the step", within="mean"),
        Quantity(
            "loss", "W", "power lost by dampers, contact, friction and creep, mean of the step", within="mean"
        ),
    ),
)
PLACED = 1e-6  # rad or m: a state whose x differs by more does not come from a run
ANGLE = {
    "displacement": {"name": "angle", "unit": "rad"},
    "rate": {"name": "speed", "unit": "rad/s"},
    "force": {"name": "torque", "unit": "N m"},
}
LENGTH = {"displacement": {"unit": "m"}, "rate": {"unit": "m/s"}, "force": {"unit": "N"}}


@dataclass(frozen=True, eq=False)
class Lever:
    """Share of a node in a coordinate: turn (3,) on its angular velocity, slide (3,) on its velocity, global axes."""

    node: Node
    turn: Any = (0.0, 0.0, 0.0)
    slide: Any = (0.0, 0.0, 0.0)

    def coefficients(self) -> Array:
        """(6,) on (v, Omega): velocity in global, angular velocity in node axes."""
        return np.concatenate([np.asarray(self.slide), self.node.rotation.T @ np.asarray(self.turn)])


@dataclass(frozen=True, eq=False)
class DriveSpec:
    """Data of one part.

    x : levers of the coordinate, each node once; slip : of the slip, nodes of x only
    limits : (lower, upper) of x where flanks touch; load : N, normal force; share : of the force on x in it
    slips_at : N, force of a belt that slips as a whole
    """

    name: str
    part: str
    x: Sequence[Lever]
    slip: Sequence[Lever] = ()
    ideal: bool = False
    stiffness: float = 0.0
    damping: float = 0.0
    limits: tuple[float, float] = (0.0, 0.0)
    contact: NormalLaw | None = None
    friction: FrictionLaw | None = None
    load: TimeFunction | None = None
    share: float = 0.0
    creep: float = 0.0
    slips_at: float = np.inf
    rotary: bool = False
    more: dict[str, Any] = field(default_factory=dict)


class DriveKind(PartKind):
    """All parts without flanks. History: `kernels.Drives.past`, then the states of friction."""

    label: ClassVar[str] = "drive"
    recorded: tuple[Output, ...] = (DRIVE,)

    def __init__(self, specs: Sequence[DriveSpec], workspace: Workspace):
        self.specs = list(specs)
        count = len(self.specs)
        self.records: Any = np.zeros(count, dtype=kernels.DRIVE)
        loads = [spec.load for spec in self.specs if spec.load is not None]
        self.functions = StepFunctions(loads or [Constant(0.0)])
        self._which = np.full(count, -1)
        for n, (record, spec) in enumerate(zip(self.records, self.specs, strict=True)):
            _fill(record, spec)
            _fill_angles(record, spec, workspace)
            if spec.load is not None:
                self._which[n] = loads.index(spec.load)
        self.nodes = self.records["nodes"].copy()
        self.multipliers = self.records["ideal"].copy()
        self.normal_laws = np.stack([(s.contact or Linear(1.0)).record() for s in self.specs])
        self.friction_laws = np.stack([(s.friction or Frictionless()).record() for s in self.specs])
        states = max(1, *(int(state_count(law)) for law in self.friction_laws))
        self.history: Array = np.zeros((count, kernels.PAST + 3 * states))
        self._past, self._bristles = np.zeros((count, kernels.PAST)), np.zeros((count, states, 3))
        self.z_f = np.zeros((count, states, 3))
        self.all = kernels.Drives(
            self.records, self.normal_laws, self.friction_laws, self._past, self._bristles
        )
        self._sums, self._outputs = np.zeros(len(AMOUNTS)), np.zeros((count, 5))
        self._contact_records: Any = np.zeros(count, dtype=CONTACT_RECORD)
        self.measures = np.zeros((len(self.ranges), count))

    def take_middle_of_step(self) -> None:
        take_mean_deflection(self.friction_laws)
        self.follow_configuration()

    def follow_configuration(self) -> None:
        self.records["placed"] = 1

    def neglect_friction(self) -> None:
        self.records["rubs"] = 0

    def friction_records(self) -> Sequence[Any]:
        return [law for law, rubs in zip(self.friction_laws, self.records["rubs"], strict=True) if rubs]

    def time_functions(self) -> Sequence[TimeFunction]:
        return self.functions.functions

    def phases(self, workspace: Workspace) -> dict[str, list[Task]]:
        state = self.history, self._past, self._bristles
        placed = (self.all, self.first_row, workspace.x, workspace.multipliers, workspace.step)
        return {
            "begin_step": [
                Call(kernels.place, self.records, self.history, workspace.q_i, np.inf),
                Call(kernels.unpack, *state),
                *self.functions.tasks(workspace),
                Call(
                    kernels.begin_step,
                    self.records,
                    self._which,
                    self.functions.values,
                    workspace.x_i,
                    workspace.step,
                ),
            ],
            "residual": [Call(kernels.residual, *placed, workspace.rows, workspace.constraints, self.z_f)],
            "tangent": [Call(kernels.tangent, *placed, self.slots, workspace.data)],
            "ledger": [
                Call(kernels.energies, self.all, workspace.step, self.z_f, self._sums),
                Call(add_amounts, self._sums, AMOUNTS, workspace.amounts),
            ],
            "accept": [
                Call(kernels.store_history, self.all, self.z_f, workspace.step, workspace.x, self._outputs),
                Call(kernels.pack, *state),
            ],
            "record_contacts": [Call(kernels.fill_records, self.all, workspace.step, self._contact_records)],
        }

    def initial_energy(self, workspace: Workspace) -> None:
        kernels.place(self.records, self.history, workspace.q_i, PLACED)
        kernels.unpack(self.history, self._past, self._bristles)
        x, e, f_n = self._past[:, 0], self._past[:, 1], self._past[:, 6]
        stretched = np.where(self.records["creep"] > 0.0, e, x) * (self.records["ideal"] == 0)
        workspace.ledger["elastic"] += 0.5 * float(self.records["stiffness"] @ stretched**2)
        for n, (record, past) in enumerate(zip(self.records, self._past, strict=True)):
            if record["rubs"]:
                energy = stored_energy(self.friction_laws[n], self._bristles[n], f_n[n])
                workspace.ledger["bristle"] += float(energy.real)
            if record["flanks"]:
                record["impact_speed"], record["deepest"] = past[2:4], past[4:6]
                workspace.ledger["contact"] += float(stops_energy(self.normal_laws[n], record, past[0]))

    def velocity_jacobian(self, q: Array) -> Array:
        return np.asarray(self.records["along"][self.records["ideal"] == 1])

    def jacobian_tasks(self, q: Array, out: Array) -> Sequence[Task]:
        return ()

    def output_arrays(self) -> dict[str, Array]:
        """Per part (n, 5): coordinate and rate at the end of the step; force, friction, power lost in it."""
        return {DRIVE.name: self._outputs}

    def contact_records(self) -> Any:
        return self._contact_records

    def describe(self) -> list[dict[str, Any]]:
        return [
            {"name": s.name, "type": s.part, "nodes": [lever.node.name for lever in s.x]}
            | {"quantities": ANGLE if s.rotary else LENGTH}
            | s.more
            for s in self.specs
        ]


class PlayKind(DriveKind):
    """All parts with flanks: their contacts are seen by the rules of step control."""

    label: ClassVar[str] = "drive with play"
    has_contacts: ClassVar[bool] = True


class BeltKind(DriveKind):
    """All belts."""

    label: ClassVar[str] = "belt"
    ranges: tuple[Range, ...] = (
        Range(
            "force of a belt", "N", np.inf, "the whole belt slips, which is not computed",
            "raise its tension, or put a Clutch in its place", "Euler, Eytelwein: Belt.grip",
        ),
    )  # fmt: skip

    def phases(self, workspace: Workspace) -> dict[str, list[Task]]:
        measure = Call(kernels.sizes_of_forces, self.records, self.measures)
        return super().phases(workspace) | {"evaluate_measures": [measure]}

    def range_limits(self) -> Array:
        return np.array([[spec.slips_at for spec in self.specs]])


def _fill(record: Any, spec: DriveSpec) -> None:
    record["nodes"] = -1
    index = {}
    for k, lever in enumerate(spec.x):
        index[lever.node.index] = k
        record["nodes"][k], record["along"][k] = lever.node.index, lever.coefficients()
    for lever in spec.slip:
        record["slip"][index[lever.node.index]] = lever.coefficients()
    record["ideal"], record["flanks"], record["rubs"] = (
        spec.ideal,
        spec.contact is not None,
        spec.friction is not None,
    )
    record["lower"], record["upper"] = spec.limits
    for name in ("stiffness", "damping", "share", "creep"):
        record[name] = getattr(spec, name)


def _fill_angles(record: Any, spec: DriveSpec, workspace: Workspace) -> None:
    """What the coordinate is in a configuration: rotations against the last lever's body, or the ground's axes."""
    turning = [lever for lever in spec.x if not np.any(lever.slide)]
    bodies = turning[:-1] if len(turning) == len(spec.x) else turning
    record["bodies"] = len(bodies)
    for m, lever in enumerate(bodies):
        radius = float(np.linalg.norm(lever.turn))
        triad = triad_with_third(np.asarray(lever.turn) / radius)
        base = spec.x[-1].node.rotation.T if bodies is not turning else np.eye(3)
        record["radius"][m], record["triads"][m] = radius, (lever.node.rotation.T @ triad, base @ triad)
    if bodies is turning:
        rack, record["rack"] = spec.x[-1].node, 1
        record["slide"], record["place"] = (
            spec.x[-1].slide,
            rack.position + rack.rotation @ workspace.centre[rack.index],
        )
