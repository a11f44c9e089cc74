"""Stiffness, damping and constraint Jacobian at a configuration at rest, from the tangent of the transient scheme.

About rest (a = b = c = e = 0) the rows and columns of the increments (a, b) in the tangent of a step dt are

    T(dt) = M + dt D + dt^2 K/2

exactly: K is the derivative of internal less applied forces, with stress and multipliers, D that of the viscous ones.
Two steps tell K from D, for every kind of part that can make a step. Source: docs/modal.md, section 1.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.sparse import block_diag, csr_matrix

from fem_mbd.arrays import Array, Flags
from fem_mbd.model.part_kind import PartKind
from fem_mbd.scheme import node_kernels as nodes
from fem_mbd.scheme.state import State
from fem_mbd.scheme.system import System
from fem_mbd.scheme.tdg import Scheme

SHORT, LONG = 1e-4, 1.0  # s: steps in which damping, and stiffness, stand well clear of round-off
NOISE = 1e-13  # relative round-off of the tangent: smaller entries of D are none


@dataclass(frozen=True, eq=False)
class StepMatrices:
    """In the free unknowns (n,): per node the place of its mass centre (global axes), then its turn (node axes).

    mass, stiffness, damping : (n, n); constraints : (m, n)
    force : (n,) internal less applied forces, those of the constraints included; gap : (m,) values of the constraints
    """

    mass: csr_matrix
    stiffness: csr_matrix
    damping: csr_matrix
    constraints: csr_matrix
    force: Array
    gap: Array


def step_matrices(
    system: System,
    state: State,
    multipliers: Array,
    only: Callable[[PartKind], Flags] | None = None,
) -> StepMatrices:
    """The matrices of ``system`` at rest in the configuration of ``state``, at its time.

    multipliers : (m,) of the constraints, N or N m; ``only`` tells, for a kind, which of its parts (n_parts,) enter
    the damping (stiffness is then without meaning)
    """
    mass = node_mass(system)
    slots = [kind.slots for kind in system.kinds]
    try:
        if only is not None:
            # what points at the dump entry behind the matrix is left out
            for kind in system.kinds:
                left = ~only(kind)
                kind.slots = np.where(left[:, None, None], len(system.indices), kind.slots).astype(np.int32)
        (short, jacobian, _, gap), (short2, *_) = (
            _tangent(system, state, dt, multipliers) for dt in (SHORT, 2 * SHORT)
        )
        (long, _, force, _), (long2, *_) = (
            _tangent(system, state, dt, multipliers) for dt in (LONG, 2 * LONG)
        )
    finally:
        for kind, own in zip(system.kinds, slots, strict=True):
            kind.slots = own
    stiffness = (long2 - 2 * long + mass) / LONG**2
    damping = (4 * short - short2 - 3 * mass) / (2 * SHORT)
    return StepMatrices(mass, stiffness, _without_noise(damping, mass, stiffness), jacobian, force, gap)


def node_mass(system: System) -> csr_matrix:
    """(n, n) masses and inertia tensors of the nodes."""
    blocks = [
        np.block([[m * np.eye(3), np.zeros((3, 3))], [np.zeros((3, 3)), j]])
        for m, j in zip(system.work.mass, system.work.inertia, strict=True)
    ]
    keep = np.flatnonzero(~system.held.ravel())
    return csr_matrix(block_diag(blocks, format="csr")[keep][:, keep])


def _tangent(
    system: System, state: State, dt: float, multipliers: Array
) -> tuple[csr_matrix, csr_matrix, Array, Array]:
    """T(dt), constraint Jacobian, forces and constraint values of a step without motion or passing time."""
    still = state.copy()
    still.v[:], still.omega[:], still.slope[:] = 0.0, 0.0, 0.0
    scheme = Scheme(system, still)
    work = scheme.work
    work.t_f, work.dt = work.t_i, dt
    work.x[:], work.x_i[:] = 0.0, 0.0
    for kind in system.kinds:
        kind.begin_step(work)
    y, f = np.empty(system.size), np.empty(system.size)
    pairs = np.stack([dt * dt * multipliers, np.zeros_like(multipliers)], axis=1)
    nodes.pack(work.x, pairs, system.equation, system.constraint_equation, y)
    scheme.residual(y, f)
    matrix = csr_matrix(
        (scheme.tangent().copy(), system.indices, system.indptr), shape=(system.size, system.size)
    )
    rows = system.equation[:, :6][~system.held]
    inner = matrix[rows]
    values = system.constraint_equation[:, 0]
    jacobian = matrix[values][:, rows]
    return csr_matrix(inner[:, rows]), csr_matrix(jacobian), f[rows] / dt**2, f[values]


def _without_noise(damping: csr_matrix, mass: csr_matrix, stiffness: csr_matrix) -> csr_matrix:
    size = NOISE * (np.abs(mass.diagonal()) / SHORT + SHORT * np.abs(stiffness.diagonal()))
    entries = damping.tocoo()
    keep = np.abs(entries.data) > np.sqrt(size[entries.row] * size[entries.col])
    return csr_matrix((entries.data[keep], (entries.row[keep], entries.col[keep])), shape=damping.shape)
