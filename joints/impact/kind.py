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
        for record, spec in zip(self.records, self.specs, strict=True):
            nodes = spec.k.node.index, spec.l.node.index
            offsets = (
                work.offset_from_centre(n, p.offset) for n, p in zip(nodes, (spec.k, spec.l), strict=True)
            )
            record["nodes"], record["forms"], record["rows"] = nodes, 1, 1
            store_form(record, 0, spec.gap(*offsets))
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
        y, gradient = self._vectors(q), self._gradient(q)
        lines = self.records["l"][:, 0]
        return np.asarray(0.5 * ((gradient + lines) * y).sum(axis=(1, 2)) + self.records["constant"][:, 0])

    def gap_jacobian(self, q: Array) -> Array:
        """(n, 2, 6) derivative of the gaps by (v, Omega) of K and L."""
        gradient = self._gradient(q).reshape(-1, 2, 4, 3)
        # d_a changes by R (Omega x e_a): moments e_a x w_a of the gradient w_a in node axes
        w = gradient[:, :, 1:] @ np.swapaxes(q[self.nodes, 1:], 2, 3)
        turn = [w[..., a, b] - w[..., b, a] for a, b in ((1, 2), (2, 0), (0, 1))]
        return np.concatenate([gradient[:, :, 0], np.stack(turn, axis=-1)], axis=-1)

    def _gradient(self, q: Array) -> Array:
        """(n, 8, 3) derivative of the gaps by the vectors of their nodes."""
        return np.asarray(self.records["h"][:, 0] @ self._vectors(q) + self.records["l"][:, 0])

    def _vectors(self, q: Array) -> Array:
        """(n, 8, 3) of the nodes K and L."""
        return q[self.nodes].reshape(-1, 8, 3)

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
