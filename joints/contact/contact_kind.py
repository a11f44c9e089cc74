"""Joints with clearance: ball in a socket, and disk in a ring, with contact and friction laws given as objects.

Geometry and discretisation: `clearance_kernels` (Bauchau and Ju, section 2.1, eqs. 2 to 7).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any, ClassVar

import numpy as np

from fem_mbd.arrays import Array
from fem_mbd.errors import InputError
from fem_mbd.friction import Frictionless
from fem_mbd.friction.records import FRICTION_LAW, NORMAL_LAW, FrictionLaw, NormalLaw
from fem_mbd.friction.tangential import state_count, time_constants
from fem_mbd.friction.validity import RangeWatch
from fem_mbd.joints.contact import clearance_kernels
from fem_mbd.joints.contact.chosen_law import tell_of_friction
from fem_mbd.joints.contact.contact_parts import CONTACT as CONTACT_DATA
from fem_mbd.joints.contact.contact_parts import energies
from fem_mbd.joints.contact.recorded import BRISTLE, CONTACT
from fem_mbd.joints.planar import Planar
from fem_mbd.model.model import Model
from fem_mbd.model.node import Attachment, Point, as_point
from fem_mbd.model.output import Output
from fem_mbd.model.part_kind import PartKind
from fem_mbd.model.workspace import Workspace
from fem_mbd.solver.step_record import CONTACT_RECORD
from fem_mbd.validation import positive


def check_laws(normal: object, friction: object, what: str) -> None:
    """Raise InputError unless these are a normal and a friction law; ``what`` names the contact."""
    for law, role, dtype in ((normal, "normal", NORMAL_LAW), (friction, "friction", FRICTION_LAW)):
        if isinstance(law, type) or not hasattr(law, "record") or law.record().dtype != dtype:
            raise InputError(
                f"{what}: {role} is {law!r}, which is no {role} law: give one of fem_mbd.friction, with its parameters"
            )


@dataclass(frozen=True, eq=False)
class ClearanceHandle:
    """A contact or joint with clearance in a model; ``spec`` gives its row in the recorded contacts."""

    name: str
    k: Point
    l: Point
    spec: Any

    def contact_row(self, model: Model) -> int:
        """Row in the recorded contacts, in which kinds of contacts follow each other."""
        before = 0
        for kind, specs in model.specs.items():
            if issubclass(kind, ClearanceKind) and any(spec is self.spec for spec, _ in specs):
                return before + [spec for spec, _ in specs].index(self.spec)
            if hasattr(kind, "contact_records"):
                before += len(specs)
        raise InputError(f"contact '{self.name}' is not part of model '{model.name}'")


@dataclass(frozen=True, eq=False)
class SphericalClearance:
    """A ball of radius_l on body L inside a socket of radius_k on body K.

    Parameters
    ----------
    k, l : Node or Point, the two centres
    radius_k, radius_l : m, radius_k above radius_l
    normal : normal law, e.g. Linear(15e6) or HuntCrossley(Hertz(…), …)
    friction : friction law, e.g. LuGre(…)

    Raises
    ------
    InputError
        When the ball does not fit, or the centres start further apart than the socket's radius.
    """

    k: Attachment
    l: Attachment
    radius_k: float
    radius_l: float
    normal: NormalLaw
    friction: FrictionLaw = field(default_factory=Frictionless)
    name: str = "clearance"
    # the two bodies can slip on each other in more than one direction
    slip_turns: ClassVar[bool] = True

    def __post_init__(self) -> None:
        outer = positive(self.radius_k, f"clearance joint '{self.name}': radius_k")
        inner = positive(self.radius_l, f"clearance joint '{self.name}': radius_l")
        if inner >= outer:
            raise InputError(
                f"clearance joint '{self.name}': radius_l = {inner:g} m does not fit into radius_k = {outer:g} m"
            )
        check_laws(self.normal, self.friction, f"clearance joint '{self.name}'")

    def build(self, model: Model) -> ClearanceHandle:
        name = model.unique_name(self.name)
        k, l = as_point(self.k), as_point(self.l)
        if k.node is l.node:
            raise InputError(
                f"clearance joint '{name}' joins node '{k.node.name}' to itself: give two bodies"
            )
        distance = float(np.linalg.norm(l.position - k.position))
        if distance > self.radius_k:
            raise InputError(
                f"clearance joint '{name}': the centres start {distance:.4g} m apart, outside the socket of "
                f"{self.radius_k:.4g} m: move them together"
            )
        self.tell(name)
        model.register(ClearanceKind, (self, name))
        return ClearanceHandle(name, k, l, self)

    def tell(self, name: str) -> None:
        """Warnings about the laws."""
        tell_of_friction(self.friction, f"clearance joint '{name}'", self.slip_turns)


@dataclass(frozen=True, eq=False)
class PlanarClearance(SphericalClearance):
    """A revolute joint with clearance: a planar joint, normal ``axis`` (global) fixed to K, and a disk in a ring."""

    axis: Any = (0.0, 0.0, 1.0)
    slip_turns: ClassVar[bool] = False

    def build(self, model: Model) -> ClearanceHandle:
        model.add(Planar(self.k, self.l, normal=self.axis, name=f"{self.name}.plane"))
        return super().build(model)


class ClearanceKind(PartKind):
    """All ball-in-socket contacts. History of each: bristles (nz, 3), impact speed, normal (3,), last normal force."""

    label: ClassVar[str] = "contact"
    has_contacts: ClassVar[bool] = True
    kernels: ClassVar[ModuleType] = clearance_kernels

    def __init__(self, specs: Sequence[tuple[Any, str]], work: Workspace):
        # each has k, l, normal, friction, radius_k and radius_l; radii of planes and points are zero
        self.specs = list(specs)
        count = len(self.specs)
        self.records: Any = np.zeros(count, dtype=CONTACT_DATA)
        for record, (spec, _) in zip(self.records, self.specs, strict=True):
            for side, attachment in enumerate((spec.k, spec.l)):
                point = as_point(attachment)
                record["nodes"][side] = point.node.index
                record["arm"][side] = work.offset_from_centre(point.node.index, point.offset)
            record["radius_k"], record["radius_l"] = spec.radius_k, spec.radius_l
        self.nodes = self.records["nodes"].copy()
        self.multipliers = np.zeros(count, dtype=np.int64)
        self.normal_laws = np.stack([spec.normal.record() for spec, _ in self.specs])
        self.friction_laws = np.stack([spec.friction.record() for spec, _ in self.specs])
        self._states = [int(state_count(law)) for law in self.friction_laws]
        self.recorded = (CONTACT, BRISTLE) if any(self._states) else (CONTACT,)
        states = max(1, *self._states)
        self._constants = np.array([time_constants(law) for law in self.friction_laws])
        self.z_f = np.zeros((count, states, 3))
        self.history = np.zeros((count, 3 * states + 5))
        self._set_start(work)
        self._sums = np.zeros(4)
        self._watch = RangeWatch([spec.normal for spec, _ in self.specs], [name for _, name in self.specs])

    def _set_start(self, work: Workspace) -> None:
        """Gap and normal of the reference configuration; bristles relaxed."""
        for c, (spec, _) in enumerate(self.specs):
            x = as_point(spec.l).position - as_point(spec.k).position
            length = float(np.linalg.norm(x))
            gap = spec.radius_k - spec.radius_l - length
            normal = x / length if length > 0 else np.zeros(3)
            self.records["gap_i"][c] = self.records["gap_f"][c] = gap
            self.records["normal"][c] = self.records["normal_f"][c] = normal
            self.history[c, -4:-1] = normal

    def neglect_friction(self) -> None:
        self.friction_laws = np.stack([Frictionless().record() for _ in self.friction_laws])

    def residual(self, work: Workspace) -> None:
        self.kernels.residual(
            self.records, self.normal_laws, self.friction_laws, self.history, work.dt,
            work.x, work.r_i, work.q_i, work.rows, self.z_f,
        )  # fmt: skip

    def tangent(self, work: Workspace) -> None:
        self.kernels.tangent(
            self.records, self.normal_laws, self.friction_laws, self.history, work.dt,
            work.x, work.r_i, work.q_i, self.slots, work.data,
        )  # fmt: skip

    def ledger(self, work: Workspace, row: Any) -> None:
        self._sums[:] = 0.0
        energies(self.records, self.normal_laws, self.friction_laws, self.z_f, self._sums)
        row["contact"] += self._sums[0]
        row["bristle"] += self._sums[1]
        row["dissipation_contact"] += self._sums[2]
        row["dissipation_friction"] += self._sums[3]

    def initial_energy(self, work: Workspace, row: Any) -> None:
        self._sums[:] = 0.0
        energies(self.records, self.normal_laws, self.friction_laws, self.z_f, self._sums)
        row["contact"] += self._sums[0]

    def accept(self, work: Workspace) -> None:
        count, states = self.z_f.shape[:2]
        self.history[:, : 3 * states] = self.z_f.reshape(count, 3 * states)
        self.history[:, 3 * states] = self.records["impact_speed"]
        self.history[:, 3 * states + 1 : 3 * states + 4] = self.records["normal_f"]
        self.history[:, 3 * states + 4] = self.records["normal_force"]
        self._watch.check(self.records["impact_speed"], self.records["gap_f"])

    def row_counts(self, output: Output) -> Sequence[int]:
        return self._states if output is BRISTLE else super().row_counts(output)

    def outputs(self, work: Workspace) -> dict[str, Array]:
        """States of the friction laws (rows, 3), contact by contact."""
        if not any(self._states):
            return {}
        rows = [z[: 3 * n].reshape(n, 3) for z, n in zip(self.history, self._states, strict=True)]
        return {BRISTLE.name: np.concatenate(rows)}

    def contact_records(self, work: Workspace) -> Any:
        out: Any = np.zeros(len(self.records), dtype=CONTACT_RECORD)
        records = self.records
        for name in ("gap_i", "gap_f", "normal_force", "normal"):
            out[name] = records[name]
        out["friction_force"] = -records["normal_force"][:, None] * records["mu"]
        if work.dt > 0:
            out["slip_velocity"] = records["slip"] / work.dt
        out["omega"], out["stribeck_velocity"] = self._constants[:, 0], self._constants[:, 1]
        return out

    def describe(self) -> list[dict[str, Any]]:
        return [
            {
                "name": name,
                "k": as_point(s.k).node.name,
                "l": as_point(s.l).node.name,
                "radius_k": float(s.radius_k),
                "radius_l": float(s.radius_l),
                "normal": repr(s.normal),
                "friction": repr(s.friction),
            }
            for s, name in self.specs
        ]
