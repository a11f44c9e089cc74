"""Motion of a body on a friction contact, pulled along axis 1 by a given force, compiled."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from fem_mbd.base.arrays import Array
from fem_mbd.core.compiled import kernel
from fem_mbd.core.compiled.signatures import float64, int64, matrix, record, vector
from fem_mbd.errors import InputError
from fem_mbd.friction.blocks import narrow_bracket
from fem_mbd.friction.probes.slip_path import copy_state, fresh_state
from fem_mbd.friction.records import FRICTION_LAW
from fem_mbd.friction.tangential import friction_force

SMALLEST_SLIP = 1e-22  # m, first guess of the slip of a stuck contact
MAX_DOUBLINGS, MAX_ITERATIONS, TOLERANCE = 200, 60, 1e-12


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
def _residual(
    law: np.void,
    v: float,
    load: float,
    dt: float,
    mass: float,
    v_i: float,
    s_m: np.ndarray,
    mu: np.ndarray,
    z: np.ndarray,
    z_f: np.ndarray,
) -> float:
    """Inertia plus friction minus load, N, when the step ends at the speed ``v``."""
    s_m[0] = v * dt
    friction_force(law, s_m, z, 1.0, 1.0, dt, mu, z_f)
    return mass * (v - v_i) / dt + mu[0] - load


@kernel
def _speed(
    law: np.void,
    load: float,
    dt: float,
    mass: float,
    v_i: float,
    change: float,
    s_m: np.ndarray,
    mu: np.ndarray,
    z: np.ndarray,
    z_f: np.ndarray,
) -> float:
    """The equilibrium speed nearest to ``v_i``: bracketed in doubling steps, then regula falsi."""
    near = v_i
    f_near = _residual(law, near, load, dt, mass, v_i, s_m, mu, z, z_f)
    if f_near == 0.0:
        return near
    width = max(0.25 * change, SMALLEST_SLIP / dt) * (1.0 if f_near < 0.0 else -1.0)
    far, f_far = near, f_near
    for _ in range(MAX_DOUBLINGS):
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
