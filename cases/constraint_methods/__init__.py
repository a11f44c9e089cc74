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

from fem_mbd.base.arrays import Array
from fem_mbd.case import Case
from fem_mbd.cases._spatial_slider_crank import build_mechanism
from fem_mbd.cases.constraint_methods.histories import RK4, History, classical, own_history
from fem_mbd.cases.constraint_methods.model import Parameters
from fem_mbd.core.solver.simulation import Simulation
from fem_mbd.core.stepping.step_control import StepControl
from fem_mbd.output.figures.plots import COLOURS, new_figure, save, styled
from fem_mbd.runs.results.checks import SCHEME, Check, at_least, at_most, balance, near
from fem_mbd.runs.results.result import Result

SOURCE = "Marques 2015, section 2.4"
STABILISED = ("Baumgarte", "penalty", "augmented Lagrangian")
ELIMINATED = ("direct correction", "coordinate partitioning")
DRIFTING_METHODS = ("standard", "projection matrix R", "Arabyan-Wu")
# s of motion, some ten revolutions of the crank, needed to distinguish growth from bounded oscillation
SHORTEST = 10.0


def checks(result: Result, p: Parameters) -> list[Check]:
    """Checks of the scheme; with enough motion, also the source's statements."""
    history = own_history(result, every=0.0)
    total = result.energy["kinetic"] + result.energy["gravity"]
    gain = float(np.diff(total).max()) / result.summary["energy"]["scale"]
    checks = [
        *balance(result.summary),
        at_most("energy gained in a step / scale", gain, 1e-11, SCHEME),
        at_most("position constraints of this package [m]", float(history.position.max()), 1e-11, SCHEME),
        at_most("velocity constraints of this package [m/s]", float(history.velocity.max()), 1e-11, SCHEME),
    ]
    if p.end_time >= SHORTEST:
        checks += source_checks(classical(p), p)
    return checks


def source_checks(runs: dict[tuple[str, str], History], p: Parameters) -> list[Check]:
    """Violation, energy and cost of the classical methods."""
    by_rk4 = {method: run for (method, integrator), run in runs.items() if integrator == RK4}
    checks = [check for run in runs.values() for check in _violation(run, p)]
    return checks + _same_drift(by_rk4) + _energy(by_rk4) + _cost(by_rk4)


def _violation(run: History, p: Parameters) -> list[Check]:
    """Check of unbounded growth, bounded oscillation, or no violation."""
    label = f"{run.method}, {run.integrator}: "
    if run.method in DRIFTING_METHODS:
        # a constant mean error of the accelerations makes the velocities drift as t and the positions as t^2
        return [
            near(
                label + "order of growth of the position violation",
                growth(run.time, run.position),
                2.0,
                0.2,
                SOURCE,
            ),
            near(
                label + "order of growth of the velocity violation",
                growth(run.time, run.velocity),
                1.0,
                0.3,
                SOURCE,
            ),
        ]
    if run.method in ELIMINATED:
        return [
            at_most(
                label + "position violation [m]", float(run.position.max()), p.correction_tolerance, SOURCE
            ),
            at_most(label + "velocity violation [m/s]", float(run.velocity.max()), 1e-13, SOURCE),
        ]
    checks = []
    for name, values in (("position", run.position), ("velocity", run.velocity)):
        # root mean squares, 2.6 where it grows with the time: the largest violation is that of a single step, which
        # round-off of the state moves by a factor of two with an integrator that chooses its steps
        first, second = (np.sqrt(np.mean(half**2)) for half in np.array_split(values, 2))
        checks += [
            at_most(
                f"{label}{name} violation, r.m.s. of second half / first half", second / first, 1.5, SOURCE
            ),
            at_least(
                f"{label}{name} violation crosses its mean, 1/s", crossings(run.time, values), 1.0, SOURCE
            ),
        ]
    return checks


def crossings(time: Array, violation: Array) -> float:
    """Number of times per second that the violation in the second half of a run crosses its mean there: it
    oscillates.
    """
    late = violation[time >= 0.5 * time[-1]]
    above = late > late.mean()
    return float(np.count_nonzero(above[1:] != above[:-1]) / (0.5 * time[-1]))


def growth(time: Array, violation: Array) -> float:
    """Exponent of time with which the largest violation so far grows, over the last three quarters of the run."""
    largest = np.maximum.accumulate(violation)
    late = time >= 0.25 * time[-1]
    return float(np.polyfit(np.log(time[late]), np.log(largest[late]), 1)[0])


def _same_drift(runs: dict[str, History]) -> list[Check]:
    """R and Arabyan-Wu compute the same accelerations and leave the drift to a stabilisation (section 2.3)."""
    reference = runs["standard"].position
    return [
        at_most(
            f"{method}: violation minus that of standard / its largest",
            float(np.abs(runs[method].position - reference).max() / reference.max()),
            0.01,
            "Marques 2015, section 2.3",
        )
        for method in DRIFTING_METHODS[1:]
    ]


def _energy(runs: dict[str, History]) -> list[Check]:
    """Sign of the change at the end, and the method with the largest: that fails (constraint_methods.md explains
    why).
    """
    rising, falling = ("standard", "Baumgarte", "augmented Lagrangian"), ("penalty", "direct correction")
    source = SOURCE + ", fig. 2.9"
    gained = {m: float(runs[m].energy[-1]) for m in (*rising, *falling)}
    corrected = abs(gained["direct correction"])
    others = max(abs(change) for m, change in gained.items() if m != "direct correction")
    return [
        *(at_least(f"{m}: energy gained [J]", gained[m], 0.0, source) for m in rising),
        *(at_most(f"{m}: energy gained [J]", gained[m], 0.0, source) for m in falling),
        at_least(
            "change of energy, direct correction / largest of the others", corrected / others, 1.0, source
        ),
    ]


def _cost(runs: dict[str, History]) -> list[Check]:
    """Work in linear algebra of the five methods whose time the source gives."""
    source = SOURCE + ", fig. 2.10"
    work = {method: runs[method].work for method in ("standard", *STABILISED, "direct correction")}
    similar = [work[method] for method in STABILISED]
    return [
        at_least("smallest work of the other four / standard", min(similar) / work["standard"], 1.0, source),
        at_most(
            "largest work of the stabilised methods / smallest", max(similar) / min(similar), 1.5, source
        ),
        at_least(
            "work of direct correction / largest of the others",
            work["direct correction"] / max(similar),
            1.0,
            source,
        ),
    ]


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
