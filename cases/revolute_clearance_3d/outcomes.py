"""Outcomes of runs from several neighbouring starts, for statistical statements about a chaotic motion.

Table 2.2 of the source gives the crank's speed to 1e-4 rad/s. Starts that differ by less are equivalent to it; here
they diverge within 0.1 s (docs/how-to/chaos.md) and have only their statistics in common for the rest of the second.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache
from typing import Literal, Self

import numpy as np

from fem_mbd.base.arrays import Array
from fem_mbd.cases.revolute_clearance_3d.histories import Histories, in_memory
from fem_mbd.cases.revolute_clearance_3d.parameters import Parameters

# relative difference of the crank's speed from one start to the next; five of them remain 6.2832 rad/s
NEIGHBOUR = 1e-6
DRAWN = 1001  # number of times of the energy curve
SIMULATIONS: tuple[Literal[1, 2, 3], ...] = (1, 2, 3)
LAWS = ("none", "coulomb", "stribeck", "dahl", "lugre")


@dataclass(frozen=True)
class Outcome:
    """One run.

    ``turns`` : of the crank, largest number of revolutions; ``lost`` : J; ``peaks`` : m/s^2, of `Histories`;
        ``amplitude`` : m;
    ``forward`` : m/s^2, oscillation moving outwards; ``time`` (s) and ``energy`` (J), (`DRAWN`,).
    """

    turns: float
    lost: float
    peaks: float
    amplitude: float
    forward: float
    time: Array
    energy: Array

    @classmethod
    def of(cls, h: Histories) -> Self:
        """The outcome of a run."""
        time = np.linspace(h.time[0], h.time[-1], DRAWN)
        turns = float(np.abs(h.turned).max()) / (2 * np.pi)
        return cls(
            turns,
            h.lost,
            h.peaks,
            h.amplitude,
            h.forward_oscillation,
            time,
            np.interp(time, h.time, h.energy),
        )


@cache
def outcome(p: Parameters) -> Outcome:
    """The outcome of a run with these parameters in memory."""
    return Outcome.of(in_memory(p))


def starts(p: Parameters) -> list[Parameters]:
    """The run's own start and its neighbours, alternately above and below."""
    steps = [(k + 1) // 2 * (1 if k % 2 else -1) for k in range(p.starts)]
    return [replace(p, start_speed=p.start_speed * (1.0 + NEIGHBOUR * k)) for k in steps]


def simulations(own: Outcome, p: Parameters) -> dict[int, list[Outcome]]:
    """Outcomes of all starts for all three clearances, including the run itself."""
    return {n: _all(own, p, replace(p, simulation=n)) for n in SIMULATIONS}


def laws(own: Outcome, p: Parameters) -> dict[str, list[Outcome]]:
    """Outcomes of all starts for all friction laws and without friction, including the run itself."""
    return {n: _all(own, p, replace(p, friction=n)) for n in LAWS}  # type: ignore[arg-type]


def _all(own: Outcome, p: Parameters, other: Parameters) -> list[Outcome]:
    return [own if start == p else outcome(start) for start in starts(other)]
