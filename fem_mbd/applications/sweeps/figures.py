"""Figures of a sweep: outputs over one or two parameters, bifurcation diagrams, scatter matrices, Sobol indices."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from fem_mbd.applications.sweeps.run_table import RunTable
from fem_mbd.applications.sweeps.sampling import SobolIndices
from fem_mbd.output.figures.plots import new_figure, save, styled

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

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
