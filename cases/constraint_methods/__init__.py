"""Case: classical methods for enforcing a mechanism's constraints, compared with this package's scheme.

A rigid spatial slider-crank without losses moves under gravity for 20 s. Eight methods, each with Runge-Kutta's and one
of SciPy's integrators, are compared with the run of the case: violation of the position and velocity constraints,
energy, cost. Source: F. Marques, "Frictional contacts in multibody dynamics" (2015), sections 2.3 and 2.4.

The source compares the first five methods and describes the other three. Its statements are the checks. One fails:
direct correction, which is said to change the energy most, changes it least here (docs/studies/constraint_methods.md).
"""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import numpy as np

from fem_mbd.case import Case
from fem_mbd.cases._spatial_slider_crank import build_mechanism
from fem_mbd.cases.constraint_methods.histories import RK4, History, classical, own_history
from fem_mbd.cases.constraint_methods.model import Parameters
from fem_mbd.cases.constraint_methods.results import checks
from fem_mbd.core.solver.simulation import Simulation
from fem_mbd.core.stepping.step_control import StepControl
from fem_mbd.output.figures.plots import COLOURS, new_figure, save, styled
from fem_mbd.runs.results.result import Result

HEAD = (
    "method",
    "integrator",
    "largest position violation [m]",
    "largest velocity violation [m/s]",
    "energy gained at the end [J]",
    "largest change of energy [J]",
    "work / standard method",
    "time [s]",
)
DRAWN_ZERO = 1e-17  # where an exact zero is drawn
LINES = (*COLOURS[:6], COLOURS[7], "0.5")
DISTINCT_CURVES = 5  # number of methods with distinct curves
LINEAR_AXIS_ENERGY = 1e-9  # J, up to which the energy axis is linear


def plot(result: Result, p: Parameters, folder: Path) -> list[Path]:
    """Figure of violations and energy of all methods, and table of their sizes and costs."""
    runs = [own_history(result), *classical(p).values()]
    return [
        _figure(runs, p, folder / "constraint_methods.png"),
        _table(runs, folder / "constraint_methods.csv"),
    ]


def _figure(runs: list[History], p: Parameters, path: Path) -> Path:
    from matplotlib.lines import Line2D  # not at module level: runs without figures import cases, too

    columns = (RK4, p.integrator)
    names = list(dict.fromkeys(run.method for run in runs))
    with styled():
        figure, axes = new_figure(3, 2, width=10.0, height=9.0)
        for column, integrator in enumerate(columns):
            position, velocity, energy = axes[:, column]
            for run in runs:
                if run.integrator in columns and run.integrator != integrator:
                    continue
                style = _line_style(names.index(run.method))
                position.plot(run.time, np.maximum(run.position, DRAWN_ZERO), **style)
                velocity.plot(run.time, np.maximum(run.velocity, DRAWN_ZERO), **style)
                energy.plot(run.time, run.energy, **style)
            position.set(yscale="log", title=f"{integrator}, and this package's scheme")
            velocity.set(yscale="log")
            energy.set_yscale("symlog", linthresh=LINEAR_AXIS_ENERGY)
            energy.set_xlabel("time [s]")
        axes[0, 0].set_ylabel("position violation |Φ| [m]")
        axes[1, 0].set_ylabel("velocity violation |Φ'| [m/s]")
        axes[2, 0].set_ylabel("change of energy since the start [J]")
        keys = [Line2D([], [], label=name, **_line_style(k, gap=3)) for k, name in enumerate(names)]
        figure.legend(handles=keys, loc="outside lower center", ncols=5, handlelength=5)
        return save(figure, path)


def _line_style(number: int, gap: int = 12) -> dict[str, Any]:
    """Line style: this package thick and black; methods that coincide with others as sparse dashes on top of them.

    gap : between dashes, in line widths; smaller in the legend, whose lines are shorter than a period
    """
    if number == 0:
        return {"color": "black", "linewidth": 1.6}
    over = number > DISTINCT_CURVES
    return {
        "color": LINES[number - 1],
        "linestyle": (3 * (number - DISTINCT_CURVES) % (3 + gap), (3, gap)) if over else "-",
        "linewidth": 1.4 if over else 0.8,
    }


def _table(runs: list[History], path: Path) -> Path:
    standard = {run.integrator: run.work for run in runs if run.method == "standard"}
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(HEAD)
        for run in runs:
            numbers = (
                run.position.max(),
                run.velocity.max(),
                run.energy[-1],
                run.energy[np.argmax(np.abs(run.energy))],
                run.work / standard.get(run.integrator, float("nan")),
                run.seconds,
            )
            writer.writerow([run.method, run.integrator, *(f"{number:.3g}" for number in numbers)])
    return path


def build(p: Parameters) -> Simulation:
    """The run of this package: constant steps."""
    return Simulation(build_mechanism().model, p.end_time, StepControl.fixed(p.dt))


CASE = Case(
    "constraint_methods",
    "a spatial slider-crank by eight classical constraint methods, and by this package",
    Parameters,
    build,
    checks,
    plot,
)
