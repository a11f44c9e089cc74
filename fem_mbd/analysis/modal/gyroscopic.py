"""Gyroscopic and centrifugal terms that steady rotation adds to the linearised equations, in the rotating frame."""

from __future__ import annotations

import numpy as np
from scipy.sparse import block_diag, csr_matrix

from fem_mbd.analysis.statics import steady_rotation
from fem_mbd.analysis.statics.steady_rotation import Spin
from fem_mbd.base.arrays import Array
from fem_mbd.core.rotations import skew
from fem_mbd.core.scheme.state import State
from fem_mbd.core.scheme.system import System


def inertial_matrices(system: System, state: State, spin: Spin) -> tuple[csr_matrix, csr_matrix]:
    """Gyroscopic matrix and centrifugal stiffness, both (n, n) in the free unknowns."""
    work, w = system.work, skew(spin.omega)
    gyro = []
    for n, share in enumerate(spin.turns(work.n)):
        j, own = work.inertia[n], state.r[n].T @ spin.omega
        gyro += [2 * share * work.mass[n] * w, share * (np.trace(j) * skew(own) - 2 * skew(j @ own))]
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
