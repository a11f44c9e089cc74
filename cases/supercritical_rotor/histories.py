"""Quantities of a run over time, as the paper draws them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import Any

import numpy as np

from fem_mbd.base.arrays import Array
from fem_mbd.cases._run_histories import RunHistories
from fem_mbd.cases.supercritical_rotor.parameters import Parameters
from fem_mbd.cases.supercritical_rotor.rotor import Rotor, build_rotor
from fem_mbd.cases.supercritical_rotor.set_up import build
from fem_mbd.runs.running.runs import run

SAME_EPISODE = 0.02  # s: openings closer than this belong to one episode of bouncing
RESTORED = 0.05  # s: an impact belongs to the opening that ended at most so long before
QUANTITIES = ("position", "omega", "contact", "reaction")


@dataclass(frozen=True)
class Histories(RunHistories[Parameters]):
    """One run."""

    @cached_property
    def rotor(self) -> Rotor:
        return build_rotor(self.parameters)

    @cached_property
    def speed(self) -> Array:
        """Angular velocity (k,) of the shaft about its axis at R, where the torque acts; rad/s."""
        return np.asarray(self.result.of(self.rotor.shaft.start).angular_velocity_in_body[:, 0])

    @cached_property
    def middle(self) -> Array:
        """Place (k, 2) of the mid-span point M across the axis, m."""
        return np.asarray(self.result.of("disk").position[:, :2])

    @cached_property
    def end(self) -> Array:
        """Place (k, 2) of the end T across the axis, m."""
        return np.asarray(self.result.of(self.rotor.shaft.end).position[:, :2])

    @cached_property
    def contact(self) -> Any:
        return self.result.of("T")

    @property
    def slip_speed(self) -> Array:
        return np.asarray(np.linalg.norm(self.contact["slip_velocity"], axis=1))

    @cached_property
    def root_moment(self) -> Array:
        """Moment (k, 4) of the support on the shaft at R: about fixed axes i1, i2 and section axes 2, 3."""
        joint = self.result.of("R")
        return np.concatenate([joint.reaction.moment[:, :2], joint.reaction_in_l.moment[:, 1:]], axis=1)

    def open_episodes(self, after: float) -> list[tuple[float, float]]:
        """(start, end) in s of the episodes with an open contact that begin after the time ``after``."""
        apart = np.flatnonzero((self.contact["normal_force"] == 0.0) & (self.time > after))
        if not len(apart):
            return []
        breaks = np.flatnonzero(np.diff(self.time[apart]) > SAME_EPISODE) + 1
        return [
            (float(self.time[part[0]] - self.dt[part[0]]), float(self.time[part[-1]]))
            for part in np.split(apart, breaks)
        ]

    def impacts(self, episodes: list[tuple[float, float]]) -> list[float]:
        """N: largest normal force of each episode and of the 0.05 s after it, when contact is restored."""
        force = self.contact["normal_force"]
        return [float(force[self.between(start, end + RESTORED)].max()) for start, end in episodes]


@lru_cache(maxsize=2)
def undamped_histories(parameters: Parameters) -> Histories:
    """The same rotor without structural damping up to `whirl_time`; takes some ten seconds."""
    p = replace(parameters, damping=0.0, end_time=parameters.whirl_time)
    return Histories(run(build(p), progress=False, quantities=QUANTITIES), p)
