"""Statements about groups of runs, as checks: told from chance by the test of Mann and Whitney (1947), exactly.

The test counts in how many of the pairs the one run is above the other, and gives the chance of that count or more if
the groups were drawn from one distribution, whatever it is. Of three runs against three only a complete order (1 in 20)
passes; with more runs single ones may be out of order.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from statistics import median

from scipy.stats import mannwhitneyu

from fem_mbd.runs.results.checks import Check, at_most

Group = Sequence[float]
LEVEL = 0.05
NEAR = 0.5  # of the way to another group: runs that are said to be similar


def chance(larger: Group, smaller: Group) -> float:
    """Of an order like this one or a clearer one among runs that do not differ."""
    return float(mannwhitneyu(larger, smaller, alternative="greater", method="exact").pvalue)


def above(what: str, larger: Sequence[Group], smaller: Sequence[Group], source: str) -> Check:
    """Passed when each of the ``larger`` groups is above each of the ``smaller`` ones, and not by chance."""
    return at_most(
        f"{what} (chance of it)", max(chance(a, b) for a, b in product(larger, smaller)), LEVEL, source
    )


def alike(what: str, first: Group, second: Group, other: Group, source: str) -> Check:
    """Passed when any two runs of two groups are near each other beside the way from there to a third group.

    Not by the test: with runs enough it tells groups apart that differ however little.
    """
    apart = max(abs(a - b) for a, b in product(first, second))
    away = abs(median(other) - median([*first, *second]))
    return at_most(f"{what}: largest difference / way to no friction", apart / away, NEAR, source)
