"""Drivers that take one friction law along a straight slip path, for probes, figures and fits (compiled).

A path is a sequence of steps along axis 1, each with slip (m), duration (s) and normal force (N). The results of a step
are the law's mean coefficient and the energy dissipated according to ``tangential.friction_force``.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from fem_mbd.base.arrays import Array
from fem_mbd.core.compiled import kernel
from fem_mbd.core.compiled.signatures import matrix, record, vector, void
from fem_mbd.errors import InputError
from fem_mbd.friction.records import FRICTION_LAW
from fem_mbd.friction.tangential import friction_force, state_count

# Steady sliding is approached in steps of doubling size, from a microsecond to a year. It is reached when a step of
# LONG_STEP or longer changes the coefficient by less than STEADY; longer steps only add round-off to laws that
# subtract large slips.
FIRST_STEP, LONG_STEP, MAX_DOUBLINGS, STEADY = 1e-6, 10.0, 45, 1e-7


class Driven(NamedTuple):
    """Coefficient (n,) of each step, loss (n,) of each step in J, state (nz, 3) at the end."""

    mus: Array
    losses: Array
    z: Array


def drive_path(
    law: Any, slips: ArrayLike, dts: ArrayLike, normals: ArrayLike = 1.0, z: Array | None = None
) -> Driven:
    """Drive ``law`` along steps of ``slips`` (n,) in m, ``dts`` in s and ``normals`` in N, both (n,) or one number.

    ``z`` (nz, 3) is the initial state, by default that of a contact that has just closed; it is not changed. Before the
    first step the normal force is that of the first step.

    Raises
    ------
    InputError
        For a step without duration or a state of the wrong size.
    """
    path = np.ascontiguousarray(slips, dtype=np.float64)
    times = np.array(np.broadcast_to(dts, path.shape), dtype=np.float64)
    forces = np.array(np.broadcast_to(normals, path.shape), dtype=np.float64)
    if not np.all(times > 0.0):
        raise InputError("drive_path dts: every step needs a duration above zero")
    record = law.record()[()]
    state = fresh_state(law) if z is None else np.array(z, dtype=np.float64)
    if state.shape != fresh_state(law).shape:
        raise InputError(
            f"{type(law).__name__}: the state has shape {state.shape}: give {fresh_state(law).shape}"
        )
    mus, losses = np.empty_like(path), np.empty_like(path)
    run_slip_path(record, path, times, forces, state, mus, losses)
    return Driven(mus, losses, state)


def fresh_state(law: Any) -> Array:
    """State (nz, 3) of a contact that has just closed; at least one row."""
    return np.zeros((max(1, int(state_count(law.record()[()]))), 3))


def steady_coefficients(law: Any, speeds: ArrayLike) -> tuple[Array, Array]:
    """Steady coefficient (n,) of ``law`` when sliding at ``speeds`` (n,) in m/s, and its last change (n,).

    Starts from a fresh contact, in steps that double up to times beyond the time constants of contacts. A change above
    1e-7 of the coefficient means that the law does not become steady (roughness along the path).
    """
    v = np.ascontiguousarray(speeds, dtype=np.float64)
    mus, changes = np.empty_like(v), np.empty_like(v)
    run_to_steady(law.record()[()], v, fresh_state(law), mus, changes)
    return mus, changes


@kernel
def copy_state(source: np.ndarray, z: np.ndarray) -> None:
    """Copy a state (nz, 3) to z."""
    for n in range(z.shape[0]):
        for k in range(3):
            z[n, k] = source[n, k]


@kernel(void(record(FRICTION_LAW), vector, vector, vector, matrix, vector, vector))
def run_slip_path(
    law: np.void,
    slips: np.ndarray,
    dts: np.ndarray,
    normals: np.ndarray,
    z: np.ndarray,
    mus: np.ndarray,
    losses: np.ndarray,
) -> None:
    """Fill ``mus`` and ``losses`` (n,) along the path and advance ``z`` (nz, 3) to its end."""
    s_m, mu, z_f = np.zeros(3), np.zeros(3), np.zeros_like(z)
    f_n_prev = normals[0] if normals.size else 0.0
    for i in range(slips.size):
        s_m[0] = slips[i]
        losses[i] = friction_force(law, s_m, z, normals[i], f_n_prev, dts[i], mu, z_f)
        mus[i] = mu[0]
        f_n_prev = normals[i]
        copy_state(z_f, z)


@kernel(void(record(FRICTION_LAW), vector, matrix, vector, vector))
def run_to_steady(
    law: np.void, speeds: np.ndarray, fresh: np.ndarray, mus: np.ndarray, changes: np.ndarray
) -> None:
    """Fill ``mus`` and ``changes`` (n,) at ``speeds`` (n,): the coefficient with the least change, and that change."""
    s_m, mu, z, z_f = np.zeros(3), np.zeros(3), np.zeros_like(fresh), np.zeros_like(fresh)
    for i in range(speeds.size):
        copy_state(fresh, z)
        dt, last, changes[i] = FIRST_STEP, 0.0, np.inf
        for _ in range(MAX_DOUBLINGS):
            s_m[0] = speeds[i] * dt
            friction_force(law, s_m, z, 1.0, 1.0, dt, mu, z_f)
            copy_state(z_f, z)
            change, last = abs(mu[0] - last), mu[0]
            if dt >= LONG_STEP and change < changes[i]:
                mus[i], changes[i] = mu[0], change
                if change <= STEADY * abs(mu[0]):
                    break
            dt *= 2.0
