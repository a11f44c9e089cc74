"""Equilibria of structures held only by their loads or rotation, or by friction; states before and after a search.

Held by loads or rotation are hinged blades, pendulums, chains. Without loads such a structure has motions that nothing
resists, so there is no path of equilibria to follow from zero load. Newton's method starts at the full loads and speed
instead, with a multiple of the mass matrix added to the stiffness (pseudo-transient continuation: Kelley and Keyes,
SIAM J. Numer. Anal. 35 (1998) 508). The multiple decreases with the unbalanced forces ("switched evolution
relaxation"), so that the last iterations are Newton's.

Held by friction are a block on an incline, a clamp, a vehicle's brake. Friction at rest takes any force up to its
limit, so the equilibrium is not unique. The computed one is that in which a structure comes to rest when its loads are
applied in the initial configuration and it yields slowly. Friction laws with bristles respond to such a slow slip as in
a run: elastically at first, and by no more than the static coefficient permits. Laws without bristles have no force at
rest.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np
from scipy.sparse import csr_matrix, diags

from fem_mbd.analysis.statics.bordered_newton import Factorised, Singular
from fem_mbd.analysis.statics.static_forces import StaticForces
from fem_mbd.analysis.statics.steady_rotation import Spin
from fem_mbd.base.arrays import Array
from fem_mbd.core.model.model import Model
from fem_mbd.core.scheme.nodes import node_kernels as nodes
from fem_mbd.core.scheme.state import State
from fem_mbd.core.scheme.system import power_of_two
from fem_mbd.errors import InputError, SolverFailure

ITERATIONS = 200
CLOSING_ITERATIONS = 20
CLOSED = 1e-12  # model lengths, or rad: the last update when joints are closed
NEWTON_LIMIT = 1e-9  # model lengths, or rad: after an update this small Newton's method continues alone
LONGEST_UPDATE = 0.3  # likewise: a longer update is repeated with more mass
MASS_INCREASE = 4.0  # factor on the mass then
REACTION_MOTION = 1e-12  # model lengths: motion of the nodes while the joints' reactions are computed
FINAL_MASS = 1e-6  # fraction of the first multiple that remains where Newton's method converges
# length of the step without motion, in times that the loads need for the model's length: what dampers hold back falls
# with it, and sticking bristles hardly creep in it
STEP = 1.0
YIELD_RATIO = 0.01  # fraction of the Stribeck speed at which the structure yields
# for laws without a Stribeck speed, in model lengths per such a time; their forces do not depend on it
DEFAULT_SPEED = 1e-3
# each iteration reduces the error by the ratio of tangential to largest friction force
FRICTION_ITERATIONS = 2000
CONVERGED = 1e-13  # model lengths, or rad: friction is iterated together with the motion


def held_by_loads(
    forces: StaticForces, start: State, tolerance: float = NEWTON_LIMIT, iterations: int = ITERATIONS
) -> State | None:
    """A state near the equilibrium of ``forces`` at full load, from ``start``; None when none is found."""
    state, stress = start, None
    mass, residual = _masses(forces), forces.residual(start)
    first = multiple = _rate(forces, residual, mass)
    size = np.inf
    for _ in range(iterations):
        shifted = forces.tangent(state, 1.0, stress) + diags(multiple * mass)
        try:
            change = Factorised(csr_matrix(shifted)).solve(-residual)
        except Singular:
            return None
        before, size = size, _size(forces, change)
        if not size < LONGEST_UPDATE:
            multiple *= MASS_INCREASE
            stress, size = None, before
            if not np.isfinite(multiple) or multiple > first / FINAL_MASS:
                return None
            continue
        if size < tolerance:
            return state
        stress = forces.extrapolated_stress(state, change)
        state = forces.update(state, change)
        new_residual = forces.residual(state)
        multiple *= _norm(forces, new_residual) / max(_norm(forces, residual), float(np.finfo(float).tiny))
        multiple = min(multiple, first)
        residual = new_residual
    return None


def closed(forces: StaticForces, start: State) -> State:
    """The state whose joints are closed, moved from ``start`` by the least motion in the norm of the masses.

    Raises
    ------
    SolverFailure
        Where the joints cannot be closed near ``start``.
    """
    mass, state = _masses(forces), start
    for _ in range(CLOSING_ITERATIONS):
        gaps = np.concatenate([np.zeros(forces.n), forces.residual(state)[forces.n :]])
        rows = forces.tangent(state).tolil()
        rows[: forces.n, : forces.n] = diags(mass[: forces.n] / mass[: forces.n].max())
        try:
            change = Factorised(csr_matrix(rows)).solve(-gaps)
        except Singular:
            break
        size = _size(forces, change)
        if not size < LONGEST_UPDATE:
            break
        change[forces.n :] = 0.0
        state = forces.update(state, change)
        if size < CLOSED:
            return state
    raise SolverFailure(
        f"model '{forces.system.model.name}': the drives prescribe a position that the mechanism cannot reach"
    )


def with_reactions(forces: StaticForces, start: State) -> State:
    """The state with the joints' multipliers at the moment when the loads accelerate it from rest."""
    mass, residual = _masses(forces), forces.residual(start)
    heavy = forces.tangent(start, 1.0) + diags(_rate(forces, residual, mass) / REACTION_MOTION * mass)
    change = Factorised(csr_matrix(heavy)).solve(-residual)
    return forces.update(start, change)


def _masses(forces: StaticForces) -> Array:
    """(n + m,) kg and kg m^2 of the unknowns; massless nodes get a small mass."""
    workspace = forces.workspace
    masses = np.concatenate(
        [np.repeat(workspace.mass[:, None], 3, axis=1), np.einsum("nii->ni", workspace.inertia)], axis=1
    )[tuple(forces.unknowns.T)]
    turning = forces.unknowns[:, 1] >= 3
    for kind in (turning, ~turning):
        masses[kind] = np.maximum(masses[kind], 1e-6 * masses[kind].max(initial=0.0))
    return np.concatenate([masses, np.zeros(forces.m)])


def _rate(forces: StaticForces, residual: Array, mass: Array) -> float:
    """1/s^2: the largest acceleration of a node over the model's length, and the largest angular acceleration."""
    moving = np.flatnonzero(forces.unknowns[:, 1] < 3)
    fastest = float(np.abs(residual[moving] / mass[moving]).max(initial=0.0)) / forces.system.length
    spin = 0.0 if forces.spin is None else forces.spin_factor * forces.spin.rate**2
    return max(fastest, spin, float(np.finfo(float).tiny))


def _norm(forces: StaticForces, residual: Array) -> float:
    return float(np.linalg.norm(residual[: forces.n]))


def _size(forces: StaticForces, change: Array) -> float:
    unit = np.where(forces.unknowns[:, 1] >= 3, 1.0, 1.0 / forces.system.length)
    return float(np.abs(unit * change[: forces.n]).max(initial=0.0))


class FrictionForces(StaticForces):
    """Unbalanced forces with friction; the deflections of bristles are in the histories of a state.

    Parameters
    ----------
    model : with friction
    time : s, at which loads, drivers and prescribed motions are evaluated
    """

    def __init__(self, model: Model, time: float = 0.0):
        super().__init__(model, time, friction=True)
        for kind in self.system.kinds:
            kind.neglect_friction_inactive_in_statics()
        scale = self._time_scale()
        self.step = STEP * float(power_of_two(np.array(scale)))
        speeds = [law["v_s"] for kind in self.system.kinds for law in kind.friction_records()]
        positive_speeds = [float(v) for v in speeds if v > 0.0]
        self._speed = YIELD_RATIO * min(positive_speeds, default=DEFAULT_SPEED * self.system.length / scale)

    def _time_scale(self) -> float:
        """Time (s) in which the loads would move all of the mass by the model's length; 1 s where nothing acts."""
        force = np.abs(self.residual(self.start())[: self.n])
        force[self.unknowns[:, 1] >= 3] /= self.system.length
        rate = force.max(initial=0.0) / (float(self.workspace.mass.sum()) * self.system.length)
        return float(1.0 / np.sqrt(rate)) if np.isfinite(rate) and rate > 0.0 else 1.0

    def update(self, state: State, increment: Array) -> State:
        """A new state moved by ``increment`` (n + m,), so slowly that friction has its static coefficient."""
        new, workspace = super().update(state, increment), self.workspace
        full = np.zeros((workspace.n, 6))
        full[tuple(self.unknowns.T)] = increment[: self.n]
        self._load(state)
        workspace.x[:, :6] = full
        nodes.kinematics(workspace.x, workspace.r_i, workspace.q_i, workspace.q_f, workspace.p, workspace.r_f)
        new.r[:] = workspace.r_f
        workspace.dt = self._duration(full)
        self._load_multipliers(new, workspace.dt)
        kinds = [kind for kind in self.system.kinds if kind.history is not None]
        for kind, stored in zip(kinds, new.history, strict=True):
            kind.residual(workspace)
            kind.accept(workspace)
            stored[...] = kind.history
        return new

    def _duration(self, increment: Array) -> float:
        """Time (s) that a motion (nodes, 6) takes."""
        farthest = max(np.abs(increment[:, :3]).max(), self.system.length * np.abs(increment[:, 3:]).max())
        return max(float(farthest) / self._speed, float(np.finfo(float).tiny) ** 0.25)


def held_by_friction(forces: FrictionForces, start: State) -> State | None:
    """The equilibrium of ``forces`` at full load, from ``start``; None when friction does not hold the structure."""
    try:
        return held_by_loads(forces, with_reactions(forces, start), CONVERGED, FRICTION_ITERATIONS)
    except Singular:
        return None


class Start(Protocol):
    """Protocol: equilibrium from which a search starts."""

    @property
    def state(self) -> State: ...

    @property
    def load_factor(self) -> float: ...

    @property
    def spin(self) -> Spin | None: ...


def initial_state(forces: StaticForces, start: Start | None) -> tuple[State, float, float]:
    """Initial state, load factor and fraction of the centrifugal forces."""
    state = forces.start()
    if start is None:
        return state, 0.0, 0.0
    if start.state.u.shape != state.u.shape or start.state.multipliers.shape != state.multipliers.shape:
        raise InputError("find_equilibrium: start is an equilibrium of another model")
    fixed = forces.system.fixed.all(axis=1)
    initial = start.state.copy()
    initial.u[fixed], initial.r[fixed] = state.u[fixed], state.r[fixed]
    if forces.spin is None or forces.spin.rate == 0.0:
        return initial, start.load_factor, 0.0
    before = 0.0 if start.spin is None else start.spin.rate
    return initial, start.load_factor, (before / forces.spin.rate) ** 2


def start_of_transient(forces: StaticForces, state: State) -> State:
    """The state completed for a transient: histories, time, velocities of the rotation and their slope."""
    forces.update_histories(state)
    state.time = forces.time
    state.v[:], state.omega[:], state.slope[:] = 0.0, 0.0, 0.0
    if forces.spin is not None:
        state.v, state.omega = forces.spin.velocities(state)
        state.v[forces.system.fixed[:, :3]] = 0.0
        state.omega[forces.system.fixed[:, 3:]] = 0.0
        for motion in forces.system.model.prescribed:
            k = motion.node.index
            _, state.v[k], _, state.omega[k] = motion.frame(forces.time, +1, forces.workspace.centre[k])
        state.slope[:, :3] = np.cross(forces.spin.omega, state.v)
    return state
