"""Impacts of a mass on a wall against closed forms.

Hertz: depth (5 m v^2/4K)^(2/5), contact time 2.9432750 depth/v (K. L. Johnson, Contact Mechanics, section 11.4).
Hunt-Crossley: the restitution e of K d^n (1 + c d') obeys chi (1 + e) = ln[(1 + chi)/(1 - chi e)], chi = c v, for every
n, which also gives the actual restitution of the usual formulas for c (Hunt and Crossley 1975, Lankarani and Nikravesh
1990, Flores et al. 2011). Here n = 1.5; other exponents and laws are in tests/friction/normal/test_impact.py.
"""

import numpy as np
import pytest

from fem_mbd.friction import Hertz
from fem_mbd.friction.probes.impact import impact
from tests.friction.normal.test_impact import COMES_OUT, HERTZ, SPEED, hit, measured, quiet
from tests.validation.problem import Number, Picture, Problem, Solution, numbers, ours, reference

WALL = Hertz(1e9)


def rebound(formula: str, design: float) -> float:
    """Restitution of an impact at 2.5 m/s with the law that a formula makes for the restitution ``design``."""
    return impact(quiet(formula, WALL, design), 2.5, 1.0).restitution


def solve() -> Solution:
    """Hertz with 1600 steps: forces are means over steps, hence off by (pi/1600)^2/2 or so; depth is met by energy."""
    dt = HERTZ["time"] / 1600
    history = hit(WALL, dt)
    assert history[-1, 1] == pytest.approx(
        SPEED, rel=1600 * 4e-16
    )  # to which the speed of each step is found
    out = measured(history, dt)
    found: list[Number] = []
    for name, what, unit, part in (
        ("depth", "depth", "m", 1e-9),
        ("force", "largest force", "N", 3e-6),
        ("time", "time of contact", "s", 1e-6),
    ):
        found += numbers("Hertz, ", unit, {what: HERTZ[name]}, [out[name]], part * HERTZ[name])
    for formula, design, restitution in COMES_OUT:
        what = f"{formula}, designed for {design}, "
        found += numbers(what, "", {"restitution": restitution}, [rebound(formula, design)], 1e-6)
    time = 1e3 * dt * (np.arange(len(history)) + 0.5)
    force = [
        ours(time, history[:, 2]),
        reference([500 * HERTZ["time"]], [HERTZ["force"]], "closed form, peak"),
    ]
    return Solution(found, [Picture("time [ms]", "force [N]", force), restitutions()])


def restitutions() -> Picture:
    """Actual restitution of the usual formulas over the design value."""
    design = np.linspace(0.4, 0.95, 12)
    formulas = dict.fromkeys(formula for formula, _, _ in COMES_OUT)
    curves = [ours(design, [rebound(name, e) for e in design], name) for name in formulas]
    curves.append(reference([row[1] for row in COMES_OUT], [row[2] for row in COMES_OUT], "closed form"))
    return Picture("designed restitution", "actual restitution", curves)


PROBLEM = Problem(
    name="impact",
    title="Impact on a wall",
    group="Friction and contact",
    source="Johnson 1985; Hunt & Crossley 1975; Lankarani & Nikravesh 1990; Flores et al. 2011",
    reference="closed forms",
    solve=solve,
)
