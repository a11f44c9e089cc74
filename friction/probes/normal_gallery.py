"""The contact laws of the package with ordinary parameters, and the result of an impact on each of them."""

from __future__ import annotations

import warnings
from math import inf
from typing import Any, NamedTuple

from fem_mbd import friction as f
from fem_mbd.friction.probes.gallery import entries_of
from fem_mbd.friction.probes.impacting import impact

MASS, SPEED, FASTER = 1.0, 0.01, 0.04  # kg, m/s; below the 0.05 m/s up to which steel keeps no dent
WANTED = (0.9, 0.5)


ENTRIES = entries_of(("normal",))


class Rebound(NamedTuple):
    """What impacts of ``MASS`` do.

    slow, fast: restitution at ``SPEED`` and ``FASTER``. asked: restitution that comes out when those of ``WANTED`` are
    asked for, none for laws that are not given one. pulls: whether the force was ever below zero. speed_limit (m/s),
    deepest (m), reliable_from: ranges of the law, ``inf`` and 0 when there is none.
    """

    slow: float
    fast: float
    asked: tuple[float, ...]
    pulls: bool
    speed_limit: float
    deepest: float
    reliable_from: float


def rebound(law: Any) -> Rebound:
    """Impacts on ``law``, found by running them."""
    slow, fast = impact(law, SPEED, MASS), impact(law, FASTER, MASS)
    asked: tuple[float, ...] = ()
    if isinstance(law, f.RestitutionLaw):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", f.LawRangeWarning)  # the table says what comes out
            asked = tuple(impact(type(law)(law.elastic, e), SPEED, MASS).restitution for e in WANTED)
    return Rebound(
        slow.restitution,
        fast.restitution,
        asked,
        min(slow.least, fast.least) < 0.0,
        float(getattr(law, "speed_limit", inf)),
        float(getattr(law, "deepest", inf)),
        float(getattr(law, "reliable_from", 0.0)),
    )
