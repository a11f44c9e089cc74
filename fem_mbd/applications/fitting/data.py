"""Measured friction data: reading from CSV files or arrays, and checks before a law is fitted.

A file (`read_measurement`) has one line of column names followed by numbers, in SI units; ``#`` begins a comment line.
A name may carry its unit, ``force [N]``. Separators: comma, semicolon or tab. Columns, in any order, others are
ignored:

    time           s, increasing; without it the data are steady: each row has a speed and its steady force
    velocity       m/s, of the slip, or
    displacement   m, path of the slip; used if both are present
    force          N, friction as resistance: positive for slip in the positive direction
    normal_force   N, positive (or one number for all rows)

Displacement without time requires the speed along the path.

`number_table` reads tables of numbers in CSV files with comments; its errors name file, line and column.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike

from fem_mbd.base.arrays import Array, Flags
from fem_mbd.base.lazy import nearest
from fem_mbd.base.validation import positive
from fem_mbd.errors import InputError


def number_table(
    file: Path, column: Callable[[str], str], empty: Callable[[str, str], bool]
) -> tuple[list[str], list[int], list[list[float]]]:
    """Column names, line number of each row and rows of numbers of a CSV file with comments (#).

    Parameters
    ----------
    file : path; separators are commas, semicolons or tabs
    column : function from an entry of the first line to the column's name
    empty : function of a column's name and an entry: whether the entry is missing (nan)

    Raises
    ------
    InputError
        Naming file, line and column: files that cannot be read, rows of another length, entries that are not numbers.
    """
    try:
        text = file.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise InputError(f"{file}: it cannot be read ({error.strerror})") from error
    except UnicodeDecodeError as error:
        raise InputError(f"{file}: it is not a text file in UTF-8 ({error.reason})") from error
    content = _content_lines(text)
    _, header = next(content, (0, ""))
    separator = next((mark for mark in ("\t", ";") if mark in header), ",")
    names = [column(entry) for entry in _entries(header, separator, f"{file}, first line")]
    if len(set(names)) < len(names):
        raise InputError(f"{file}: two columns have the same name: {', '.join(names)}")
    lines, rows = [], []
    for number, line in content:
        entries = _entries(line, separator, f"{file}, line {number}")
        if len(entries) != len(names):
            raise InputError(f"{file}, line {number}: {len(entries)} entries for {len(names)} columns")
        lines.append(number)
        where = f"{file}, line {number}, column"
        rows.append(
            [
                np.nan if empty(name, entry) else _number(entry, f"{where} {name!r}")
                for entry, name in zip(entries, names, strict=True)
            ]
        )
    return names, lines, rows


def _entries(line: str, separator: str, where: str) -> list[str]:
    try:
        return next(csv.reader([line], delimiter=separator), [])
    except csv.Error as error:
        raise InputError(f"{where}: it is not a line of a CSV table ({error})") from error


def _content_lines(text: str) -> Iterator[tuple[int, str]]:
    for number, line in enumerate(text.splitlines(), 1):
        if line.strip() and not line.lstrip().startswith("#"):
            yield number, line


def _number(entry: str, where: str) -> float:
    try:
        return float(entry)
    except ValueError:
        raise InputError(f"{where}: {entry.strip()!r} is not a number") from None


UNITS = {"time": "s", "velocity": "m/s", "displacement": "m", "force": "N", "normal_force": "N"}
MIN_ROWS = 3
LARGEST = 1e30  # in any column, SI units: squares of larger numbers overflow


@dataclass(frozen=True)
class Measurement:
    """Rows of measured friction; all arrays (n,) and read-only.

    Attributes
    ----------
    source : name used in messages
    force, normal_force : N
    time : s, None for steady data
    velocity, displacement : m/s and m, one of them None; only steady data must have the velocity
    """

    source: str
    force: Array
    normal_force: Array
    time: Array | None
    velocity: Array | None
    displacement: Array | None

    @property
    def rows(self) -> int:
        """Number of rows."""
        return len(self.force)

    @property
    def coefficient(self) -> Array:
        """Friction coefficient: force over normal force (n,)."""
        return self.force / self.normal_force


def read_measurement(
    file: Path, normal_force: float | None = None, speed: float | None = None
) -> Measurement:
    """Read a measurement from a CSV file.

    Parameters
    ----------
    file : path
    normal_force, speed : as for `measured`

    Raises
    ------
    InputError
        As for `measured`, for unreadable files, and for entries that are not numbers; the message names file, line and
        column.
    """
    names, lines, rows = number_table(
        file, lambda entry: _column(entry, file), lambda name, _: name not in UNITS
    )
    _check_columns(names, str(file))
    columns = {name: np.array([row[k] for row in rows]) for k, name in enumerate(names) if name in UNITS}
    return measured(columns, normal_force, speed, source=str(file), lines=lines)


def measured(
    columns: Mapping[str, ArrayLike],
    normal_force: float | None = None,
    speed: float | None = None,
    *,
    source: str = "data",
    lines: list[int] | None = None,
) -> Measurement:
    """Create a measurement from columns of numbers.

    Parameters
    ----------
    columns : (n,) each, by the names of docs/how-to/fitting.md
    normal_force : N, for all rows, when there is no such column
    speed : m/s along a path of displacements without time
    source, lines : origin of the rows, for messages

    Raises
    ------
    InputError
        For missing columns, columns of unequal length, entries that are not finite, time that does not increase, a
        normal force that is not positive, fewer than three rows, and friction that drives the slip.
    """
    data = {name: _numbers(values, name, source) for name, values in columns.items()}
    _check_columns(list(data), source)
    rows = _Rows(source, lines or [], data["force"].size)
    for name, values in data.items():
        rows.check_finite(name, values)
    time = _time(data, speed, rows)
    normal = _normal_force(data, normal_force, rows)
    displacement: Array | None = data.get("displacement") if time is not None else None
    velocity = data.get("velocity") if displacement is None else None
    if time is None:
        rows.refuse(
            "velocity", data["velocity"] == 0.0, "the steady force requires sliding: leave the row out"
        )
    measurement = Measurement(source, data["force"], normal, time, velocity, displacement)
    _check_sign(measurement)
    for column in (measurement.force, normal, time, velocity, displacement):
        if column is not None:
            column.setflags(write=False)
    return measurement


@dataclass(frozen=True)
class _Rows:
    """Checks of whole columns; error messages name the first invalid row."""

    source: str
    lines: list[int]
    count: int

    def __post_init__(self) -> None:
        if self.count < MIN_ROWS:
            raise InputError(f"{self.source}: {self.count} rows of data: give at least {MIN_ROWS}")

    def refuse(self, column: str, wrong: Flags, reason: str) -> None:
        """Raise InputError with ``reason`` if any entry of ``wrong`` (n,) is true."""
        if np.any(wrong):
            row = int(np.argmax(wrong))
            where = f"line {self.lines[row]}" if self.lines else f"row {row}"
            raise InputError(f"{self.source}, {where}, column {column!r}: {reason}")

    def check_finite(self, column: str, values: Array) -> None:
        """Raise InputError unless ``values`` are ``count`` finite numbers."""
        if values.shape != (self.count,):
            raise InputError(
                f"{self.source}, column {column!r}: shape {values.shape}: give ({self.count},), one per force"
            )
        self.refuse(column, ~np.isfinite(values), "not a finite number: correct the row or leave it out")
        self.refuse(
            column,
            np.abs(values) > LARGEST,
            f"beyond {LARGEST:g}: give it in {UNITS.get(column, 'SI units')}",
        )


def _numbers(values: ArrayLike, name: str, source: str) -> Array:
    try:
        return np.array(values, dtype=np.float64)
    except (TypeError, ValueError, OverflowError) as error:
        raise InputError(f"{source}, column {name!r}: it is not an array of numbers ({error})") from error


def _check_columns(data: list[str], source: str) -> None:
    def missing(column: str, similar: str) -> InputError:
        others = [name for name in data if name not in UNITS]
        suggestion = nearest(similar, others) if others else f"it has: {', '.join(data) or 'none'}"
        return InputError(f"{source}: there is no column {column}; {suggestion}")

    if "force" not in data:
        raise missing("'force' (N)", "force")
    if "velocity" not in data and "displacement" not in data:
        raise missing("'velocity' (m/s) or 'displacement' (m): one of them is required", "velocity")


def _normal_force(data: Mapping[str, Array], constant: float | None, rows: _Rows) -> Array:
    column = data.get("normal_force")
    if column is not None and constant is not None:
        raise InputError(
            f"{rows.source}: the normal force is a column of the file: leave the constant one out"
        )
    if column is not None:
        rows.refuse("normal_force", column <= 0.0, "the normal force must be positive")
        rows.refuse("normal_force", column < 1.0 / LARGEST, f"below {1.0 / LARGEST:g}: give it in N")
        return column
    if constant is None:
        raise InputError(
            f"{rows.source}: there is no column 'normal_force' (N): add it or give --normal-force N (1 when the force "
            "is a coefficient of friction already)"
        )
    if not 1.0 / LARGEST <= positive(constant, "normal force") <= LARGEST:
        raise InputError(f"{rows.source}: the normal force is {constant:g}: give it in N")
    return np.full(rows.count, float(constant))


def _time(data: Mapping[str, Array], speed: float | None, rows: _Rows) -> Array | None:
    time = data.get("time")
    if time is None and speed is not None:
        if "displacement" not in data:
            raise InputError(f"{rows.source}: --speed requires a column 'displacement', which is missing")
        path = np.abs(np.diff(data["displacement"]))
        rows.refuse("displacement", np.r_[False, path == 0.0], "the same as in the row before, without time")
        return np.r_[0.0, np.cumsum(path) / positive(speed, "speed")]
    if time is None and "velocity" not in data:
        raise InputError(
            f"{rows.source}: there is no column 'time' (s): add it or give --speed V, the speed (m/s) along the "
            "path of displacements"
        )
    if time is not None:
        if speed is not None:
            raise InputError(f"{rows.source}: the file has a column 'time': leave --speed out")
        rows.refuse("time", np.r_[False, np.diff(time) <= 0.0], "time must increase from row to row")
    return time


def _check_sign(data: Measurement) -> None:
    """Raise InputError when the force has the wrong sign: its work, summed over all rows, drives the slip."""
    if data.displacement is not None:
        work = 0.5 * (data.force[1:] + data.force[:-1]) * np.diff(data.displacement)
    else:
        assert data.velocity is not None
        work = data.force * data.velocity
    if np.all(work == 0.0):
        raise InputError(
            f"{data.source}: there is no slip, or the force is zero throughout: nothing can be fitted"
        )
    if work.sum() < 0.0:
        raise InputError(
            f"{data.source}: the force drives the slip instead of resisting it: change the sign of the "
            "column 'force'"
        )


def _column(entry: str, file: Path) -> str:
    """Name without its unit; InputError for a unit other than the column's."""
    name, bracket, unit = entry.strip().partition("[")
    name, unit = name.strip(), unit.strip(" ]")
    if bracket and name in UNITS and unit != UNITS[name]:
        raise InputError(f"{file}, column {name!r}: unit {unit!r}: convert it to {UNITS[name]}")
    return name
