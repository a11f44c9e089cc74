"""Figures of every run: energy balance, and step sizes with Newton iterations."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from fem_mbd.core.scheme.ledger_names import DISSIPATIONS, ENERGIES, WORKS
from fem_mbd.output.figures.plots import COLOURS, WIDTH, legend, logarithmic, new_figure, save, styled
from fem_mbd.runs.results.result import Result

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


def draw_energy(result: Result, width: float = WIDTH) -> Figure:
    """The energy balance over time: energies, accumulated dissipations and works, and the residual of every step.

    Parameters
    ----------
    result : `Result`
    width : inches
    """
    with styled():
        figure, axes = new_figure(3, width=width)
        energies, flows, residual = axes[:, 0]
        _draw_nonzero(energies, result, ENERGIES, accumulate=False)
        _draw_nonzero(flows, result, (*DISSIPATIONS, *WORKS), accumulate=True)
        energies.set_ylabel("energy [J]")
        flows.set_ylabel("since the start [J]")
        summary = result.summary["energy"]
        scale = summary["scale"] or 1.0
        # An exact zero cannot be shown on a logarithmic axis: it is drawn at the lower end of the axis.
        relative = np.maximum(np.abs(result.energy["residual"]) / scale, 1e-18)
        residual.plot(result.time, relative, ".", markersize=1.5, color=COLOURS[0])
        logarithmic(residual)
        residual.set_ylabel("residual / scale")
        residual.set_xlabel("time [s]")
        residual.set_title(
            f"unexplained energy of each step, relative to {scale:.4g} J (largest {summary['relative']:.1e})",
            loc="left",
        )
        return figure


def _draw_nonzero(ax: Axes, result: Result, names: Sequence[str], accumulate: bool) -> None:
    """Draw those columns of the ledger that are not zero throughout."""
    for number, name in enumerate(names):
        column = result.energy[name]
        if np.any(column):
            history = np.cumsum(column) if accumulate else column
            ax.plot(result.time, history, label=name.replace("_", " "), color=COLOURS[number % len(COLOURS)])
    legend(ax, columns=3)


def draw_steps(result: Result, width: float = WIDTH) -> Figure:
    """Step size coloured by the rule that decided it, and Newton iterations, over time.

    Parameters
    ----------
    result : `Result`
    width : inches
    """
    from matplotlib.ticker import MaxNLocator

    with styled():
        figure, axes = new_figure(2, width=width)
        sizes, effort = axes[:, 0]
        rules = result.step["rule"]
        names, counts = np.unique(rules, return_counts=True)
        for number, name in enumerate(names[np.argsort(-counts, kind="stable")]):
            chosen = rules == name
            sizes.plot(
                result.time[chosen],
                result.step["dt"][chosen],
                ".",
                markersize=2.5,
                color=COLOURS[number % len(COLOURS)],
                label=f"{name} ({np.count_nonzero(chosen)})",
            )
        logarithmic(sizes)
        sizes.set_ylabel("step size [s]")
        legend(sizes)
        effort.plot(
            result.time,
            result.step["newton_iterations"],
            ".",
            markersize=2,
            color=COLOURS[0],
            label="iterations",
        )
        effort.plot(
            result.time,
            result.step["rejections"],
            ".",
            markersize=2,
            color=COLOURS[1],
            label="rejected attempts",
        )
        effort.yaxis.set_major_locator(MaxNLocator(integer=True))
        effort.set_ylabel("per step")
        effort.set_xlabel("time [s]")
        legend(effort)
        return figure


def standard_figures(result: Result, folder: Path) -> list[Path]:
    """The figures that every run has; none for a run without a step.

    Parameters
    ----------
    result : `Result`
    folder : existing
    """
    if not result.steps:
        return []
    with styled():
        return [
            save(draw_energy(result), folder / "energy.png"),
            save(draw_steps(result), folder / "steps.png"),
        ]
