"""All contacts of a model, of any geometry: checks, data, history, calls of a step, energies, records, outputs.

Friction laws that may generate energy cause warnings (`warn_about_friction`), and a start that is too deep is refused
(`check_depths`). Contact laws are for indentations that are small compared with the bodies, and a static equilibrium,
from which runs often start, has no others unless the law is very soft. So a start is refused when the indentation is
above a tenth of the body's size and, at the same time, the contact force would be above a hundred times the weight of
the model: such a force is not balanced by the model, it throws the bodies apart. The two numbers are rough estimates. A
deeper start of a contact under such a load can be given to a run as the state of an equilibrium (``initial``).

A `ContactSpec` has the data of one contact: two points, a `Geometry`, a normal and a friction law. `Pairing` is the
base of the parts that users add. `ContactKind` is the kind of all contacts: the forces are those of `kernels.forces`,
the history of a contact is a record of `history_type`.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol

import numpy as np

from fem_mbd.base.arrays import Array
from fem_mbd.core.compiled.calls import Call, Check, Task
from fem_mbd.core.model.model import Model
from fem_mbd.core.model.node import Attachment, Handle, Point, as_point
from fem_mbd.core.model.output import XYZ, Output, Quantity
from fem_mbd.core.model.part_kind import PartKind, pair_data
from fem_mbd.core.model.ranges import Range
from fem_mbd.core.model.workspace import Configuration, Workspace
from fem_mbd.core.scheme.ledger import add_amounts, columns
from fem_mbd.core.scheme.outputs import first_rows
from fem_mbd.core.stepping.step_record import CONTACT_RECORD
from fem_mbd.errors import InputError
from fem_mbd.friction import Frictionless
from fem_mbd.friction.normal.dispatch import normal_force
from fem_mbd.friction.records import FRICTION_LAW, NORMAL_LAW, FrictionLaw, NormalLaw
from fem_mbd.friction.tangential import state_count, stored_energy, take_mean_deflection, time_constants
from fem_mbd.friction.validity import RangeMonitor, warn_if_active, warn_of_turning_slip
from fem_mbd.joints.contact import forces, ranges as contact_ranges
from fem_mbd.joints.contact.contact_kinematics import (
    CONTACT as CONTACT_DATA,
    Contacts,
    Histories,
)
from fem_mbd.joints.contact.tangent import tangent

MAX_AXIS_SINE = 0.1  # least sine of the angle between the axis of a directed law and the normal
# modules through which a part is added to a model
BUILDING = ("fem_mbd.joints", "fem_mbd.core.model.model", "fem_mbd.base.arguments")
MAX_DEPTH_RATIO = 0.1  # indentation over the size of the body
MAX_LOAD_RATIO = 100.0  # contact force over the weight of the model


def check_laws(normal: object, friction: object, what: str) -> None:
    """Raise InputError unless the objects are a normal and a friction law; ``what`` names the contact."""
    for law, role, dtype in ((normal, "normal", NORMAL_LAW), (friction, "friction", FRICTION_LAW)):
        if isinstance(law, type) or not hasattr(law, "record") or law.record().dtype != dtype:
            raise InputError(
                f"{what}: {role} is {law!r}, which is no {role} law: give one of fem_mbd.friction, with its parameters"
            )


def check_axis(law: Any, name: str, normal: Array) -> None:
    """InputError when the axis of a directed friction law is normal to the tangent plane of contact ``name``."""
    axis = law["axis"]
    if law["directed"] and np.linalg.norm(np.cross(axis, normal)) < MAX_AXIS_SINE * np.linalg.norm(axis):
        raise InputError(
            f"contact '{name}': the friction's axis {axis.tolist()} is normal to the tangent plane: give one that lies "
            "in it, global axes of the reference configuration"
        )


def warn_about_friction(law: Any, what: str, slip_turns: bool) -> None:
    """Issue warnings about ``law`` in ``what`` ("contact 'pad'"), from a part's ``build``; they refer to ``Model.add``.

    slip_turns: whether slip can take more than one direction of the tangent plane there.
    """
    level = _levels_to_the_user()
    warn_if_active(law, what, level)
    if slip_turns:
        warn_of_turning_slip(law, what, level)


def _levels_to_the_user() -> int:
    """``stacklevel``, counted from the caller of this function, of the first frame outside of model building."""
    frame, level = sys._getframe(1), 1
    while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith(BUILDING):
        frame, level = frame.f_back, level + 1
    return level


def check_depths(specs: Any, gaps: Array, weight: float) -> None:
    """Refuse contacts that start too deep.

    Parameters
    ----------
    specs : the contacts, as `ContactSpec`
    gaps : (n,) m, in the reference configuration
    weight : N, of the whole model, zero without gravity: then only bodies with a radius have a size that tells;
        inf where all bodies are fixed or have prescribed motion

    Raises
    ------
    InputError
        With the contact's name and the depth.
    """
    positions = np.array([point.position for spec in specs for point in (spec.k, spec.l)])
    extent = float(np.linalg.norm(np.ptp(positions, axis=0)))
    for spec, gap in zip(specs, gaps, strict=True):
        radii = [float(r) for r in (spec.geometry.radius_k, spec.geometry.radius_l) if r > 0.0]
        depth, size = -float(gap), min(radii, default=extent)
        if depth <= MAX_DEPTH_RATIO * size or (weight == 0.0 and not radii):
            continue
        force = float(normal_force(spec.normal.record()[()], -depth, -depth, 1.0)[0])
        if force > MAX_LOAD_RATIO * weight:
            raise InputError(
                f"contact '{spec.name}' starts with an indentation of {depth:.4g} m and a force of {force:.3g} N, "
                f"more than {MAX_LOAD_RATIO:g} times the weight of the model: move the bodies apart "
                "(a direction that points into the material, or a gap taken for a depth, does this too)"
            )


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
    """Interface of a contact geometry; its compiled part is selected in `kernels.forces`."""

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


@dataclass(frozen=True, eq=False, repr=False)
class ClearanceHandle(Handle):
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


def rubs(friction: FrictionLaw) -> bool:
    """Whether this is a law with friction."""
    return not isinstance(friction, Frictionless)


class Pairing:
    """Base of the contacts of two points; a subclass is a dataclass with the members below and a geometry."""

    k: Attachment
    l: Attachment
    normal: NormalLaw
    friction: FrictionLaw
    name: str

    what: ClassVar[str] = "contact"  # in messages
    slip_turns: ClassVar[bool] = True  # the bodies can slip on each other in more than one direction

    @property
    def label(self) -> str:
        """Name of this contact in messages."""
        return f"{self.what} '{self.name}'"

    def geometry(self) -> Geometry:
        """The contact's geometry; InputError for invalid dimensions."""
        raise NotImplementedError

    def turns(self) -> tuple[bool, bool]:
        """Whether its forces have a moment about the given point of K, of L. A ball that does not rub has none."""
        return True, True

    def check_start(self, k: Point, l: Point, label: str) -> None:
        """Refuse an impossible initial position.

        Parameters
        ----------
        k, l : the two points
        label : of the contact, for the message

        Raises
        ------
        InputError
            Naming the contact.
        """

    def __post_init__(self) -> None:
        self.geometry()
        check_laws(self.normal, self.friction, self.label)

    def build(self, model: Model) -> ClearanceHandle:
        """Called by `Model.add`."""
        spec = self.spec(model)
        warn_about_friction(self.friction, f"{self.what} '{spec.name}'", self.slip_turns)
        return add_contact(model, spec)

    def spec(self, model: Model) -> ContactSpec:
        """Checked data of the contact, with a name that is new in the model.

        Parameters
        ----------
        model : model to which the contact is added
        """
        name = model.registry.unique_name(self.name)
        label = f"{self.what} '{name}'"
        k, l = as_point(self.k), as_point(self.l)
        if k.node is l.node:
            raise InputError(f"{label} joins node '{k.node.name}' to itself: give two bodies")
        for point, turned in zip((k, l), self.turns(), strict=True):
            (model.registry.require_rotation if turned else model.registry.require_arm)(point, label)
        self.check_start(k, l, label)
        return ContactSpec(name, k, l, self.geometry(), self.normal, self.friction)


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

    def __init__(self, specs: Sequence[ContactSpec], workspace: Workspace):
        self.specs = list(specs)
        count = len(self.specs)
        self.records: Any = np.zeros(count, dtype=CONTACT_DATA)
        for record, spec in zip(self.records, self.specs, strict=True):
            workspace.put_points(record, spec.k, spec.l)
            spec.geometry.fill(record, spec.k, spec.l)
            gap, record["normal"] = spec.geometry.start(spec.k, spec.l)
            record["gap_i"] = record["gap_f"] = gap
        mass = float(workspace.mass.sum())
        weight = mass * float(np.linalg.norm(workspace.gravity)) if mass > 0.0 else np.inf
        check_depths(self.specs, self.records["gap_i"], weight)
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

    def phases(self, workspace: Workspace) -> dict[str, list[Task]]:
        past = self.history
        contacts, histories = self._contacts(), self._histories()
        step = (contacts, histories, workspace.step, workspace.configuration)
        begin: list[Task] = [Call(forces.begin, self.records, workspace.q_i)]
        accept: list[Task] = [Call(forces.store_history, self.records, self.z_f, histories)]
        if not self._range_monitor.idle:
            accept.append(Check(self._check_ranges))
        return {
            "begin_step": begin,
            "residual": [Call(forces.residual, *step, workspace.force_m, workspace.rows, self.z_f)],
            "tangent": [
                Call(
                    tangent, *step, workspace.spin, workspace.w_m, workspace.lin_m, self.slots, workspace.data
                )
            ],
            "ledger": [
                Call(forces.energies, contacts, self.z_f, self._sums),
                Call(add_amounts, self._sums, AMOUNTS, workspace.amounts),
            ],
            "record_contacts": [
                Call(
                    forces.fill_records,
                    self.records,
                    self.friction_laws,
                    self._constants,
                    workspace.step,
                    self._contact_record,
                )
            ],
            "accept": accept,
            "evaluate_measures": [
                Call(contact_ranges.evaluate, self.records, workspace.q_i, workspace.q_f, self.measures)
            ],
            "evaluate_outputs": [Call(first_rows, past["bristles"], np.array(self._states), self._bristles)],
        }

    def _contacts(self) -> Contacts:
        return Contacts(self.records, self.normal_laws, self.friction_laws)

    def _histories(self) -> Histories:
        return Histories(
            *(self.history[name] for name in ("bristles", "impact_speed", "deepest", "normal_force"))
        )

    def initial_energy(self, workspace: Workspace) -> None:
        # gaps are those of the initial state: evaluated without motion
        past, no_motion = self.history, np.zeros_like(workspace.x)
        force, rows = np.zeros((2, *workspace.x.shape))
        forces.begin(self.records, workspace.q_i)
        nodes = Configuration(no_motion, workspace.r_i, workspace.q_i, workspace.r_i, workspace.q_i)
        on_nodes = force.reshape(workspace.force_m.shape)
        forces.residual(self._contacts(), self._histories(), 1.0, nodes, on_nodes, rows, self.z_f)
        sums = np.zeros(4)
        forces.energies(self._contacts(), self.z_f, sums)
        workspace.ledger["contact"] += sums[0]
        energies = zip(self.friction_laws, past["bristles"], past["normal_force"], strict=True)
        workspace.ledger["bristle"] += sum(float(stored_energy(law, z, f_n).real) for law, z, f_n in energies)

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
