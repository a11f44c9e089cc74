"""Impact of a mass on a wall with a contact law, compiled: restitution, force, indentation."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from fem_mbd.base.arrays import Array
from fem_mbd.core.compiled import kernel
from fem_mbd.core.compiled.signatures import float64, int64, record, vector
from fem_mbd.errors import InputError
from fem_mbd.friction.normal.dispatch import impact_speed, normal_force
from fem_mbd.friction.records import NORMAL_LAW

FIRST_STEP, STEPS, MAX_STEPS, REFINEMENTS = 1e-4, 4000, 40_000, 12
MAX_ITERATIONS = 100


class Impact(NamedTuple):
    """Restitution, least and largest force (N), deepest indentation (m) and duration (s)."""

    restitution: float
    least: float
    largest: float
    deepest: float
    duration: float


def impact(law: Any, speed: float, mass: float) -> Impact:
    """Impact of ``mass`` (kg) at ``speed`` (m/s), in 4000 steps or more.

    Raises
    ------
    InputError
        For a speed or mass that is not above zero, or when the mass does not rebound.
    """
    if not (speed > 0.0 and mass > 0.0):
        raise InputError("impact: speed and mass must be above zero")
    record, dt, results = law.record()[()], FIRST_STEP, np.zeros(5)
    for _ in range(REFINEMENTS):
        steps = run_impact(record, mass, speed, dt, results)
        if steps < 0:
            raise InputError(f"{type(law).__name__}: the mass does not come back from the wall")
        if steps >= STEPS:
            break
        dt *= max(0.8 * steps / STEPS, 0.01)
    return Impact(*(float(number) for number in results))


def impact_path(law: Any, speed: float, mass: float, steps: int = 400) -> Array:
    """Time (s), indentation (m) and force (N) in the middle of each of about ``steps`` steps of an impact, (n, 3)."""
    record, dt = law.record()[()], impact(law, speed, mass).duration / steps
    rows: list[tuple[float, float, float]] = []
    q, v, v_0, deepest = record["reach"], -speed, 0.0, 0.0
    while q < record["reach"] or v < 0.0:
        v_f = end_velocity(record, mass, q, v, v_0, deepest, dt)
        q_f = q + 0.5 * dt * (v + v_f)
        rows.append(
            ((len(rows) + 0.5) * dt, -0.5 * (q + q_f), normal_force(record, q, q_f, dt, v_0, deepest)[0])
        )
        v_0, deepest = impact_speed(record, v_0, q, q_f, dt), max(deepest, -q_f)
        q, v = q_f, v_f
    return np.array(rows)


@kernel(int64(record(NORMAL_LAW), float64, float64, float64, vector))
def run_impact(law: np.void, mass: float, speed: float, dt: float, results: np.ndarray) -> int:
    """Fill ``results`` (5,), the fields of ``Impact``; return the number of steps, -1 when the mass stays."""
    q, v, v_0, deepest = law["reach"], -speed, 0.0, 0.0
    results[:] = 0.0
    results[1] = np.inf
    for i in range(MAX_STEPS):
        v_f = end_velocity(law, mass, q, v, v_0, deepest, dt)
        q_f = q + 0.5 * dt * (v + v_f)
        f_n, _ = normal_force(law, q, q_f, dt, v_0, deepest)
        results[1], results[2], results[3] = min(results[1], f_n), max(results[2], f_n), max(results[3], -q_f)
        v_0, deepest = impact_speed(law, v_0, q, q_f, dt), max(deepest, -q_f)
        q, v = q_f, v_f
        if q >= law["reach"] and v > 0.0:
            results[0], results[4] = v / speed, (i + 1) * dt
            return i + 1
    return -1


@kernel
def _residual(law, mass, q, v, v_f, v_0, deepest, dt):
    """Change of momentum less impulse, N s, when the step ends with ``v_f``."""
    return mass * (v_f - v) - dt * normal_force(law, q, q + 0.5 * dt * (v + v_f), dt, v_0, deepest)[0]


@kernel(float64(record(NORMAL_LAW), float64, float64, float64, float64, float64, float64))
def end_velocity(
    law: np.void, mass: float, q: float, v: float, v_0: float, deepest: float, dt: float
) -> float:
    """Gap velocity (m/s) at the end of the step, bracketed: a repulsive force decreases with it."""
    low, f_low = v, _residual(law, mass, q, v, v, v_0, deepest, dt)
    high = v - f_low / mass
    f_high = _residual(law, mass, q, v, high, v_0, deepest, dt)
    if f_low > 0.0:
        low, f_low, high, f_high = high, f_high, low, f_low
        while f_low > 0.0:
            low -= high - low
            f_low = _residual(law, mass, q, v, low, v_0, deepest, dt)
    if f_low >= 0.0 or f_high <= 0.0:
        return high  # the force is so small that the bounds agree up to round-off
    side = 0
    for trial in range(MAX_ITERATIONS):
        middle = (low * f_high - high * f_low) / (f_high - f_low) if trial % 4 < 3 else 0.5 * (low + high)
        f = _residual(law, mass, q, v, middle, v_0, deepest, dt)
        if f == 0.0 or high - low <= 4e-16 * (abs(high) + abs(low)):
            return middle
        if f > 0.0:
            high, f_high = middle, f
            f_low = 0.5 * f_low if side == 1 else f_low
            side = 1
        else:
            low, f_low = middle, f
            f_high = 0.5 * f_high if side == -1 else f_high
            side = -1
    return 0.5 * (low + high)
