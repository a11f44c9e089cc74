"""Case: friction in the translational joint of a spatial slider-crank, computed from the joint's own reactions.

The mechanism of `constraint_methods`; an inner cube of 0.01 m slides in its guide without friction or by Coulomb's,
Stribeck's (Bo and Pavelescu), Dahl's or the LuGre law. Each component of the reaction is the normal force of one pair
of faces, where friction acts; the reactions are those of the same step (the source uses their signs of the previous
step, eq. 4.5). Source: F. Marques, "Frictional contacts in multibody dynamics" (2015), section 4.1.

**Assumed**: the damping of LuGre's bristles decreases with speed (v_d = 0.02 m/s, the source's eq. 3.49, which its
table 4.1 does not use). A constant damping causes, at speeds of 0.1 m/s, forces of 30 N from a normal force that passes
through zero, which jam the mechanism: docs/studies/translational_joint_friction.md. Moments of the reaction contribute
no normal force.
"""

from __future__ import annotations

from pathlib import Path

from fem_mbd.case import Case
from fem_mbd.cases.translational_joint_friction.histories import (
    SHORTEST,
    Histories,
    details,
    runs_of_all_laws,
)
from fem_mbd.cases.translational_joint_friction.model import Friction, Parameters, build
from fem_mbd.cases.translational_joint_friction.results import TURNING, checks
from fem_mbd.output.figures.plots import Panel, Series, draw_panels
from fem_mbd.runs.results.result import Result

NAMES: dict[Friction, str] = {
    "none": "none",
    "coulomb": "Coulomb",
    "stribeck": "Stribeck",
    "dahl": "Dahl",
    "lugre": "LuGre",
}


def plot(result: Result, p: Parameters, folder: Path) -> list[Path]:
    """Position, speed and acceleration of the slider by all laws, and its first reversal in detail, where the
    run has one: the source's figure 4.3.
    """
    h = Histories(result, p)
    runs = runs_of_all_laws(h)
    panels = [
        Panel("position [m]", _curves(runs, "position")),
        Panel("speed [m/s]", _curves(runs, "speed")),
        Panel("acceleration [m/s²]", _curves(runs, "acceleration")),
    ]
    path = folder / "translational_joint_friction.png"
    drawn = [draw_panels(path, h.time, panels, title="Slider with friction in its translational joint")]
    if p.friction != "none" and p.end_time >= SHORTEST:
        drawn.append(_detail(details(h), folder / "slider_reversal.png"))
    return drawn


def _curves(runs: dict[Friction, Histories], name: str) -> dict[str, Series]:
    return {NAMES[law]: (run.time, getattr(run, name)) for law, run in runs.items()}


def _detail(runs: dict[Friction, Histories], path: Path) -> Path:
    """Detail of every law about its own reversal."""
    ms = 1e3
    acceleration: dict[str, Series] = {
        NAMES[law]: (ms * run.since, run.acceleration) for law, run in runs.items()
    }
    force: dict[str, Series] = {NAMES[law]: (ms * run.since, run.force) for law, run in runs.items()}
    panels = [Panel("acceleration [m/s²]", acceleration), Panel("friction on the slider [N]", force)]
    return draw_panels(
        path,
        ms * next(iter(runs.values())).since,
        panels,
        limits=(-ms * TURNING, ms * TURNING),
        xlabel="time from the reversal [ms]",
        title="Reversal of the slider with that of the crank",
    )


CASE = Case(
    "translational_joint_friction",
    "a spatial slider-crank with friction in its guide, by five laws",
    Parameters,
    build,
    checks,
    plot,
)
