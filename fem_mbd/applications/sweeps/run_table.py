"""Run table of a sweep, one row per run with parameters, status, folder and outputs; figures of the sweep.

`RunTable` is written as CSV and Parquet. Statuses: waiting, done, failed (with the reason), interrupted (the next call
resumes it), lost (workers died with it).

`sweep_figures` draws outputs over one or two parameters, bifurcation diagrams, scatter matrices, Sobol indices.
"""

from __future__ import annotations

import csv
import os
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from fem_mbd.applications.sweeps.executors import WAITING, Outcome
from fem_mbd.applications.sweeps.sampling import Sample, SobolIndices, sobol_indices
from fem_mbd.applications.sweeps.spec import Plan, Spec
from fem_mbd.base.dependencies import has
from fem_mbd.errors import InputError
from fem_mbd.output.figures.plots import new_figure, save, styled

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


CSV_NAME, PARQUET_NAME, RUNS_NAME = "table.csv", "table.parquet", "runs"


class RunTable:
    """The rows of a sweep.

    Parameters
    ----------
    spec : the sweep
    plan : its runs and units

    Attributes
    ----------
    rows : one dictionary per run: run, parameters, status, reason, folder, outputs
    varied : parameters that differ from run to run
    outputs : names of the outputs
    axes : parameter to its values where the sweep is a grid, empty otherwise
    units : of parameters and outputs by name, "" for pure numbers
    sample : random points of the sweep, None for a grid or a table
    """

    def __init__(self, spec: Spec, plan: Plan) -> None:
        runs, self.units = plan.runs, plan.units
        self.sample: Sample | None = spec.sample
        self.varied, self.outputs = spec.varied, list(spec.outputs)
        plain = not spec.table and spec.sample is None
        self.axes: dict[str, list[Any]] = {k: list(v) for k, v in spec.grid.items()} if plain else {}
        empty = dict.fromkeys(self.outputs)
        self.rows: list[dict[str, Any]] = [
            {
                "run": r.number,
                **r.given,
                "status": WAITING,
                "reason": "",
                "folder": f"{RUNS_NAME}/{r.tag}",
                **empty,
            }
            for r in runs
        ]
        self._row_of = {run.tag: k for k, run in enumerate(runs)}

    def take(self, outcome: Outcome) -> None:
        """Store the outcome of a run.

        Parameters
        ----------
        outcome : of one run
        """
        outputs = {name: outcome.outputs.get(name) for name in self.outputs}
        row = self.rows[self._row_of[outcome.tag]]
        row |= {"status": outcome.status, "reason": outcome.reason, **outputs}

    def counts(self) -> dict[str, int]:
        """Number of runs by status."""
        return dict(Counter(row["status"] for row in self.rows))

    def column(self, name: str) -> list[Any]:
        """One column.

        Parameters
        ----------
        name : of a parameter or an output

        Raises
        ------
        InputError
            For an unknown column.
        """
        if name not in self.rows[0]:
            raise InputError(f"the table has no column {name!r}; it has {', '.join(self.rows[0])}")
        return [row[name] for row in self.rows]

    def write(self, folder: Path) -> list[Path]:
        """Write `table.csv` and, where pyarrow is installed, `table.parquet`, each replaced atomically.

        Lists are written as texts in the CSV.

        Parameters
        ----------
        folder : for the files
        """
        files = [folder / CSV_NAME, *([folder / PARQUET_NAME] if has("pyarrow") else [])]
        temporary = [file.with_name(file.name + ".new") for file in files]
        with temporary[0].open("w", newline="", encoding="utf-8") as stream:
            writer = csv.DictWriter(stream, list(self.rows[0]))
            writer.writeheader()
            writer.writerows(self.rows)
        if has("pyarrow"):
            self._write_parquet(temporary[1])
        else:
            (folder / PARQUET_NAME).unlink(missing_ok=True)  # outdated
        for new, file in zip(temporary, files, strict=True):
            os.replace(new, file)
        return files

    def _write_parquet(self, file: Path) -> None:
        import pyarrow
        from pyarrow import parquet

        columns = {name: [row[name] for row in self.rows] for name in self.rows[0]}
        try:
            table = pyarrow.table(columns)
        except pyarrow.ArrowException:  # a column of numbers and texts
            mixed = {
                name: [None if v is None else str(v) for v in values] for name, values in columns.items()
            }
            table = pyarrow.table({name: _uniform(values, mixed[name]) for name, values in columns.items()})
        parquet.write_table(table, file)

    def to_pandas(self) -> Any:
        """The table as a DataFrame, indexed by the run's number. Needs pandas."""
        import pandas

        return pandas.DataFrame(self.rows).set_index("run")

    def to_xarray(self) -> Any:
        """Outputs over the parameters of a grid, or over the runs of any other sweep. Needs xarray."""
        frame = self.to_pandas()
        if self.axes:
            data = frame.set_index(list(self.axes))[["status", *self.outputs]].to_xarray()
        else:
            data = frame[[*self.varied, "status", *self.outputs]].to_xarray()
        for name in data.variables:
            if self.units.get(name):
                data[name].attrs["units"] = self.units[name]
        return data

    def sobol_indices(self, output: str) -> SobolIndices:
        """Sobol indices of an output over the parameters of a sample drawn with the method "saltelli". Needs SALib.

        Parameters
        ----------
        output : name of a number

        Raises
        ------
        InputError
            For a sweep with other points, or when runs are missing.
        """
        values = self.column(output)
        if self.sample is None or not self._has_saltelli_points():
            raise InputError(
                'Sobol indices need Saltelli\'s points and no other variation: [sample] method = "saltelli"'
            )
        return sobol_indices(output, self.varied, values, self.sample.seed)

    def all_sobol_indices(self) -> list[SobolIndices]:
        """Sobol indices of all outputs for which they exist: numbers of complete sweeps that differ from run to run."""
        indices = []
        for name in self.outputs if self._has_saltelli_points() else []:
            with suppress(InputError):
                indices.append(self.sobol_indices(name))
        return indices

    def _has_saltelli_points(self) -> bool:
        return self.sample is not None and self.sample.method == "saltelli" and len(self) == self.sample.count

    def label(self, name: str) -> str:
        """A parameter or an output with its unit, for axes.

        Parameters
        ----------
        name : of the column
        """
        return f"{name} [{self.units[name]}]" if self.units.get(name) else name

    def __len__(self) -> int:
        return len(self.rows)

    def __repr__(self) -> str:
        counts = ", ".join(f"{count} {status}" for status, count in self.counts().items())
        return f"<RunTable of {len(self)} runs: {counts}>"

    def _repr_html_(self) -> str:
        heads = "".join(f"<th>{escape(name)}</th>" for name in self.rows[0])
        lines = ["".join(f"<td>{escape(str(v))}</td>" for v in row.values()) for row in self.rows[:20]]
        return (
            f"<p>{escape(repr(self))}</p><table><tr>{heads}</tr>"
            + "".join(f"<tr>{x}</tr>" for x in lines)
            + "</table>"
        )


def _uniform(values: list[Any], texts: list[Any]) -> list[Any]:
    """The values themselves, or their texts where they have several types."""
    kinds = {type(v) for v in values if v is not None} - {int, float}
    return texts if kinds and len({type(v) for v in values if v is not None}) > 1 else values


MAX_LINES = 6  # distinguishable lines; with more values the second parameter becomes an axis
MAX_PARAMETERS = 2  # with more parameters a scatter matrix is drawn
POINT_SIZE = 0.8  # of a bifurcation diagram


def sweep_figures(table: RunTable, folder: Path) -> list[Path]:
    """Draw the figures that suit the sweep's parameters; returns the files' paths."""
    varied = [name for name in table.varied if all(_is_number(v) for v in table.column(name))]
    if not varied:
        return []
    folder.mkdir(parents=True, exist_ok=True)
    with styled():
        return [save(figure, folder / f"{_file(name)}.png") for name, figure in _figures(table, varied)]


def _figures(table: RunTable, varied: list[str]) -> Iterator[tuple[str, Figure]]:
    numbers = [name for name in table.outputs if any(_is_number(v) for v in table.column(name))]
    for name in table.outputs:
        if any(isinstance(v, list) for v in table.column(name)):
            yield name, bifurcation(table, varied, name)
    if len(varied) <= MAX_PARAMETERS:
        for name in numbers:
            yield name, response(table, varied, name)
    elif numbers:
        yield "scatter_matrix", scatter_matrix(table, varied, numbers)
    indices = table.all_sobol_indices()
    if indices:
        yield "sobol_indices", sobol_figure(indices)


def response(table: RunTable, varied: list[str], output: str) -> Figure:
    """An output over one parameter, or over two: lines for few values of the second, otherwise colours in a map."""
    figure, axes = new_figure(height=3.4)
    ax: Axes = axes[0, 0]
    rows = [row for row in table.rows if row[output] is not None]
    ax.set(xlabel=table.label(varied[0]), ylabel=table.label(output))
    if len(varied) == 1:
        _line(ax, rows, varied[0], output, "")
    elif table.axes and len(table.axes[varied[1]]) <= MAX_LINES:
        for value in table.axes[varied[1]]:
            part = [row for row in rows if row[varied[1]] == value]
            _line(ax, part, varied[0], output, f"{varied[1]} = {value:g} {table.units.get(varied[1], '')}")
        ax.legend()
    else:
        x, y, z = (np.array([row[name] for row in rows], dtype=float) for name in (*varied, output))
        if table.axes and all(row[output] is not None for row in table.rows):
            on_grid = [np.sort(np.unique(values)) for values in (x, y)]
            cells = np.empty((len(on_grid[1]), len(on_grid[0])))
            cells[np.searchsorted(on_grid[1], y), np.searchsorted(on_grid[0], x)] = z
            drawn: Any = ax.pcolormesh(*on_grid, cells, cmap="viridis", shading="nearest")
        else:
            drawn = ax.scatter(x, y, c=z, s=30, cmap="viridis")
        ax.set(ylabel=table.label(varied[1]))
        figure.colorbar(drawn, ax=ax, label=table.label(output))
    return figure


def _line(ax: Axes, rows: list[dict[str, Any]], x: str, y: str, label: str) -> None:
    pairs = sorted((row[x], row[y]) for row in rows)
    ax.plot([p[0] for p in pairs], [p[1] for p in pairs], "o-", markersize=3, label=label.rstrip())


def bifurcation(table: RunTable, varied: list[str], output: str) -> Figure:
    """Every Poincaré point of every run over the first parameter, coloured by the second one."""
    figure, axes = new_figure(height=3.8)
    ax: Axes = axes[0, 0]
    rows = [row for row in table.rows if row[output]]
    x = np.concatenate([np.full(len(row[output]), row[varied[0]], dtype=float) for row in rows])
    y = np.concatenate([np.array(row[output], dtype=float) for row in rows])
    ax.set(xlabel=table.label(varied[0]), ylabel=table.label(output))
    if len(varied) == 1:
        ax.plot(x, y, ".", markersize=2 * POINT_SIZE, color="black")
        return figure
    colour = np.concatenate([np.full(len(row[output]), row[varied[1]], dtype=float) for row in rows])
    drawn = ax.scatter(x, y, c=colour, s=4 * POINT_SIZE**2, cmap="viridis")
    figure.colorbar(drawn, ax=ax, label=table.label(varied[1]))
    return figure


def scatter_matrix(table: RunTable, varied: list[str], outputs: list[str]) -> Figure:
    """Every output (rows) over every varied parameter (columns)."""
    figure, axes = new_figure(
        len(outputs),
        len(varied),
        width=2.2 * len(varied) + 0.6,
        height=1.9 * len(outputs) + 0.5,
        share_x=False,
    )
    for i, output in enumerate(outputs):
        for j, name in enumerate(varied):
            pairs = [(row[name], row[output]) for row in table.rows if row[output] is not None]
            axes[i, j].plot(*np.array(pairs, dtype=float).reshape(-1, 2).T, ".", markersize=3)
            axes[i, j].set(
                xlabel=table.label(name) if i == len(outputs) - 1 else "",
                ylabel=table.label(output) if j == 0 else "",
            )
    return figure


def sobol_figure(indices: list[SobolIndices]) -> Figure:
    """Indices of first order and total ones of every parameter, with 95 % confidence, a panel for each output."""
    figure, axes = new_figure(len(indices), height=1.0 + 1.6 * len(indices))
    for ax, entry in zip(axes[:, 0], indices, strict=True):
        x = np.arange(len(entry.parameters))
        ax.bar(x - 0.2, entry.first, 0.4, yerr=entry.first_error, capsize=3, label="first order")
        ax.bar(x + 0.2, entry.total, 0.4, yerr=entry.total_error, capsize=3, label="total")
        ax.set_xticks(x, entry.parameters)
        ax.set(ylabel="Sobol index", title=entry.output)
    axes[0, 0].legend()
    return figure


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _file(name: str) -> str:
    return "".join(c if c.isalnum() or c in "-_" else "_" for c in name)
