"""Checks against closed forms of rigid-body statics and dynamics."""

from __future__ import annotations

import numpy as np

from fem_mbd.cases.journal_bearing.histories import FAR, NEAR, SETTLED, Histories
from fem_mbd.cases.journal_bearing.parameters import Parameters
from fem_mbd.runs.results.checks import Check, at_most, near
from fem_mbd.runs.results.energy_checks import balance
from fem_mbd.runs.results.result import Result

LEVER, CIRCLE, ROLLING = "lever rule", "friction circle", "small oscillations of a rolling body"


def checks(result: Result, parameters: Parameters) -> list[Check]:
    """Energy balance always; sliding and rest as far as the run reaches them."""
    h, p = Histories(result, parameters), parameters
    found = balance(result.summary)
    if h.time[-1] > min(2 * SETTLED + 0.1, p.standstill):
        found += _sliding(h, p)
    if h.time[-1] > p.standstill + 0.3:
        found += _resting(h, p)
    return found


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
