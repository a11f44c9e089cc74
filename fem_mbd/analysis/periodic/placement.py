"""Projection of states onto the constraints: prescribed positions, closed joints, consistent velocities."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.linalg import cho_factor, cho_solve, lstsq
from scipy.sparse import csr_matrix, diags

from fem_mbd.analysis.statics.static_forces import turned
from fem_mbd.base.arrays import Array
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
        place_of, v, r, omega = motion.frame(state.time, +1, system.work.centre[n])
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
    return np.tile(np.repeat([system.length, 1.0], 3), system.work.n)


def shortest(system: System, rows: csr_matrix, wanted: Array) -> Array:
    """(6 n, …) the shortest vector, in `units`, of free components whose rates by the rows (m, 6 n) are ``wanted``."""
    free, scale = np.flatnonzero(~system.held.ravel()), units(system)
    own = csr_matrix(rows[:, free] @ diags(scale[free]))
    used = np.unique(own.indices)
    found = np.zeros((rows.shape[1], *wanted.shape[1:]))
    if len(used):
        found[free[used]] = _shortest(own[:, used].toarray(), wanted)
    return (found.T * scale).T


def _shortest(rows: Array, wanted: Array) -> Array:
    """The shortest solutions of rows (m, n) x = wanted (m, …), some rows perhaps depending on others."""
    size = np.linalg.norm(rows, axis=1)
    unit = rows / np.where(size > 0.0, size, 1.0)[:, None]
    try:
        factor = cho_factor(unit @ unit.T - INDEPENDENT * np.eye(len(unit)))
    except np.linalg.LinAlgError:
        return np.asarray(lstsq(rows, wanted, cond=INDEPENDENT)[0])
    right = (wanted.T / size).T
    found = unit.T @ cho_solve(factor, right)
    return np.asarray(found + unit.T @ cho_solve(factor, right - unit @ found))


def gaps(system: System, state: State) -> Array:
    """(m,) values of the constraints, after `velocity_rows` at the state's time."""
    q = ambient_vectors(state)
    found = np.zeros(system.constraints)
    for kind in system.constrained:
        own: Any = kind
        first = int(kind.first_row[0])
        values = own.gaps(q)
        found[first : first + len(values)] = values
    return found


def velocity_rows(system: System, state: State) -> csr_matrix:
    """(m, 6 n) derivatives of the constraints by the motions of the nodes; sets drivers to the state's time."""
    return constraint_jacobian(system, state)


def velocity_targets(system: System, state: State) -> Array:
    """(m,) rates that the constraints ask for, after `velocity_rows`."""
    q = ambient_vectors(state)
    found = np.zeros(system.constraints)
    for kind in system.constrained:
        first = int(kind.first_row[0])
        values = kind.velocity_target(q)
        found[first : first + len(values)] = values
    return found
