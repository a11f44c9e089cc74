"""Distributed loads along a beam by a Python function of position, velocity, orientation and time (aerodynamics).

    def drag(points):                                   # points: BeamPoints, all of the beam at once
        return -0.5 * points.velocity                   # N/m, (n, 3)

    model.add(DistributedLoad(handle, drag))

The points are the Gauss-Lobatto quadrature points of forces, which are the beam's nodes. The function is called for all
of them at once, with the states of one instant:

- `per="iteration"` (default): the middle of the step, x = (x_i + x_f)/2, velocity (x_f - x_i)/dt, R half way from R_i
  to R_f, once in every residual, so that load and motion agree at the end of the step. Second order in dt.
- `per="step"`: the start of the step, once, for codes that are expensive or keep a state of their own. First order.

The force per length w is constant over the step and does the work dt w . v_g on the mean velocity v_g of its point, to
round-off what the energy balance counts as `work_loads`, whatever the function returns. Fixed in space: w in global
axes. Follower load: w in section axes, with which it rotates during the step.

For Newton's method, and for aerodynamic stiffness and damping in modal analysis, the derivative of w at each point by
the position, velocity, orientation and angular velocity of that point is computed by finite differences
(`derivatives`); the influence of other points (induction) is neglected there, which costs iterations, never accuracy.

`DistributedKind` has all distributed loads of a model as point loads of `kernels`, constant over the step:
w_i = w_f = w, no rate. With A = d rows / d w, three columns per node from the same kernel, the tangent of the state
dependence is A (dw/d x_f D_x + dw/d phi_f D_phi + dw/d b D_b): position and rotation of the point at the end, and
b = dt Omega_g, which determine the state in the middle of the step.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import KW_ONLY, dataclass, replace
from typing import Any, ClassVar, Literal

import numpy as np
import scipy

from fem_mbd.base.arguments import arguments
from fem_mbd.base.arrays import Array, Indices
from fem_mbd.core.compiled.calls import Task
from fem_mbd.core.model.model import Model
from fem_mbd.core.model.part_kind import PartKind
from fem_mbd.core.model.workspace import Workspace
from fem_mbd.elements.beam.beam import BeamHandle
from fem_mbd.elements.loads import kernels
from fem_mbd.elements.loads.loads import node_shares, work_calls
from fem_mbd.errors import InputError

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

    def __init__(self, specs: Sequence[DistributedSpec], workspace: Workspace):
        self.specs = list(specs)
        ends = np.cumsum([0, *(len(spec.nodes) for spec in self.specs)])
        self.parts = [slice(a, b) for a, b in zip(ends[:-1], ends[1:], strict=True)]
        count = int(ends[-1])
        self.records: Any = np.zeros(2 * count, dtype=kernels.LOAD)
        nodes = np.concatenate([spec.nodes for spec in self.specs])
        self.records["node"] = np.tile(nodes, 2)
        self.records["arm"] = np.tile(-workspace.centre[nodes], (2, 1))
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

    def _positions(self, workspace: Workspace, spec: DistributedSpec, q: Array) -> Array:
        n = spec.nodes
        return np.asarray(q[n, 0] - np.einsum("ka,kai->ki", workspace.centre[n], q[n, 1:]))

    def _at_middle(
        self, workspace: Workspace, spec: DistributedSpec, x_f: Array, r_f: Array, b: Array
    ) -> Array:
        """Forces for the points at x_f (n, 3), r_f (n, 3, 3) at the end, and b (n, 3), dt times the mean spin."""
        x_i, r_i = self._positions(workspace, spec, workspace.q_i), workspace.r_i[spec.nodes]
        turn = scipy.spatial.transform.Rotation.from_matrix(np.swapaxes(r_i, 1, 2) @ r_f).as_rotvec()
        r = r_i @ scipy.spatial.transform.Rotation.from_rotvec(0.5 * turn).as_matrix()
        omega = np.einsum("nij,nj->ni", r, b) / workspace.dt
        middle = 0.5 * (workspace.t_i + workspace.t_f)
        return self._call(spec, middle, 0.5 * (x_i + x_f), (x_f - x_i) / workspace.dt, r, omega)

    def _fill(self, part: slice, forces: Array) -> None:
        halves = self.records[: self.count][part], self.records[self.count :][part]
        for records, values in zip(halves, (forces[:, :3], forces[:, 3:]), strict=True):
            records["w_i"] = records["w_f"] = values

    # -- calls of the scheme ----------------------------------------------------------------------------------

    def begin_step(self, workspace: Workspace) -> None:
        for spec, part in zip(self.specs, self.parts, strict=True):
            if not spec.every_iteration:
                n = spec.nodes
                v, omega = workspace.x_i[n, :3] / workspace.dt, workspace.x_i[n, 3:6] / workspace.dt
                r = workspace.r_i[n]
                v = v - np.einsum("nij,nj->ni", r, np.cross(omega, workspace.centre[n]))
                spin = np.einsum("nij,nj->ni", r, omega)
                x_i = self._positions(workspace, spec, workspace.q_i)
                self._fill(part, self._call(spec, workspace.t_i, x_i, v, r, spin))

    def residual(self, workspace: Workspace) -> None:
        for spec, part in zip(self.specs, self.parts, strict=True):
            if spec.every_iteration:
                n = spec.nodes
                r_f = np.swapaxes(workspace.q_f[n, 1:], 1, 2)
                x_f = self._positions(workspace, spec, workspace.q_f)
                self._fill(part, self._at_middle(workspace, spec, x_f, r_f, workspace.x[n, 3:6]))
        kernels.residual(
            self.records, workspace.dt, workspace.x, workspace.r_i, workspace.q_i, workspace.rows
        )

    def tangent(self, workspace: Workspace) -> None:
        for records in (self.records[: self.count], self.records[self.count :]):
            kernels.tangent(
                records, workspace.dt, workspace.x, workspace.r_i, workspace.q_i, self.slots, workspace.data
            )
        for spec, part in zip(self.specs, self.parts, strict=True):
            if spec.every_iteration and spec.derivatives:
                slopes = self._slopes(workspace, spec)
                blocks = np.zeros((len(spec.nodes), 12, 12))
                for first, records in (
                    (0, self.records[: self.count][part]),
                    (3, self.records[self.count :][part]),
                ):
                    rows = np.zeros((len(records), 12, 3))
                    kernels.response(records, workspace.dt, workspace.x, workspace.r_i, workspace.q_i, rows)
                    blocks += rows @ slopes[:, first : first + 3]
                np.add.at(workspace.data, self.slots[part], blocks)

    def _slopes(self, workspace: Workspace, spec: DistributedSpec) -> Array:
        """(n, 6, 12) derivative of the forces on each point by the unknowns of its node, by central differences."""
        n = spec.nodes
        x_f, r_f, b = (
            self._positions(workspace, spec, workspace.q_f),
            np.swapaxes(workspace.q_f[n, 1:], 1, 2),
            workspace.x[n, 3:6],
        )
        size = max(float(spec.length.sum()), 1e-30)
        slopes = np.zeros((len(n), 6, 12))
        for j in range(3):
            unit = np.eye(3)[j]
            turned = [
                r_f @ scipy.spatial.transform.Rotation.from_rotvec(h * unit).as_matrix()
                for h in (_STEP, -_STEP)
            ]
            shifted = [
                self._at_middle(workspace, spec, x_f + h * size * unit, r_f, b) for h in (_STEP, -_STEP)
            ]
            turn = [self._at_middle(workspace, spec, x_f, r, b) for r in turned]
            spin = [self._at_middle(workspace, spec, x_f, r_f, b + h * unit) for h in (_STEP, -_STEP)]
            by_position, by_turn, by_spin = ((up - down) / (2 * _STEP) for up, down in (shifted, turn, spin))
            by_position /= size
            slopes[:, :, j] += by_position
            # the point is at -centre from the mass centre; d_q is the derivative of the directors
            arm = -np.einsum("ka,kaj->kj", workspace.centre[n], workspace.d_q[n, :, j])
            columns = (
                by_position[:, :, None] * arm[:, None] + by_turn[:, :, None] * workspace.spin[n, None, j]
            )
            slopes[:, :, 3:6] += columns[:, :, :3]
            slopes[:, :, 9:] += columns[:, :, 3:]
            slopes[:, :, 3 + j] += by_spin
        return slopes

    def phases(self, workspace: Workspace) -> dict[str, list[Task]]:
        return {"ledger": work_calls(self.records, self._work, workspace)}

    def describe(self) -> list[dict[str, Any]]:
        return [
            {"name": spec.name, "nodes": [int(n) for n in spec.nodes]}
            for spec, part in zip(self.specs, self.parts, strict=True)
            for _ in range(part.start, part.stop)
        ]


@dataclass(frozen=True, eq=False)
class BeamPoints:
    """Argument of the function of a `DistributedLoad`: states of n points, root to tip; the arrays may be stored.

    Attributes
    ----------
    time : s
    s : (n,) fractions of the length
    length : (n,) m, length of the beam that belongs to each point
    position, velocity : (n, 3) of the reference line, global axes, m and m/s
    rotation : (n, 3, 3), columns the section axes in global axes
    omega : (n, 3) angular velocity, global axes, rad/s
    """

    time: float
    s: Array
    length: Array
    position: Array
    velocity: Array
    rotation: Array
    omega: Array


LoadFunction = Callable[[BeamPoints], Any]


@arguments()
@dataclass(frozen=True, eq=False)
class DistributedLoad:
    """A force, or force and moment, per length on a beam, from a function; see the module's docstring.

    Parameters
    ----------
    beam : handle that `Model.add(Beam(…))` returned
    function : of `BeamPoints`; returns (n, 3) N/m, or a pair of (n, 3): N/m and N m/m
    follower : components in section axes instead of global axes
    per : "iteration" or "step", when the function is called
    derivatives : whether the tangent includes finite-difference derivatives of the function, 18 more calls per tangent
    name : shown in messages

    Raises
    ------
    InputError
        When added, for other arguments; when called, naming the load, for values of another shape or not finite.
    """

    beam: BeamHandle
    function: LoadFunction
    _: KW_ONLY
    follower: bool = False
    per: Literal["iteration", "step"] = "iteration"
    derivatives: bool = True
    name: str = "distributed load"

    def build(self, model: Model) -> DistributedLoad:
        """Called by `Model.add`."""
        what = f"distributed load '{self.name}'"
        if not isinstance(self.beam, BeamHandle):
            raise InputError(f"{what}: give the handle that Model.add(Beam(…)) returned")
        model.registry.node_of(self.beam.start, what)
        if not callable(self.function):
            raise InputError(f"{what}: function is {self.function!r}: give a function of BeamPoints")
        if self.per not in ("iteration", "step"):
            raise InputError(f"{what}: per is {self.per!r}: give 'iteration' or 'step'")
        shares = node_shares(self.beam)
        order = sorted(shares)
        spec = DistributedSpec(
            name=model.registry.unique_name(self.name),
            nodes=np.array([self.beam.nodes[k].index for k in order]),
            s=np.array([shares[k][0] for k in order]),
            length=np.array([shares[k][1] for k in order]),
            turn=self.beam.offset_rotation,
            evaluate=self._evaluate,
            follower=self.follower,
            every_iteration=self.per == "iteration",
            derivatives=self.derivatives,
        )
        model.registry.add(DistributedKind, spec)
        return self

    def _evaluate(self, *state: Any) -> Array:
        """(n, 6) force and moment per length at the state: time, s, length, position, velocity, rotation, omega."""
        points = BeamPoints(*state)
        what = f"distributed load '{self.name}' at t = {points.time:g} s"
        try:
            loads = self.function(points)
        except InputError:
            raise
        except Exception as error:
            raise InputError(f"{what}: its function fails ({type(error).__name__}: {error})") from error
        pair = loads if isinstance(loads, tuple) else (loads, np.zeros((len(points.s), 3)))
        if len(pair) != 2:
            raise InputError(
                f"{what}: its function returns {len(pair)} arrays: give force, or force and moment"
            )
        halves = [np.asarray(half, dtype=float) for half in pair]
        for half in halves:
            if half.shape != (len(points.s), 3):
                raise InputError(f"{what}: its function returns shape {half.shape}, not ({len(points.s)}, 3)")
            if not np.all(np.isfinite(half)):
                k = int(np.flatnonzero(~np.isfinite(half).all(axis=1))[0])
                raise InputError(
                    f"{what}: not finite at point {k} (s = {points.s[k]:.4g}): {half[k].tolist()}"
                )
        return np.concatenate(halves, axis=1)
