"""Peaks of the contact forces under half the step, of every impact before the runs part.

The motion is chaotic: what a halved step changes in one impact grows by a factor of e in 4 ms. Runs are the same motion
as long as their mass centres are close beside the depth of the lightest impacts, some 3 um; peaks after that belong to
other impacts.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from fem_mbd.base.arrays import Array
from fem_mbd.cases.revolute_clearance_3d.histories import Histories, in_memory
from fem_mbd.cases.revolute_clearance_3d.outcomes import SIMULATIONS
from fem_mbd.cases.revolute_clearance_3d.parameters import Parameters
from fem_mbd.runs.results.checks import Check, at_least, at_most

FIRST = 0.02  # s, with the first impacts of all simulations; shorter runs are not compared
LAST = 0.045  # s, at which all simulations have parted
PARTED = 1e-6  # m
BODIES = ("crank", "rod", "slider")
WITHIN = 0.02


def resolved(own: Histories, p: Parameters) -> list[Check]:
    """Of the run itself, and of the other clearances where it is free of friction."""
    if p.end_time < FIRST:
        return []
    coarse = replace(p, end_time=min(p.end_time, LAST))
    runs = {p.simulation: own}
    if p.friction == "none":
        others = (n for n in SIMULATIONS if n != p.simulation)
        runs |= {n: in_memory(replace(coarse, simulation=n)) for n in others}
    finer = replace(coarse, penetration=0.5 * p.penetration, dt_max=0.5 * p.dt_max)
    return [
        check
        for n, run in sorted(runs.items())
        for check in _compared(n, run, in_memory(replace(finer, simulation=n)))
    ]


def _compared(simulation: int, coarse: Histories, fine: Histories) -> list[Check]:
    """That there are impacts before the runs part, and the largest change of their peaks, one by one."""
    until = parting(coarse, fine)
    one, other = (impact_peaks(h.time, h.force, until) for h in (coarse, fine))
    both = min(len(one), len(other))  # the last one may be over before and after the runs part
    change = float(np.abs(one[:both] / other[:both] - 1.0).max(initial=0.0))
    name, source = f"simulation {simulation}: ", "the same with half the steps"
    return [
        at_least(f"{name}impacts before the runs part", both, 2, f"they do at {until:.3g} s"),
        at_most(f"{name}largest change of their peak forces", change, WITHIN, source),
    ]


def parting(one: Histories, other: Histories) -> float:
    """First time (s) at which a body's mass centres in two runs are `PARTED` from each other, or the shorter's end."""
    time = other.time[other.time <= one.time[-1]]
    apart = np.zeros(len(time))
    for body in BODIES:
        first, second = (h.result.of(body).position for h in (one, other))
        for i in range(3):
            moved = np.interp(time, one.time, first[:, i]) - np.interp(time, other.time, second[:, i])
            apart = np.maximum(apart, np.abs(moved))
    parted = np.flatnonzero(apart > PARTED)
    return float(time[parted[0]] if len(parted) else time[-1])


def impact_peaks(time: Array, force: Array, until: float) -> Array:
    """Largest force (N) of each impact that is over by ``until`` (s); an impact is what lies between open steps."""
    closed = np.concatenate([[False], force > 0.0, [False]]).astype(int)
    first, after = np.flatnonzero(np.diff(closed) == 1), np.flatnonzero(np.diff(closed) == -1)
    over = [(a, b) for a, b in zip(first, after, strict=True) if b < len(time) and time[b] <= until]
    return np.array([force[a:b].max() for a, b in over])
