"""Quantities of a run over time, as in the paper's figures, and friction coefficients for its slip.

The coefficients: eqs. 27 and 28 solved exactly, and laws while the slip passes zero.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property, lru_cache

import numpy as np

from fem_mbd.base.arrays import Array, Flags
from fem_mbd.cases.slider_crank_clearance.model import (
    COUPLER,
    COUPLER_MASS,
    CRANK,
    SLIDER_MASS,
    Parameters,
    build,
)
from fem_mbd.friction import FrictionLaw
from fem_mbd.friction.probes.slip_path import drive_path
from fem_mbd.runs.results.result import Result
from fem_mbd.runs.running.runs import run

QUANTITIES = ("position", "velocity", "contact")
TIME_TOLERANCE = 1e-6  # s
STEADY = 0.1  # relative change of the slip velocity up to which the bristles follow
# multiple of the deflection at mu_s that has to be slipped after the joint has closed or the slip has reversed
SETTLING_RATIO = 10.0
SPEEDS = (0.5, 1.0, 1.5, 2.0, 3.0, 6.0)  # limits of the groups of slip speeds, times v_s
MIN_STEPS = 5  # smallest number of steps of a group
BEFORE, AFTER, FINE_STEP = 2e-4, 2e-5, 1e-7  # s, around zero slip; step


@dataclass(frozen=True)
class Histories:
    """Histories over the second revolution of the crank, or over the available part. One row per step, (k,) or (k,
    3).
    """

    result: Result
    parameters: Parameters

    @cached_property
    def rows(self) -> slice:
        turn = self.result.time * self.parameters.omega / (2 * np.pi)
        first = int(np.searchsorted(turn, 1.0 + 1e-9)) if turn[-1] > 1.5 else 1
        return slice(first, len(turn))

    @cached_property
    def time(self) -> Array:
        return self.result.time[self.rows]

    @cached_property
    def dt(self) -> Array:
        return self.result.step["dt"][self.rows]

    @cached_property
    def acceleration(self) -> Array:
        """Acceleration of the slider along i1, mean of each step, m/s^2."""
        return self._rate(self.result.of("slider").velocity[:, 0])

    @cached_property
    def force_on_guide(self) -> Array:
        """Rate of the momentum along i1 of the bodies beyond the joint with clearance, N: zero in free flight."""
        momentum = SLIDER_MASS * self.result.of("slider").velocity[:, 0]
        if self.parameters.clearance_at == "crank":
            momentum = momentum + COUPLER_MASS * self.result.of("coupler").velocity[:, 0]
        return self._rate(momentum)

    def _rate(self, values: Array) -> Array:
        first = self.rows.start
        return np.diff(values[first - 1 : self.rows.stop]) / self.dt

    @cached_property
    def ideal_acceleration(self) -> Array:
        """Acceleration of the slider of the ideal mechanism at the middle of each step, m/s^2."""
        w, t = self.parameters.omega, self.time - 0.5 * self.dt
        ratio = CRANK / COUPLER
        s, c = np.sin(w * t), np.cos(w * t)
        root = np.sqrt(1.0 - (ratio * s) ** 2)
        bend = (c * c - s * s) / root + (ratio * s * c) ** 2 / root**3
        return -(w**2) * CRANK * (c + ratio * bend)

    @cached_property
    def normal_force(self) -> Array:
        return self.result.of("clearance").normal_force[self.rows]

    @cached_property
    def closed(self) -> Flags:
        return self.normal_force > 0.0

    @cached_property
    def tangent(self) -> Array:
        """Direction in which slip and friction are positive: outwards, rotated by +90 degrees about i3."""
        normal = -self.result.of("clearance").normal[self.rows]  # towards the bearing's wall
        return np.stack([-normal[:, 1], normal[:, 0], 0.0 * normal[:, 0]], axis=1)

    @cached_property
    def slip(self) -> Array:
        """Tangential velocity of the journal on the bearing, m/s."""
        slip = self.result.of("clearance").slip_velocity[self.rows]
        return np.einsum("ki,ki->k", slip, self.tangent)

    @cached_property
    def friction(self) -> Array:
        """Friction force on the journal, N."""
        friction = self.result.of("clearance").friction_force[self.rows]
        return np.einsum("ki,ki->k", friction, self.tangent)

    @cached_property
    def coefficient(self) -> Array:
        """-friction / normal force; nan in free flight."""
        return np.where(self.closed, -self.friction / np.where(self.closed, self.normal_force, 1.0), np.nan)

    def reversals(self) -> list[int]:
        """Rows k at which the slip of the closed contact changes its sign between k and k + 1."""
        both = self.closed[:-1] & self.closed[1:]
        return [int(k) for k in np.flatnonzero(both & (np.sign(self.slip[:-1]) != np.sign(self.slip[1:])))]

    def impacts(self) -> int:
        """Number of contact closures of the joint."""
        return int(np.count_nonzero(~self.closed[:-1] & self.closed[1:]))


@lru_cache(maxsize=4)
def companion(parameters: Parameters, friction: str) -> Histories:
    """The same run with another friction law, in memory; takes a few seconds."""
    other = replace(parameters, friction=friction)  # type: ignore[arg-type]
    return Histories(run(build(other), progress=False, quantities=QUANTITIES), other)


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
            decrease = share * (z - end)
            mean = end + (decrease / decay if decay > 0.0 else z - end)
            mu[k] = p.sigma_0 * mean - p.sigma_1 * decrease / dt
            z = z - decrease
        before = closed
    return mu


def bristles_follow(h: Histories) -> Flags:
    """Steps of the closed joint in which bristles have reached steady deflection and slip changes slowly."""
    speed, rate = np.abs(h.slip), np.abs(np.gradient(h.slip, h.time - 0.5 * h.dt))
    start = ~h.closed | (np.roll(np.sign(h.slip), 1) != np.sign(h.slip))
    start[0] = True
    path = np.cumsum(speed * h.dt)
    slipped = path - np.maximum.accumulate(np.where(start, path, 0.0))
    lag = rate * stribeck(h, speed) / (h.parameters.sigma_0 * np.maximum(speed, 1e-12) ** 2)
    settled = slipped > SETTLING_RATIO * h.parameters.mu_s / h.parameters.sigma_0
    return h.closed & settled & (lag < STEADY)


def steady_means(h: Histories) -> list[tuple[float, float, float]]:
    """(mean speed in m/s, mean coefficient, that of the law) of the steps of `bristles_follow`, by groups of speed."""
    speed, along, means = np.abs(h.slip), h.coefficient * np.sign(h.slip), []
    for low, high in zip(SPEEDS, SPEEDS[1:], strict=False):
        rows = bristles_follow(h) & (speed >= low * h.parameters.v_s) & (speed < high * h.parameters.v_s)
        if np.count_nonzero(rows) >= MIN_STEPS:
            mean = float(along[rows].mean()), float(stribeck(h, speed[rows]).mean())
            means.append((float(speed[rows].mean()), *mean))
    return means


def contact_lasts(h: Histories, k: int) -> bool:
    """Whether the joint stays closed around row ``k``, over the time range of `law_along_slip`."""
    start, end = h.time[k] - BEFORE, h.time[k] + AFTER
    rows = (h.time >= start) & (h.time - h.dt <= end)
    return bool(h.time[0] <= start and end <= h.time[-1] and h.closed[rows].all())


def reversal_rows(h: Histories, k: int) -> tuple[int, int] | None:
    """Rows about a reversal at row ``k`` between which friction changes from mu_k in one direction to mu_k in the
    other.

    None where the joint opens, or the slip reverses again, before that.
    """
    size, sign = h.coefficient * np.sign(h.slip[k + 1]), h.parameters.mu_k
    before = np.flatnonzero(~(size[: k + 1] > -sign))
    after = np.flatnonzero(~(size[k + 1 :] < sign))
    if not len(before) or not len(after):
        return None
    first, last = int(before[-1]), int(k + 1 + after[0])
    same_sign = (np.sign(h.slip[k + 1 : last]) == np.sign(h.slip[k + 1])).all()
    return (first, last) if h.closed[first : last + 1].all() and same_sign else None


def law_along_slip(h: Histories, k: int, law: FrictionLaw) -> tuple[Array, Array, Array]:
    """(time from zero slip in s, slip velocity in m/s, coefficient) of ``law`` on the run's slip about row ``k``."""
    middle = h.time - 0.5 * h.dt
    share = h.slip[k] / (h.slip[k] - h.slip[k + 1])
    zero = middle[k] + share * (middle[k + 1] - middle[k])
    time = np.arange(-BEFORE, AFTER, FINE_STEP)
    slip = np.interp(zero + time, middle, h.slip)
    return time, slip, drive_path(law, slip * FINE_STEP, FINE_STEP).mus


def fastest_change(time: Array, coefficient: Array) -> float:
    """Largest change of the coefficient within a microsecond around zero slip."""
    values = coefficient[np.abs(time) < AFTER]
    n = round(TIME_TOLERANCE / FINE_STEP)
    return float(np.abs(values[n:] - values[:-n]).max())
