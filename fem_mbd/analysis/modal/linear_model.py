"""The linear equations of small motions about an equilibrium, at rest or in steady rotation.

    M x'' + (G + D) x' + K x + B^T lambda = 0        B x = 0

Unknowns x (n,): per free node the displacement of its mass centre (global axes, m), then its turn (node axes, rad).
In steady rotation with angular velocity w the axes are those of the rotating frame, which agree with the global ones
at the instant looked at; with w_b = R^T w in node axes,

    on displacements   M = m          G = 2 m w~                          K gains m w~ w~
    on turns           M = J          G = tr(J) w_b~ - 2 (J w_b)~         K gains [w_b~ J - (J w_b)~] w_b~

The constraints are eliminated: x = Z y with B Z = 0. Derivation: docs/how-to/modal.md, section 1.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass, replace

import numpy as np
from scipy.sparse import csr_matrix

from fem_mbd.analysis.modal.eigen import factorise, lowest_frequency
from fem_mbd.analysis.modal.gyroscopic import inertial_forces, inertial_matrices
from fem_mbd.analysis.modal.null_space import null_space
from fem_mbd.analysis.modal.settling import balancing, settle
from fem_mbd.analysis.modal.step_matrices import step_matrices
from fem_mbd.analysis.statics.equilibrium import Equilibrium, EquilibriumWarning, find_equilibrium
from fem_mbd.analysis.statics.steady_rotation import Spin
from fem_mbd.base.arguments import arguments
from fem_mbd.base.arrays import Array, Complex
from fem_mbd.core.model.model import Model
from fem_mbd.core.scheme.initial import InitialVelocityWarning, make_consistent
from fem_mbd.core.scheme.state import State
from fem_mbd.core.scheme.system import System
from fem_mbd.errors import InputError, SolverFailure

BALANCE = 1e-6  # of the model's length, or rad: what forces out of balance in a given state may move
BALANCED = (
    1e-11  # likewise, where the equilibrium is looked for otherwise: small motions can mean large forces
)
LOAD_STEPS = 4  # of a search for the equilibrium


@dataclass(frozen=True, eq=False)
class LinearModel:
    """Matrices about an equilibrium; see the module's docstring.

    Attributes
    ----------
    system, state : what was linearised, and where
    mass, gyroscopic, damping, stiffness : (n, n) M, G, D, K in all free unknowns
    constraints : (m, n) B
    basis : (n, r) Z, the motions that the constraints leave
    spin : (3,) angular velocity, rad/s, zero at rest
    equilibrium : the one that was found, None where a given one did
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
    equilibrium: Equilibrium | None = None

    @property
    def freedoms(self) -> int:
        """Degrees of freedom that the constraints leave."""
        return int(self.basis.shape[1])

    @property
    def total_mass(self) -> float:
        """kg, of all nodes, held ones included."""
        return float(self.system.work.mass.sum())

    def reduced(self, matrix: csr_matrix) -> csr_matrix:
        """(r, r) Z^T matrix Z.

        Parameters
        ----------
        matrix : (n, n) in all free unknowns
        """
        return csr_matrix(self.basis.T @ matrix @ self.basis)

    def displacements(self, y: Complex | Array) -> Complex:
        """Motion (nodes, 6) of the nodes' places and their turns, in global (rotating) axes.

        Parameters
        ----------
        y : (r,) reduced unknowns
        """
        return self.expand(self.basis @ y)

    def expand(self, x: Complex | Array) -> Complex:
        """Motion as `displacements` gives it.

        Parameters
        ----------
        x : (n,) all free unknowns
        """
        full = np.zeros((self.system.work.n, 6), dtype=complex)
        full[~self.system.held] = x
        turn = np.einsum("nij,nj->ni", self.state.r, full[:, 3:])
        arm = np.einsum("nij,nj->ni", self.state.r, self.system.work.centre)
        return np.concatenate([full[:, :3] - np.cross(turn, arm), turn], axis=1)


@arguments("model at spin")
def linearise(
    model: Model, at: State | Equilibrium | None = None, *, spin: Spin | None = None
) -> LinearModel:
    """The linear model of small motions about an equilibrium, at rest or in steady rotation.

    Parameters
    ----------
    model : with joints, loads and gravity
    at : that equilibrium, or one at another speed of the same axis: with an `Equilibrium` the search starts there.
        Where it (by default the reference configuration) is none, `find_equilibrium` finds one. Of a given `State`
        multipliers are corrected where they leave forces at the constraints out of balance.
    spin : the steady rotation; none when left out

    Raises
    ------
    InputError
        When joints do not close, or a `State` given is not in equilibrium.
    SolverFailure
        When there is no equilibrium; the message says where it was lost.
    """
    system = System(model)
    with warnings.catch_warnings():
        # velocities have no part in what follows
        warnings.simplefilter("ignore", InitialVelocityWarning)
        make_consistent(system, system.reference_state())
    given = at.state if isinstance(at, Equilibrium) else at
    linear, force = about(system, system.reference_state() if given is None else given.copy(), spin)
    moved, node = out_of_balance(linear, force)
    if moved <= (BALANCE if isinstance(at, State) else BALANCED):
        return linear
    if isinstance(at, State):
        raise InputError(
            f"model '{model.name}' is not in equilibrium where it is linearised: the forces out of balance "
            f"would move node '{node}' by about {moved:.2g} of the model's length (or rad); find the equilibrium first"
        )
    found, state = _search(model, system, linear.state, at, spin)
    linear, _ = about(system, state, spin)
    return replace(linear, equilibrium=found)


def _search(
    model: Model, system: System, near: State, at: Equilibrium | None, spin: Spin | None
) -> tuple[Equilibrium | None, State]:
    """The equilibrium and its state: by load stepping, or at once from ``near``."""
    try:
        with warnings.catch_warnings():
            # whether it is stable is what the modes tell
            warnings.simplefilter("ignore", EquilibriumWarning)
            found = find_equilibrium(model, spin=spin, start=at, load_steps=LOAD_STEPS)
    except SolverFailure:
        state = settle(system, spin or Spin((0, 0, 0), (0, 0, 1), 0.0), near)
        if state is None:
            raise
        return None, state
    return found, found.state


def about(system: System, state: State, spin: Spin | None) -> tuple[LinearModel, Array]:
    """The linear model about ``state``, and what is out of balance (n,)."""
    multipliers = state.multipliers.sum(axis=1)
    parts = step_matrices(system, state, multipliers)
    gap = float(np.abs(parts.gap).max(initial=0.0))
    if gap > BALANCE * max(system.length, 1.0):
        raise InputError(f"model '{system.model.name}': a joint is open by {gap:.2g} in the state given")
    none = csr_matrix(parts.mass.shape)
    gyroscopic, centrifugal, inertial = none, none, np.zeros(len(parts.force))
    if spin is not None:
        gyroscopic, centrifugal = inertial_matrices(system, state, spin)
        inertial = inertial_forces(system, state, spin)
    force = parts.force + inertial
    if system.constraints and np.any(force):
        parts = step_matrices(system, state, multipliers - balancing(parts.constraints, force))
        force = parts.force + inertial
    linear = LinearModel(
        system, state, parts.mass, gyroscopic, parts.damping, csr_matrix(parts.stiffness + centrifugal),
        parts.constraints, null_space(parts.constraints), np.zeros(3) if spin is None else spin.omega,
    )  # fmt: skip
    return linear, force


def out_of_balance(linear: LinearModel, force: Array) -> tuple[float, str]:
    """How far ``force`` (n,), what is out of balance, would move the system (of its length, or rad), and where most."""
    pull = linear.basis.T @ force
    if not np.any(pull):
        return 0.0, ""
    stiffness, mass = linear.reduced(linear.stiffness), linear.reduced(linear.mass)
    soft = stiffness + lowest_frequency(stiffness, mass) ** 2 * mass
    motion = np.abs(linear.displacements(factorise(soft).solve(pull)))
    moved = np.maximum(motion[:, :3].max(axis=1) / linear.system.length, motion[:, 3:].max(axis=1))
    worst = int(np.argmax(moved))
    return float(moved[worst]), linear.system.model.nodes[worst].name
