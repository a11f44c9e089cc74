"""The linear equations of small motions about an equilibrium, at rest or in steady rotation.

    M x'' + (G + D) x' + K x + B^T lambda = 0        B x = 0

Unknowns x (n,): per free node the displacement of its mass centre (global axes, m), then its turn (node axes, rad).
In steady rotation with angular velocity w the axes are those of the rotating frame, which agree with the global ones
at the instant looked at; with w_b = R^T w in node axes,

    on displacements   M = m          G = 2 m w~                          K gains m w~ w~
    on turns           M = J          G = tr(J) w_b~ - 2 (J w_b)~         K gains [w_b~ J - (J w_b)~] w_b~

The constraints are eliminated: x = Z y with B Z = 0. Derivation: docs/modal.md, section 1.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from fem_mbd.analysis.eigen import factorise, lowest_frequency
from fem_mbd.analysis.null_space import null_space
from fem_mbd.analysis.steady import Spin, balancing, inertial_forces, inertial_matrices, steady_state
from fem_mbd.analysis.step_matrices import step_matrices
from fem_mbd.errors import InputError
from fem_mbd.initial import InitialVelocityWarning, make_consistent
from fem_mbd.model import Model
from fem_mbd.state import State
from fem_mbd.system import System

Array = NDArray[np.float64]
BALANCE = 1e-6  # of the model's length, or rad: what forces out of balance may move


@dataclass(frozen=True, eq=False)
class LinearModel:
    """Matrices about an equilibrium; see the module's docstring.

    Attributes
    ----------
    system, state : what was linearised, and where
    mass, gyroscopic, damping, stiffness : (n, n) M, G, D, K in all free unknowns; constraints : (m, n) B
    basis : (n, r) Z, the motions that the constraints leave
    spin : (3,) angular velocity of the frame, rad/s, zero at rest
    """

    system: System
    state: State
    mass: csr_matrix
    gyroscopic: csr_matrix
    damping: csr_matrix
    stiffness: csr_matrix
    constraints: csr_matrix
    basis: csr_matrix
    spin: Array

    @property
    def freedoms(self) -> int:
        """Degrees of freedom that the constraints leave."""
        return int(self.basis.shape[1])

    @property
    def total_mass(self) -> float:
        """kg, of all nodes, held ones included."""
        return float(self.system.work.mass.sum())

    def reduced(self, matrix: csr_matrix) -> csr_matrix:
        """(r, r) Z^T matrix Z."""
        return csr_matrix(self.basis.T @ matrix @ self.basis)

    def displacements(self, y: NDArray[np.complex128] | Array) -> NDArray[np.complex128]:
        """Motion (nodes, 6) of the nodes' places and their turns, in global (rotating) axes, for reduced y (r,)."""
        return self.expand(self.basis @ y)

    def expand(self, x: NDArray[np.complex128] | Array) -> NDArray[np.complex128]:
        """As `displacements`, for x (n,) in all free unknowns."""
        full = np.zeros((self.system.work.n, 6), dtype=complex)
        full[~self.system.held] = x
        turn = np.einsum("nij,nj->ni", self.state.r, full[:, 3:])
        arm = np.einsum("nij,nj->ni", self.state.r, self.system.work.centre)
        return np.concatenate([full[:, :3] - np.cross(turn, arm), turn], axis=1)


def linearise(
    model: Model, at: State | None = None, spin: Spin | None = None, from_rate: float = 0.0
) -> LinearModel:
    """The linear model of ``model`` about an equilibrium.

    At rest that is ``at``, the reference configuration by default; its multipliers are corrected where they leave
    forces at the constraints out of balance. With ``spin`` it is the equilibrium in steady rotation, found from the
    state ``at``, which is one at ``from_rate`` (rad/s).

    Raises
    ------
    InputError
        When joints do not close, or ``at`` is not in equilibrium at rest.
    SolverFailure
        When there is no equilibrium at the rate.
    """
    system = System(model)
    with warnings.catch_warnings():
        # velocities have no part in what follows
        warnings.simplefilter("ignore", InitialVelocityWarning)
        make_consistent(system, system.reference_state())
    state = system.reference_state() if at is None else at.copy()
    if spin is None or spin.rate == 0.0:
        return about(system, state, spin)
    return about(system, steady_state(system, spin, state, from_rate), spin)


def about(system: System, state: State, spin: Spin | None = None) -> LinearModel:
    """The linear model about the equilibrium ``state``; see `linearise`."""
    multipliers = state.multipliers.sum(axis=1)
    parts = step_matrices(system, state, multipliers)
    none = csr_matrix(parts.mass.shape)
    gyroscopic, centrifugal = (none, none) if spin is None else inertial_matrices(system, state, spin)
    inertial = 0.0 if spin is None else inertial_forces(system, state, spin)
    force = parts.force + inertial
    if system.constraints and np.any(force):
        change = balancing(parts.constraints, force)
        parts = step_matrices(system, state, multipliers - change)
        force = parts.force + inertial
    linear = LinearModel(
        system, state, parts.mass, gyroscopic, parts.damping, csr_matrix(parts.stiffness + centrifugal),
        parts.constraints, null_space(parts.constraints), np.zeros(3) if spin is None else spin.vector,
    )  # fmt: skip
    _check_balance(linear, force)
    return linear


def _check_balance(linear: LinearModel, force: Array) -> None:
    """InputError when ``force`` (n,), what is out of balance, would move the system noticeably."""
    pull = linear.basis.T @ force
    if not np.any(pull):
        return
    stiffness, mass = linear.reduced(linear.stiffness), linear.reduced(linear.mass)
    soft = stiffness + lowest_frequency(stiffness, mass) ** 2 * mass
    motion = np.abs(linear.displacements(factorise(soft).solve(pull)))
    moved = np.maximum(motion[:, :3].max(axis=1) / linear.system.length, motion[:, 3:].max(axis=1))
    worst = int(np.argmax(moved))
    if moved[worst] > BALANCE:
        raise InputError(
            f"model '{linear.system.model.name}' is not in equilibrium where its modes are asked for: the forces out "
            f"of balance would move node '{linear.system.model.nodes[worst].name}' by about {moved[worst]:.2g} of the "
            "model's length (or rad); find the equilibrium first"
        )
