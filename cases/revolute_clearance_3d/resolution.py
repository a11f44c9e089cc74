"""Resolution check: peaks of the contact forces with half the step, for every impact before the two runs diverge.

The motion is chaotic: the change of one impact due to a halved step grows by a factor of e in 4 ms. Runs represent the
same motion as long as their mass centres are close compared with the depth of the lightest impacts, some 3 um; later
peaks belong to other impacts.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from fem_mbd.base.arrays import Array
from fem_mbd.cases.revolute_clearance_3d.histories import Histories, in_memory
from fem_mbd.cases.revolute_clearance_3d.outcomes import SIMULATIONS
from fem_mbd.cases.revolute_clearance_3d.parameters import Parameters
from fem_mbd.runs.results.checks import Check, at_least, at_most

FIRST = 0.02  # s, contains the first impacts of all simulations; shorter runs are not compared
LAST = 0.045  # s, at which all simulations have diverged
PARTED = 1e-6  # m
BODIES = ("crank", "rod", "slider")
WITHIN = 0.02


def resolved(own: Histories, p: Parameters) -> list[Check]:
    """Checks of the run itself, and of the other clearances where it has no friction."""
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
    """Checks that there are impacts before the runs diverge, and of the largest change of their peaks."""
    until = parting(coarse, fine)
    one, other = (impact_peaks(h.time, h.force, until) for h in (coarse, fine))
    both = min(len(one), len(other))  # the last impact may end before and after the divergence
    change = float(np.abs(one[:both] / other[:both] - 1.0).max(initial=0.0))
    name, source = f"simulation {simulation}: ", "the same with half the step size"
    return [
        at_least(f"{name}impacts before the runs diverge", both, 2, f"they diverge at {until:.3g} s"),
        at_most(f"{name}largest change of their peak forces", change, WITHIN, source),
    ]


def parting(one: Histories, other: Histories) -> float:
    """First time (s) at which the mass centres of a body in two runs are `PARTED` apart, or the end of the shorter
    run.
    """
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
    """Largest force (N) of each impact that ends by ``until`` (s); impacts are separated by steps without contact."""
    closed = np.concatenate([[False], force > 0.0, [False]]).astype(int)
    first, after = np.flatnonzero(np.diff(closed) == 1), np.flatnonzero(np.diff(closed) == -1)
    over = [(a, b) for a, b in zip(first, after, strict=True) if b < len(time) and time[b] <= until]
    return np.array([force[a:b].max() for a, b in over])
