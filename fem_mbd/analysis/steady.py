"""Steady rotation: the frame that turns with the structure, its inertial forces, and the equilibrium in it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import lstsq
from scipy.sparse import block_diag, csr_matrix

from fem_mbd.analysis.eigen import factorise, lowest_frequency
from fem_mbd.analysis.null_space import null_space
from fem_mbd.analysis.step_matrices import StepMatrices, step_matrices
from fem_mbd.errors import SolverFailure
from fem_mbd.rotations import rotation_from_vector, skew, unit_vector
from fem_mbd.state import State
from fem_mbd.system import System
from fem_mbd.validation import array, finite

Array = NDArray[np.float64]
CONVERGED = 1e-11  # of the model's length, or rad: a Newton update this small is the last
ITERATIONS = 15
FINEST = 1 / 64  # of the way: smaller steps are not tried
FARTHEST = 0.5  # rad, or of the model's length: an update beyond it is no use


@dataclass(frozen=True)
class Spin:
    """Steady rotation of the whole structure about a fixed axis.

    point : (3,) m, on the axis; direction : (3,) of the axis, any length; rate : rad/s
    """

    point: Any
    direction: Any
    rate: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "point", array(self.point, (3,), "Spin: point"))
        object.__setattr__(self, "direction", unit_vector(self.direction, "Spin: direction"))
        object.__setattr__(self, "rate", finite(self.rate, "Spin: rate"))

    @property
    def vector(self) -> Array:
        """(3,) angular velocity, rad/s."""
        return np.asarray(self.rate * self.direction)


def inertial_matrices(system: System, state: State, spin: Spin) -> tuple[csr_matrix, csr_matrix]:
    """Gyroscopic matrix, and the stiffness that comes with steady rotation, both (n, n)."""
    work = system.work
    gyro, stiff = [], []
    w = skew(spin.vector)
    for n in range(work.n):
        j, mine = work.inertia[n], state.r[n].T @ spin.vector
        own, moment = skew(mine), skew(j @ mine)
        gyro += [2 * work.mass[n] * w, np.trace(j) * own - 2 * moment]
        stiff += [work.mass[n] * w @ w, (own @ j - moment) @ own]
    keep = np.flatnonzero(~system.held.ravel())
    pair = [block_diag(blocks, format="csr")[keep][:, keep] for blocks in (gyro, stiff)]
    return csr_matrix(pair[0]), csr_matrix(pair[1])


def inertial_forces(system: System, state: State, spin: Spin) -> Array:
    """(n,) mass times acceleration of steady rotation, and weight that turns in the rotating frame, taken out.

    Of gravity only the part along the axis is steady there.
    """
    work, w = system.work, spin.vector
    turning = work.gravity - (work.gravity @ spin.direction) * spin.direction if spin.rate else np.zeros(3)
    own = np.einsum("nji,j->ni", state.r, w)
    force = work.mass[:, None] * (np.cross(w, np.cross(w, state.u - spin.point)) + turning)
    moment = np.cross(own, np.einsum("nij,nj->ni", work.inertia, own))
    return np.concatenate([force, moment], axis=1)[~system.held]


def steady_state(system: System, spin: Spin, start: State, from_rate: float = 0.0) -> State:
    """The equilibrium in the rotating frame, from that at another rate.

    Raises
    ------
    SolverFailure
        When no equilibrium is found up to the rate; the message says up to where.
    """
    state, done, step = start.copy(), 0.0, 1.0
    while done < 1.0:
        part = min(done + step, 1.0)
        # centrifugal forces grow with the square of the rate
        square = (1 - part) * from_rate**2 + part * spin.rate**2
        found = _newton(system, Spin(spin.point, spin.direction, float(np.sqrt(square))), state)
        if found is not None:
            state, done = found, part
            continue
        step /= 2
        if step < FINEST:
            reached = np.sqrt((1 - done) * from_rate**2 + done * spin.rate**2)
            raise SolverFailure(
                f"model '{system.model.name}': equilibrium in steady rotation is lost beyond {reached:.6g} rad/s of "
                f"{spin.rate:.6g} rad/s"
            )
    return state


def _newton(system: System, spin: Spin, start: State) -> State | None:
    state = start.copy()
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
        if not largest < FARTHEST:
            return None
        move(state, motion)
        if largest < CONVERGED:
            return state
    return None


def _update(system: System, state: State, spin: Spin, parts: StepMatrices, force: Array) -> Array:
    """(nodes, 6) Newton step: closes the constraints, then moves within them."""
    stiffness = parts.stiffness + inertial_matrices(system, state, spin)[1]
    basis = null_space(parts.constraints)
    close = np.zeros(len(force))
    if system.constraints:
        used = np.unique(parts.constraints.indices)
        close[used] = lstsq(parts.constraints[:, used].toarray(), -parts.gap)[0]
    reduced, mass = basis.T @ stiffness @ basis, csr_matrix(basis.T @ parts.mass @ basis)
    pull = -basis.T @ (force + stiffness @ close)
    # rigid motions have no stiffness; a trace of inertia keeps them where they are
    still = (1e-6 * lowest_frequency(csr_matrix(reduced), mass)) ** 2
    step = close + basis @ factorise(csr_matrix(reduced + still * mass)).solve(pull)
    motion = np.zeros((system.work.n, 6))
    motion[~system.held] = step
    return motion


def move(state: State, motion: Array) -> None:
    """Move mass centres and turn nodes by ``motion`` (nodes, 6), turns in node axes."""
    state.u += motion[:, :3]
    for n, turn in enumerate(motion[:, 3:]):
        if np.any(turn):
            state.r[n] = state.r[n] @ rotation_from_vector(turn)


def balancing(jacobian: csr_matrix, force: Array) -> Array:
    """Multipliers (m,), the smallest ones, whose forces B^T lambda come nearest to ``force`` (n,)."""
    used = np.unique(jacobian.indices)
    return np.asarray(lstsq(jacobian[:, used].toarray().T, force[used])[0])
