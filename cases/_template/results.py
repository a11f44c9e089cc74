"""Checks of a complete run against closed forms, and its figure."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from fem_mbd.output.figures.plots import Panel, draw_panels
from fem_mbd.runs.results.checks import Check, balance, near
from fem_mbd.runs.results.result import Result

from .parameters import Parameters


def checks(result: Result, p: Parameters) -> list[Check]:
    """The energy balance of every run; period and lowest position in closed form, where the run is long enough."""
    checks = balance(result.summary)
    if p.end_time < p.period:
        return checks
    z = result.of("mass").displacement[:, 2]
    lowest = result.output_time[int(np.argmin(z[result.output_time <= p.period]))]
    return [
        *checks,
        near("period [s]", 2 * float(lowest), p.period, 2 * p.dt / p.period, "2 pi sqrt(m/k)"),
        near("lowest position [m]", float(z.min()), -2 * p.sag, 1e-3, "2 m g/k below the start"),
    ]


def plot(result: Result, p: Parameters, folder: Path) -> list[Path]:
    """Position of the mass and force of the spring, drawn into an existing folder."""
    panels = [
        Panel("displacement [m]", {"mass": result.of("mass").displacement[:, 2]}),
        Panel("force [N]", {"spring": result.of("spring").force}),
    ]
    return [draw_panels(folder / "spring_mass.png", result.output_time, panels)]
