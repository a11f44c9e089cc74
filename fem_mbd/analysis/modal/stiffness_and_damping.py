"""Stiffness, damping matrix, constraint Jacobian at rest, from the tangent of a time step; null space of the Jacobian.

About rest (a = b = c = e = 0), and without inertia, the rows and columns of the increments (a, b) in the tangent of a
step dt are

    T(dt) = dt D + dt^2 K/2,        S(dt) = 2 T(dt)/dt^2 = K + 2 D/dt

exactly, for every element class that a step supports. Two steps give both:

    K = 2 S(2 dt) - S(dt)           D = dt (S(dt) - S(2 dt))

K is the derivative of the forces at fixed internal states of the laws. Elastic parts and dampers have none: their K is
taken from very long steps, in which round-off of D is smallest. Bristles of friction creep in long steps (a sticking
LuGre contact at sigma_0 v_eps/g, 1e-3 to 1 in a second), states of inflow and stall follow the flow: they take K and D
from short ones. Steps are powers of two, so that the differences of what only dampers resist
are exactly zero. Source: docs/explanation/linearisation.md, section 1.

`null_space` is a sparse basis, computed by groups of constraints that share unknowns.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import svd
from scipy.sparse import block_diag, csr_matrix, eye, hstack
from scipy.sparse.csgraph import connected_components

from fem_mbd.analysis.statics.static_forces import STATIC_STEP, StaticForces
from fem_mbd.base.arrays import Array, Flags
from fem_mbd.core.model.part_kind import PartKind
from fem_mbd.core.scheme.state import State
from fem_mbd.core.scheme.system import System, power_of_two
from fem_mbd.core.scheme.tdg import Scheme
from fem_mbd.errors import InputError

DAMPING_STEP = 2.0**-13  # s: damping is well above the round-off of the stiffness
# time constants of the fastest friction law: bristles creep by a millionth of their deflection
CREEP = 2.0**-20
SHORT_STEP = 2.0**-20  # s, where no law has a time constant: states of inflow and stall, in files of SI units
GROWTH = 1e-6  # relative: K + 2 D/dt does not grow with dt, unless by round-off
ROUND_OFF = 1e-13  # relative round-off of the tangent: smaller entries of D are set to zero
LIMIT_ROUND_OFF = 2.0**-50  # fraction of S: smaller entries of K are round-off of 2 D/dt


@dataclass(frozen=True, eq=False)
class StepMatrices:
    """In the free unknowns (n,): per node the displacement of its mass centre (global axes), then its rotation (node
    axes).

    mass, stiffness, damping : (n, n); constraints : (m, n)
    friction : (n, m) derivatives of the friction inside joints by the multipliers, beside the constraints' own
    force : (n,) internal minus applied forces, including constraint forces; gap : (m,) values of the constraints
    """

    mass: csr_matrix
    stiffness: csr_matrix
    damping: csr_matrix
    constraints: csr_matrix
    friction: csr_matrix
    force: Array
    gap: Array


def step_matrices(system: System, state: State, multipliers: Array) -> StepMatrices:
    """The matrices of ``system`` at rest in the configuration of ``state``, at its time.

    multipliers : (m,) of the constraints, N or N m

    Raises
    ------
    InputError
        For friction that is neither a stiffness nor a damping at rest.
    """
    steps = _Steps(system, state, multipliers)
    steps.check_friction()
    n, constraints, residual = steps.forces.n, *steps.balance()
    return StepMatrices(
        node_mass(system),
        steps.stiffness(),
        steps.damping(),
        constraints,
        steps.friction(),
        residual[:n],
        residual[n:],
    )


def damping_of(system: System, state: State, only: Callable[[PartKind], Flags]) -> csr_matrix:
    """(n, n) damping matrix of some of the parts: ``only`` returns, for a kind, which of its parts (n_parts,) are
    included.
    """
    slots = [kind.slots.copy() for kind in system.kinds]
    try:
        # entries that point at the unused slot behind the matrix are left out; the calls of a step hold the arrays
        # themselves
        for kind in system.kinds:
            kind.slots[~only(kind)] = len(system.indices)
        return _Steps(system, state, state.multipliers.sum(axis=1)).damping(only)
    finally:
        for kind, saved in zip(system.kinds, slots, strict=True):
            kind.slots[:] = saved


def node_mass(system: System) -> csr_matrix:
    """(n, n) masses and inertia tensors of the nodes."""
    blocks = [
        np.block([[m * np.eye(3), np.zeros((3, 3))], [np.zeros((3, 3)), j]])
        for m, j in zip(system.workspace.mass, system.workspace.inertia, strict=True)
    ]
    keep = np.flatnonzero(~system.fixed.ravel())
    return csr_matrix(block_diag(blocks, format="csr")[keep][:, keep])


class _Steps:
    """The tangents of steps without motion at a state.

    multipliers : (m,) of the constraints, N or N m
    """

    def __init__(self, system: System, state: State, multipliers: Array):
        self.system, self.state = system, _at_rest(state, multipliers)
        self.forces = StaticForces(system, state.time, friction=True)
        self.bristles = [kind for kind in system.kinds if len(kind.friction_records())]
        self.with_states = [kind for kind in system.kinds if kind.has_states]
        rates = [float(law["omega"]) for kind in self.bristles for law in kind.friction_records()]
        fastest = max(rates, default=0.0)
        self.short = float(power_of_two(np.array(CREEP / fastest))) if fastest > 0.0 else SHORT_STEP
        self.others = [kind for kind in system.kinds if kind not in self.bristles + self.with_states]

    def balance(self) -> tuple[csr_matrix, Array]:
        """B (m, n), and the unbalanced forces and gaps (n + m,)."""
        residual, n = self.forces.residual(self.state), self.forces.n
        return csr_matrix(self._tangent(STATIC_STEP, self.system.kinds)[n:, :n]), residual

    def check_friction(self) -> None:
        """Refuse friction whose force jumps with the sign of the slip, held by no bristle or bond: its tangent at rest
        is infinite, and that of a step is what rounding makes of it.
        """
        for kind in self.bristles:
            short, double = (
                self._tangent(step, [kind]).diagonal() for step in (DAMPING_STEP, 2.0 * DAMPING_STEP)
            )
            grows = double[: self.forces.n] > (1.0 + GROWTH) * np.abs(short[: self.forces.n])
            if grows.any():
                node = self.system.model.nodes[int(self.forces.unknowns[int(np.argmax(grows)), 0])].name
                raise InputError(
                    f"model '{self.system.model.name}': the friction on node '{node}' has no derivative at rest: its "
                    "force jumps with the direction of the slip, and no bristle or bond holds it (HarnoyFriedland "
                    "with closed asperities). Take a law with bristles for the linear model"
                )

    def friction(self) -> csr_matrix:
        """F (n, m): bristles that are deflected press with the joint's reaction."""
        n, m = self.forces.n, self.forces.m
        if not self.bristles or not m:
            return csr_matrix((n, m))
        friction = csr_matrix(self._tangent(self.short, self.bristles)[:n, n:])
        friction.eliminate_zeros()
        return friction

    def stiffness(self) -> csr_matrix:
        """K (n, n)."""
        stiffness = self._limit(STATIC_STEP, self.others)
        short = self.bristles + self.with_states
        return stiffness + self._limit(self.short, short) if short else stiffness

    def damping(self, only: Callable[[PartKind], Flags] | None = None) -> csr_matrix:
        """D (n, n) without entries of round-off, plus the damping that the tangent of a step leaves out."""
        kinds = self.system.kinds
        damping = self._damping(DAMPING_STEP, self.others)
        if short := self.bristles + self.with_states:
            damping = damping + self._damping(self.short, short)
        free = np.flatnonzero(~self.system.fixed.ravel())
        workspace = Scheme(self.system, self.state.copy()).workspace
        for kind in kinds:
            far = kind.far_damping(workspace, None if only is None else only(kind))
            damping = damping if far is None else csr_matrix(damping + far[free][:, free])
        return damping

    def _damping(self, step: float, kinds: Sequence[PartKind]) -> csr_matrix:
        n = self.forces.n
        short, double = (self._tangent(dt, kinds)[:n, :n] for dt in (step, 2.0 * step))
        limit = ROUND_OFF * step * np.abs(double.diagonal())
        values, at = step * (short.data - double.data), short.tocoo()
        keep = np.abs(values) > np.sqrt(limit[at.row] * limit[at.col])
        return csr_matrix((values[keep], (at.row[keep], at.col[keep])), shape=(n, n))

    def _limit(self, step: float, kinds: Sequence[PartKind]) -> csr_matrix:
        n = self.forces.n
        once, twice = (self._tangent(dt, kinds)[:n, :n] for dt in (step, 2.0 * step))
        values = 2.0 * twice.data - once.data
        values[np.abs(values) <= LIMIT_ROUND_OFF * np.abs(once.data)] = 0.0
        stiffness = csr_matrix((values, once.indices, once.indptr), shape=(n, n))
        stiffness.eliminate_zeros()
        return stiffness

    def _tangent(self, step: float, kinds: Sequence[PartKind]) -> csr_matrix:
        self.forces.step = step
        tangent = self.forces.stiffness(self.state, kinds=kinds)
        self.forces.step = STATIC_STEP
        return tangent


def _at_rest(state: State, multipliers: Array) -> State:
    at_rest = state.copy()
    at_rest.v[:], at_rest.omega[:], at_rest.slope[:] = 0.0, 0.0, 0.0
    at_rest.multipliers[:, 0], at_rest.multipliers[:, 1] = multipliers, 0.0
    return at_rest


RANK_TOLERANCE = 1e-9  # fraction of the largest singular value: smaller ones belong to redundant constraints


def null_space(jacobian: csr_matrix) -> csr_matrix:
    """Z (n, r) with jacobian (m, n) @ Z = 0; orthonormal, an identity where no constraint acts.

    Redundant constraints are permitted and counted once.
    """
    n = jacobian.shape[1]
    if jacobian.shape[0] == 0 or jacobian.nnz == 0:
        return csr_matrix(eye(n))
    _, group = connected_components(abs(jacobian) @ abs(jacobian).T, directed=False)
    constrained = np.zeros(n, dtype=bool)
    columns = []
    for g in range(group.max() + 1):
        block = jacobian[np.flatnonzero(group == g)]
        used = np.unique(block.indices[block.data != 0])
        if not len(used):
            continue
        constrained[used] = True
        columns.append(_sparse_columns(_dense_null_space(block[:, used].toarray()), used, n))
    free = np.flatnonzero(~constrained)
    columns.append(csr_matrix((np.ones(len(free)), (free, np.arange(len(free)))), shape=(n, len(free))))
    return csr_matrix(hstack(columns))


def _dense_null_space(rows: Array) -> Array:
    # a joint combines lengths and angles: with rows of norm one the rank depends on the geometry only
    size = np.linalg.norm(rows, axis=1, keepdims=True)
    _, values, vectors = svd(rows / np.where(size > 0, size, 1.0))
    rank = int((values > RANK_TOLERANCE * values.max(initial=0.0)).sum())
    return np.asarray(vectors[rank:].T)


def _sparse_columns(block: Array, rows: NDArray[np.intp], n: int) -> csr_matrix:
    at = np.repeat(rows, block.shape[1]), np.tile(np.arange(block.shape[1]), len(rows))
    return csr_matrix((block.ravel(), at), shape=(n, block.shape[1]))
