"""What friction laws make of the slip of a run: eqs. 27 and 28 solved exactly, and laws while the slip passes zero."""

from __future__ import annotations

import numpy as np

from fem_mbd.base.arrays import Array, Flags
from fem_mbd.cases.slider_crank_clearance.histories import Histories
from fem_mbd.friction import FrictionLaw
from fem_mbd.friction.probes.slip_path import drive_path

BEFORE, AFTER, FINE = 2e-4, 2e-5, 1e-7  # s, around zero slip; step
WITHIN = 1e-6  # s
STEADY = 0.1  # of the slip velocity, by which it may change while the bristles follow
CAUGHT_UP = 10.0  # times the deflection at mu_s, slipped since the joint closed or the slip turned round
SPEEDS = (0.5, 1.0, 1.5, 2.0, 3.0, 6.0)  # bounds of the groups of slip speeds, times v_s
ENOUGH = 5  # steps of a group


def stribeck(h: Histories, speed: Array) -> Array:
    """Steady coefficient of the law at ``speed`` in m/s."""
    p = h.parameters
    return p.mu_k + (p.mu_s - p.mu_k) * np.exp(-((speed / p.v_s) ** 2))


def exact_coefficient(h: Histories) -> Array:
    """Mean coefficient of each step by eqs. 27 and 28, whose solution is an exponential while slip is constant.

    Bristles start undeflected where the joint closes, saturated where the histories start with a closed joint.
    """
    p, mu, z = h.parameters, np.full(len(h.slip), np.nan), np.nan
    curve = stribeck(h, np.abs(h.slip))
    decays = p.sigma_0 * np.abs(h.slip) * h.dt / curve
    columns = h.dt, np.sign(h.slip) * curve / p.sigma_0, decays, -np.expm1(-decays), h.closed
    before = True
    for k, (dt, end, decay, share, closed) in enumerate(zip(*(c.tolist() for c in columns), strict=True)):
        if closed:
            z = end if k == 0 else (z if before else 0.0)
            gone = share * (z - end)
            mean = end + (gone / decay if decay > 0.0 else z - end)
            mu[k] = p.sigma_0 * mean - p.sigma_1 * gone / dt
            z = z - gone
        before = closed
    return mu


def follows(h: Histories) -> Flags:
    """Steps of the closed joint in which the bristles have caught up and slip changes so slowly that they follow it."""
    speed, rate = np.abs(h.slip), np.abs(np.gradient(h.slip, h.time - 0.5 * h.dt))
    start = ~h.closed | (np.roll(np.sign(h.slip), 1) != np.sign(h.slip))
    start[0] = True
    path = np.cumsum(speed * h.dt)
    since = path - np.maximum.accumulate(np.where(start, path, 0.0))
    lag = rate * stribeck(h, speed) / (h.parameters.sigma_0 * np.maximum(speed, 1e-12) ** 2)
    caught_up = since > CAUGHT_UP * h.parameters.mu_s / h.parameters.sigma_0
    return h.closed & caught_up & (lag < STEADY)


def steady_means(h: Histories) -> list[tuple[float, float, float]]:
    """(mean speed in m/s, mean coefficient, that of the law) of the steps that `follows` names, by groups of speed."""
    speed, along, found = np.abs(h.slip), h.coefficient * np.sign(h.slip), []
    for low, high in zip(SPEEDS, SPEEDS[1:], strict=False):
        rows = follows(h) & (speed >= low * h.parameters.v_s) & (speed < high * h.parameters.v_s)
        if np.count_nonzero(rows) >= ENOUGH:
            mean = float(along[rows].mean()), float(stribeck(h, speed[rows]).mean())
            found.append((float(speed[rows].mean()), *mean))
    return found


def lasts(h: Histories, k: int) -> bool:
    """Whether the joint stays closed around row ``k``, as long as `along_passing` looks at it."""
    start, end = h.time[k] - BEFORE, h.time[k] + AFTER
    near = (h.time >= start) & (h.time - h.dt <= end)
    return bool(h.time[0] <= start and end <= h.time[-1] and h.closed[near].all())


def turning(h: Histories, k: int) -> tuple[int, int] | None:
    """Rows about a reversal at row ``k`` between which friction turns from mu_k one way to mu_k the other way.

    None where the joint opens, or the slip turns back, before it has.
    """
    size, sign = h.coefficient * np.sign(h.slip[k + 1]), h.parameters.mu_k
    before = np.flatnonzero(~(size[: k + 1] > -sign))
    after = np.flatnonzero(~(size[k + 1 :] < sign))
    if not len(before) or not len(after):
        return None
    first, last = int(before[-1]), int(k + 1 + after[0])
    there = (
        h.closed[first : last + 1].all() and (np.sign(h.slip[k + 1 : last]) == np.sign(h.slip[k + 1])).all()
    )
    return (first, last) if there else None


def along_passing(h: Histories, k: int, law: FrictionLaw) -> tuple[Array, Array, Array]:
    """(time from zero slip in s, slip velocity in m/s, coefficient) of ``law`` on the run's slip about row ``k``."""
    middle = h.time - 0.5 * h.dt
    share = h.slip[k] / (h.slip[k] - h.slip[k + 1])
    zero = middle[k] + share * (middle[k + 1] - middle[k])
    time = np.arange(-BEFORE, AFTER, FINE)
    slip = np.interp(zero + time, middle, h.slip)
    return time, slip, drive_path(law, slip * FINE, FINE).mus


def fastest_change(time: Array, coefficient: Array) -> float:
    """Largest change of the coefficient within a microsecond around zero slip."""
    near = coefficient[np.abs(time) < AFTER]
    n = round(WITHIN / FINE)
    return float(np.abs(near[n:] - near[:-n]).max())
