"""Quantities of a run over time, as the paper draws them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property, lru_cache

import numpy as np

from fem_mbd.base.arrays import Array, Flags
from fem_mbd.cases.slider_crank_clearance.mechanism import (
    COUPLER,
    COUPLER_MASS,
    CRANK,
    SLIDER_MASS,
)
from fem_mbd.cases.slider_crank_clearance.parameters import Parameters
from fem_mbd.cases.slider_crank_clearance.set_up import build
from fem_mbd.runs.results.result import Result
from fem_mbd.runs.running.runs import run

QUANTITIES = ("position", "velocity", "contact")


@dataclass(frozen=True)
class Histories:
    """One run, seen over its second turn of the crank, or what there is. One row per step, (k,) or (k, 3)."""

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
        """Of the slider along i1, mean of each step, m/s^2."""
        return self._rate(self.result.of("slider").velocity[:, 0])

    @cached_property
    def force_on_guide(self) -> Array:
        """Rate of the momentum along i1 of what the joint with clearance cuts off, N: zero in free flight."""
        momentum = SLIDER_MASS * self.result.of("slider").velocity[:, 0]
        if self.parameters.clearance_at == "crank":
            momentum = momentum + COUPLER_MASS * self.result.of("coupler").velocity[:, 0]
        return self._rate(momentum)

    def _rate(self, values: Array) -> Array:
        first = self.rows.start
        return np.diff(values[first - 1 : self.rows.stop]) / self.dt

    @cached_property
    def ideal_acceleration(self) -> Array:
        """Of the slider of the ideal mechanism at the middle of each step, m/s^2."""
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
        """Direction that slip and friction are counted in: the normal turned by +90 degrees about i3."""
        normal = self.result.of("clearance").normal[self.rows]
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
        """Rows k at which slip of the closed contact has another sign than at k + 1."""
        both = self.closed[:-1] & self.closed[1:]
        return [int(k) for k in np.flatnonzero(both & (np.sign(self.slip[:-1]) != np.sign(self.slip[1:])))]

    def impacts(self) -> int:
        """Number of times that the open joint closes."""
        return int(np.count_nonzero(~self.closed[:-1] & self.closed[1:]))


@lru_cache(maxsize=4)
def companion(parameters: Parameters, friction: str) -> Histories:
    """The same run with another friction law, in memory; takes a few seconds."""
    other = replace(parameters, friction=friction)  # type: ignore[arg-type]
    return Histories(run(build(other), progress=False, quantities=QUANTITIES), other)
