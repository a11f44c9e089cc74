"""Figures: motion of the slider by all laws, and its reversal in detail, the source's figure 4.3."""

from __future__ import annotations

from pathlib import Path

from fem_mbd.cases.translational_joint_friction.histories import (
    SHORTEST,
    Histories,
    details,
    runs_of_all_laws,
)
from fem_mbd.cases.translational_joint_friction.model import Friction, Parameters
from fem_mbd.cases.translational_joint_friction.results import TURNING
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
    """Position, speed and acceleration; the first reversal, where the run has one."""
    h = Histories(result, p)
    runs = runs_of_all_laws(h)
    panels = [
        Panel("position [m]", _curves(runs, "place")),
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
