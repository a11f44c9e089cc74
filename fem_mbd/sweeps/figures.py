"""Figures of a sweep: an output over one or two parameters, bifurcation diagrams, a scatter matrix for more."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from fem_mbd.figures.plots import new_figure, save, styled
from fem_mbd.sweeps.run_table import RunTable

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

FEW = 6  # lines that can be told apart; with more values of the second parameter it becomes an axis
PARAMETERS = 2  # more of them: a scatter matrix


def sweep_figures(table: RunTable, folder: Path) -> list[Path]:
    """Draw what the sweep's parameters allow, a file per output; returns their paths."""
    varied = [name for name in table.varied if all(_is_number(v) for v in table.column(name))]
    outputs = [
        name
        for name in table.outputs
        if any(_is_number(v) or isinstance(v, list) for v in table.column(name))
    ]
    if not varied or not outputs:
        return []
    folder.mkdir(parents=True, exist_ok=True)
    with styled():
        if len(varied) > PARAMETERS:
            return [save(scatter_matrix(table, varied, outputs), folder / "scatter_matrix.png")]
        return [save(response(table, varied, name), folder / f"{_file(name)}.png") for name in outputs]


def response(table: RunTable, varied: list[str], output: str) -> Figure:
    """An output over one parameter, or over two: lines for few values of the second, else colours on a map."""
    figure, axes = new_figure(height=3.4)
    ax: Axes = axes[0, 0]
    rows = [row for row in table.rows if row[output] is not None]
    ax.set(xlabel=varied[0], ylabel=output)
    if any(isinstance(row[output], list) for row in rows):
        _bifurcation(ax, rows, varied[0], output)
    elif len(varied) == 1:
        _line(ax, rows, varied[0], output, "")
    elif table.axes and len(table.axes[varied[1]]) <= FEW:
        for value in table.axes[varied[1]]:
            _line(
                ax,
                [row for row in rows if row[varied[1]] == value],
                varied[0],
                output,
                f"{varied[1]} = {value:g}",
            )
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
        ax.set(ylabel=varied[1])
        figure.colorbar(drawn, ax=ax, label=output)
    return figure


def _line(ax: Axes, rows: list[dict[str, Any]], x: str, y: str, label: str) -> None:
    pairs = sorted((row[x], row[y]) for row in rows)
    ax.plot([p[0] for p in pairs], [p[1] for p in pairs], "o-", markersize=3, label=label)


def _bifurcation(ax: Axes, rows: list[dict[str, Any]], x: str, y: str) -> None:
    """Every point of every run over its parameter."""
    for row in rows:
        ax.plot(np.full(len(row[y]), row[x]), row[y], ",", color="black")


def scatter_matrix(table: RunTable, varied: list[str], outputs: list[str]) -> Figure:
    """Every output (rows) over every varied parameter (columns)."""
    outputs = [name for name in outputs if not any(isinstance(v, list) for v in table.column(name))]
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
            axes[i, j].set(xlabel=name if i == len(outputs) - 1 else "", ylabel=output if j == 0 else "")
    return figure


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _file(name: str) -> str:
    return "".join(c if c.isalnum() or c in "-_" else "_" for c in name)
