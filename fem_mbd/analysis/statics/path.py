"""Path of equilibria: adaptive step sizes, detection of limit points and bifurcations, errors when the path is lost.

The errors describe in words the motion that has no resistance.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from scipy.sparse import csr_matrix, diags
from scipy.sparse.csgraph import connected_components

from fem_mbd.analysis.statics.bordered_newton import (
    DRIVES,
    LOADS,
    ROTATION,
    Branch,
    Factorised,
    NoConvergence,
    Point,
    Singular,
    Tracer,
)
from fem_mbd.analysis.statics.static_forces import StaticForces
from fem_mbd.base.arrays import Array
from fem_mbd.core.scheme.state import State
from fem_mbd.errors import SolverFailure

# fraction of the largest entry: added to a singular stiffness, so that its free motion responds to any force
DIAGONAL_SHIFT = 1e-11
FREE_MOTION_RATIO = 1e-9  # fraction of the sum of magnitudes: a motion with less stiffness is free
Stop = Callable[[float, Array], bool]  # function of load factor and positions (nodes, 3)
SMALLEST_STEP = 1e-5  # fraction of the first step: lower limit
LARGEST_STEP = 2.0  # multiple of the first step: larger ones make a curve too coarse to plot
LONGEST_STEP = 0.1  # model lengths or rad, root mean square: longest step along a path
EASY_ITERATIONS = 5  # iterations: a traced path continues with a shorter step after a step that needed more


def nodal_motion(forces: StaticForces, state: State, vector: Array) -> Array:
    """(nodes, 6) displacements and rotations of the nodes, global axes, for a vector of unknowns (n + m,)."""
    full = np.zeros((forces.workspace.n, 6))
    full[tuple(forces.unknowns.T)] = vector[: forces.n]
    turn = np.einsum("nij,nj->ni", state.r, full[:, 3:])
    arm = np.einsum("nij,nj->ni", state.r, forces.workspace.centre)
    return np.concatenate([full[:, :3] - np.cross(turn, arm), turn], axis=1)


def free_motion(forces: StaticForces, state: State, stiffness: csr_matrix) -> str:
    """Description of the motion without stiffness, e.g. "node 'arm' can turn about (0, 0, 1)"; "" for none.

    stiffness : (n + m, n + m) with the constraints
    """
    n, rest = forces.n, stiffness.shape[0] - forces.n
    shift = DIAGONAL_SHIFT * float(abs(stiffness).max() or 1.0)
    shifted = stiffness + diags(np.concatenate([np.full(n, shift), np.full(rest, -shift)]))
    vector = np.random.default_rng(20).standard_normal(n + rest)
    try:
        factors = Factorised(csr_matrix(shifted))
    except Singular:
        return ""
    for _ in range(3):
        vector = factors.solve(vector)
        vector[n:] = 0.0
        vector /= np.linalg.norm(vector)
    size = np.abs(vector)
    if not abs(vector @ (stiffness @ vector)) <= FREE_MOTION_RATIO * (size @ (abs(stiffness) @ size)):
        return ""
    motion = nodal_motion(forces, state, vector)
    move = np.linalg.norm(motion[:, :3], axis=1) / forces.system.length
    turn = np.linalg.norm(motion[:, 3:], axis=1)
    turns = turn.max() >= 0.5 * move.max()  # rotating parts carry nodes along, so rotations take precedence
    node = int(np.argmax(turn if turns else move))
    direction = motion[node, 3:] if turns else motion[node, :3]
    direction = direction / np.linalg.norm(direction) * np.sign(direction[np.argmax(np.abs(direction))])
    along = ", ".join(f"{c:.3g}" for c in direction.round(6) + 0.0)
    name = forces.system.model.nodes[node].name
    return f"node '{name}' can {'turn about' if turns else 'move along'} ({along})"


def unsupported(forces: StaticForces, state: State, stiffness: csr_matrix) -> str:
    """Message on the resultant of weight and loads where nothing holds the whole model against it; "" otherwise.

    stiffness : (n + m, n + m) with the constraints
    """
    load, moves = forces.load(state), forces.unknowns[:, 1] < 3
    resultant = np.array([load[: forces.n][forces.unknowns[:, 1] == c].sum() for c in range(3)])
    size, total = float(np.linalg.norm(resultant)), float(np.abs(load[: forces.n][moves]).sum())
    if not size > FREE_MOTION_RATIO * total:
        return ""
    direction = np.where(np.abs(resultant) > FREE_MOTION_RATIO * size, resultant / size, 0.0)
    if np.any(forces.system.fixed[1:, :3] & (direction != 0.0)):
        return ""
    motion = np.zeros(stiffness.shape[0])
    motion[: forces.n][moves] = direction[forces.unknowns[moves, 1]]
    if np.any(np.abs(stiffness @ motion) > FREE_MOTION_RATIO * (abs(stiffness) @ np.abs(motion))):
        return ""
    force = ", ".join(
        f"{c:.4g}" for c in np.where(direction != 0.0, -resultant, 0.0)
    )  # loads have a minus sign
    return (
        f"model '{forces.system.model.name}' has no equilibrium: nothing holds it against the resultant of its weight "
        f"and loads, ({force}) N, so it accelerates as a whole. Support it; for the modes of a free structure remove "
        "gravity and loads: Model(gravity=(0, 0, 0))"
    )


def unstable_node(forces: StaticForces, state: State, stiffness: csr_matrix) -> str:
    """A node of connected parts whose stiffness has a negative determinant; "" where there are none.

    det(lambda^2 M + lambda (G + D) + K) is negative at zero then and positive for large lambda: a motion grows,
    whatever gyroscopic forces and damping are. With m constraints the bordered matrix has the sign (-1)^m of that
    determinant.

    stiffness : (n + m, n + m) with the constraints
    """
    _, blocks = connected_components(stiffness, directed=False)
    for block in range(blocks.max(initial=-1) + 1):
        unknowns = np.flatnonzero(blocks == block)
        try:
            sign = Factorised(csr_matrix(stiffness[unknowns][:, unknowns])).sign
        except Singular:
            continue
        if sign != (-1.0) ** int((unknowns >= forces.n).sum()) and unknowns[0] < forces.n:
            return forces.system.model.nodes[int(forces.unknowns[unknowns[0], 0])].name
    return ""


class SingularStart(SolverFailure):
    """The stiffness is singular, or nearly so, at the start of the search."""


@dataclass
class Path:
    """Path by which an equilibrium was reached; k points.

    Attributes
    ----------
    load_factors : (k,)
    speeds : (k,) rad/s
    positions : (k, nodes, 3) m, positions of the nodes
    limits : load factors at which the load reversed (limit points)
    bifurcations : load factors (or speeds, while the speed grows) near which another path branches off
    """

    load_factors: list[float] = field(default_factory=list)
    speeds: list[float] = field(default_factory=list)
    positions: list[Array] = field(default_factory=list)
    limits: list[float] = field(default_factory=list)
    bifurcations: list[float] = field(default_factory=list)
    iterations: int = 0
    failures: int = 0

    def append(self, point: Point, branch: Branch) -> None:
        """Append a point, whose angles of springs count whole revolutions from here on."""
        branch.forces.count_turns(point.state)
        forces, workspace = branch.forces, branch.forces.workspace
        self.load_factors.append(branch.loads(point.p))
        rate = 0.0 if forces.spin is None else float(np.sqrt(max(forces.spin_factor, 0.0))) * forces.spin.rate
        self.speeds.append(rate)
        self.positions.append(workspace.node_positions(point.state.u, point.state.r))
        self.iterations += point.iterations


class PathFollower:
    """Steps along one branch: their sizes, and the error messages when they fail."""

    def __init__(self, branch: Branch, path: Path, load_steps: int, most_steps: int):
        self.branch, self.path = branch, path
        self.tracer = Tracer(branch)
        self.load_steps, self.most_steps = load_steps, most_steps

    def by_parameter(self, state: State, p: float, end: float) -> Point:
        """Points at increasing (or decreasing) parameter from p to ``end``."""
        point = start = self._first_point(state, p, end)
        step = (end - p) / self.load_steps
        first, smallest = abs(step), abs(step) * SMALLEST_STEP
        for _ in range(self.most_steps):
            if point.p == end:
                return point
            target = point.p + step
            if abs(end - target) < 0.01 * abs(step) or (end - target) * step < 0:
                target = end
            try:
                new = self.tracer.to(point, target)
                self._record_critical_points(
                    point, target - point.p, lambda a, size: self.tracer.to(a, a.p + size), new
                )
            except NoConvergence as error:
                self.path.failures += 1
                step = 0.5 * (target - point.p)
                if abs(step) < smallest:
                    kind = SingularStart if point is start else SolverFailure
                    raise kind(self._lost(point, end, str(error))) from error
                continue
            self.path.append(new, self.branch)
            if new.iterations <= EASY_ITERATIONS:
                step = np.sign(step) * min(1.5 * abs(step), LARGEST_STEP * first)
            point = new
        raise SolverFailure(self._lost(point, end, f"{self.most_steps} steps were not enough"))

    def by_length(self, state: State, p: float, end: float, stop: Stop | None = None) -> Point:
        """Points along the path from p until ``end`` is reached or ``stop`` returns True."""
        point = self._first_point(state, p, end)
        if point.p_s * (end - p) < 0:
            point = Point(point.state, point.p, -point.x_s, -point.p_s, point.sign, point.iterations)
        length = min(abs(end - p) / self.load_steps / abs(point.p_s), LONGEST_STEP)
        smallest = length * SMALLEST_STEP
        for _ in range(self.most_steps):
            try:
                new = self.tracer.along(point, length)
                crossed = (new.p - end) * (point.p - end) <= 0
                last = self.tracer.to(new, end) if crossed else new
                self._record_critical_points(point, length, self.tracer.along, last)
                if crossed:
                    self.path.append(last, self.branch)
                    return last
            except NoConvergence as error:
                self.path.failures += 1
                length *= 0.5
                if length < smallest:
                    raise SolverFailure(self._lost(point, end, str(error))) from error
                continue
            self.path.append(new, self.branch)
            if stop is not None and stop(new.p, self.path.positions[-1]):
                return new
            length = min(
                length * float(np.clip(np.sqrt(EASY_ITERATIONS / new.iterations), 0.5, 1.5)), LONGEST_STEP
            )
            point = new
        passed = ", ".join(f"{load:.5g}" for load in self.path.limits) or "none"
        reason = f"{self.most_steps} steps were not enough; limit points passed: {passed}"
        raise SolverFailure(self._lost(point, end, reason))

    def _first_point(self, state: State, p: float, end: float) -> Point:
        try:
            point = self.tracer.at(state, p)
            self.tracer.check_regular(point)
        except NoConvergence as error:
            forces, stiffness = self.branch.forces, self.branch.tangent(state, p)
            if falls := unsupported(forces, state, stiffness):
                raise SingularStart(falls) from error
            free = free_motion(forces, state, stiffness)
            reason = f"{error}; {free} without resistance" if free else str(error)
            raise SingularStart(
                f"no equilibrium of model '{forces.system.model.name}' at {self._where(p)}, where the "
                f"search starts ({reason}): support it against rigid motion; joints must leave no motion "
                "without resistance, contacts must be closed; a structure held by contacts only needs a "
                "start near its equilibrium; stiffnesses that differ by a factor of 1e12 appear singular, "
                "too"
            ) from error
        self.path.append(point, self.branch)
        return point

    def _record_critical_points(
        self, before: Point, size: float, step: Callable[[Point, float], Point], new: Point
    ) -> None:
        """Record limit points and bifurcations between two points, ``new`` being ``step(before, size)``.

        size : arc length, or the change of the parameter of a step `by_parameter`
        """
        reversed_load = np.sign(new.p_s) != np.sign(before.p_s)
        if reversed_load:
            length = size if step == self.tracer.along else size / (before.p_s or 1.0)
            self.path.limits.append(self.tracer.limit(before, length).p)
        # at a limit point the determinant and the direction of the load change sign together
        if reversed_load != (new.sign != before.sign):
            p = self.tracer.bifurcation(before, size, step)
            spin = self.branch.forces.spin
            speed = 0.0 if spin is None else float(np.sqrt(max(p, 0.0))) * spin.rate
            self.path.bifurcations.append(p if self.branch.by == LOADS else speed)

    def _where(self, p: float) -> str:
        if self.branch.by == LOADS:
            return f"load factor {p:.5g}"
        if self.branch.by == DRIVES:
            return f"{p:.3g} of the way of the drives"
        spin = self.branch.forces.spin
        assert spin is not None
        return f"a speed of {np.sqrt(max(p, 0.0)) * abs(spin.rate):.5g} rad/s"

    def _lost(self, point: Point, end: float, reason: str) -> str:
        advice = {
            LOADS: "take smaller load steps; to pass a limit point follow the path (arc_length=True)",
            ROTATION: "the structure may not have an equilibrium at this speed; check its stiffness and mass "
            "offsets",
            DRIVES: "the drives prescribe a position that the mechanism cannot reach, or reach it through a singular "
            "one",
        }[self.branch.by]
        name = self.branch.forces.system.model.name
        return (
            f"equilibrium of model '{name}' lost beyond {self._where(point.p)} on the way to {self._where(end)} "
            f"({reason}): {advice}"
        )
