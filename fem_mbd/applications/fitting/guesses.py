"""Guesses of start values that the user does not give: from the scales of the data, refined by a scan of factors.

A parameter's role (``forms.py``) determines its scale: for coefficients that of force over normal force, for
stiffnesses that of the coefficient over a length of the path, and so on. These are correct within some decades
only; a scan of factors, one parameter after the other, selects among them by the sum of squares.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from fem_mbd.applications.fitting.data import Measurement
from fem_mbd.applications.fitting.forms import LawForm, role, unit
from fem_mbd.errors import InputError

DECADES = tuple(10.0 ** (k / 2) for k in range(-6, 7))
GUESS_FACTORS = (0.5, 0.7, 1.0, 1.4, 2.0)
SWEEPS = 2
SAMPLES = 30  # random points per guessed parameter
# usual values of shape parameters without a default; others: one half
SHAPES = {"K_a": 20.0, "K_1": 1.0}


@dataclass(frozen=True)
class Scales:
    """Scales of the data: largest and usual coefficient, speed in m/s, length of path in m, time in s, normal force in
    N.
    """

    largest: float
    usual: float
    speed: float
    length: float
    time: float
    normal_force: float


def scales_of(data: Measurement) -> Scales:
    """Scales of a measurement; the outermost 2 % of the rows are ignored."""
    mu = np.abs(data.coefficient)
    if data.time is None:
        assert data.velocity is not None
        v, length, time = np.abs(data.velocity), 1e-4, 1.0
    else:
        if data.displacement is not None:
            v = np.abs(np.gradient(data.displacement, data.time))
        else:
            assert data.velocity is not None
            v = np.abs(data.velocity)
        time = float(data.time[-1] - data.time[0])
        length = 0.1 * float(np.mean(v)) * time / (1 + _reversals(data))
    fast = v >= np.median(v)
    return Scales(
        float(np.quantile(mu, 0.98)),
        float(np.median(mu[fast])),
        float(np.quantile(v, 0.98)),
        length,
        0.1 * time,
        float(np.median(data.normal_force)),
    )


def _reversals(data: Measurement) -> int:
    v = np.diff(data.displacement) if data.displacement is not None else data.velocity
    assert v is not None
    symbols = np.sign(v[v != 0.0])
    return int(np.count_nonzero(np.diff(symbols)))


def guess(form: LawForm, name: str, s: Scales) -> float:
    """First guess of one parameter; InputError for one of a law unknown to this package."""
    parameter_role = role(form.kind, name)
    usual = max(s.usual, 1e-6 * s.largest)
    by_name = {
        "mu_s": max(s.largest, 1.05 * usual), "f_1": max(s.largest, 1.05 * usual), "f_2": 0.3 * usual,
        "delta_mu_s": 0.1 * usual, "v_1": 0.2 * s.speed,
        **SHAPES,
    }  # fmt: skip
    by_role = {
        "coefficient": usual,
        "shape": 0.5,
        "length": s.length,
        "speed": 0.1 * s.speed,
        "time": s.time,
        "rate": 10.0 / s.time,
        "acceleration": s.speed / s.time,
        "stiffness": usual / s.length,
        "slope": 10.0 / s.speed,
        "damping": usual / s.speed,
        "viscous": 0.1 * usual / s.speed,
        "quadratic": 0.1 * usual / (s.speed * s.speed),
    }
    if parameter_role not in by_role:
        raise InputError(f"{form.name} {name}: no start value is known: give one")
    value = by_name.get(name, by_role[parameter_role])
    if unit(form.kind, name).startswith("N"):
        value *= s.normal_force
    free = form.free[name]
    return min(max(value, free.low), free.high)


def starts(
    form: LawForm, data: Measurement, cost: Callable[[Mapping[str, float]], float], seed: int = 0
) -> list[dict[str, float]]:
    """One or two start points, the better first: parameters as given, or guessed and then scanned.

    ``cost``: sum of squares at given values, inf where the law rejects them. The second point is the best of some
    random ones (seeded), where two or more parameters are guessed: scanning them one after the other can mislead.
    """
    s = scales_of(data)
    start = {
        name: guess(form, name, s) if free.start is None else free.start for name, free in form.free.items()
    }
    shares = [name for name in start if role(form.kind, name) == "share"]
    start |= {name: start[name] / sum(start[share] for share in shares) for name in shares}
    guessed = [name for name, free in form.free.items() if free.start is None]
    # stiffness and coefficients first: while they are far off, the others have no visible effect
    guessed.sort(key=lambda name: role(form.kind, name) not in ("stiffness", "coefficient", "length"))
    points = [_best_of_scan(form, start, guessed, cost)]
    if len(guessed) > 1:
        rng = np.random.default_rng(seed)
        samples = [_random_point(form, start, guessed, rng) for _ in range(SAMPLES * len(guessed))]
        points.append(_best_of_scan(form, min(samples, key=cost), guessed, cost))
    return sorted(points, key=cost)


def _factors(form: LawForm, name: str) -> tuple[float, ...]:
    return GUESS_FACTORS if role(form.kind, name) in ("coefficient", "shape") else DECADES


def _multiplied(form: LawForm, at: Mapping[str, float], name: str, factor: float) -> dict[str, float]:
    """``at`` with one parameter multiplied, kept within the user's bounds."""
    free = form.free[name]
    return {**at, name: min(max(at[name] * factor, free.low), free.high)}


def _best_of_scan(
    form: LawForm,
    at: Mapping[str, float],
    guessed: Sequence[str],
    cost: Callable[[Mapping[str, float]], float],
) -> dict[str, float]:
    """The best of several factors on each parameter, one after the other."""
    best, point = cost(at), dict(at)
    for _ in range(SWEEPS):
        for name in guessed:
            centre = point
            for factor in _factors(form, name):
                trial = _multiplied(form, centre, name, factor)
                value = cost(trial)
                if value < best:
                    best, point = value, trial
    return point


def _random_point(
    form: LawForm, at: Mapping[str, float], guessed: Sequence[str], rng: np.random.Generator
) -> dict[str, float]:
    point = dict(at)
    for name in guessed:
        # half the decades of the scan, to each side
        factors = _factors(form, name)
        exponent = 1.0 if factors is GUESS_FACTORS else 0.5
        point = _multiplied(form, point, name, factors[-1] ** (exponent * rng.uniform(-1.0, 1.0)))
    return point
