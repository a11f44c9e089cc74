"""What runs come to, several neighbouring starts of each, for statements about a motion of which one run says little.

Table 2.2 of the source gives the crank's speed to 1e-4 rad/s. Starts that differ by less are the same to it; here they
part within 0.1 s (docs/how-to/chaos.md) and have nothing but their statistics in common for the rest of the second.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache
from typing import Literal, Self

import numpy as np

from fem_mbd.base.arrays import Array
from fem_mbd.cases.revolute_clearance_3d.histories import Histories, in_memory
from fem_mbd.cases.revolute_clearance_3d.parameters import Parameters

NEIGHBOUR = 1e-6  # of the crank's speed, between one start and the next; five of them stay 6.2832 rad/s
DRAWN = 1001  # instants of the energy's curve
SIMULATIONS: tuple[Literal[1, 2, 3], ...] = (1, 2, 3)
LAWS = ("none", "coulomb", "stribeck", "dahl", "lugre")


@dataclass(frozen=True)
class Outcome:
    """One run.

    ``turns`` : of the crank, the most it was ahead; ``lost`` : J; ``peaks`` : m/s^2, of `Histories`; ``amplitude`` : m;
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
        """That of a run."""
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
    """Of a run of these parameters in memory."""
    return Outcome.of(in_memory(p))


def starts(p: Parameters) -> list[Parameters]:
    """The run's own start and its neighbours, in turn above and below."""
    steps = [(k + 1) // 2 * (1 if k % 2 else -1) for k in range(p.starts)]
    return [replace(p, start_speed=p.start_speed * (1.0 + NEIGHBOUR * k)) for k in steps]


def simulations(own: Outcome, p: Parameters) -> dict[int, list[Outcome]]:
    """All starts of all three clearances, the run's own among them."""
    return {n: _all(own, p, replace(p, simulation=n)) for n in SIMULATIONS}


def laws(own: Outcome, p: Parameters) -> dict[str, list[Outcome]]:
    """All starts of all friction laws and of none, the run's own among them."""
    return {n: _all(own, p, replace(p, friction=n)) for n in LAWS}  # type: ignore[arg-type]


def _all(own: Outcome, p: Parameters, other: Parameters) -> list[Outcome]:
    return [own if start == p else outcome(start) for start in starts(other)]
