"""All distributed loads of a model: calls of the users' functions, nodal forces, tangent, work.

Point loads of `kernels`, constant over the step: w_i = w_f = w, no rate. With A = d rows / d w, three columns per node
from the same kernel, the tangent of the state dependence is A (dw/d x_f D_x + dw/d phi_f D_phi + dw/d b D_b): position
and rotation of the point at the end, and b = dt Omega_g, which determine the state in the middle of the step.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
import scipy

from fem_mbd.base.arrays import Array, Indices
from fem_mbd.core.compiled.calls import Task
from fem_mbd.core.model.part_kind import PartKind
from fem_mbd.core.model.workspace import Workspace
from fem_mbd.elements.loads import kernels
from fem_mbd.elements.loads.loads import work_calls

_STEP = 1e-6  # relative to the beam's length and to 1 rad: step of finite differences


@dataclass(frozen=True, eq=False)
class DistributedSpec:
    """One load: its nodes (n,), their fractions s (n,) and lengths (n,); turn (3, 3) from node to section axes.

    evaluate(time, s, length, position, velocity, rotation, omega) returns (n, 6).
    """

    name: str
    nodes: Indices
    s: Array
    length: Array
    turn: Array
    evaluate: Callable[..., Array]
    follower: bool
    every_iteration: bool
    derivatives: bool


class DistributedKind(PartKind):
    """All distributed loads; the records are the forces of all loads, then their moments."""

    label: ClassVar[str] = "distributed load"
    applied: ClassVar[bool] = True

    def __init__(self, specs: Sequence[DistributedSpec], work: Workspace):
        self.specs = list(specs)
        ends = np.cumsum([0, *(len(spec.nodes) for spec in self.specs)])
        self.parts = [slice(a, b) for a, b in zip(ends[:-1], ends[1:], strict=True)]
        count = int(ends[-1])
        self.records: Any = np.zeros(2 * count, dtype=kernels.LOAD)
        nodes = np.concatenate([spec.nodes for spec in self.specs])
        self.records["node"] = np.tile(nodes, 2)
        self.records["arm"] = np.tile(-work.centre[nodes], (2, 1))
        for spec, part in zip(self.specs, self.parts, strict=True):
            dead = kernels.DEAD_FORCE, kernels.DEAD_MOMENT
            following = kernels.FOLLOWER_FORCE, kernels.FOLLOWER_MOMENT
            kinds = following if spec.follower else dead
            self.records["kind"][part], self.records["kind"][count:][part] = kinds
        self.count = count
        self.nodes = nodes.reshape(count, 1).copy()
        self.multipliers = np.zeros(count, dtype=np.int64)
        self._work = np.zeros(1)
        self.calls = 0  # number of function calls, for tests

    def take_middle_of_step(self) -> None:
        self.specs = [replace(spec, every_iteration=True, derivatives=True) for spec in self.specs]

    # -- evaluation at the points of a load -------------------------------------------------------------------

    def _call(self, spec: DistributedSpec, time: float, x: Array, v: Array, r: Array, omega: Array) -> Array:
        """(n, 6) forces and moments on the points, N and N m, in the axes of the records (node axes if following)."""
        self.calls += 1
        w = spec.evaluate(time, spec.s.copy(), spec.length.copy(), x, v, r @ spec.turn.T, omega)
        w = w * spec.length[:, None]
        return np.concatenate([w[:, :3] @ spec.turn, w[:, 3:] @ spec.turn], axis=1) if spec.follower else w

    def _positions(self, work: Workspace, spec: DistributedSpec, q: Array) -> Array:
        n = spec.nodes
        return np.asarray(q[n, 0] - np.einsum("ka,kai->ki", work.centre[n], q[n, 1:]))

    def _at_middle(self, work: Workspace, spec: DistributedSpec, x_f: Array, r_f: Array, b: Array) -> Array:
        """Forces for the points at x_f (n, 3), r_f (n, 3, 3) at the end, and b (n, 3), dt times the mean spin."""
        x_i, r_i = self._positions(work, spec, work.q_i), work.r_i[spec.nodes]
        turn = scipy.spatial.transform.Rotation.from_matrix(np.swapaxes(r_i, 1, 2) @ r_f).as_rotvec()
        r = r_i @ scipy.spatial.transform.Rotation.from_rotvec(0.5 * turn).as_matrix()
        omega = np.einsum("nij,nj->ni", r, b) / work.dt
        middle = 0.5 * (work.t_i + work.t_f)
        return self._call(spec, middle, 0.5 * (x_i + x_f), (x_f - x_i) / work.dt, r, omega)

    def _fill(self, part: slice, forces: Array) -> None:
        halves = self.records[: self.count][part], self.records[self.count :][part]
        for records, values in zip(halves, (forces[:, :3], forces[:, 3:]), strict=True):
            records["w_i"] = records["w_f"] = values

    # -- calls of the scheme ----------------------------------------------------------------------------------

    def begin_step(self, work: Workspace) -> None:
        for spec, part in zip(self.specs, self.parts, strict=True):
            if not spec.every_iteration:
                n = spec.nodes
                v, omega = work.x_i[n, :3] / work.dt, work.x_i[n, 3:6] / work.dt
                r = work.r_i[n]
                v = v - np.einsum("nij,nj->ni", r, np.cross(omega, work.centre[n]))
                spin = np.einsum("nij,nj->ni", r, omega)
                self._fill(
                    part, self._call(spec, work.t_i, self._positions(work, spec, work.q_i), v, r, spin)
                )

    def residual(self, work: Workspace) -> None:
        for spec, part in zip(self.specs, self.parts, strict=True):
            if spec.every_iteration:
                n = spec.nodes
                r_f = np.swapaxes(work.q_f[n, 1:], 1, 2)
                self._fill(
                    part,
                    self._at_middle(work, spec, self._positions(work, spec, work.q_f), r_f, work.x[n, 3:6]),
                )
        kernels.residual(self.records, work.dt, work.x, work.r_i, work.q_i, work.rows)

    def tangent(self, work: Workspace) -> None:
        for records in (self.records[: self.count], self.records[self.count :]):
            kernels.tangent(records, work.dt, work.x, work.r_i, work.q_i, self.slots, work.data)
        for spec, part in zip(self.specs, self.parts, strict=True):
            if spec.every_iteration and spec.derivatives:
                slopes = self._slopes(work, spec)
                blocks = np.zeros((len(spec.nodes), 12, 12))
                for first, records in (
                    (0, self.records[: self.count][part]),
                    (3, self.records[self.count :][part]),
                ):
                    rows = np.zeros((len(records), 12, 3))
                    kernels.response(records, work.dt, work.x, work.r_i, work.q_i, rows)
                    blocks += rows @ slopes[:, first : first + 3]
                np.add.at(work.data, self.slots[part], blocks)

    def _slopes(self, work: Workspace, spec: DistributedSpec) -> Array:
        """(n, 6, 12) derivative of the forces on each point by the unknowns of its node, by central differences."""
        n = spec.nodes
        x_f, r_f, b = (
            self._positions(work, spec, work.q_f),
            np.swapaxes(work.q_f[n, 1:], 1, 2),
            work.x[n, 3:6],
        )
        size = max(float(spec.length.sum()), 1e-30)
        slopes = np.zeros((len(n), 6, 12))
        for j in range(3):
            unit = np.eye(3)[j]
            turned = [
                r_f @ scipy.spatial.transform.Rotation.from_rotvec(h * unit).as_matrix()
                for h in (_STEP, -_STEP)
            ]
            shifted = [self._at_middle(work, spec, x_f + h * size * unit, r_f, b) for h in (_STEP, -_STEP)]
            turn = [self._at_middle(work, spec, x_f, r, b) for r in turned]
            spin = [self._at_middle(work, spec, x_f, r_f, b + h * unit) for h in (_STEP, -_STEP)]
            by_position, by_turn, by_spin = ((up - down) / (2 * _STEP) for up, down in (shifted, turn, spin))
            by_position /= size
            slopes[:, :, j] += by_position
            # the point is at -centre from the mass centre; d_q is the derivative of the directors
            arm = -np.einsum("ka,kaj->kj", work.centre[n], work.d_q[n, :, j])
            columns = by_position[:, :, None] * arm[:, None] + by_turn[:, :, None] * work.spin[n, None, j]
            slopes[:, :, 3:6] += columns[:, :, :3]
            slopes[:, :, 9:] += columns[:, :, 3:]
            slopes[:, :, 3 + j] += by_spin
        return slopes

    def phases(self, work: Workspace) -> dict[str, list[Task]]:
        return {"ledger": work_calls(self.records, self._work, work)}

    def describe(self) -> list[dict[str, Any]]:
        return [
            {"name": spec.name, "nodes": [int(n) for n in spec.nodes]}
            for spec, part in zip(self.specs, self.parts, strict=True)
            for _ in range(part.start, part.stop)
        ]
