"""Statistical checks of statements about groups of runs: exact test of Mann and Whitney (1947).

The test counts the pairs in which the run of one group is above that of the other, and gives the probability of at
least this count if both groups came from one distribution. Of three runs against three only a complete order (1 in 20)
passes; with more runs some may be out of order.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from statistics import median

from scipy.stats import mannwhitneyu

from fem_mbd.runs.results.checks import Check, at_most

Group = Sequence[float]
LEVEL = 0.05
NEAR = 0.5  # fraction of the distance to another group, up to which runs count as similar


def rank_probability(larger: Group, smaller: Group) -> float:
    """Probability of at least such a clear order among runs from one distribution."""
    return float(mannwhitneyu(larger, smaller, alternative="greater", method="exact").pvalue)


def check_above(what: str, larger: Sequence[Group], smaller: Sequence[Group], source: str) -> Check:
    """Check that each of the ``larger`` groups is check_above each of the ``smaller`` ones, significantly."""
    return at_most(
        f"{what} (probability by chance)",
        max(rank_probability(a, b) for a, b in product(larger, smaller)),
        LEVEL,
        source,
    )


def check_alike(what: str, first: Group, second: Group, other: Group, source: str) -> Check:
    """Check that any two runs of two groups are close compared with their distance to a third group.

    The test is not used: with enough runs it separates groups that differ arbitrarily little.
    """
    apart = max(abs(a - b) for a, b in product(first, second))
    away = abs(median(other) - median([*first, *second]))
    return at_most(f"{what}: largest difference / distance to no friction", apart / away, NEAR, source)
