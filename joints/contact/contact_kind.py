"""All contacts of a model, of any geometry: data, history, calls of a step, energies, records, outputs.

Forces: `kernels.forces`. The history of a contact is a record of `history_type`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol

import numpy as np

from fem_mbd.base.arrays import Array
from fem_mbd.core.compiled.calls import Call, Check, Task
from fem_mbd.core.model.model import Model
from fem_mbd.core.model.node import Point
from fem_mbd.core.model.node_arrays import Configuration
from fem_mbd.core.model.output import XYZ, Output, Quantity
from fem_mbd.core.model.part_kind import PartKind, pair_data
from fem_mbd.core.model.ranges import Range
from fem_mbd.core.model.workspace import Workspace
from fem_mbd.core.scheme.ledger import add_amounts, columns
from fem_mbd.core.scheme.output_kernels import first_rows
from fem_mbd.core.stepping.step_record import CONTACT_RECORD
from fem_mbd.friction import Frictionless
from fem_mbd.friction.records import FrictionLaw, NormalLaw
from fem_mbd.friction.tangential import state_count, stored_energy, take_mean_deflection, time_constants
from fem_mbd.friction.validity import RangeMonitor
from fem_mbd.joints.contact import ranges as contact_ranges
from fem_mbd.joints.contact.geometry import dispatch
from fem_mbd.joints.contact.geometry.contact_kinematics import (
    CONTACT as CONTACT_DATA,
    Contacts,
    Histories,
)
from fem_mbd.joints.contact.kernels import forces
from fem_mbd.joints.contact.kernels.tangent import tangent
from fem_mbd.joints.contact.law_checks import check_axis, check_depths

AMOUNTS = columns("contact", "bristle", "dissipation_contact", "dissipation_friction")


def _xyz(name: str) -> tuple[str, ...]:
    return tuple(f"{name} {c}" for c in XYZ)


CONTACT = Output(
    "contact",
    "contact",
    (
        Quantity("gap", "m", "positive when open", within="linear", field="gap_f", start="gap_i"),
        Quantity("normal_force", "N", "constant over the step, negative for adhesion", within="mean"),
        Quantity("friction_force", "N", "on body L", _xyz("friction_force"), "global", "mean"),
        Quantity(
            "slip_velocity",
            "m/s",
            "of L relative to K in the tangent plane",
            _xyz("slip_velocity"),
            "global",
            "mean",
        ),
        Quantity(
            "normal",
            "1",
            "unit vector of the normal force on L, which is normal_force times it",
            _xyz("normal"),
            "global",
            "mean",
        ),
        Quantity("stribeck_velocity", "m/s", "of the friction law, 0 when it has none", within="mean"),
        Quantity("omega", "1/s", "rate of the law's bristles, 0 when it has none (eq. 27)", within="mean"),
    ),
)
BRISTLE = Output(
    "bristle",
    "bristle",
    (
        Quantity(
            "bristle",
            "m",
            "states of the friction law at t_f, deflections of its bristles; a disk's in a cylinder along d1, d2, d3",
            _xyz("bristle"),
            "global",
        ),
    ),
    many=True,
)


class Geometry(Protocol):
    """Interface of a contact geometry; its compiled part is selected in `geometry.dispatch`."""

    @property
    def radius_k(self) -> float:
        """m, of K's contact surface, 0 if it is flat."""

    @property
    def radius_l(self) -> float:
        """m, of L's contact surface, 0 for a point."""

    def fill(self, record: Any, k: Point, l: Point) -> None:
        """Copy the geometry to the contact's ``record``, an element of an array of dtype ``CONTACT``."""

    def start(self, k: Point, l: Point) -> tuple[float, Array]:
        """Gap (m) and unit normal (3,) of the reference configuration."""


@dataclass(frozen=True, eq=False)
class ContactSpec:
    """Data of one contact, for `ContactKind`."""

    name: str
    k: Point
    l: Point
    geometry: Geometry
    normal: NormalLaw
    friction: FrictionLaw

    def describe(self) -> dict[str, Any]:
        """Plain data for the result file."""
        return pair_data(self) | {
            "point_k": self.k.offset.tolist(),
            "point_l": self.l.offset.tolist(),
            "geometry": type(self.geometry).__name__,
            "radius_k": float(self.geometry.radius_k),
            "radius_l": float(self.geometry.radius_l),
            "normal": repr(self.normal),
            "friction": repr(self.friction),
        }


@dataclass(frozen=True, eq=False)
class ClearanceHandle:
    """A contact or joint with clearance in a model; ``result.of(handle)`` gives its outputs.

    Attributes
    ----------
    name : shown in messages and results
    k, l : its two points
    spec : its data
    stops : contacts with end walls, two for a `SpatialClearance` with stops
    """

    name: str
    k: Point
    l: Point
    spec: ContactSpec
    stops: tuple[ClearanceHandle, ...] = ()


def add_contact(model: Model, spec: ContactSpec) -> ClearanceHandle:
    """Register the contact with the model."""
    model.registry.add(ContactKind, spec)
    return ClearanceHandle(spec.name, spec.k, spec.l, spec)


def history_type(states: int) -> np.dtype[Any]:
    """Record type of a contact's history; ``states`` is the largest number of states of the friction laws."""
    return np.dtype(
        [
            ("bristles", "f8", (states, 3)),  # m, states of the friction law
            ("impact_speed", "f8"),  # m/s, when the present contact closed
            ("deepest", "f8"),  # m, the largest approach so far
            ("normal_force", "f8"),  # N, of the last step
        ]
    )


class ContactKind(PartKind):
    """All contacts. ``history``: (n,) of dtype `history_type`."""

    label: ClassVar[str] = "contact"
    has_contacts: ClassVar[bool] = True
    ranges: tuple[Range, ...] = contact_ranges.RANGES

    def __init__(self, specs: Sequence[ContactSpec], work: Workspace):
        self.specs = list(specs)
        count = len(self.specs)
        self.records: Any = np.zeros(count, dtype=CONTACT_DATA)
        for record, spec in zip(self.records, self.specs, strict=True):
            work.put_points(record, spec.k, spec.l)
            spec.geometry.fill(record, spec.k, spec.l)
            gap, record["normal"] = spec.geometry.start(spec.k, spec.l)
            record["gap_i"] = record["gap_f"] = gap
        check_depths(self.specs, self.records["gap_i"], float(work.mass.sum()))
        self.nodes = self.records["nodes"].copy()
        self._names = [spec.name for spec in self.specs]
        self.multipliers = np.zeros(count, dtype=np.int64)
        self.normal_laws = np.stack([spec.normal.record() for spec in self.specs])
        self.friction_laws = np.stack([spec.friction.record() for spec in self.specs])
        for law, spec, record in zip(self.friction_laws, self.specs, self.records, strict=True):
            check_axis(law, spec.name, record["normal"])
            law["axis"] = spec.k.node.rotation.T @ law["axis"]
        self._states = [int(state_count(law)) for law in self.friction_laws]
        self.recorded = (CONTACT, BRISTLE) if any(self._states) else (CONTACT,)
        states = max(1, *self._states)
        self._constants = np.array([time_constants(law) for law in self.friction_laws])
        self._contact_record: Any = np.zeros(len(self.records), dtype=CONTACT_RECORD)
        self.z_f = np.zeros((count, states, 3))
        self.history: Any = np.zeros(count, dtype=history_type(states))
        self.history["deepest"] = self.records["deepest"] = np.maximum(-self.records["gap_f"], 0.0)
        self._bristles = np.zeros((sum(self._states), 3))
        self._sums = np.zeros(4)
        self._range_monitor = RangeMonitor([spec.normal for spec in self.specs], self._names)
        self.measures = np.zeros((len(self.ranges), count))

    def take_middle_of_step(self) -> None:
        take_mean_deflection(self.friction_laws)

    def neglect_friction(self) -> None:
        self.friction_laws[:] = Frictionless().record()

    def friction_records(self) -> Sequence[Any]:
        return list(self.friction_laws)

    def phases(self, work: Workspace) -> dict[str, list[Task]]:
        past = self.history
        contacts, histories = self._contacts(), self._histories()
        step = (contacts, histories, work.step, work.configuration)
        begin: list[Task] = [Call(dispatch.begin, self.records, work.q_i)]
        accept: list[Task] = [Call(forces.store_history, self.records, self.z_f, histories)]
        if not self._range_monitor.idle:
            accept.append(Check(self._check_ranges))
        return {
            "begin_step": begin,
            "residual": [Call(forces.residual, *step, work.force_m, work.rows, self.z_f)],
            "tangent": [Call(tangent, *step, work.spin, work.w_m, work.lin_m, self.slots, work.data)],
            "ledger": [
                Call(forces.energies, contacts, self.z_f, self._sums),
                Call(add_amounts, self._sums, AMOUNTS, work.amounts),
            ],
            "record_contacts": [
                Call(
                    forces.fill_records,
                    self.records,
                    self.friction_laws,
                    self._constants,
                    work.step,
                    self._contact_record,
                )
            ],
            "accept": accept,
            "evaluate_measures": [
                Call(contact_ranges.evaluate, self.records, work.q_i, work.q_f, self.measures)
            ],
            "evaluate_outputs": [Call(first_rows, past["bristles"], np.array(self._states), self._bristles)],
        }

    def _contacts(self) -> Contacts:
        return Contacts(self.records, self.normal_laws, self.friction_laws)

    def _histories(self) -> Histories:
        return Histories(
            *(self.history[name] for name in ("bristles", "impact_speed", "deepest", "normal_force"))
        )

    def initial_energy(self, work: Workspace) -> None:
        # gaps are those of the initial state: evaluated without motion
        past, no_motion, (force, rows) = self.history, np.zeros_like(work.x), np.zeros((2, *work.x.shape))
        dispatch.begin(self.records, work.q_i)
        nodes = Configuration(no_motion, work.r_i, work.q_i, work.r_i, work.q_i)
        on_nodes = force.reshape(work.force_m.shape)
        forces.residual(self._contacts(), self._histories(), 1.0, nodes, on_nodes, rows, self.z_f)
        sums = np.zeros(4)
        forces.energies(self._contacts(), self.z_f, sums)
        work.ledger["contact"] += sums[0]
        energies = zip(self.friction_laws, past["bristles"], past["normal_force"], strict=True)
        work.ledger["bristle"] += sum(float(stored_energy(law, z, f_n).real) for law, z, f_n in energies)

    def _check_ranges(self) -> None:
        self._range_monitor.check(self.records["impact_speed"], self.records["gap_f"])

    def range_limits(self) -> Array:
        return contact_ranges.limits(self.records, [spec.geometry for spec in self.specs])

    def part_names(self) -> Sequence[str]:
        return self._names

    def row_counts(self, output: Output) -> Sequence[int]:
        return self._states if output is BRISTLE else super().row_counts(output)

    def output_arrays(self) -> dict[str, Array]:
        """States of the friction laws (rows, 3), contact by contact."""
        return {BRISTLE.name: self._bristles} if len(self._bristles) else {}

    def contact_records(self) -> Any:
        return self._contact_record

    def describe(self) -> list[dict[str, Any]]:
        return [spec.describe() for spec in self.specs]
