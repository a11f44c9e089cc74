"""Class `Branch`: periodic motions over a parameter, their table, and the figure of an output over the parameter."""

from __future__ import annotations

import csv
import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from fem_mbd.analysis.periodic.arc_length import NOT_LOCATED, OnBranch
from fem_mbd.analysis.periodic.orbit import Orbit
from fem_mbd.base.arrays import Array
from fem_mbd.errors import InputError
from fem_mbd.output.figures.plots import new_figure, styled

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

TABLE = "branch.csv"
ORBIT_COLUMNS = ("period", "frequency", "amplitude", "stable", "multiplier", "event")
MARKS = {
    "fold": "o",
    "branch point": "s",
    "period doubling": "^",
    "Neimark-Sacker": "D",
    "grazing": "x",
    "corner": "v",
}
UNITS = {"period": "s", "frequency": "rad/s", "amplitude": "m"}
PHASE_TOLERANCE = 1e-9  # of a driver's phase over a period, in revolutions


@dataclass(eq=False)
class Branch:
    """Periodic motions, in the order in which they were found.

    Attributes
    ----------
    along : the parameter; "frequency" for a family of free motions
    outputs : names of outputs besides `ORBIT_COLUMNS`: period (s), frequency (rad/s), amplitude (m: half the largest
        travel of a node's mass centre along an axis), stable (1, 0), multiplier (largest magnitude), event (name of a
        bifurcation)
    points : the motions, without those of an earlier call
    rows : the table: a dictionary for each motion
    lost : why the branch ended within its range, "" where it did not
    units : of outputs and of the parameter, by name, for figures; an angular frequency or a frequency of the driver
        needs none
    """

    along: str
    outputs: tuple[str, ...]
    points: list[OnBranch] = field(default_factory=list)
    rows: list[dict[str, Any]] = field(default_factory=list)
    lost: str = ""
    units: dict[str, str] = field(default_factory=dict)

    def column(self, name: str) -> Array:
        """One column of the table, (motions,): numbers, or texts of the column ``event``.

        Parameters
        ----------
        name : the parameter, one of `ORBIT_COLUMNS`, or an output

        Raises
        ------
        InputError
            For an unknown column.
        """
        if self.rows and name not in self.rows[0]:
            raise InputError(f"the branch has no column {name!r}; it has {', '.join(self.rows[0])}")
        return np.array([row[name] for row in self.rows])

    @property
    def orbits(self) -> Sequence[Orbit]:
        """The motions."""
        return [point.orbit for point in self.points]

    @property
    def bifurcations(self) -> list[OnBranch]:
        """Folds, branch points, period doublings, Neimark-Sacker points, grazings and corners."""
        return [point for point in self.points if point.event]

    def add(self, point: OnBranch, value: float, outputs: dict[str, Any]) -> None:
        """Add a motion.

        Parameters
        ----------
        point : the motion
        value : of the parameter there
        outputs : by name
        """
        orbit, multipliers = point.orbit, point.orbit.multipliers
        row: dict[str, Any] = {
            self.along: value,  # its position among columns of the same name
            "period": orbit.period,
            "frequency": orbit.frequency,
            "amplitude": orbit.amplitude,
            "stable": int(orbit.stable),
            "multiplier": float(np.abs(multipliers).max(initial=0.0)),
            "event": point.label,
        }
        self.points.append(point)
        self.rows.append(row | {self.along: value} | outputs)

    def write(self, folder: Path) -> Path:
        """Write the table as CSV, which replaces an earlier one.

        Parameters
        ----------
        folder : for the file
        """
        file = folder / TABLE
        new = file.with_name(file.name + ".new")
        with new.open("w", newline="", encoding="utf-8") as stream:
            writer = csv.DictWriter(stream, list(self.rows[0]) if self.rows else [self.along, *ORBIT_COLUMNS])
            writer.writeheader()
            writer.writerows(self.rows)
        os.replace(new, file)
        return file

    def plot(self, output: str | None = None) -> Figure:
        """An output over the parameter: stable motions as lines, unstable ones dashed, bifurcations marked.

        Parameters
        ----------
        output : name of a column; the first output, or the amplitude, by default
        """

        return draw_branch(self, output or (self.outputs[0] if self.outputs else "amplitude"))

    def __repr__(self) -> str:
        events = ", ".join(f"{row['event']} at {row[self.along]:.9g}" for row in self.rows if row["event"])
        ends = f"{self.rows[0][self.along]:.6g} to {self.rows[-1][self.along]:.6g}" if self.rows else "empty"
        lost = f"; {self.lost}" if self.lost else ""
        return f"<Branch over {self.along}, {ends}, {len(self.rows)} motions; {events or 'no bifurcations'}{lost}>"


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
        labels = (f"{name} [{unit}]" if unit else name for name, unit in _units(branch, output))
        ax.set(**dict(zip(("xlabel", "ylabel"), labels, strict=True)))
        if ax.get_legend_handles_labels()[0]:
            ax.legend(fontsize="small")
    return figure


def _units(branch: Any, output: str) -> tuple[tuple[str, str], tuple[str, str]]:
    """Names and units of the parameter and of an output, "" for unknown ones."""
    along = branch.units.get(branch.along, "") or _unit_of_frequency(branch)
    of_output = branch.units.get(output, "") or UNITS.get(output, "")
    return (branch.along, along), (output, along if output == branch.along else of_output)


def _unit_of_frequency(branch: Any) -> str:
    """Of a parameter whose product with the period is 2 pi, or 1, times a number of periods of the driver."""
    ends = [branch.rows[k][branch.along] * branch.rows[k]["period"] for k in (0, -1)] if branch.rows else []
    same = ends and branch.rows[0][branch.along] != branch.rows[-1][branch.along]
    for unit, turn in (("rad/s", 2.0 * np.pi), ("Hz", 1.0)):
        turns = np.array(ends) / turn
        if same and turns[0] > 0.5 and np.abs(turns - np.round(turns[0])).max() < PHASE_TOLERANCE * turns[0]:
            return unit
    return "rad/s" if branch.along == "frequency" and not ends else ""


def _add_branch(ax: Axes, branch: Any, output: str, color: str = "C0") -> None:
    """Draw a branch into axes: unstable motions dashed, bifurcations marked."""
    x, y = np.array(branch.column(branch.along), float), np.array(branch.column(output), float)
    stable = [bool(flag) for flag in branch.column("stable")]
    labelled: set[str] = set()
    for state, group in groupby(range(len(x)), key=lambda k: stable[k]):
        rows = list(group)
        rows = list(range(rows[0], min(rows[-1] + 2, len(x))))  # up to the first of the next group
        label = "stable" if state else "unstable"
        ax.plot(
            x[rows], y[rows], "-" if state else "--", color=color, label=None if label in labelled else label
        )
        labelled.add(label)
    events = branch.column("event")
    for kind in dict.fromkeys(filter(None, events)):
        rows = [k for k, event in enumerate(events) if event == kind]
        mark = MARKS.get(str(kind).removesuffix(NOT_LOCATED), "+")
        ax.plot(x[rows], y[rows], mark, color="0.2", markersize=5, label=kind, zorder=3)
