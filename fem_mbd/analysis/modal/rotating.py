"""Steady rotation: gyroscopic and centrifugal terms, equilibria of structures that have stiffness only with it.

The terms are those of the linearised equations in the rotating frame. Hinged blades have stiffness only under load or
rotation. Load stepping cannot start there, since without loads there are many equilibria. Newton's method starts at the
full loads and speed instead, in a nearby configuration; motions without any stiffness are left unchanged.
"""

from __future__ import annotations

import numpy as np
from scipy.linalg import lstsq
from scipy.sparse import block_diag, csr_matrix

from fem_mbd.analysis.modal.eigen import factorise, lowest_frequency
from fem_mbd.analysis.modal.null_space import null_space
from fem_mbd.analysis.modal.step_matrices import StepMatrices, step_matrices
from fem_mbd.analysis.statics import steady_rotation
from fem_mbd.analysis.statics.at_rest import turned
from fem_mbd.analysis.statics.steady_rotation import Spin
from fem_mbd.base.arrays import Array
from fem_mbd.core.rotations import skew
from fem_mbd.core.scheme.state import State
from fem_mbd.core.scheme.system import System

CONVERGED = 1e-11  # model lengths, or rad: the last Newton update is smaller
ITERATIONS = 20
CONSTRAINT_ITERATIONS = 4  # Newton steps that move a configuration onto the constraints
LONGEST_UPDATE = 0.5  # rad, or model lengths: a larger update means divergence


def inertial_matrices(system: System, state: State, spin: Spin) -> tuple[csr_matrix, csr_matrix]:
    """Gyroscopic matrix and centrifugal stiffness, both (n, n) in the free unknowns."""
    work, w = system.work, skew(spin.omega)
    gyro = []
    for n, rotating in enumerate(spin.turns(work.n)):
        j, w_b = work.inertia[n], state.r[n].T @ spin.omega
        gyro += [2 * rotating * work.mass[n] * w, rotating * (np.trace(j) * skew(w_b) - 2 * skew(j @ w_b))]
    centrifugal = steady_rotation.stiffness(spin, work, state.r)
    return free_blocks(system, gyro), free_blocks(system, list(centrifugal))


def inertial_forces(system: System, state: State, spin: Spin) -> Array:
    """(n,) centrifugal forces and gyroscopic moments, minus the gravity that is not steady in the rotating frame."""
    work = system.work
    force = steady_rotation.forces(spin, work, state.u, state.r)
    if spin.rate != 0.0 or spin.azimuth is not None:
        force[:, :3] += work.mass[:, None] * (work.gravity - spin.gravity(work.gravity, work.n))
    return np.asarray(force[~system.held])


def free_blocks(system: System, blocks: list[Array]) -> csr_matrix:
    """Diagonal blocks, one per node, restricted to the free unknowns (n, n)."""
    keep = np.flatnonzero(~system.held.ravel())
    return csr_matrix(block_diag(blocks, format="csr")[keep][:, keep])


def equilibrium_near(system: System, spin: Spin, start: State) -> State | None:
    """The equilibrium near ``start``, None when Newton's method does not converge."""
    state = start.copy()
    state.v[:], state.omega[:], state.slope[:] = 0.0, 0.0, 0.0
    for _ in range(ITERATIONS):
        parts = step_matrices(system, state, state.multipliers.sum(axis=1))
        force = parts.force + inertial_forces(system, state, spin)
        if system.constraints:
            change = balancing(parts.constraints, force)
            state.multipliers[:, 0] -= change
            parts = step_matrices(system, state, state.multipliers.sum(axis=1))
            force = force - parts.constraints.T @ change
        motion = _update(system, state, spin, parts, force)
        largest = max(np.abs(motion[:, :3]).max() / system.length, np.abs(motion[:, 3:]).max())
        if not largest < LONGEST_UPDATE:
            return None
        state.u += motion[:, :3]
        state.r[:] = turned(state.r, motion[:, 3:])
        if largest < CONVERGED:
            return state
    return None


def close_joints(system: System, state: State) -> None:
    """Move the nodes of ``state`` slightly so that the constraints are satisfied."""
    for _ in range(CONSTRAINT_ITERATIONS if system.constraints else 0):
        parts = step_matrices(system, state, state.multipliers.sum(axis=1))
        motion = np.zeros((system.work.n, 6))
        motion[~system.held] = _constraint_correction(parts)
        state.u += motion[:, :3]
        state.r[:] = turned(state.r, motion[:, 3:])


def balancing(jacobian: csr_matrix, force: Array) -> Array:
    """The smallest multipliers (m,) whose forces B^T lambda best approximate ``force`` (n,)."""
    used = np.unique(jacobian.indices)
    return np.asarray(lstsq(jacobian[:, used].toarray().T, force[used])[0])


def _update(system: System, state: State, spin: Spin, parts: StepMatrices, force: Array) -> Array:
    """(nodes, 6) Newton step: satisfies the constraints, then moves within them."""
    stiffness = parts.stiffness + inertial_matrices(system, state, spin)[1]
    basis = null_space(parts.constraints)
    correction = _constraint_correction(parts)
    reduced = csr_matrix(basis.T @ stiffness @ basis)
    mass = csr_matrix(basis.T @ parts.mass @ basis)
    shift = (1e-6 * lowest_frequency(reduced, mass)) ** 2
    step = correction + basis @ factorise(csr_matrix(reduced + shift * mass)).solve(
        -basis.T @ (force + stiffness @ correction)
    )
    motion = np.zeros((system.work.n, 6))
    motion[~system.held] = step
    return motion


def _constraint_correction(parts: StepMatrices) -> Array:
    """(n,) the smallest motion that satisfies the constraints to first order."""
    correction = np.zeros(parts.constraints.shape[1])
    used = np.unique(parts.constraints.indices)
    if len(used):
        correction[used] = lstsq(parts.constraints[:, used].toarray(), -parts.gap, cond=1e-9)[0]
    return correction
