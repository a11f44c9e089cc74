"""Quantities of a run over time, and checks against closed forms of rigid-body statics and dynamics."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from fem_mbd.base.arrays import Array, Flags
from fem_mbd.cases._run_histories import RunHistories
from fem_mbd.cases.journal_bearing.model import Parameters, Rotor, build_rotor
from fem_mbd.runs.results.checks import Check, at_most, balance, near
from fem_mbd.runs.results.result import Result

SETTLED = 0.05  # s: means are taken from this time on
FAR, NEAR = 0, 1  # indices of the journal's edges
LEVER, CIRCLE, ROLLING = "lever rule", "friction circle", "small oscillations of a rolling body"


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
        return np.asarray(self.contact["friction_force"] + normal)

    @property
    def slip_speed(self) -> Array:
        """(k, 2), m/s."""
        return np.asarray(np.linalg.norm(self.contact["slip_velocity"], axis=2))

    @property
    def angle(self) -> Array:
        """Angle (k,) from vertically down to the contact of the edge near the disk; positive in the direction of
        friction.
        """
        normal = self.contact["normal"][:, NEAR]
        return np.asarray(np.arctan2(normal[:, 1], normal[:, 2]))

    @cached_property
    def edges(self) -> Array:
        """Centres (k, 2, 3) of the edges, m."""
        body = self.result.of(self.rotor.body)
        position, (w, x, y, z) = body.position, body.quaternion.T
        along = np.stack([1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y)], axis=1)
        half = 0.5 * self.parameters.length * along
        return np.stack([position - half, position + half], axis=1)

    @property
    def sliding(self) -> Flags:
        """Rows of sliding, without the start and the end shortly before the standstill."""
        return (self.time > SETTLED) & (self.time < 0.95 * self.parameters.standstill)

    @property
    def resting(self) -> Flags:
        """Rows after the standstill, without its beginning."""
        return self.time > self.parameters.standstill + 0.1

    @property
    def stopped(self) -> float:
        """Time (s) at which the spin first is zero; nan when it never is."""
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
        crossings = time[rising] + share * (time[rising + 1] - time[rising])
        return float(2 * np.pi * (len(crossings) - 1) / (crossings[-1] - crossings[0]))


def checks(result: Result, parameters: Parameters) -> list[Check]:
    """Energy balance always; sliding and rest as far as the run reaches them."""
    h, p = Histories(result, parameters), parameters
    checks = balance(result.summary)
    if h.time[-1] > min(2 * SETTLED + 0.1, p.standstill):
        checks += _sliding(h, p)
    if h.time[-1] > p.standstill + 0.3:
        checks += _resting(h, p)
    return checks


def _sliding(h: Histories, p: Parameters) -> list[Check]:
    rows = h.sliding
    up = h.force[..., 2]
    time, speed = h.time[rows], h.speed[rows]
    slowing = float(-(speed[-1] - speed[0]) / (time[-1] - time[0]))
    normal = h.contact["normal"][rows]
    opposite = float(np.einsum("ki,ki->k", normal[:, FAR], normal[:, NEAR]).max())
    return [
        near(
            "mean force on the edge far from the disk [N]",
            -h.mean(up[:, FAR], rows),
            p.reactions[0],
            0.01,
            LEVER,
        ),
        near(
            "mean force on the edge near the disk [N]", h.mean(up[:, NEAR], rows), p.reactions[1], 0.01, LEVER
        ),
        at_most("cosine between the normals of the two edges", opposite, -0.999, LEVER),
        near("mean angle of the contact [rad]", h.mean(h.angle, rows), p.friction_angle, 0.01, CIRCLE),
        near("deceleration [rad/s^2]", slowing, p.deceleration, 5e-3, CIRCLE),
    ]


def _resting(h: Histories, p: Parameters) -> list[Check]:
    slip = float(h.slip_speed[h.resting].max())
    return [
        near("standstill [s]", h.stopped, p.standstill, 0.01, CIRCLE),
        at_most("slip at rest [m/s]", slip, p.stribeck_velocity, "the journal sticks and rolls"),
        near("frequency of rocking at rest [rad/s]", h.rocking, p.rocking, 0.01, ROLLING),
    ]
