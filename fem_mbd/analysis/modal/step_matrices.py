"""Stiffness, damping matrix and constraint Jacobian at rest, extracted from the tangent of a time step.

Stiffness, Jacobian and forces are those of statics (`StaticForces`), including the bristles of friction. About rest
(a = b = c = e = 0) the rows and columns of the increments (a, b) in the tangent of a step dt are

    T(dt) = M + dt D + dt^2 K/2

exactly: two short steps give D, for every kind of part that a step supports. Source:
docs/explanation/linearisation.md, section 1.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.sparse import block_diag, csr_matrix

from fem_mbd.analysis.statics.static_forces import StaticForces
from fem_mbd.base.arrays import Array, Flags
from fem_mbd.core.model.part_kind import PartKind
from fem_mbd.core.scheme.array_kernels import pack
from fem_mbd.core.scheme.state import State
from fem_mbd.core.scheme.system import System
from fem_mbd.core.scheme.tdg import Scheme

SHORT_STEP = 1e-4  # s: a step size at which damping is well above round-off
ROUND_OFF = 1e-13  # relative round-off of the tangent: smaller entries of D are set to zero


@dataclass(frozen=True, eq=False)
class StepMatrices:
    """In the free unknowns (n,): per node the displacement of its mass centre (global axes), then its rotation (node
    axes).

    mass, stiffness, damping : (n, n); constraints : (m, n)
    force : (n,) internal minus applied forces, including constraint forces; gap : (m,) values of the constraints
    """

    mass: csr_matrix
    stiffness: csr_matrix
    damping: csr_matrix
    constraints: csr_matrix
    force: Array
    gap: Array


def step_matrices(system: System, state: State, multipliers: Array) -> StepMatrices:
    """The matrices of ``system`` at rest in the configuration of ``state``, at its time.

    multipliers : (m,) of the constraints, N or N m
    """
    statics = StaticForces(system, state.time, friction=True)
    at_rest, n = _at_rest(state, multipliers), statics.n
    tangent, residual = statics.stiffness(at_rest), statics.residual(at_rest)
    mass, stiffness = node_mass(system), csr_matrix(tangent[:n, :n])
    damping = _damping(system, at_rest, mass, stiffness)
    return StepMatrices(mass, stiffness, damping, csr_matrix(tangent[n:, :n]), residual[:n], residual[n:])


def damping_of(system: System, state: State, only: Callable[[PartKind], Flags]) -> csr_matrix:
    """(n, n) damping matrix of some of the parts: ``only`` returns, for a kind, which of its parts (n_parts,) are
    included.
    """
    at_rest = _at_rest(state, state.multipliers.sum(axis=1))
    mass, stiffness = node_mass(system), StaticForces(system, state.time, friction=True).stiffness(at_rest)
    slots = [kind.slots.copy() for kind in system.kinds]
    try:
        # entries that point at the unused slot behind the matrix are left out; the calls of a step hold the arrays
        # themselves
        for kind in system.kinds:
            kind.slots[~only(kind)] = len(system.indices)
        return _damping(system, at_rest, mass, stiffness, only)
    finally:
        for kind, saved in zip(system.kinds, slots, strict=True):
            kind.slots[:] = saved


def node_mass(system: System) -> csr_matrix:
    """(n, n) masses and inertia tensors of the nodes."""
    blocks = [
        np.block([[m * np.eye(3), np.zeros((3, 3))], [np.zeros((3, 3)), j]])
        for m, j in zip(system.work.mass, system.work.inertia, strict=True)
    ]
    keep = np.flatnonzero(~system.held.ravel())
    return csr_matrix(block_diag(blocks, format="csr")[keep][:, keep])


def _at_rest(state: State, multipliers: Array) -> State:
    at_rest = state.copy()
    at_rest.v[:], at_rest.omega[:], at_rest.slope[:] = 0.0, 0.0, 0.0
    at_rest.multipliers[:, 0], at_rest.multipliers[:, 1] = multipliers, 0.0
    return at_rest


def _damping(
    system: System,
    at_rest: State,
    mass: csr_matrix,
    stiffness: csr_matrix,
    only: Callable[[PartKind], Flags] | None = None,
) -> csr_matrix:
    """D from two steps without round-off entries, plus the damping that the tangent of a step leaves out."""
    short, short2 = (_tangent(system, at_rest, dt) for dt in (SHORT_STEP, 2 * SHORT_STEP))
    damping = csr_matrix((4 * short - short2 - 3 * mass) / (2 * SHORT_STEP))
    limit = ROUND_OFF * (
        np.abs(mass.diagonal()) / SHORT_STEP + SHORT_STEP * np.abs(stiffness.diagonal()[: mass.shape[0]])
    )
    entries = damping.tocoo()
    keep = np.abs(entries.data) > np.sqrt(limit[entries.row] * limit[entries.col])
    damping = csr_matrix((entries.data[keep], (entries.row[keep], entries.col[keep])), shape=damping.shape)
    free = np.flatnonzero(~system.held.ravel())
    work = Scheme(system, at_rest.copy()).work
    for kind in system.kinds:
        far = kind.far_damping(work, None if only is None else only(kind))
        damping = damping if far is None else csr_matrix(damping + far[free][:, free])
    return damping


def _tangent(system: System, at_rest: State, dt: float) -> csr_matrix:
    """T(dt) of a step without motion, at constant time."""
    scheme = Scheme(system, at_rest.copy())
    work = scheme.work
    work.t_f, work.dt = work.t_i, dt
    work.x[:], work.x_i[:] = 0.0, 0.0
    for kind in system.kinds:
        kind.begin_step(work)
    y, f = np.empty(system.size), np.empty(system.size)
    pack(work.x, system.equation, y)
    pack(dt * dt * at_rest.multipliers, system.constraint_equation, y)
    scheme.residual(y, f)
    matrix = csr_matrix(
        (scheme.tangent().copy(), system.indices, system.indptr), shape=(system.size, system.size)
    )
    rows = system.equation[:, :6][~system.held]
    return csr_matrix(matrix[rows][:, rows])
