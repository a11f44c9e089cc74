"""Force-driven experiment: a body on a contact is pulled along axis 1 by a given force (compiled)."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from fem_mbd.base.arrays import Array
from fem_mbd.core.compiled import kernel
from fem_mbd.core.compiled.signatures import float64, int64, matrix, record, vector
from fem_mbd.errors import InputError
from fem_mbd.friction.blocks import narrowed
from fem_mbd.friction.probes.driving import fresh_state, take_over
from fem_mbd.friction.records import FRICTION_LAW
from fem_mbd.friction.tangential import friction_force

SMALLEST_SLIP = 1e-22  # m, first guess of how far a stuck contact gives way
WIDENINGS, TRIALS, SETTLED = 200, 60, 1e-12


class Pulled(NamedTuple):
    """Displacement (k,) in m and speed (k,) in m/s at the end of steps, their mean coefficient (k,), last state."""

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

    The body starts at rest with the contact's state ``z`` (nz, 3), that of a contact that has just closed when it is
    not given. It stops after the step that has taken it beyond both ``until``, displacement in m and speed in m/s.
    Implicit Euler: what a step is too long for is damped, a long step is quasi-static.

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
    moved = np.empty((path.size, 3))
    done = drag(law.record()[()], path, times, mass, *map(float, until), state, moved)
    return Pulled(moved[:done, 0], moved[:done, 1], moved[:done, 2], state)


@kernel(int64(record(FRICTION_LAW), vector, vector, float64, float64, float64, matrix, matrix))
def drag(
    law: np.void,
    loads: np.ndarray,
    dts: np.ndarray,
    mass: float,
    far: float,
    fast: float,
    z: np.ndarray,
    moved: np.ndarray,
) -> int:
    """Fill ``moved`` (n, 3), displacement, speed and coefficient, and bring ``z`` to its end; the number of steps."""
    s_m, mu, z_f = np.zeros(3), np.zeros(3), np.zeros_like(z)
    x, v, change = 0.0, 0.0, 0.0
    for i in range(loads.size):
        last = v
        v = _speed(law, loads[i], dts[i], mass, last, change, s_m, mu, z, z_f)
        change = abs(v - last)
        _surplus(law, v, loads[i], dts[i], mass, last, s_m, mu, z, z_f)
        x += v * dts[i]
        moved[i, 0], moved[i, 1], moved[i, 2] = x, v, mu[0]
        take_over(z_f, z)
        if x >= far and v >= fast:
            return i + 1
    return loads.size


@kernel
def _surplus(
    law: np.void,
    v: float,
    load: float,
    dt: float,
    mass: float,
    last: float,
    s_m: np.ndarray,
    mu: np.ndarray,
    z: np.ndarray,
    z_f: np.ndarray,
) -> float:
    """Inertia and friction less the load, N, when the step ends at the speed ``v``."""
    s_m[0] = v * dt
    friction_force(law, s_m, z, 1.0, 1.0, dt, mu, z_f)
    return mass * (v - last) / dt + mu[0] - load


@kernel
def _speed(
    law: np.void,
    load: float,
    dt: float,
    mass: float,
    last: float,
    change: float,
    s_m: np.ndarray,
    mu: np.ndarray,
    z: np.ndarray,
    z_f: np.ndarray,
) -> float:
    """The speed nearest to ``last`` that balances the body: outwards in doubling steps, then regula falsi."""
    near = last
    f_near = _surplus(law, near, load, dt, mass, last, s_m, mu, z, z_f)
    if f_near == 0.0:
        return near
    stride = max(0.25 * change, SMALLEST_SLIP / dt) * (1.0 if f_near < 0.0 else -1.0)
    far, f_far = near, f_near
    for _ in range(WIDENINGS):
        far = far + stride
        f_far = _surplus(law, far, load, dt, mass, last, s_m, mu, z, z_f)
        if (f_far > 0.0) != (f_near > 0.0):
            break
        near, f_near, stride = far, f_far, 2.0 * stride
    low, f_low, high, f_high, side = near, f_near, far, f_far, 0
    if f_near > 0.0:
        low, f_low, high, f_high = far, f_far, near, f_near
    for trial in range(TRIALS):
        middle = (low * f_high - high * f_low) / (f_high - f_low)
        if trial % 4 == 3:
            middle = 0.5 * (low + high)
        f = _surplus(law, middle, load, dt, mass, last, s_m, mu, z, z_f)
        if abs(f) <= SETTLED * abs(load) or abs(high - low) <= 1e-15 * abs(high):
            return middle
        low, f_low, high, f_high, side = narrowed(low, f_low, high, f_high, side, middle, f)
    return 0.5 * (low + high)
