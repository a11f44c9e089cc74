"""Figure of a branch: an output over the parameter."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, Any

import numpy as np

from fem_mbd.output.figures.plots import new_figure, styled

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MARKS = {"fold": "o", "branch point": "s", "period doubling": "^", "Neimark-Sacker": "D", "grazing": "x"}
UNITS = {"period": " (s)", "frequency": " (rad/s)", "amplitude": " (m)"}


def draw_branch(branch: Any, output: str, height: float = 3.4) -> Figure:
    """The figure of one output.

    Parameters
    ----------
    branch : a `Branch`
    output : name of a column of numbers
    height : of the figure, inches
    """
    with styled():
        figure, axes = new_figure(height=height)
        ax: Axes = axes[0, 0]
        _add_branch(ax, branch, output)
        ax.set(xlabel=branch.along + _unit(branch), ylabel=output + UNITS.get(output, ""))
        if ax.get_legend_handles_labels()[0]:
            ax.legend(fontsize="small")
    return figure


def _unit(branch: Any) -> str:
    """Of the parameter; one that is called frequency has a unit of its own, which the table does not tell."""
    turns = [row[branch.along] * row["period"] for row in branch.rows[:1] if branch.along == "frequency"]
    return "" if turns and not np.isclose(turns[0], 2.0 * np.pi) else UNITS.get(branch.along, "")


def _add_branch(ax: Axes, branch: Any, output: str, color: str = "C0") -> None:
    """Draw a branch into axes: unstable motions dashed, bifurcations marked."""
    x, y = np.array(branch.column(branch.along), float), np.array(branch.column(output), float)
    stable = [bool(one) for one in branch.column("stable")]
    done: set[str] = set()
    for state, group in groupby(range(len(x)), key=lambda k: stable[k]):
        own = list(group)
        own = list(range(own[0], min(own[-1] + 2, len(x))))  # up to the next one
        label = "stable" if state else "unstable"
        ax.plot(x[own], y[own], "-" if state else "--", color=color, label=None if label in done else label)
        done.add(label)
    events = branch.column("event")
    for kind in dict.fromkeys(one for one in events if one):
        own = [k for k, one in enumerate(events) if one == kind]
        ax.plot(x[own], y[own], MARKS.get(kind, "+"), color="0.2", markersize=5, label=kind, zorder=3)
