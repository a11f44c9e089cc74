"""Outcomes of runs from several neighbouring starts, for statistical statements about a chaotic motion.

Table 2.2 of the source gives the crank's speed to 1e-4 rad/s. Starts that differ by less are equivalent to it; here
they diverge within 0.1 s (docs/how-to/chaos.md) and have only their statistics in common for the rest of the second.

Statements about groups of runs are checked by the exact test of Mann and Whitney (1947). It counts the pairs in which
the run of one group is above that of the other, and gives the probability of at least this count if both groups came
from one distribution. Of three runs against three only a complete order (1 in 20) passes; with more runs some may be
out of order.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import product
from statistics import median
from typing import Literal, Self

import numpy as np
from scipy.stats import mannwhitneyu

from fem_mbd.base.arrays import Array
from fem_mbd.cases.revolute_clearance_3d.histories import Histories, in_memory
from fem_mbd.cases.revolute_clearance_3d.model import Parameters
from fem_mbd.runs.results.checks import Check, at_most

# relative difference of the crank's speed from one start to the next; five of them remain 6.2832 rad/s
NEIGHBOUR = 1e-6
CURVE_POINTS = 1001  # number of times of the energy curve
SIMULATIONS: tuple[Literal[1, 2, 3], ...] = (1, 2, 3)
LAWS = ("none", "coulomb", "stribeck", "dahl", "lugre")
Group = Sequence[float]
LEVEL = 0.05
SIMILARITY_RATIO = 0.5  # fraction of the distance to another group, up to which runs count as similar


@dataclass(frozen=True)
class Outcome:
    """One run.

    ``turns`` : of the crank, largest number of revolutions; ``lost`` : J; ``peaks`` : m/s^2, of `Histories`;
        ``amplitude`` : m;
    ``forward`` : m/s^2, oscillation moving outwards; ``time`` (s) and ``energy`` (J), (`CURVE_POINTS`,).
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
        time = np.linspace(h.time[0], h.time[-1], CURVE_POINTS)
        turns = float(np.abs(h.crank_angle).max()) / (2 * np.pi)
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


def simulations(first: Outcome, p: Parameters) -> dict[int, list[Outcome]]:
    """Outcomes of all starts for all three clearances, including the run itself."""
    return {n: _all(first, p, replace(p, simulation=n)) for n in SIMULATIONS}


def laws(first: Outcome, p: Parameters) -> dict[str, list[Outcome]]:
    """Outcomes of all starts for all friction laws and without friction, including the run itself."""
    return {n: _all(first, p, replace(p, friction=n)) for n in LAWS}  # type: ignore[arg-type]


def _all(first: Outcome, p: Parameters, parameters: Parameters) -> list[Outcome]:
    return [first if start == p else outcome(start) for start in starts(parameters)]


def rank_probability(larger: Group, smaller: Group) -> float:
    """Probability of at least such a clear order among runs from one distribution."""
    return float(mannwhitneyu(larger, smaller, alternative="greater", method="exact").pvalue)


def check_above(label: str, larger: Sequence[Group], smaller: Sequence[Group], source: str) -> Check:
    """Check that each of the ``larger`` groups is significantly above each of the ``smaller`` ones."""
    return at_most(
        f"{label} (probability by chance)",
        max(rank_probability(a, b) for a, b in product(larger, smaller)),
        LEVEL,
        source,
    )


def check_alike(label: str, first: Group, second: Group, other: Group, source: str) -> Check:
    """Check that the runs of two groups differ little compared with their distance to a third group.

    The test is not used: with enough runs it separates groups that differ arbitrarily little.
    """
    spread = max(abs(a - b) for a, b in product(first, second))
    distance = abs(median(other) - median([*first, *second]))
    return at_most(
        f"{label}: largest difference / distance to no friction", spread / distance, SIMILARITY_RATIO, source
    )
