"""Reader of load tables in text files: a row for each span, azimuth and time.

    # 5 MW blade, steady wind of 11 m/s
    span [m], azimuth [deg], time [s], Fx [N/m], Fy [N/m], Mz [N m/m], x_ac [m], y_ac [m]
    0.0,      0,             0,        120.0,    -40.0,    5.0,        0.0,      -0.4

The first line that is no comment (#) names the columns, in any order, separated by commas. Required are the span and at
least one component (Fx, Fy, Fz, Mx, My, Mz); azimuth, time and the aerodynamic centre (x_ac, y_ac) where they matter.
Every combination of span, azimuth and time has one row, in any order. Meanings: `fem_mbd.elements.LoadTable`.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from fem_mbd.base.arrays import Array, Indices
from fem_mbd.base.suggestions import nearest
from fem_mbd.elements.blades.text import TextFile
from fem_mbd.elements.loads.load_table import LoadTable

GRID = {"span": "m", "azimuth": "deg", "time": "s"}
COMPONENTS = {"Fx": "N/m", "Fy": "N/m", "Fz": "N/m", "Mx": "N m/m", "My": "N m/m", "Mz": "N m/m"}
CENTRE = {"x_ac": "m", "y_ac": "m"}
TITLES = {f"{name} [{unit}]": name for name, unit in (GRID | COMPONENTS | CENTRE).items()}


def read_load_table(path: str | Path) -> LoadTable:
    """The load table of a text file.

    Parameters
    ----------
    path : of the file

    Raises
    ------
    InputError
        Naming file and line: unknown or missing columns, entries that are not numbers, missing or duplicate rows.
    """
    file = TextFile(path, "load table")
    names, rows, lines = _rows(file)
    columns = dict(zip(names, rows.T, strict=True))
    axes = {name: np.unique(columns[name]) for name in GRID if name in columns}
    order = _order(file, columns, axes, lines)
    shape = [len(values) for values in axes.values()]
    values = {name: column[order].reshape(shape) for name, column in columns.items()}
    six = [values.get(name, np.zeros(shape)) for name in COMPONENTS]
    centre = [values.get(name, np.zeros(shape)).reshape(shape[0], -1) for name in CENTRE]
    for name, grid in zip(CENTRE, centre, strict=True):
        if np.any(grid != grid[:, :1]):
            file.fail(f"{name} has to be the same for all azimuths and times of a span", lines[0] - 1)
    ends = int(lines[np.argmin(columns["span"])]), int(lines[np.argmax(columns["span"])])
    return LoadTable(
        axes["span"],
        np.stack(six[:3], axis=-1),
        np.radians(axes["azimuth"]) if "azimuth" in axes else None,
        axes.get("time"),
        np.stack(six[3:], axis=-1),
        np.column_stack([grid[:, 0] for grid in centre]),
        str(path),
        ends,
    )


def _rows(file: TextFile) -> tuple[list[str], Array, Indices]:
    """Names of the columns, numbers (k, columns), and their lines (k,), from 1."""
    names: list[str] = []
    rows, lines = [], []
    for k, line in enumerate(file.lines):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        cells = [cell.strip() for cell in line.split(",")]
        if not names:
            names = _names(file, cells, k)
            continue
        if len(cells) != len(names):
            file.fail(f"{len(cells)} numbers for {len(names)} columns", k)
        try:
            row = [float(cell) for cell in cells]
        except ValueError:
            file.fail(f"this is not a row of numbers: {line.strip()[:60]!r}", k)
        if not np.all(np.isfinite(row)):
            file.fail("numbers have to be finite", k)
        rows.append(row)
        lines.append(k + 1)
    if not rows:
        file.fail("there are no rows", len(file.lines) - 1)
    return names, np.array(rows), np.array(lines)


def _names(file: TextFile, cells: list[str], k: int) -> list[str]:
    for cell in cells:
        if cell not in TITLES:
            file.fail(f"there is no column {cell!r}; {nearest(cell, TITLES)}", k)
    names = [TITLES[cell] for cell in cells]
    if len(set(names)) < len(names):
        file.fail("a column is given twice", k)
    if "span" not in names or not set(names) & set(COMPONENTS):
        file.fail("columns needed: span [m], and a component as Fx [N/m]", k)
    return names


def _order(file: TextFile, columns: dict[str, Array], axes: dict[str, Array], lines: Indices) -> Indices:
    """Rows (k,) in the order of the grid."""
    index = np.zeros(len(lines), dtype=np.int64)
    for name, values in axes.items():
        if len(values) < 2:
            file.fail(f"{name} has one value only: give two at least, or leave the column out", lines[-1] - 1)
        index = index * len(values) + np.searchsorted(values, columns[name])
    order = np.argsort(index, kind="stable")
    doubled = np.flatnonzero(np.diff(index[order]) == 0)
    if len(doubled):
        first, second = order[doubled[0]], order[doubled[0] + 1]
        file.fail(f"the same grid point as on line {lines[first]}", lines[second] - 1)
    count = int(np.prod([len(values) for values in axes.values()]))
    if len(order) != count:
        gap = int(np.flatnonzero(np.append(index[order], count) != np.arange(len(order) + 1))[0])
        missing = np.unravel_index(gap, [len(values) for values in axes.values()])
        where = ", ".join(
            f"{name} {values[k]:g} {GRID[name]}"
            for (name, values), k in zip(axes.items(), missing, strict=True)
        )
        file.fail(f"no row here or above has {where}: every combination needs one", lines[-1] - 1)
    return order
