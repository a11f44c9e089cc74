"""Drivers that take one friction law along a straight slip path, for probes, figures and fits (compiled).

A path is a sequence of steps along axis 1, each with slip (m), duration (s) and normal force (N). The results of a step
are the law's mean coefficient and the energy dissipated according to ``tangential.friction_force``.

Motion of a body on a friction contact, pulled along axis 1 by a given force, compiled.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from fem_mbd.base.arrays import Array
from fem_mbd.core.compiled import kernel
from fem_mbd.core.compiled.signatures import float64, int64, matrix, record, vector, void
from fem_mbd.errors import InputError
from fem_mbd.friction.blocks import narrow_bracket
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


SMALLEST_SLIP = 1e-22  # m, first guess of the slip of a stuck contact
MOST_DOUBLINGS, MAX_ITERATIONS, TOLERANCE = 200, 60, 1e-12


class Pulled(NamedTuple):
    """Displacement (k,) in m and speed (k,) in m/s at the end of steps, their mean coefficient (k,), final state."""

    x: Array
    v: Array
    mus: Array
    z: Array


def pull(
    law: Any,
    loads: ArrayLike,
    dts: ArrayLike,
    mass: float,
    z: Array | None = None,
    until: tuple[float, float] = (np.inf, np.inf),
) -> Pulled:
    """Pull a body of ``mass`` (kg) on a contact under 1 N with forces ``loads`` (n,) in N for ``dts`` (n,) in s.

    The body starts at rest with the contact's state ``z`` (nz, 3), by default that of a contact that has just closed.
    The run ends after the step in which the body exceeds both ``until``, displacement in m and speed in m/s. Implicit
    Euler: vibrations that a step does not resolve are damped; a long step is quasi-static.

    Raises
    ------
    InputError
        For a mass or a duration that is not above zero.
    """
    path = np.ascontiguousarray(loads, dtype=np.float64)
    times = np.array(np.broadcast_to(dts, path.shape), dtype=np.float64)
    if not (mass > 0.0 and np.all(times > 0.0)):
        raise InputError("pull: the mass and the duration of every step must be above zero")
    state = fresh_state(law) if z is None else np.array(z, dtype=np.float64)
    results = np.empty((path.size, 3))
    done = run_force_path(law.record()[()], path, times, mass, *map(float, until), state, results)
    return Pulled(results[:done, 0], results[:done, 1], results[:done, 2], state)


@kernel(int64(record(FRICTION_LAW), vector, vector, float64, float64, float64, matrix, matrix))
def run_force_path(
    law: np.void,
    loads: np.ndarray,
    dts: np.ndarray,
    mass: float,
    far: float,
    fast: float,
    z: np.ndarray,
    results: np.ndarray,
) -> int:
    """Fill ``results`` (n, 3), displacement, speed and coefficient, advance ``z``; return the number of steps."""
    s_m, mu, z_f = np.zeros(3), np.zeros(3), np.zeros_like(z)
    x, v, change = 0.0, 0.0, 0.0
    for i in range(loads.size):
        v_i = v
        v = _speed(law, loads[i], dts[i], mass, v_i, change, s_m, mu, z, z_f)
        change = abs(v - v_i)
        _residual(law, v, loads[i], dts[i], mass, v_i, s_m, mu, z, z_f)
        x += v * dts[i]
        results[i, 0], results[i, 1], results[i, 2] = x, v, mu[0]
        copy_state(z_f, z)
        if x >= far and v >= fast:
            return i + 1
    return loads.size


@kernel
def _residual(law, v, load, dt, mass, v_i, s_m, mu, z, z_f):
    """Inertia plus friction minus load, N, when the step ends at the speed ``v``."""
    s_m[0] = v * dt
    friction_force(law, s_m, z, 1.0, 1.0, dt, mu, z_f)
    return mass * (v - v_i) / dt + mu[0] - load


@kernel
def _speed(law, load, dt, mass, v_i, change, s_m, mu, z, z_f):
    """The equilibrium speed nearest to ``v_i``: bracketed in doubling steps, then regula falsi."""
    near = v_i
    f_near = _residual(law, near, load, dt, mass, v_i, s_m, mu, z, z_f)
    if f_near == 0.0:
        return near
    width = max(0.25 * change, SMALLEST_SLIP / dt) * (1.0 if f_near < 0.0 else -1.0)
    far, f_far = near, f_near
    for _ in range(MOST_DOUBLINGS):
        far = far + width
        f_far = _residual(law, far, load, dt, mass, v_i, s_m, mu, z, z_f)
        if (f_far > 0.0) != (f_near > 0.0):
            break
        near, f_near, width = far, f_far, 2.0 * width
    low, f_low, high, f_high, side = near, f_near, far, f_far, 0
    if f_near > 0.0:
        low, f_low, high, f_high = far, f_far, near, f_near
    for trial in range(MAX_ITERATIONS):
        middle = (low * f_high - high * f_low) / (f_high - f_low)
        if trial % 4 == 3:
            middle = 0.5 * (low + high)
        f = _residual(law, middle, load, dt, mass, v_i, s_m, mu, z, z_f)
        if abs(f) <= TOLERANCE * abs(load) or abs(high - low) <= 1e-15 * abs(high):
            return middle
        low, f_low, high, f_high, side = narrow_bracket(low, f_low, high, f_high, side, middle, f)
    return 0.5 * (low + high)
