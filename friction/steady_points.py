"""Steady friction curves g(V) of any shape: table points or a sampled function, joined by a monotone cubic (PCHIP).

Between two points the curve stays between their values and has no kink; outside the table it is constant.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import scipy

from fem_mbd.base.arrays import Array
from fem_mbd.base.validation import finite, positive
from fem_mbd.errors import InputError
from fem_mbd.friction.blocks import TABLE_POINTS

Points = tuple[tuple[float, float], ...]
Check = Callable[[object, str], float]

DECADES = 3  # above and below v_s, in which a function is sampled
CANDIDATES = 601
FIT_TOLERANCE = 1e-6  # fraction of the largest value: below it no more points are added
LARGEST_ERROR = 1e-2  # likewise: above it a function is refused


def not_negative(value: object, name: str) -> float:
    """`value` as float; InputError unless it is finite and not negative."""
    number = finite(value, name)
    if number < 0.0:
        raise InputError(f"{name} is {number:g}: friction must not push along the slip: give zero or above")
    return number


def checked_points(points: Sequence[Any], name: str, check: Check = positive) -> Points:
    """Pairs of speed (m/s) and g as floats; InputError unless speeds increase and every g passes ``check``."""
    try:
        pairs = [(v, g) for v, g in points]
    except (TypeError, ValueError) as error:
        raise InputError(f"{name} is {points!r}: give pairs of speed in m/s and value") from error
    if not 2 <= len(pairs) <= TABLE_POINTS:
        raise InputError(f"{name} has {len(pairs)} points: give 2 to {TABLE_POINTS}")
    speeds = [finite(v, f"{name}: speed") for v, _ in pairs]
    table = [(v, check(g, f"{name} at {v:g} m/s")) for v, (_, g) in zip(speeds, pairs, strict=True)]
    for (v_0, _), (v_1, _) in zip(table[:-1], table[1:], strict=True):
        if not 0.0 <= v_0 < v_1:
            raise InputError(f"{name}: speeds {v_0:g} and {v_1:g} m/s: they must increase from zero or above")
    return tuple(table)


def given_points(
    g: Callable[[float], float] | Sequence[Any], v_s: float | None, law: str, check: Check = positive
) -> tuple[Points, float]:
    """Points of ``g``, given as points or as a function, and the Stribeck speed, given or estimated from the points."""
    if callable(g):
        if v_s is None:
            raise InputError(f"{law} v_s is missing: give a speed in m/s at which the function g changes")
        return sampled_points(g, positive(v_s, f"{law} v_s"), f"{law} g", check), v_s
    points = checked_points(g, f"{law} g", check)
    return points, stribeck_speed(points) if v_s is None else v_s


def sampled_points(g: Callable[[float], float], v_s: float, name: str, check: Check = positive) -> Points:
    """Points of the function ``g`` of speed in m/s, from rest to 1000 ``v_s``, densest where its curvature is largest.

    InputError if g does not pass ``check`` everywhere, if it jumps, or if 23 points cannot reproduce it to 1 %.
    """
    speeds = np.concatenate([[0.0], np.geomspace(10.0**-DECADES, 10.0**DECADES, CANDIDATES) * v_s])
    values = np.array([check(g(float(v)), f"{name} at {v:g} m/s") for v in speeds])
    _check_jumps(g, speeds, values, name)
    chosen = [0, 1, len(speeds) - 1]
    while True:
        curve = scipy.interpolate.PchipInterpolator(speeds[chosen], values[chosen])
        error = np.abs(curve(speeds) - values) / values.max()
        worst = int(error.argmax())
        if error[worst] <= FIT_TOLERANCE or len(chosen) == TABLE_POINTS:
            break
        chosen = sorted({*chosen, worst})
    if error[worst] > LARGEST_ERROR:
        raise InputError(
            f"{name}: {TABLE_POINTS} points miss it by {100 * error[worst]:.2g} % near {speeds[worst]:.3g} m/s: "
            "give a smoother function, or the points that matter"
        )
    return tuple((float(speeds[i]), float(values[i])) for i in chosen)


def _check_jumps(g: Callable[[float], float], speeds: Array, values: Array, name: str) -> None:
    """InputError, naming the speed, where ``g`` changes by more than 1 % of its largest value at once."""
    allowed = LARGEST_ERROR * values.max()
    for i in np.flatnonzero(np.abs(np.diff(values)) > allowed):
        low, high, below, above = speeds[i], speeds[i + 1], values[i], values[i + 1]
        while abs(above - below) > allowed:
            middle = 0.5 * (low + high)
            if not low < middle < high:
                raise InputError(
                    f"{name} jumps at {middle:.6g} m/s from {below:g} to {above:g}: give a continuous curve"
                )
            value = g(float(middle))
            if abs(value - below) > abs(above - value):
                high, above = middle, value
            else:
                low, below = middle, value


def with_slopes(points: Points) -> Array:
    """Points with the slopes of the monotone cubic, (n, 3): speed in m/s, g, dg/dV in s/m."""
    v, g = np.array(points).T
    return np.column_stack([v, g, scipy.interpolate.PchipInterpolator(v, g).derivative()(v)])


def curve_of(points: Points) -> Callable[[Array], Any]:
    """g(V) through ``points`` for arrays of speeds."""
    v, g = np.array(points).T
    curve = scipy.interpolate.PchipInterpolator(v, g)
    return lambda speed: curve(np.clip(speed, v[0], v[-1]))


def stribeck_speed(points: Points) -> float:
    """Speed (m/s) at which the curve has fallen by 1 - 1/e of the difference between its largest and its last value.

    The largest speed of the table if the curve does not fall.
    """
    v, g = np.array(points).T
    level = g[-1] + (g.max() - g[-1]) * np.exp(-1.0)
    top = int(g.argmax())
    if top == len(v) - 1:
        return float(v[-1])
    curve = scipy.interpolate.PchipInterpolator(v, g)
    fine = np.concatenate([np.linspace(v[i], v[i + 1], 200) for i in range(top, len(v) - 1)])
    return float(fine[np.flatnonzero(curve(fine) <= level)[0]])
