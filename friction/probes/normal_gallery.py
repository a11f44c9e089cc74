"""All contact laws with typical parameters, and the result of an impact on each of them."""

from __future__ import annotations

import warnings
from math import inf
from typing import Any, NamedTuple

from fem_mbd import friction as f
from fem_mbd.friction.probes.gallery import entries_of
from fem_mbd.friction.probes.impact import impact

MASS, SPEED, FASTER = 1.0, 0.01, 0.04  # kg, m/s; below 0.05 m/s, up to which steel stays elastic
RESTITUTIONS = (0.9, 0.5)


ENTRIES = entries_of(("normal",))


class Rebound(NamedTuple):
    """Results of impacts of ``MASS``.

    slow, fast: restitution at ``SPEED`` and ``FASTER``. actual: restitution for the wanted ones ``RESTITUTIONS``, empty
    for laws without a wanted restitution. pulls: whether the force was ever below zero. speed_limit (m/s), deepest (m),
    reliable_from: ranges of the law, ``inf`` and 0 when there is none.
    """

    slow: float
    fast: float
    actual: tuple[float, ...]
    pulls: bool
    speed_limit: float
    deepest: float
    reliable_from: float


def rebound(law: Any) -> Rebound:
    """Impacts on ``law``, found by running them."""
    slow, fast = impact(law, SPEED, MASS), impact(law, FASTER, MASS)
    actual: tuple[float, ...] = ()
    if isinstance(law, f.RestitutionLaw):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", f.LawRangeWarning)  # the table shows the actual restitution
            actual = tuple(impact(type(law)(law.elastic, e), SPEED, MASS).restitution for e in RESTITUTIONS)
    return Rebound(
        slow.restitution,
        fast.restitution,
        actual,
        min(slow.least, fast.least) < 0.0,
        float(getattr(law, "speed_limit", inf)),
        float(getattr(law, "deepest", inf)),
        float(getattr(law, "reliable_from", 0.0)),
    )
