"""Quantities of a run over time."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from fem_mbd.base.arrays import Array, Flags
from fem_mbd.cases._run_histories import RunHistories
from fem_mbd.cases.journal_bearing.parameters import Parameters
from fem_mbd.cases.journal_bearing.rotor import Rotor, build_rotor

SETTLED = 0.05  # s: from here on means are taken
FAR, NEAR = 0, 1  # edges of the journal


@dataclass(frozen=True)
class Histories(RunHistories[Parameters]):
    """One run."""

    @cached_property
    def rotor(self) -> Rotor:
        return build_rotor(self.parameters)

    @cached_property
    def speed(self) -> Array:
        """Spin (k,) about the rotor's own axis, rad/s."""
        return np.asarray(self.result.of(self.rotor.body).angular_velocity_in_body[:, 0])

    @cached_property
    def contact(self) -> Any:
        """Quantities of the contacts, (k, 2) or (k, 2, 3), of the edges far from the disk and near it."""
        return self.result.of(self.rotor.bearing)

    @property
    def force(self) -> Array:
        """Force (k, 2, 3) of the sleeve on each edge, global axes, N."""
        normal = self.contact["normal_force"][..., None] * self.contact["normal"]
        return np.asarray(self.contact["friction_force"] - normal)

    @property
    def slip_speed(self) -> Array:
        """(k, 2), m/s."""
        return np.asarray(np.linalg.norm(self.contact["slip_velocity"], axis=2))

    @property
    def angle(self) -> Array:
        """Angle (k,) from straight down to the contact of the edge near the disk; positive where friction drags it."""
        normal = self.contact["normal"][:, NEAR]
        return np.asarray(np.arctan2(-normal[:, 1], -normal[:, 2]))

    @cached_property
    def edges(self) -> Array:
        """Centres (k, 2, 3) of the edges, m."""
        body = self.result.of(self.rotor.body)
        place, (w, x, y, z) = body.position, body.quaternion.T
        along = np.stack([1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y)], axis=1)
        half = 0.5 * self.parameters.length * along
        return np.stack([place - half, place + half], axis=1)

    @property
    def sliding(self) -> Flags:
        """Rows from the start, a little left out, to shortly before the standstill."""
        return (self.time > SETTLED) & (self.time < 0.95 * self.parameters.standstill)

    @property
    def resting(self) -> Flags:
        """Rows after the standstill, a little left out."""
        return self.time > self.parameters.standstill + 0.1

    @property
    def stopped(self) -> float:
        """s, when the spin first is zero; nan when it never is."""
        below = np.flatnonzero(self.speed <= 0.0)
        return float(self.time[below[0]]) if len(below) else float("nan")

    @property
    def rocking(self) -> float:
        """rad/s, frequency of the spin's oscillation at rest, from its changes of sign; nan when there are none."""
        time, speed = self.time[self.resting], self.speed[self.resting]
        rising = np.flatnonzero((speed[:-1] < 0) & (speed[1:] >= 0))
        if len(rising) < 2:
            return float("nan")
        share = speed[rising] / (speed[rising] - speed[rising + 1])
        at = time[rising] + share * (time[rising + 1] - time[rising])
        return float(2 * np.pi * (len(at) - 1) / (at[-1] - at[0]))
