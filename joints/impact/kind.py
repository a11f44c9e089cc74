"""All rigid contacts of a model: gaps, open or closed, outputs. Impacts: `solver.impacts`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from fem_mbd.base.arrays import Array
from fem_mbd.core.compiled.calls import Call, Task
from fem_mbd.core.model.node import Point
from fem_mbd.core.model.output import Output, Quantity
from fem_mbd.core.model.part_kind import PartKind, pair_data
from fem_mbd.core.model.workspace import Workspace
from fem_mbd.core.scheme.array_kernels import clear
from fem_mbd.core.scheme.constraints import constraint_kernels
from fem_mbd.core.scheme.constraints.form_kernels import list_vectors, store_form
from fem_mbd.core.scheme.constraints.forms import Form
from fem_mbd.core.solver import impulses
from fem_mbd.errors import InputError
from fem_mbd.joints.impact import kernels

LAWS: dict[str, Callable[[Array, Array, Array], Array]] = {
    "newton": impulses.newton,
    "poisson": impulses.poisson,
    "sequential": impulses.sequential,
}
CONTACT = Output(
    "rigid_contact",
    "rigid_contact",
    (
        Quantity("gap", "m", "positive when open"),
        Quantity("normal_force", "N", "on L along the plane's normal while the contact is closed, at t_f"),
        Quantity("impulse", "N s", "of an impact at the end of the step, else zero", within="mean"),
        Quantity("closed", "1", "1 while the contact is closed, else 0", within="mean"),
    ),
)


@dataclass(frozen=True, eq=False)
class RigidContactSpec:
    """Data of one rigid contact, for `ImpactKind`.

    gap : function that creates the form from the two points' offsets from the mass centres, (3,) each
    """

    name: str
    k: Point
    l: Point
    gap: Callable[[Array, Array], Form]
    restitution: float
    rest_speed: float
    law: str


class ImpactKind(PartKind):
    """All rigid contacts. ``history``: (n, 1), 1 where a contact is closed.

    Attributes
    ----------
    impulse : (n,) N s, of the last impact
    """

    label: ClassVar[str] = "rigid contact"
    unilateral: ClassVar[bool] = True
    recorded: tuple[Output, ...] = (CONTACT,)

    def __init__(self, specs: Sequence[RigidContactSpec], work: Workspace):
        self.specs = list(specs)
        count = len(self.specs)
        laws = {spec.law for spec in self.specs}
        if len(laws) > 1:
            raise InputError(
                f"rigid contacts of one model must have the same impact law: here are {', '.join(sorted(laws))}"
            )
        self.law = LAWS[laws.pop()]
        self.records: Any = np.zeros(count, dtype=constraint_kernels.CONSTRAINT)
        self.forms = []
        for record, spec in zip(self.records, self.specs, strict=True):
            nodes = spec.k.node.index, spec.l.node.index
            offsets = (
                work.offset_from_centre(n, p.offset) for n, p in zip(nodes, (spec.k, spec.l), strict=True)
            )
            form = spec.gap(*offsets)
            self.forms.append(form)
            record["nodes"], record["forms"], record["rows"] = nodes, 1, 1
            store_form(record, 0, form)
        list_vectors(self.records)
        self.nodes = self.records["nodes"].copy()
        self.multipliers = np.ones(count, dtype=np.int64)
        self.restitution = np.array([spec.restitution for spec in self.specs])
        self.rest_speed = np.array([spec.rest_speed for spec in self.specs])
        self.history: Any = np.zeros((count, 1))
        self.impulse = np.zeros(count)

    # -- open or closed -------------------------------------------------------------------------------------

    @property
    def closed(self) -> Any:
        """(n,) whether each contact is closed."""
        return self.history[:, 0] > 0.0

    def check_apart(self, gaps: Array, touching: float) -> None:
        """Raises: InputError when a contact's bodies are inside each other, gaps (n,) in m."""
        worst = int(np.argmin(gaps))
        if gaps[worst] < -touching:
            raise InputError(
                f"rigid contact '{self.specs[worst].name}': its bodies overlap by {-gaps[worst]:.3g} m at "
                "the start: move them apart"
            )

    def gaps(self, q: Array) -> Array:
        """(n,) m at q (nodes, 4, 3)."""
        return np.array([form.value(self._vectors(n, q)) for n, form in enumerate(self.forms)])

    def gap_jacobian(self, q: Array) -> Array:
        """(n, 2, 6) derivative of the gaps by (v, Omega) of K and L."""
        out = np.zeros((len(self.forms), 2, 6))
        for n, form in enumerate(self.forms):
            gradient = form.gradient(self._vectors(n, q)).reshape(2, 4, 3)
            for side in range(2):
                out[n, side, :3] = gradient[side, 0]
                directors = q[self.nodes[n, side], 1:]
                out[n, side, 3:] = np.cross(np.eye(3), gradient[side, 1:] @ directors.T).sum(axis=0)
        return out

    def _vectors(self, n: int, q: Array) -> Array:
        return np.concatenate([q[self.nodes[n, 0]], q[self.nodes[n, 1]]])

    # -- scheme ---------------------------------------------------------------------------------------------

    def phases(self, work: Workspace) -> dict[str, list[Task]]:
        joints = (self.records, self.first_row, work.q_i, work.q_f, work.p, work.multipliers)
        forces = (work.force_m, work.force_f, work.constraints)
        turns = (work.x, work.r_f, work.spin)
        maps = (work.w_m, work.w_f, work.d_q, work.d_p, work.lin_m, work.lin_f)
        return {
            "begin_step": [Call(kernels.set_closed, self.records, self.history)],
            "residual": [
                Call(constraint_kernels.residual, *joints, *forces),
                Call(kernels.residual, self.first_row, self.history, work.multipliers, work.constraints),
            ],
            "tangent": [
                Call(constraint_kernels.tangent, *joints, *turns, *maps, self.slots, work.data),
                Call(kernels.tangent, self.history, self.slots, work.data),
            ],
            "accept": [Call(clear, self.impulse)],
        }

    def neglect_friction(self) -> None:
        raise InputError(
            "rigid contacts have no stiffness: for statics give them a law (fem_mbd.joints.PointOnPlane)"
        )

    def outputs(self, work: Workspace) -> dict[str, Array]:
        own = slice(int(self.first_row[0]), int(self.first_row[0]) + len(self.specs))
        columns = (self.gaps(work.q_i), -work.lam[own], self.impulse, self.closed)
        return {CONTACT.name: np.column_stack(columns)}

    def describe(self) -> list[dict[str, Any]]:
        return [pair_data(s, "restitution", "law") for s in self.specs]
