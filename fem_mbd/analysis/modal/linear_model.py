"""Linearised equations of motion about an equilibrium or the undeflected shape, at rest or in steady rotation.

    M x'' + (G + D) x' + K x + B^T lambda = 0        B x = 0

Unknowns x (n,): per free node the displacement of its mass centre (global axes, m), then its rotation (node axes, rad).
In steady rotation with angular velocity w the axes are those of the rotating frame, which coincide with the global ones
at the instant considered; with w_b = R^T w in node axes,

    on displacements   M = m          G = 2 m w~                          K gains m w~ w~
    on rotations       M = J          G = tr(J) w_b~ - 2 (J w_b)~         K gains [w_b~ J - (J w_b)~] w_b~

The constraints are eliminated: x = Z y with B Z = 0. Derivation: docs/explanation/linearisation.md, section 1.

`equilibrium_near` finds equilibria of structures that have stiffness only under load or rotation, as hinged blades.
Load stepping cannot start there, since without loads there are many equilibria. Newton's method starts at the full
loads and speed instead, in a nearby configuration; motions without any stiffness are left unchanged.

About the undeflected shape of a rotating structure the equations have the stress due to its rotation
(`linearise_undeflected`), that of linear statics: with K_0 the stiffness of the unstressed structure and f the
centrifugal forces, K_0 d = f gives displacements d and strains linear in d; stress and joint forces are in balance with
f in the undeflected structure. K is computed there, with that stress in its geometric part. Programs that linearise
about the blades' undeflected shape do this; for stiff structures it agrees with the linear model about the equilibrium.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass, replace

import numpy as np
from scipy.linalg import lstsq
from scipy.sparse import block_diag, csr_matrix

from fem_mbd.analysis.modal.eigen import factorise, lowest_frequency
from fem_mbd.analysis.modal.lagging import left_basis
from fem_mbd.analysis.modal.stiffness_and_damping import StepMatrices, null_space, step_matrices
from fem_mbd.analysis.statics import steady_rotation
from fem_mbd.analysis.statics.equilibrium import Equilibrium, EquilibriumWarning, find_equilibrium
from fem_mbd.analysis.statics.static_forces import StaticForces, turned
from fem_mbd.analysis.statics.steady_rotation import Spin
from fem_mbd.base.arguments import arguments
from fem_mbd.base.arrays import Array, Complex
from fem_mbd.core.model.internal_states import InternalStates, joined
from fem_mbd.core.model.model import Model
from fem_mbd.core.rotations import skew
from fem_mbd.core.scheme.initial import InitialVelocityWarning, make_consistent
from fem_mbd.core.scheme.state import State, ambient_vectors
from fem_mbd.core.scheme.system import System
from fem_mbd.errors import FemMbdWarning, InputError, SolverFailure

CONVERGED = 1e-11  # model lengths, or rad: the last Newton update is smaller
ITERATIONS = 20
CONSTRAINT_ITERATIONS = 4  # Newton steps that move a configuration onto the constraints
LONGEST_UPDATE = 0.5  # rad, or model lengths: a larger update means divergence


def inertial_matrices(system: System, state: State, spin: Spin) -> tuple[csr_matrix, csr_matrix]:
    """Gyroscopic matrix and centrifugal stiffness, both (n, n) in the free unknowns."""
    workspace, w = system.workspace, skew(spin.omega)
    gyro = []
    for n, rotating in enumerate(spin.turns(workspace.n)):
        j, w_b = workspace.inertia[n], state.r[n].T @ spin.omega
        gyro += [
            2 * rotating * workspace.mass[n] * w,
            rotating * (np.trace(j) * skew(w_b) - 2 * skew(j @ w_b)),
        ]
    centrifugal = steady_rotation.stiffness(spin, workspace, state.r)
    return free_blocks(system, gyro), free_blocks(system, list(centrifugal))


def inertial_forces(system: System, state: State, spin: Spin) -> Array:
    """(n,) centrifugal forces and gyroscopic moments, minus the gravity that is not steady in the rotating frame."""
    workspace = system.workspace
    force = steady_rotation.forces(spin, workspace, state.u, state.r)
    if spin.rate != 0.0 or spin.azimuth is not None:
        force[:, :3] += workspace.mass[:, None] * (
            workspace.gravity - spin.gravity(workspace.gravity, workspace.n)
        )
    return np.asarray(force[~system.fixed])


def free_blocks(system: System, blocks: list[Array]) -> csr_matrix:
    """Diagonal blocks, one per node, restricted to the free unknowns (n, n)."""
    keep = np.flatnonzero(~system.fixed.ravel())
    return csr_matrix(block_diag(blocks, format="csr")[keep][:, keep])


def equilibrium_near(system: System, spin: Spin, start: State) -> State | None:
    """The equilibrium near ``start``, None when Newton's method does not converge."""
    state = start.copy()
    state.v[:], state.omega[:], state.slope[:] = 0.0, 0.0, 0.0
    for kind in system.kinds:
        kind.relax(True)
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
        motion = np.zeros((system.workspace.n, 6))
        motion[~system.fixed] = _constraint_correction(parts)
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
    motion = np.zeros((system.workspace.n, 6))
    motion[~system.fixed] = step
    return motion


def _constraint_correction(parts: StepMatrices) -> Array:
    """(n,) the smallest motion that satisfies the constraints to first order."""
    correction = np.zeros(parts.constraints.shape[1])
    used = np.unique(parts.constraints.indices)
    if len(used):
        correction[used] = lstsq(parts.constraints[:, used].toarray(), -parts.gap, cond=1e-9)[0]
    return correction


GIVEN_TOLERANCE = 1e-6  # model lengths, or rad: motion that the unbalanced forces of a given state may cause
# likewise for other configurations, beyond which an equilibrium is searched for: small motions can mean large forces
SEARCH_TOLERANCE = 1e-11
LOAD_STEPS = 4  # number of load steps of a search for the equilibrium
ONE_SIDED = 1e-4  # relative difference of damping ratios that counts, as between analyses and runs
HOLDING_RATIO = 1e-4  # fraction of the lowest elastic frequency: stiffness added to motions without any


@dataclass(frozen=True, eq=False)
class LinearModel:
    """Matrices about an equilibrium; see the module's docstring.

    Attributes
    ----------
    system, state : the linearised system and its state
    mass, gyroscopic, damping, stiffness : (n, n) M, G, D, K in all free unknowns
    constraints : (m, n) B
    basis : (n, r) Z, the motions compatible with the constraints
    spin : (3,) angular velocity, rad/s, zero at rest
    left : (n, r) onto which the equations are projected: the basis, unless friction inside joints carries a load, see
        `lagging.left_basis`
    friction : (n, m) derivatives of that friction by the multipliers
    equilibrium : the equilibrium that was computed, None where a given state was used
    internal : states of parts with rates of their own, such as inflow, dynamic stall, Maxwell chains; None without
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
    left: csr_matrix
    friction: csr_matrix
    equilibrium: Equilibrium | None = None
    internal: InternalStates | None = None

    @property
    def freedoms(self) -> int:
        """Degrees of freedom: motions compatible with the constraints."""
        return int(self.basis.shape[1])

    @property
    def total_mass(self) -> float:
        """kg, of all nodes, including supported ones."""
        return float(self.system.workspace.mass.sum())

    def reduced(self, matrix: csr_matrix) -> csr_matrix:
        """(r, r) Z^T matrix Z, with the left basis in place of the first Z.

        Parameters
        ----------
        matrix : (n, n) in all free unknowns
        """
        return csr_matrix(self.left.T @ matrix @ self.basis)

    def displacements(self, y: Complex | Array) -> Complex:
        """Motion (nodes, 6) of the nodes' positions and their rotations, in global (rotating) axes.

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
        full = np.zeros((self.system.workspace.n, 6), dtype=complex)
        full[~self.system.fixed] = x
        turn = np.einsum("nij,nj->ni", self.state.r, full[:, 3:])
        arm = np.einsum("nij,nj->ni", self.state.r, self.system.workspace.centre)
        return np.concatenate([full[:, :3] - np.cross(turn, arm), turn], axis=1)


@arguments()
def linearise(
    model: Model, at: State | Equilibrium | None = None, *, spin: Spin | None = None
) -> LinearModel:
    """Linearise a model about an equilibrium, at rest or in steady rotation.

    Parameters
    ----------
    model : with joints, loads and gravity
    at : that equilibrium, or one at another speed of the same axis: with an `Equilibrium` the search starts there.
        Where the given state (by default the reference configuration) is not an equilibrium, `find_equilibrium`
        computes one. Multipliers of a given `State` are corrected where the constraint forces are unbalanced.
    spin : the steady rotation; by default none

    Raises
    ------
    InputError
        When joints do not close, or a `State` given is not in equilibrium.
    SolverFailure
        When there is no equilibrium; the message says where the search failed.
    """
    system = System(model)
    with warnings.catch_warnings():
        # velocities have no influence on what follows
        warnings.simplefilter("ignore", InitialVelocityWarning)
        make_consistent(system, system.reference_state())
    given_state = at.state if isinstance(at, Equilibrium) else at
    linear, force = linearise_at(
        system, system.reference_state() if given_state is None else given_state.copy(), spin
    )
    distance, node = out_of_balance(linear, force)
    if distance <= (GIVEN_TOLERANCE if isinstance(at, State) else SEARCH_TOLERANCE):
        _check_ranges(linear)
        _warn_of_one_sided_forces(linear)
        return linear
    if isinstance(at, State):
        raise InputError(
            f"model '{model.name}' is not in equilibrium where it is linearised: the unbalanced forces "
            f"would move node '{node}' by about {distance:.2g} of the model's length (or rad); find the "
            "equilibrium first"
        )
    equilibrium, state = _find_equilibrium(model, system, linear.state, at, spin)
    linear, _ = linearise_at(system, state, spin)
    if equilibrium is None:
        _check_ranges(linear)
    _warn_of_one_sided_forces(linear)
    return replace(linear, equilibrium=equilibrium)


class OneSidedWarning(FemMbdWarning):
    """A linear model contains a part whose force at rest depends on the direction in which rest is left."""


def _warn_of_one_sided_forces(linear: LinearModel) -> None:
    """Oil films off their centre, where half a film bears, that ahead of the velocity; bristles without a direction."""
    q, name = ambient_vectors(linear.state), linear.system.model.name
    for kind in linear.system.kinds:
        sides = kind.one_sided_damping(q)
        worst = int(np.argmax(sides[:, 1])) if len(sides) else 0
        if len(sides) and sides[worst, 1] > 1.0 + ONE_SIDED:
            least, most = sides[worst]
            warnings.warn(
                f"model '{name}': the damping of '{kind.specs[worst].name}' at rest depends on the direction: "
                f"{most:.3g} of its mean towards the wall, {least:.3g} away from it. The linear model has one of them "
                "for both: damping ratios are that uncertain; runs have it right",
                OneSidedWarning,
                stacklevel=4,
            )
        if any(law["springs"] and not law["turned"] for law in kind.friction_records()):
            warnings.warn(
                f"model '{name}' has friction whose bristles have the direction of the present slip (form \"scalar\"): "
                'it holds nothing in the linear model; give form="vector"',
                OneSidedWarning,
                stacklevel=4,
            )


def _check_ranges(linear: LinearModel) -> None:
    """Check the parts' ranges about the state; `find_equilibrium` does so with its own."""
    StaticForces(linear.system, linear.state.time, friction=True).check_ranges(linear.state)


def _find_equilibrium(
    model: Model, system: System, near: State, at: Equilibrium | None, spin: Spin | None
) -> tuple[Equilibrium | None, State]:
    """The equilibrium and its state: by load stepping, or directly from ``near``."""
    try:
        with warnings.catch_warnings():
            # the modes show whether it is stable
            warnings.simplefilter("ignore", EquilibriumWarning)
            equilibrium = find_equilibrium(model, spin=spin, start=at, load_steps=LOAD_STEPS)
    except SolverFailure:
        state = equilibrium_near(system, spin or Spin((0, 0, 0), (0, 0, 1), 0.0), near)
        if state is None:
            raise
        return None, state
    return equilibrium, equilibrium.state


def linearise_at(system: System, state: State, spin: Spin | None) -> tuple[LinearModel, Array]:
    """The linear model about ``state``, whose multipliers are set to those that balance it best, and the unbalanced
    forces (n,).
    """
    if spin is not None:
        for kind in system.kinds:
            kind.rotate_axes(spin.omega, spin.place)
    multipliers = state.multipliers.sum(axis=1)
    settle_states(system, state)
    for kind in system.kinds:
        kind.relax(False)
    if spin is not None and spin.rate != 0.0:
        _refuse_films(system, spin)
    parts = step_matrices(system, state, multipliers)
    gaps = np.abs(parts.gap)
    if (gaps > system.allowed_errors(GIVEN_TOLERANCE)).any():
        raise InputError(
            f"model '{system.model.name}': a joint is open by {gaps.max():.2g} in the given state"
        )
    zero = csr_matrix(parts.mass.shape)
    gyroscopic, centrifugal, inertial = zero, zero, np.zeros(len(parts.force))
    if spin is not None:
        gyroscopic, centrifugal = inertial_matrices(system, state, spin)
        inertial = inertial_forces(system, state, spin)
    force = parts.force + inertial
    if system.constraints and np.any(force):
        multipliers = multipliers - balancing(parts.constraints + parts.friction.T, force)
        parts = step_matrices(system, state, multipliers)
        force = parts.force + inertial
    state.multipliers[:, 0], state.multipliers[:, 1] = multipliers, 0.0
    internal = _internal_states(system)
    stiffness = at_fixed_states(parts.stiffness, internal) + centrifugal
    basis = null_space(parts.constraints)
    linear = LinearModel(
        system, state, parts.mass, gyroscopic, parts.damping, csr_matrix(stiffness),
        parts.constraints, basis, np.zeros(3) if spin is None else spin.omega,
        left_basis(basis, parts.mass, parts.constraints, parts.friction), parts.friction, internal=internal,
    )  # fmt: skip
    return linear, force


def settle_states(system: System, state: State) -> None:
    """Set the states of inflow and stall in ``state``, and strains that relax, to those that are steady there."""
    if not any(kind.has_states or kind.relaxes for kind in system.kinds):
        return
    for kind in system.kinds:
        kind.relax(True)
    StaticForces(system, state.time, friction=True).forces(state)
    stored = iter(state.history)
    for kind in system.kinds:
        history = None if kind.history is None else next(stored)
        if (kind.has_states or kind.relaxes) and history is not None:
            kind.accept(system.workspace)
            history[...] = kind.history


def _internal_states(system: System) -> InternalStates | None:
    free = np.full(system.fixed.shape, -1)
    free[~system.fixed] = np.arange(int((~system.fixed).sum()))
    of_kinds, before = [], 0
    for kind in system.kinds:
        states = kind.internal_states(system.workspace, free) if kind.has_states or kind.relaxes else None
        if states is not None and len(states):
            of_kinds.append(replace(states, places=np.where(states.places < 0, -1, before + states.places)))
        before += 0 if kind.history is None else kind.history.nbytes // 8
    return joined(of_kinds) if of_kinds else None


def at_fixed_states(stiffness: csr_matrix, internal: InternalStates | None) -> csr_matrix:
    """The stiffness (n, n) of a short step, in which the states follow C x', by C x in all, less F C of this."""
    return stiffness if internal is None else csr_matrix(stiffness - internal.force @ internal.by_velocity)


def _refuse_films(system: System, spin: Spin) -> None:
    """InputError for oil films between a body that rotates with the frame and one that does not."""
    turns = (spin.turns(system.workspace.n) > 0.0) & ~system.fixed.all(axis=1)
    for kind in system.kinds:
        between = (
            turns[kind.nodes[:, 0]] != turns[kind.nodes[:, 1]] if kind.turns_with_mean else np.zeros(0, bool)
        )
        if between.any():
            name = kind.specs[int(np.argmax(between))].name
            raise InputError(
                f"model '{system.model.name}': the bearing of '{name}' does not rotate with its journal, so that the "
                "oil film has no constant equations in the rotating frame: use fem_mbd.campbell with "
                'frame="inertial"'
            )


def out_of_balance(linear: LinearModel, force: Array) -> tuple[float, str]:
    """Largest displacement (model lengths, or rad) that the unbalanced ``force`` (n,) would cause, and the node with
    it; infinite where nothing resists.
    """
    pull = linear.left.T @ force
    if not np.any(pull):
        return 0.0, ""
    stiffness, mass = linear.reduced(linear.stiffness), linear.reduced(linear.mass)
    shifted = stiffness + lowest_frequency(stiffness, mass) ** 2 * mass
    try:
        response = factorise(shifted).solve(pull)
    except SolverFailure:
        # a hinged blade about its unstressed shape: its centrifugal stiffness is that of the shift, with the other sign
        worst = int(np.argmax(np.abs(linear.displacements(pull)).max(axis=1)))
        return np.inf, linear.system.model.nodes[worst].name
    motion = np.abs(linear.displacements(response))
    distance = np.maximum(motion[:, :3].max(axis=1) / linear.system.length, motion[:, 3:].max(axis=1))
    worst = int(np.argmax(distance))
    return float(distance[worst]), linear.system.model.nodes[worst].name


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
    shift = (HOLDING_RATIO * lowest_frequency(stiffness, mass)) ** 2
    motion = basis @ factorise(csr_matrix(stiffness + shift * mass)).solve(-basis.T @ force)
    if system.constraints:
        state.multipliers[:, 0] = -balancing(parts.constraints, parts.stiffness @ motion + force)
    stressed = _stiffness(model, state, motion)
    gyroscopic, centrifugal = inertial_matrices(system, state, spin)
    return LinearModel(
        system, state, parts.mass, gyroscopic, parts.damping, csr_matrix(stressed + centrifugal),
        parts.constraints, basis, spin.omega, basis, csr_matrix(parts.constraints.T.shape),
    )  # fmt: skip


def _stiffness(model: Model, state: State, motion: Array) -> csr_matrix:
    """(n, n) stiffness at ``state`` with the first-order stress of ``motion`` (n,)."""
    forces = StaticForces(model, state.time)
    forces.tangent(state)
    stress = forces.extrapolated_stress(state, np.concatenate([motion, np.zeros(forces.m)]))
    return csr_matrix(forces.tangent(state, 1.0, stress)[: forces.n, : forces.n])
