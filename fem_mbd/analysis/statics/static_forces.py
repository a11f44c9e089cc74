"""Static forces of a system and their exact derivative, computed by the compiled kernels of the transient scheme.

A step without motion (a = b = c = e = 0) has equal ends: its mean force is exactly the static force of every kind of
part. Its tangent without inertia is dt^2 K/2 in the increments (a, b), since the mean force contains half the change
over a step; the position rows of constraints give B and the columns of mean multipliers B^T. The step is 2^60 s long:
viscous damping forces (proportional to 1/dt) vanish below the round-off of the stiffness, and powers of two cause no
round-off. Where nothing but a damper resists, its 2 D/dt remains; `fem_mbd.analysis.modal.stiffness_and_damping` takes
the limit. Derivation: docs/how-to/statics.md, section 1.

`static_pattern` is the statics' part of the scheme's matrix, `start_at` the state at rest, `turned` an update of
rotations.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.sparse import csr_matrix, diags

from fem_mbd.analysis.statics import steady_rotation
from fem_mbd.analysis.statics.steady_rotation import Spin
from fem_mbd.base.arrays import Array, Flags, Indices
from fem_mbd.core.model.model import Model
from fem_mbd.core.model.part_kind import PartKind
from fem_mbd.core.model.ranges import Ranges
from fem_mbd.core.model.workspace import Masses
from fem_mbd.core.scheme.initial import InitialVelocityWarning, make_consistent
from fem_mbd.core.scheme.nodes import node_kernels as nodes
from fem_mbd.core.scheme.outputs import SUPPORT, StateOutputs
from fem_mbd.core.scheme.state import State
from fem_mbd.core.scheme.system import System


@dataclass(frozen=True, eq=False)
class StaticPattern:
    """The unknowns of statics within the scheme's matrix: CSR pattern, indices of the values there, and which of them
    are derivatives of forces by motions.
    """

    indptr: Indices
    indices: Indices
    slots: Indices
    by_motion: Flags

    def scale(self, step: float) -> Array:
        """Factors on the values: those of a step (s) contain half the change of force over it, times step^2."""
        return np.where(self.by_motion, 2.0 / step**2, 1.0)


def static_pattern(system: System, equations: Indices, n: int) -> StaticPattern:
    """Rows and columns ``equations`` (n + m,) of the matrix: the n increments, then the m mean multipliers."""
    inverse = np.full(system.size, -1, dtype=np.int64)
    inverse[equations] = np.arange(len(equations))
    row = inverse[np.repeat(np.arange(system.size), np.diff(system.indptr))]
    col = inverse[system.indices]
    slots = np.flatnonzero((row >= 0) & (col >= 0))
    slots = slots[np.lexsort((col[slots], row[slots]))]
    r, c = row[slots], col[slots]
    counts = np.bincount(r, minlength=len(equations))
    return StaticPattern(np.concatenate([[0], np.cumsum(counts)]), c, slots, (r < n) & (c < n))


def start_at(system: System, time: float) -> State:
    """The reference configuration at rest, prescribed nodes in their position at ``time``.

    Raises
    ------
    InputError
        When joints do not close or constraints are redundant.
    """
    with warnings.catch_warnings():
        # velocities have no influence on statics
        warnings.simplefilter("ignore", InitialVelocityWarning)
        make_consistent(system, system.reference_state())
    state = system.reference_state()
    state.v[:], state.omega[:] = 0.0, 0.0
    for motion in system.model.prescribed:
        k = motion.node.index
        state.u[k], _, state.r[k], _ = motion.frame(time, +1, system.workspace.centre[k])
    return state


def turned(r: Array, turns: Array) -> Array:
    """(n, 3, 3) R exp(phi~) for rotations r (n, 3, 3) and rotation vectors phi (n, 3) in node axes, orthonormal to
    round-off.
    """
    angle = np.linalg.norm(turns, axis=1)[:, None, None]
    s = np.zeros_like(r)
    s[:, 2, 1], s[:, 0, 2], s[:, 1, 0] = turns.T
    s -= np.swapaxes(s, 1, 2)
    step = np.eye(3) + np.sinc(angle / np.pi) * s + 0.5 * np.sinc(angle / (2 * np.pi)) ** 2 * (s @ s)
    out = r @ step
    return np.asarray(0.5 * out @ (3 * np.eye(3) - np.swapaxes(out, 1, 2) @ out))


STATIC_STEP = 2.0**60  # s, length of the step
# multiple of the constraints' compliance: regularisation of redundant constraints, in the tangent only
REGULARISATION = 1e-10
DRIVE_DIFFERENCE = 1e-4  # rad or m: differences of sines and cosines are exact to its square


class StaticForces:
    """Unbalanced forces of a model as functions of configuration, multipliers and load factor.

        forces = StaticForces(model)
        state = forces.start()
        increment = spsolve(forces.tangent(state, 1.0), -forces.residual(state, 1.0))
        state = forces.update(state, increment)

    Free unknowns (n,): node by node the displacement of the mass centre (global axes, m), then the rotation (node axes,
    rad); after them the multipliers (m,). Forces are internal minus applied ones, N and N m in the same axes; where
    they vanish the state is in equilibrium. Acting forces: elasticity, springs, normal forces of contacts (without
    friction, which has no definite force at rest), joints, and, times the load factor, loads and gravity; in a steady
    rotation centrifugal forces. Loads fixed in space count as fixed in the rotating frame.

    Parameters
    ----------
    model : a `Model`, or a `System` used for this purpose only (without ``friction`` the friction of its contacts is
        removed)
    time : s, at which loads, drivers and prescribed motions are evaluated
    spin : the steady rotation, None at rest
    spin_factor : fraction of the centrifugal forces, (rate/spin.rate)^2
    friction : include the stiffness of bristles, for small motions about a state held by friction
    step : s, length of the step without motion

    Attributes
    ----------
    step : as above; it may be changed
    n, m : numbers of free unknowns and of constraints
    unknowns : (n, 2) node and component (0 to 5) of each free unknown
    drive_share : of the way of the drives of joints from their values in `drive_from` to those at ``time``
    """

    def __init__(
        self,
        model: Model | System,
        time: float = 0.0,
        spin: Spin | None = None,
        spin_factor: float = 1.0,
        friction: bool = False,
        step: float = STATIC_STEP,
    ):
        self.system = model if isinstance(model, System) else System(model)
        self.workspace = self.system.workspace
        self.time, self.spin, self.spin_factor = float(time), spin, float(spin_factor)
        gravity = self.workspace.gravity
        self.gravity = gravity if spin is None else spin.gravity(gravity, self.workspace.n)
        free = ~self.system.fixed
        self.unknowns = np.argwhere(free)
        self.n, self.m = len(self.unknowns), self.system.constraints
        chosen = np.concatenate([self.system.equation[:, :6][free], self.system.constraint_equation[:, 0]])
        self._massless = Masses(np.zeros_like(self.workspace.mass), np.zeros_like(self.workspace.inertia))
        self.step = float(step)
        self.drive_share, self._drives_at_start = 1.0, np.zeros(0)
        self._pattern = static_pattern(self.system, chosen, self.n)
        for kind in self.system.kinds:
            kind.take_middle_of_step()
            if not friction:
                kind.neglect_friction()
        if spin is not None:
            for kind in self.system.kinds:
                kind.rotate_axes(spin.omega, spin.place)

    # -- states ---------------------------------------------------------------------------------------------

    def start(self) -> State:
        """The reference configuration at rest, prescribed nodes in their position; InputError for open joints."""
        return start_at(self.system, self.time)

    def update(self, state: State, increment: Array) -> State:
        """A new state moved by ``increment`` (n + m,): displacements, rotations (exponential map), multipliers."""
        new = state.copy()
        full = np.zeros((self.workspace.n, 6))
        full[tuple(self.unknowns.T)] = increment[: self.n]
        new.u += full[:, :3]
        new.r[:] = turned(state.r, full[:, 3:])
        new.multipliers[:, 0] += increment[self.n :]
        new.multipliers[:, 1] = 0.0
        return new

    def count_turns(self, state: State) -> None:
        """Store the whole revolutions of angles of springs at ``state`` in its histories."""
        if not any(kind.counts_turns for kind in self.system.kinds):
            return
        self.forces(state)
        for kind, stored in self._histories(state):
            if kind.counts_turns:
                kind.accept(self.workspace)
                stored[...] = kind.history

    def update_histories(self, state: State) -> None:
        """Set the histories of springs and contacts (full revolutions, normals) to the configuration of ``state``."""
        self.forces(state)
        for kind, stored in self._histories(state):
            kind.accept(self.workspace)
            stored[...] = kind.history

    def outputs(self, state: State, moving: bool = False) -> dict[str, Any]:
        """Outputs of nodes and parts as recorded by a transient, without the supports' forces.

        With ``moving`` the state's velocities are used, for rates and forces of springs and dampers.
        """
        self.forces(state)
        if moving:
            self._apply_velocities(state)
        out: dict[str, Any] = StateOutputs(state, self.system.kinds, self.workspace)()
        del out[SUPPORT.name]
        contacts = [kind for kind in self.system.kinds if kind.has_contacts]
        for kind in contacts:
            kind.record_contacts(self.workspace)
        if contacts:
            out["contact"] = np.concatenate([kind.contact_records() for kind in contacts])
        return out

    # -- drives ---------------------------------------------------------------------------------------------

    def drive_from(self, time: float) -> tuple[float, float]:
        """Let the drives of joints start with their values at another time (s), at share 0.

        Returns
        -------
        tuple
            The largest way of a drive, rad and m.
        """
        joints = self.system.joints
        if joints is None:
            return 0.0, 0.0
        self._drives_at_start = joints.drive_values(time)
        way = np.abs(joints.drive_values(self.time) - self._drives_at_start)
        turning = joints.turning_drives
        return float(way[turning].max(initial=0.0)), float(way[~turning].max(initial=0.0))

    def drive_slope(self, state: State) -> Array:
        """(n + m,) derivative of the residual of forces without loads by `drive_share`, by central differences."""
        joints = self.system.joints
        assert joints is not None
        share, way = self.drive_share, np.abs(joints.drive_values(self.time) - self._drives_at_start).max()
        h, residuals = DRIVE_DIFFERENCE / way, []
        for self.drive_share in (share + h, share - h):
            residuals.append(self.residual(state, 0.0))
        self.drive_share = share
        return np.asarray((residuals[0] - residuals[1]) / (2 * h))

    # -- forces ---------------------------------------------------------------------------------------------

    def forces(self, state: State) -> tuple[Array, Array]:
        """Forces (nodes, 6) on all nodes, also supported ones: constant ones, and those times the load factor."""
        workspace = self.workspace
        self._load(state)
        applied = self._rows_of(True)
        applied[:, :3] -= workspace.mass[:, None] * self.gravity
        constant = self._rows_of(False)
        if self.spin is not None:
            constant += self.spin_factor * steady_rotation.forces(self.spin, workspace, state.u, state.r)
        return constant, applied

    def residual(self, state: State, load_factor: float = 1.0) -> Array:
        """(n + m,) unbalanced forces, then constraint violations."""
        constant, applied = self.forces(state)
        at = tuple(self.unknowns.T)
        return np.concatenate([(constant + load_factor * applied)[at], self.workspace.constraints[:, 0]])

    def load(self, state: State) -> Array:
        """(n + m,) derivative of the residual by the load factor."""
        _, applied = self.forces(state)
        return np.concatenate([applied[tuple(self.unknowns.T)], np.zeros(self.m)])

    def spin_load(self, state: State) -> Array:
        """(n + m,) derivative of the residual by `spin_factor`."""
        assert self.spin is not None
        centrifugal = steady_rotation.forces(self.spin, self.workspace, state.u, state.r)
        return np.concatenate([centrifugal[tuple(self.unknowns.T)], np.zeros(self.m)])

    def check_ranges(self, state: State) -> None:
        """Warn of parts that are out of their ranges at a state.

        Raises
        ------
        SolverFailure
            Where the state is worthless; the message names the part.
        """
        self.forces(state)
        Ranges(self.system.measured, self.workspace).check_state()

    # -- tangent --------------------------------------------------------------------------------------------

    def tangent(self, state: State, load_factor: float = 1.0, stress: list[Any] | None = None) -> csr_matrix:
        """`stiffness` with a regularisation, so that it can be factorised with redundant constraints, too."""
        matrix = self.stiffness(state, load_factor, stress)
        return self._regularised(matrix) if self.system.redundant else matrix

    def stiffness(
        self,
        state: State,
        load_factor: float = 1.0,
        stress: list[Any] | None = None,
        kinds: Sequence[PartKind] | None = None,
    ) -> csr_matrix:
        """Derivative (n + m, n + m) of `residual`, [[K + 2 D/step, B^T], [B, 0]], D being the damping of the parts.

        With ``stress`` from `extrapolated_stress` the geometric part is computed from it, for Newton's method; with
        ``kinds`` only their parts are included.
        """
        workspace = self.workspace
        self.forces(state)
        if stress is not None:
            for stored, of_kind in zip(self._stresses(), stress, strict=True):
                stored[...] = of_kind
        nodes.fill_maps(workspace)
        for array in (workspace.data, workspace.lin_m, workspace.lin_f):
            array[:] = 0.0
        included = self.system.kinds if kinds is None else kinds
        for kind in included:
            if kind.applied:
                kind.tangent(workspace)
        for array in (workspace.data, workspace.lin_m, workspace.lin_f):
            array *= load_factor
        for kind in included:
            if not kind.applied:
                kind.tangent(workspace)
        nodes.node_tangent(
            workspace.x, workspace.r_i, workspace.r_f, workspace.spin, self._massless, workspace.lin,
            workspace.column, self.system.node_slots, workspace.data,
        )  # fmt: skip
        matrix = csr_matrix(
            (
                workspace.data[self._pattern.slots] * self._pattern.scale(self.step),
                self._pattern.indices,
                self._pattern.indptr,
            ),
            shape=(self.n + self.m, self.n + self.m),
        )
        if self.spin is not None:
            matrix = matrix + self._spin_stiffness(state)
        return matrix

    def extrapolated_stress(self, state: State, increment: Array) -> list[Any]:
        """Stresses of the parts at ``state`` plus their linear change by ``increment``; call after `tangent` there.

        With these stresses in the geometric part Newton's method converges in long steps, where it diverges otherwise
        because every linear step overestimates stiff axial and shear strains (docs/explanation/theory.md, section 6).
        """
        workspace = self.workspace
        full = np.zeros((workspace.n, 6))
        full[tuple(self.unknowns.T)] = increment[: self.n]
        workspace.dq[:, 0] = full[:, :3]
        workspace.dq[:, 1:] = np.einsum("nij,naj->nai", state.r, np.cross(full[:, None, 3:], np.eye(3)))
        # with this rate at the end of the step its mean stress equals the stress at the end
        workspace.dp[:] = -2.0 * workspace.dq
        for kind in self.system.kinds:
            kind.extrapolate(workspace)
        return [stress.copy() for stress in self._stresses()]

    # -- workspace of the step -------------------------------------------------------------------------------

    def _load(self, state: State) -> None:
        """Fill the workspace with a step without motion at ``state``."""
        workspace = self.workspace
        self._load_configuration(state)
        for array in (workspace.x, workspace.x_i, workspace.p):
            array[:] = 0.0
        self._load_multipliers(state, self.step)
        for kind, stored in self._histories(state):
            kind.history[...] = stored
        workspace.t_i = workspace.t_f = self.time
        workspace.dt = 0.0  # prescribed functions of time have no rate
        for kind in self.system.kinds:
            kind.begin_step(workspace)
        if self.drive_share != 1.0 and self.system.joints is not None:
            self.system.joints.drive_between(self._drives_at_start, self.drive_share)
        workspace.dt = self.step
        nodes.kinematics(workspace.x, workspace.r_i, workspace.q_i, workspace.q_f, workspace.p, workspace.r_f)

    def _histories(self, state: State) -> Iterator[tuple[Any, Any]]:
        """Element classes with a history, each with its history in ``state``."""
        return zip((k for k in self.system.kinds if k.history is not None), state.history, strict=True)

    def _load_configuration(self, state: State) -> None:
        """Set both ends of the workspace's step to ``state``."""
        workspace = self.workspace
        for q in (workspace.q_i, workspace.q_f):
            q[:, 0] = state.u
            q[:, 1:] = np.swapaxes(state.r, 1, 2)
        workspace.r_i[:], workspace.r_f[:] = state.r, state.r

    def _load_multipliers(self, state: State, step: float) -> None:
        """Set the joints' reactions of ``state``, constant over a step (s)."""
        workspace = self.workspace
        workspace.lam[:] = state.multipliers.sum(axis=1)
        workspace.multipliers[:, 0], workspace.multipliers[:, 1] = step**2 * workspace.lam, 0.0

    def _apply_velocities(self, state: State) -> None:
        """Pass the configuration of the workspace, and the state's velocities, to parts with a history."""
        workspace = self.workspace
        workspace.p[:, 0] = self.step * state.v
        workspace.p[:, 1:] = self.step * np.einsum(
            "nij,naj->nai", state.r, np.cross(state.omega[:, None], np.eye(3))
        )
        for kind in self.system.kinds:
            if kind.history is not None and not kind.has_contacts:
                kind.residual(workspace)
                kind.accept(workspace)

    def _rows_of(self, applied: bool) -> Array:
        """(nodes, 6) forces of the applied kinds, or of all others."""
        workspace = self.workspace
        for array in (workspace.force_m, workspace.force_f, workspace.rows):
            array[:] = 0.0
        for kind in self.system.kinds:
            if kind.applied is applied:
                kind.residual(workspace)
        nodes.finish_rows(
            workspace.x, workspace.x_i, self._massless, np.zeros(3), self.step, workspace.r_i, workspace.r_f,
            workspace.forces, workspace.rows,
        )  # fmt: skip
        return workspace.rows[:, :6] / self.step**2

    def _stresses(self) -> list[Any]:
        return [stress for kind in self.system.kinds for stress in kind.extrapolated()]

    def _spin_stiffness(self, state: State) -> csr_matrix:
        assert self.spin is not None
        blocks = self.spin_factor * steady_rotation.stiffness(self.spin, self.workspace, state.r)
        number = np.full((self.workspace.n, 6), -1)
        number[tuple(self.unknowns.T)] = np.arange(self.n)
        rows, cols = np.broadcast_arrays(number[:, :, None], number[:, None, :])
        keep = (rows >= 0) & (cols >= 0)
        size = self.n + self.m
        return csr_matrix((blocks[keep], (rows[keep], cols[keep])), shape=(size, size))

    def _regularised(self, matrix: csr_matrix) -> csr_matrix:
        """The matrix with a small -eps on the multipliers' diagonal: minimum-norm multipliers (see `Scheme`)."""
        stiff = np.abs(matrix.diagonal()[: self.n])
        # without any stiffness the start is singular, whatever the regularisation
        size = REGULARISATION / (float(stiff[stiff > 0].mean()) if np.any(stiff > 0) else 1.0)
        return matrix - diags(np.concatenate([np.zeros(self.n), np.full(self.m, size)]), format="csr")
