"""The contact laws of the package with ordinary parameters and sources, and what an impact on each of them does."""

from __future__ import annotations

import warnings
from math import inf
from typing import Any, NamedTuple

from fem_mbd import friction as f
from fem_mbd.friction.probes.gallery import Entry
from fem_mbd.friction.probes.impacting import impact

MASS, SPEED, FASTER = 1.0, 0.01, 0.04  # kg, m/s; below the 0.05 m/s up to which steel keeps no dent
WANTED = (0.9, 0.5)


class Steel(NamedTuple):
    """Young's modulus (Pa), Poisson's ratio, density (kg/m**3)."""

    young: float = 207e9
    poisson: float = 0.3
    density: float = 7850.0


BALL = f.Hertz.sphere_on_plane(0.02, Steel(), Steel())
BEARING: Any = (5.1e-3, 5e-3, 15e-3, Steel(), Steel())
PEREIRA = "as compared by Pereira, Ramalho and Ambrósio, Nonlinear Dynamics 63 (2011) 681"
ENTRIES: tuple[Entry, ...] = (
    Entry(f.Linear(1e7), "spring in compression"),
    Entry(BALL, "Hertz, J. reine und angewandte Mathematik 92 (1882) 156"),
    Entry(f.Johnson(*BEARING), f"Johnson, Contact Mechanics (Cambridge 1985), section 5.6; {PEREIRA}"),
    Entry(f.Radzimovsky(*BEARING), f"Radzimovsky, University of Illinois Bulletin 408 (1953); {PEREIRA}"),
    Entry(f.Goldsmith(*BEARING), f"Goldsmith, Impact (Edward Arnold 1960); {PEREIRA}"),
    Entry(
        f.DubowskyFreudenstein(*BEARING),
        f"Dubowsky and Freudenstein, J. Engineering for Industry 93 (1971) 305; {PEREIRA}",
    ),
    Entry(f.Esdu78035(*BEARING), f"ESDU 78035, Contact phenomena I (1978); {PEREIRA}"),
    Entry(f.KelvinVoigt(1e7, 500.0), "Goldsmith, Impact (Edward Arnold 1960)"),
    Entry(f.HuntCrossley(BALL, 10.0), "Hunt and Crossley, J. Applied Mechanics 42 (1975) 440"),
    Entry(f.PowerDamping(BALL, 3e8, 1.0), "Hunt and Crossley (1975), with a power of its own"),
    Entry(f.HuntCrossleyImpact(BALL, 0.9), "Hunt and Crossley, J. Applied Mechanics 42 (1975) 440"),
    Entry(
        f.HerbertMcWhannell(BALL, 0.9), "Herbert and McWhannell, J. Engineering for Industry 99 (1977) 527"
    ),
    Entry(
        f.LeeWang(BALL, 0.9),
        "Lee and Wang, J. Mechanisms, Transmissions, and Automation in Design 105 (1983) 534",
    ),
    Entry(f.LankaraniNikravesh(BALL, 0.9), "Lankarani and Nikravesh, J. Mechanical Design 112 (1990) 369"),
    Entry(f.GonthierImpact(BALL, 0.9), "Gonthier et al., Multibody System Dynamics 11 (2004) 209"),
    Entry(f.ZhiyingQishao(BALL, 0.9), "Zhiying and Qishao, J. Dynamics and Control 4 (2006) 294"),
    Entry(f.Flores(BALL, 0.9), "Flores et al., Multibody System Dynamics 25 (2011) 357"),
    Entry(f.ExactRestitution(BALL, 0.9), "solution of the equation of a free impact (docs/contact.md)"),
)


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
