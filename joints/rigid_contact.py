"""Rigid contact of a point or ball with a plane: impacts are instantaneous.

Between impacts the contact is open, or closed like a unilateral ideal joint: in a step, a constraint while closed,
multipliers of zero while open (compiled kernels, which come first). Impacts are events between steps:
`fem_mbd.core.solver.impacts`, docs/explanation/impacts.md.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar, Literal

import numpy as np

from fem_mbd.base.arguments import arguments
from fem_mbd.base.arrays import Array
from fem_mbd.base.lazy import nearest
from fem_mbd.base.validation import finite, positive
from fem_mbd.core.compiled import kernel
from fem_mbd.core.compiled.calls import Call, Task
from fem_mbd.core.compiled.signatures import indices, matrix, record, slots, vector, void
from fem_mbd.core.model.model import Model
from fem_mbd.core.model.node import Attachment, Handle, Point, as_point
from fem_mbd.core.model.output import Output, Quantity
from fem_mbd.core.model.part_kind import PartKind, pair_data
from fem_mbd.core.model.workspace import Workspace
from fem_mbd.core.scheme.array_kernels import clear
from fem_mbd.core.scheme.constraints import constraint_kernels
from fem_mbd.core.scheme.constraints.constraint_kernels import CONSTRAINT
from fem_mbd.core.scheme.constraints.forms import Form, list_vectors, point, store_form
from fem_mbd.core.solver import impacts
from fem_mbd.errors import InputError
from fem_mbd.joints.pair import PairFrame, required_direction


@kernel(void(record(CONSTRAINT)[::1], matrix))
def set_closed(joints, closed):
    """Set the weights of the forms: one in closed contacts, zero in open ones; closed (n, 1)."""
    for n in range(joints.shape[0]):
        for k in range(joints[n].forms):
            joints[n]["g_i"][k] = closed[n, 0]
            joints[n]["g_f"][k] = closed[n, 0]


@kernel(void(indices, matrix, matrix, matrix))
def contact_residual(first_row, closed, multipliers, constraints):
    """Equations of open contacts: their multipliers vanish; constraints (m, 2) are zero for them before."""
    for n in range(first_row.shape[0]):
        if closed[n, 0] == 0.0:
            constraints[first_row[n], 0] += multipliers[first_row[n], 0]
            constraints[first_row[n], 1] += multipliers[first_row[n], 1]


@kernel(void(matrix, slots, vector))
def contact_tangent(closed, slots, data):
    """Add the derivatives of `contact_residual`; slots (n, 26, 26)."""
    for n in range(closed.shape[0]):
        if closed[n, 0] == 0.0:
            data[slots[n, 24, 24]] += 1.0
            data[slots[n, 25, 25]] += 1.0


LAWS: dict[str, Callable[[Array, Array, Array], Array]] = {
    "newton": impacts.newton,
    "poisson": impacts.poisson,
    "sequential": impacts.sequential,
}
CONTACT = Output(
    "rigid_contact",
    "rigid_contact",
    (
        Quantity("gap", "m", "positive when open"),
        Quantity(
            "normal_force",
            "N",
            "on L along the plane's normal while the contact is closed, mean of the step",
            within="mean",
        ),
        Quantity("impulse", "N s", "of an impact at the end of the step, else zero", within="mean"),
        Quantity("closed", "1", "1 while the contact is closed, else 0", within="mean"),
    ),
)
REST_SPEED = 1e-4  # m/s


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

    def __init__(self, specs: Sequence[RigidContactSpec], workspace: Workspace):
        self.specs = list(specs)
        count = len(self.specs)
        laws = {spec.law for spec in self.specs}
        if len(laws) > 1:
            raise InputError(
                f"rigid contacts of one model must have the same impact law: here are {', '.join(sorted(laws))}"
            )
        self.law = LAWS[laws.pop()]
        self.records: Any = np.zeros(count, dtype=constraint_kernels.CONSTRAINT)
        for entry, spec in zip(self.records, self.specs, strict=True):
            nodes = spec.k.node.index, spec.l.node.index
            offsets = (
                workspace.offset_from_centre(n, p.offset)
                for n, p in zip(nodes, (spec.k, spec.l), strict=True)
            )
            entry["nodes"], entry["forms"], entry["rows"] = nodes, 1, 1
            store_form(entry, 0, spec.gap(*offsets))
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
        """InputError when the bodies of a contact overlap; gaps (n,) and ``touching`` in m."""
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

    def phases(self, workspace: Workspace) -> dict[str, list[Task]]:
        joints = (self.records, self.first_row, workspace.motion, workspace.multipliers)
        return {
            "begin_step": [Call(set_closed, self.records, self.history)],
            "residual": [
                Call(constraint_kernels.residual, *joints, workspace.forces, workspace.constraints),
                Call(
                    contact_residual,
                    self.first_row,
                    self.history,
                    workspace.multipliers,
                    workspace.constraints,
                ),
            ],
            "tangent": [
                Call(
                    constraint_kernels.tangent,
                    *joints,
                    workspace.rotations,
                    workspace.maps,
                    workspace.lin,
                    self.slots,
                    workspace.data,
                ),
                Call(contact_tangent, self.history, self.slots, workspace.data),
            ],
            "accept": [Call(clear, self.impulse)],
        }

    def neglect_friction(self) -> None:
        raise InputError(
            "rigid contacts have no stiffness: for statics give them a law (fem_mbd.joints.PointOnPlane)"
        )

    def outputs(self, workspace: Workspace) -> dict[str, Array]:
        rows, dt = self.first_row[0] + np.arange(len(self.specs)), workspace.accepted.clock[2]
        # before the first step the multiplier of that instant
        force = -workspace.accepted.multipliers[rows, 0] / dt**2 if dt > 0.0 else -workspace.lam[rows]
        columns = (self.gaps(workspace.q_i), force, self.impulse, self.closed)
        return {CONTACT.name: np.column_stack(columns)}

    def describe(self) -> list[dict[str, Any]]:
        return [pair_data(s, "restitution", "law") for s in self.specs]


@dataclass(frozen=True, eq=False, repr=False)
class RigidContactHandle(Handle):
    """A rigid contact in a model; ``result.of(handle)`` gives gap, normal_force, impulse and closed.

    Attributes
    ----------
    name : shown in messages and results
    k, l : its two points
    spec : its data
    """

    name: str
    k: Point
    l: Point
    spec: RigidContactSpec


@arguments()
@dataclass(frozen=True, eq=False)
class RigidContact:
    """A point of body L, or a ball around it, stays on one side of a plane of body K; without friction.

    Only for mechanisms of rigid bodies. All rigid contacts of a model share their law.

    Parameters
    ----------
    k, l : Node or Point of the model, a point of the plane and the point or the ball's centre
    restitution : e, from 0 (plastic) to 1 (elastic)
    direction : (3,) normal of the plane, global axes, reference configuration, from the material of K to the side of L;
        the plane has no edges
    radius : m, of the ball; 0 for a point
    law : treatment of simultaneous impacts. "newton" and "poisson": all at once, by restitution of velocities or of
        impulses; "sequential": one after the other, the fastest approach first. They are equal for a single impact
    rest_speed : m/s; a slower rebound is set to zero, and the contact stays closed until its force would be tensile
    name : shown in messages and results

    Raises
    ------
    InputError
        For numbers outside their bounds, a missing direction, one body on both sides; when the run starts, for
        overlapping bodies, different laws, and models with beams.
    """

    k: Attachment
    l: Attachment
    restitution: float
    _: KW_ONLY
    direction: Any = None
    radius: float = 0.0
    law: Literal["newton", "poisson", "sequential"] = "newton"
    rest_speed: float = REST_SPEED
    name: str = ""

    def __post_init__(self) -> None:
        what = f"rigid contact '{self.name}'"
        for field, most in (("restitution", 1.0), ("radius", np.inf)):
            if not 0.0 <= finite(getattr(self, field), f"{what}: {field}") <= most:
                raise InputError(f"{what}: {field} is {getattr(self, field)}: give 0 to {most:g}")
        positive(self.rest_speed, f"{what}: rest_speed")
        required_direction(self.direction, "direction", what)
        if self.law not in LAWS:
            raise InputError(f"{what}: law is {self.law!r}; {nearest(self.law, LAWS)}")

    def build(self, model: Model) -> RigidContactHandle:
        """Register the contact."""
        name = model.registry.unique_name(self.name or "rigid contact")
        k, l = as_point(self.k), as_point(self.l)
        if k.node is l.node:
            raise InputError(
                f"rigid contact '{name}' is between node '{k.node.name}' and itself: give two bodies"
            )
        model.registry.require_rotation(k, f"rigid contact '{name}'")
        model.registry.require_arm(l, f"rigid contact '{name}'")
        direction = required_direction(self.direction, "direction", f"rigid contact '{name}'")
        frame = PairFrame.of(k, l, direction, f"rigid contact '{name}'")

        def gap(x_k: Array, x_l: Array) -> Form:
            return (point(1, x_l) - point(0, x_k)).dot(frame.of_k(3), -float(self.radius))

        spec = RigidContactSpec(name, k, l, gap, float(self.restitution), float(self.rest_speed), self.law)
        model.registry.add(ImpactKind, spec)
        return RigidContactHandle(name, k, l, spec)
