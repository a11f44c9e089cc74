"""Local coordinates of the states near a state that satisfies the constraints, and derivatives of states.

`StateDuals` converts derivatives of a state in several directions to dual numbers. Directions (size, k) are in the
numbers of a step's matrices (`sensitivity.matrices.rows.Numbers`): of each node displacement, turn about its own axes,
velocity and angular velocity, then reactions of constraints, then histories.

`TangentSpace` has the coordinates. With B the Jacobian of the constraints, changes of nodal positions and rotations are
S Z y: S scales displacements by a length and rotations by 1, and the columns of Z are an orthonormal basis of the null
space of B S. Changes of velocities are w S Z y with a frequency w. A change of positions also violates the velocity
constraints; the smallest change of velocities with B (w S Z y) = -d(B v)/dq S Z y corrects that. Histories of laws are
coordinates themselves, each divided by its size. All coordinates are thus of order one, and Z' S^-1 is a left inverse
of the map from coordinates to states.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
from scipy.linalg import cho_factor, cho_solve, lstsq, polar
from scipy.sparse import csc_matrix, csr_matrix, diags

from fem_mbd.analysis.modal.stiffness_and_damping import null_space
from fem_mbd.analysis.sensitivity.dual_scheme import DualScheme
from fem_mbd.analysis.statics.static_forces import turned
from fem_mbd.base.arrays import Array, Flags
from fem_mbd.core.rotations import skew
from fem_mbd.core.scheme.initial import constraint_jacobian
from fem_mbd.core.scheme.state import State, ambient_vectors
from fem_mbd.core.scheme.system import System
from fem_mbd.errors import InputError, SolverFailure

CONSTRAINT_TOLERANCE = 1e-14  # of the model's length, or rad
CLOSED = 1e-9  # the same, of joints that have been closed
ITERATIONS = 12
INDEPENDENT = 1e-9  # of the largest singular value: constraints with less depend on others


def check_constraints(system: System) -> None:
    """InputError for constraints of velocities that are none of positions."""
    for kind in system.constrained:
        if not hasattr(kind, "gaps"):
            raise InputError(
                f"model '{system.model.name}' has rolling joints, which constrain velocities but not positions: "
                "periodic motions of such systems are not supported; use a contact with friction instead"
            )


def place(system: System, state: State) -> None:
    """Move a state onto prescribed motions and constraints at its time, by changes as small as possible.

    Raises
    ------
    SolverFailure
        When the joints cannot be closed from there.
    """
    for motion in system.model.prescribed:
        n = motion.node.index
        place_of, v, r, omega = motion.frame(state.time, +1, system.workspace.centre[n])
        state.u[n], state.v[n], state.r[n], state.omega[n] = place_of, v, r, omega
    if not system.constrained:
        return
    for _ in range(ITERATIONS):
        rows = velocity_rows(system, state)
        gap = gaps(system, state)
        if (np.abs(gap) <= system.allowed_errors(CONSTRAINT_TOLERANCE)).all():
            break
        move(system, state, shortest(system, rows, -gap))
    if (np.abs(gap) > system.allowed_errors(CLOSED)).any():
        raise SolverFailure(
            f"joints of model '{system.model.name}' do not close (off by {np.abs(gap).max():.3g}) near the state that "
            "was tried for a periodic motion"
        )
    velocity = np.concatenate([state.v, state.omega], axis=1).ravel()
    velocity += shortest(system, rows, velocity_targets(system, state) - rows @ velocity)
    both = velocity.reshape(-1, 6)
    state.v[:], state.omega[:] = both[:, :3], both[:, 3:]


def move(system: System, state: State, motion: Array) -> None:
    """Displace and turn the nodes by (6 n,), turns in node axes."""
    both = motion.reshape(-1, 6)
    state.u += both[:, :3]
    state.r[:] = turned(state.r, both[:, 3:])


def units(system: System) -> Array:
    """(6 n,) by which motions are measured: the model's length for displacements, 1 for turns."""
    return np.tile(np.repeat([system.length, 1.0], 3), system.workspace.n)


def shortest(system: System, rows: csr_matrix, wanted: Array) -> Array:
    """(6 n, …) the shortest vector, in `units`, of free components whose rates by the rows (m, 6 n) are ``wanted``."""
    free, scale = np.flatnonzero(~system.fixed.ravel()), units(system)
    scaled_rows = csr_matrix(rows[:, free] @ diags(scale[free]))
    used = np.unique(scaled_rows.indices)
    shortest_vector = np.zeros((rows.shape[1], *wanted.shape[1:]))
    if len(used):
        shortest_vector[free[used]] = _shortest(scaled_rows[:, used].toarray(), wanted)
    return (shortest_vector.T * scale).T


def _shortest(rows: Array, wanted: Array) -> Array:
    """The shortest solutions of rows (m, n) x = wanted (m, …), some rows perhaps depending on others."""
    size = np.linalg.norm(rows, axis=1)
    unit = rows / np.where(size > 0.0, size, 1.0)[:, None]
    try:
        factor = cho_factor(unit @ unit.T - INDEPENDENT * np.eye(len(unit)))
    except np.linalg.LinAlgError:
        return np.asarray(lstsq(rows, wanted, cond=INDEPENDENT)[0])
    right = (wanted.T / size).T
    solution = unit.T @ cho_solve(factor, right)
    return np.asarray(solution + unit.T @ cho_solve(factor, right - unit @ solution))


def gaps(system: System, state: State) -> Array:
    """(m,) values of the constraints, after `velocity_rows` at the state's time."""
    q = ambient_vectors(state)
    violations = np.zeros(system.constraints)
    for kind in system.constrained:
        constraint_kind: Any = kind
        first = int(kind.first_row[0])
        values = constraint_kind.gaps(q)
        violations[first : first + len(values)] = values
    return violations


def velocity_rows(system: System, state: State) -> csr_matrix:
    """(m, 6 n) derivatives of the constraints by the motions of the nodes; sets drivers to the state's time."""
    return constraint_jacobian(system, state)


def velocity_targets(system: System, state: State) -> Array:
    """(m,) rates that the constraints ask for, after `velocity_rows`."""
    q = ambient_vectors(state)
    targets = np.zeros(system.constraints)
    for kind in system.constrained:
        first = int(kind.first_row[0])
        values = kind.velocity_target(q)
        targets[first : first + len(values)] = values
    return targets


def numbers_of(motion: Array, velocity: Array, reactions: int, history: Array) -> Array:
    """(size, k) directions from motions and velocities (6 n, k), so many reactions, and histories (h, k)."""
    both = [vectors.reshape(-1, 6, vectors.shape[1]) for vectors in (motion, velocity)]
    nodes = np.concatenate(both, axis=1).reshape(-1, motion.shape[1])
    return np.concatenate([nodes, np.zeros((reactions, motion.shape[1])), history])


class StateDuals:
    """Dual numbers of a scheme's state and of what the next step takes from it."""

    def __init__(self, scheme: DualScheme):
        simulation, shadow = scheme.simulation, scheme.shadow
        state, workspace = simulation.state, simulation.system.workspace
        self._u, self._r = shadow.duals(state.u), shadow.duals(state.r)
        self._v, self._omega = shadow.duals(state.v), shadow.duals(state.omega)
        self._q, self._r_i = shadow.duals(workspace.q_i), shadow.duals(workspace.r_i)
        kept: list[Any] = [k.history for k in simulation.system.kinds if k.history is not None]
        self._histories = [
            (shadow.duals(history), shadow.duals(copy))
            for history, copy in zip(kept, state.history, strict=True)
        ]
        self._nodes, self._reactions = len(state.u), simulation.system.constraints

    def put(self, components: slice, directions: Array) -> None:
        """Make components the derivatives of the state along directions (size, k), k being the count of components."""
        n = self._nodes
        nodes = directions[: 12 * n].reshape(n, 12, -1)
        turned = np.einsum("nij,njkl->nikl", self._r[..., 0], _skews(nodes[:, 3:6]))
        self._u[..., components], self._v[..., components], self._omega[..., components] = (
            nodes[:, :3],
            nodes[:, 6:9],
            nodes[:, 9:],
        )
        self._r[..., components] = self._r_i[..., components] = turned
        self._q[:, 0, :, components], self._q[:, 1:, :, components] = nodes[:, :3], np.swapaxes(turned, 1, 2)
        at = 12 * n + self._reactions
        for kept, stored in self._histories:
            count = kept[..., 0].size
            numbers = directions[at : at + count].reshape(*kept.shape[:-1], -1)
            kept[..., components], stored[..., components] = numbers, numbers
            at += count

    def get(self) -> Array:
        """(size, components) directions of the state in all components, reactions left out."""
        u, r, v, omega = (duals[..., 1:] for duals in (self._u, self._r, self._v, self._omega))
        spun = np.einsum("nji,njkl->nikl", self._r[..., 0], r)
        pairs = (spun[:, 2, 1] - spun[:, 1, 2], spun[:, 0, 2] - spun[:, 2, 0], spun[:, 1, 0] - spun[:, 0, 1])
        motion, velocity = (
            np.concatenate(both, axis=1).reshape(6 * self._nodes, -1)
            for both in ((u, 0.5 * np.stack(pairs, axis=1)), (v, omega))
        )
        history = [stored[..., 1:].reshape(-1, stored.shape[-1] - 1) for _, stored in self._histories]
        none = np.zeros((0, motion.shape[1]))
        return numbers_of(motion, velocity, self._reactions, np.concatenate([none, *history]))


def _skews(turns: Array) -> Array:
    """(n, 3, 3, k) of turns (n, 3, k)."""
    return np.moveaxis(skew(np.moveaxis(turns, 2, 1)), 1, 3)


STEP = 1e-5  # of a coordinate: differences of closed forms, whose error is some 1e-10


class TangentSpace:
    """Coordinates (size,) of states near one: motions (r,), velocities (r,), histories (h,).

    Parameters
    ----------
    system : whose state it is
    state : that fulfils the constraints; the origin
    frequency : rad/s, over which velocities are measured
    sizes : (h,) of the numbers of the history
    like : of a state nearby, whose coordinates these ones are to continue: a basis of a null space may be turned

    Attributes
    ----------
    base : a copy of the state
    motions, histories, size : r, h, 2 r + h
    unscaled : (free, r) Z
    """

    def __init__(
        self, system: System, state: State, frequency: float, sizes: Array, like: TangentSpace | None = None
    ):
        self.system, self.base = system, state.copy()
        free, scale = np.flatnonzero(~system.fixed.ravel()), units(system)
        rows = velocity_rows(system, state)
        basis = null_space(csr_matrix(rows[:, free] @ diags(scale[free])))
        self.motions: int = basis.shape[1]
        if like is not None and system.constrained and like.motions == basis.shape[1]:
            turn, _ = polar((basis.T @ like.unscaled).toarray())
            basis = csr_matrix(basis @ turn)
        self.unscaled: csr_matrix = basis
        spread = csr_matrix((np.ones(len(free)), (free, np.arange(len(free)))), shape=(len(scale), len(free)))
        self._basis = csr_matrix(spread @ diags(scale[free]) @ basis)  # (6 n, r) S Z
        self._inverse = csr_matrix(basis.T @ diags(1.0 / scale[free]) @ spread.T)  # (r, 6 n)
        self.frequency, self.sizes = frequency, sizes
        self.histories, self.size = len(sizes), 2 * basis.shape[1] + len(sizes)

    @property
    def read(self) -> Flags:
        """(size,) which coordinates later motion may depend on: all but histories that are not read."""
        kinds = (k.history_read().ravel() for k in self.system.kinds if k.history is not None)
        return np.concatenate([np.ones(2 * self.motions, dtype=bool), *kinds])

    @cached_property
    def _coupling(self) -> Array | None:
        """(6 n, r) change of velocities that keeps their constraints in the motions; None where there is none.

        Motions that touch no constraint together are differenced together.
        """
        if not self.system.constrained or not np.any(self._velocity(self.base)):
            return None
        rows, basis = velocity_rows(self.system, self.base), self._basis.tocsc()
        touched = csc_matrix(abs(rows) @ abs(basis))
        rates = np.zeros((self.system.constraints, self.motions))
        for together in _apart(touched):
            motion = np.asarray(basis[:, together].sum(axis=1)).ravel()
            more, less = (self._violation(sign * STEP * motion) for sign in (1, -1))
            change = (more - less) / (2.0 * STEP)
            for k in together:
                rows_touched = touched.indices[touched.indptr[k] : touched.indptr[k + 1]]
                rates[rows_touched, k] = change[rows_touched]
        return shortest(self.system, rows, -rates)

    def _violation(self, motion: Array) -> Array:
        """(m,) rates of the constraints after a motion, velocities kept."""
        moved = self.base.copy()
        move(self.system, moved, motion)
        rows = velocity_rows(self.system, moved)
        return np.asarray(rows @ self._velocity(moved) - velocity_targets(self.system, moved))

    @staticmethod
    def _velocity(state: State) -> Array:
        return np.concatenate([state.v, state.omega], axis=1).ravel()

    # -- states -------------------------------------------------------------------------------------------

    def moved(self, y: Array) -> State:
        """The state at coordinates (size,), on the constraints."""
        r = self.motions
        state = self.base.copy()
        move(self.system, state, np.asarray(self._basis @ y[:r]))
        both = self.frequency * np.asarray(self._basis @ y[r : 2 * r]).reshape(-1, 6)
        state.v += both[:, :3]
        state.omega += both[:, 3:]
        flat = flat_history(state) + y[2 * r :] * self.sizes
        set_history(state, flat)
        place(self.system, state)
        return state

    def _full(self, y: Array) -> tuple[Array, Array]:
        """Motions and velocities (6 n, k) of coordinates (2 r, k)."""
        r = self.motions
        motion, velocity = self._basis @ y[:r], self.frequency * (self._basis @ y[r : 2 * r])
        if self._coupling is not None:
            velocity = velocity + self._coupling @ y[:r]
        return np.asarray(motion), np.asarray(velocity)

    def of(self, state: State) -> Array:
        """(size,) coordinates of a state, zero of `base`; to first order for large turns."""
        relative = np.einsum("nji,njk->nik", self.base.r, state.r)
        motion = np.concatenate([state.u - self.base.u, rotation_vectors(relative)], axis=1).ravel()
        velocity = self._velocity(state) - self._velocity(self.base)
        return self._coordinates(motion, velocity, flat_history(state) - flat_history(self.base))

    def _coordinates(self, motion: Array, velocity: Array, history: Array) -> Array:
        """(size, …) of changes (6 n, …), (6 n, …), (h, …)."""
        sizes = self.sizes.reshape(-1, *(1,) * (history.ndim - 1))
        return np.concatenate(
            [self._inverse @ motion, self._inverse @ velocity / self.frequency, history / sizes]
        )

    def length(self, y: Array) -> float:
        """Largest displacement over the model's length, turn, such speeds over w, and change of histories."""
        r = self.motions
        scale = units(self.system)
        lengths = [
            np.abs(self._basis @ coordinates / scale).max(initial=0.0)
            for coordinates in (y[:r], y[r : 2 * r])
        ]
        return float(max(*lengths, np.abs(y[2 * r :]).max(initial=0.0)))

    def coordinates(self, motion: Array, velocity: Array) -> Array:
        """(size,) of changes of motions and velocities (6 n,) each."""
        return self._coordinates(motion, velocity, np.zeros(self.histories))

    def of_flow(self, state: State) -> Array:
        """(size,) rate of the coordinates as time goes on, over w, histories left out."""
        acceleration = state.slope.ravel()
        coordinates = self._coordinates(self._velocity(state), acceleration, np.zeros(self.histories))
        return coordinates / self.frequency

    def of_speeds(self, state: State) -> Array:
        """(size,) change of the coordinates where all velocities grow in proportion."""
        return self._coordinates(
            np.zeros(6 * self.system.workspace.n), self._velocity(state), np.zeros(self.histories)
        )

    def displacing(self, y: Array) -> Array:
        """(size,) W y, y' W y being the sum of squares of displacements over the model's length, and speeds over w."""
        r, scale = self.motions, units(self.system)
        weights = np.where(np.tile(np.repeat([True, False], 3), self.system.workspace.n), 1.0 / scale**2, 0.0)
        both = [
            np.asarray(self._basis.T @ (weights * (self._basis @ coordinates)))
            for coordinates in (y[:r], y[r : 2 * r])
        ]
        return np.concatenate([*both, np.zeros(self.histories)])

    def row_for(self, other: TangentSpace, row: Array) -> Array:
        """(size,) a row for coordinates, as one for those of another state nearby.

        It is the derivative of ``row @ self.of(state)`` by the other coordinates of the state, but for what motions
        change of velocities across the constraints.
        """
        r = self.motions
        of_motion = np.asarray(other._basis.T @ (self._inverse.T @ row[:r]))
        of_velocity = self._inverse.T @ row[r : 2 * r]
        velocity = np.asarray(other._basis.T @ of_velocity) * other.frequency / self.frequency
        return np.concatenate([of_motion, velocity, row[2 * r :] * other.sizes / self.sizes])

    # -- derivatives --------------------------------------------------------------------------------------

    def numbers(self, y: Array) -> Array:
        """Directions of a state along coordinates (size, k)."""
        motion, velocity = self._full(y[: 2 * self.motions])
        history = y[2 * self.motions :] * self.sizes[:, None]
        return numbers_of(motion, velocity, self.system.constraints, history)

    def along(self, rotation: Array, change: Array) -> Array:
        """(size, k) derivatives of the coordinates of a state with such rotations (n, 3, 3), along its directions."""
        n = self.system.workspace.n
        nodes, history = change[: 12 * n].reshape(n, 12, -1), change[12 * n + self.system.constraints :]
        turned = np.einsum("nji,njk->nik", self.base.r, rotation)
        turn = _from_spins(rotation_vectors(turned)) @ nodes[:, 3:6]
        motion = np.concatenate([nodes[:, :3], turn], axis=1).reshape(6 * n, -1)
        return self._coordinates(motion, nodes[:, 6:].reshape(6 * n, -1), history)


def _apart(touched: csc_matrix) -> list[list[int]]:
    """Columns of a sparse matrix in groups without a row in common; columns without entries are left out."""
    groups: list[list[int]] = []
    rows: list[set[int]] = []
    for k in range(touched.shape[1]):
        rows_of_column = set(touched.indices[touched.indptr[k] : touched.indptr[k + 1]].tolist())
        if not rows_of_column:
            continue
        place_of = next((g for g, taken in enumerate(rows) if not taken & rows_of_column), len(groups))
        if place_of == len(groups):
            groups.append([])
            rows.append(set())
        groups[place_of].append(k)
        rows[place_of] |= rows_of_column
    return groups


def flat_history(state: State) -> Array:
    """(h,) all numbers of the histories of laws."""
    parts = [(h.view(np.float64) if h.dtype.names else h).ravel() for h in state.history]
    return np.concatenate(parts) if parts else np.zeros(0)


def set_history(state: State, flat: Array) -> None:
    """Overwrite the histories by (h,) numbers."""
    at = 0
    for h in state.history:
        numbers = h.view(np.float64) if h.dtype.names else h
        numbers[...] = flat[at : at + numbers.size].reshape(numbers.shape)
        at += numbers.size


def rotation_vectors(r: Array) -> Array:
    """(n, 3) of rotations (n, 3, 3)."""
    axis = 0.5 * np.stack([r[:, 2, 1] - r[:, 1, 2], r[:, 0, 2] - r[:, 2, 0], r[:, 1, 0] - r[:, 0, 1]], axis=1)
    sine = np.linalg.norm(axis, axis=1)
    cosine = 0.5 * (np.trace(r, axis1=1, axis2=2) - 1.0)
    factor = np.where(sine > 1e-8, np.arctan2(sine, cosine) / np.where(sine > 1e-8, sine, 1.0), 1.0)
    return np.asarray(axis * factor[:, None])


def _from_spins(turns: Array) -> Array:
    """(n, 3, 3) from a small rotation in the axes of a node to the change of its rotation vector, here (n, 3)."""
    angle = np.linalg.norm(turns, axis=1)[:, None, None]
    s, half = skew(turns), 0.5 * angle
    small = angle < 1e-3
    safe = np.where(small, 1.0, half)
    factor = np.where(small, 1.0 / 12.0 + angle**2 / 720.0, (1.0 - safe / np.tan(safe)) / (4.0 * safe**2))
    return np.asarray(np.eye(3) + 0.5 * s + factor * (s @ s))
