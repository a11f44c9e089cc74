"""Linearised equations about the undeflected shape of a rotating structure, with the stress due to its rotation.

The stress is that of linear statics: with K_0 the stiffness of the unstressed structure and f the centrifugal forces,
K_0 d = f gives displacements d and strains linear in d; stress and joint forces are in balance with f in the
undeflected structure. K is computed there, with that stress in its geometric part. Programs that linearise about the
blades' undeflected shape do this; for stiff structures it agrees with the linear model about the equilibrium.
"""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_matrix

from fem_mbd.analysis.modal.eigen import factorise, lowest_frequency
from fem_mbd.analysis.modal.gyroscopic import inertial_forces, inertial_matrices
from fem_mbd.analysis.modal.linear_model import LinearModel
from fem_mbd.analysis.modal.nearby_equilibrium import balancing
from fem_mbd.analysis.modal.null_space import null_space
from fem_mbd.analysis.modal.step_matrices import step_matrices
from fem_mbd.analysis.statics.static_forces import StaticForces
from fem_mbd.analysis.statics.steady_rotation import Spin
from fem_mbd.base.arrays import Array
from fem_mbd.core.model.model import Model
from fem_mbd.core.scheme.state import State
from fem_mbd.core.scheme.system import System

HOLDING_RATIO = 1e-4  # fraction of the lowest elastic frequency: stiffness added to motions without any


def linearise_undeflected(model: Model, spin: Spin) -> LinearModel:
    """The linear model in steady rotation about the reference configuration, with the stress of the rotation.

    Gravity and loads are included as far as they are steady in rotating axes.
    """
    system = System(model)
    state = system.reference_state()
    parts = step_matrices(system, state, np.zeros(system.constraints))
    force = parts.force + inertial_forces(system, state, spin)
    basis = null_space(parts.constraints)
    stiffness, mass = (csr_matrix(basis.T @ m @ basis) for m in (parts.stiffness, parts.mass))
    held = (HOLDING_RATIO * lowest_frequency(stiffness, mass)) ** 2
    motion = basis @ factorise(csr_matrix(stiffness + held * mass)).solve(-basis.T @ force)
    if system.constraints:
        state.multipliers[:, 0] = -balancing(parts.constraints, parts.stiffness @ motion + force)
    stressed = _stiffness(model, state, motion)
    gyroscopic, centrifugal = inertial_matrices(system, state, spin)
    return LinearModel(
        system, state, parts.mass, gyroscopic, parts.damping, csr_matrix(stressed + centrifugal),
        parts.constraints, basis, spin.omega,
    )  # fmt: skip


def _stiffness(model: Model, state: State, motion: Array) -> csr_matrix:
    """(n, n) stiffness at ``state`` with the first-order stress of ``motion`` (n,)."""
    forces = StaticForces(model, state.time)
    forces.tangent(state)
    stress = forces.extrapolated_stress(state, np.concatenate([motion, np.zeros(forces.m)]))
    return csr_matrix(forces.tangent(state, 1.0, stress)[: forces.n, : forces.n])
