"""Export of results and of mode shapes in a requested format; CSV tables of a run.

Mode shapes have one time step per mode, with the number of the mode as its time. The points are those of the
equilibrium. Every mode is scaled so that its largest displacement is a tenth of the model's size (for pure rotations,
that its largest rotation is 0.1 rad). A mode moves as

    displacement cos(w t) + displacement_90 sin(w t)        likewise turn and turn_90 [rad], global axes

with the second part zero for a mode in which everything oscillates in phase: warp by `displacement` to see it. The
values `frequency` [Hz] and `damping_ratio` are the same at all points.

CSV tables are those of the energy ledger, of the steps, and one for every recorded output. The first column is the time
in s; the other columns are named after node or part and component, with units in brackets. Numbers are written so that
they are read back bit for bit.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from fem_mbd.analysis.modal.modes import Modes
from fem_mbd.base.arrays import Array, Complex
from fem_mbd.base.lazy import nearest
from fem_mbd.core.model.output import Output
from fem_mbd.core.scheme.ledger import ENERGIES
from fem_mbd.errors import InputError
from fem_mbd.output.export import lines
from fem_mbd.output.export.lines import Frame, Lines, blocks, chosen_rows, lines_of, read_rows
from fem_mbd.runs.results.result import Result
from fem_mbd.runs.results.views.part_table import PartTable
from fem_mbd.runs.results.views.states import flat_values

Write = Callable[[Path, Lines, Iterable[Frame]], int]
WRITERS: dict[str, tuple[Write, str]] = {
    "vtkhdf": (lines.write, ".vtkhdf"),
    "xdmf": (lines.write_xdmf, ".xdmf"),
    "vtu": (lines.write_vtu, ".pvd"),
}
FORMATS = (*WRITERS, "csv")
SIZE = 0.1  # fraction of the model's size, or rad


def export_result(result: Result, path: str | Path, to: str = "vtkhdf", every: int = 1) -> list[Path]:
    """Write a run for other programs; returns the files to open.

    Parameters
    ----------
    result : `Result`
    path : file without its ending; for "csv" the folder of the tables
    to : "vtkhdf", "xdmf", "vtu" or "csv"
    every : every n-th recorded state (the first and the last always)

    Raises
    ------
    InputError
        For an unknown format, a run without the quantities of the format, or a file that cannot be written.
    """
    check_format(to)
    with writable(Path(path)) as target:
        if to == "csv":
            return write_tables(target, result, every)
        lines = lines_of(result)
        return [write_frames(target, to, lines, lines.frames(result, every))]


def write_frames(path: Path, to: str, lines: Lines, frames: Iterable[Frame]) -> Path:
    """Write frames with the writer of a format; returns the file to open."""
    write, suffix = WRITERS[to]
    file = path if path.suffix == suffix else path.with_name(path.name + suffix)
    write(file, lines, frames)
    return file


def check_format(to: str, formats: Iterable[str] = FORMATS) -> None:
    """Raise InputError for a format that is not among ``formats``."""
    known = tuple(formats)
    if to not in known:
        raise InputError(
            f"export: there is no format {to!r}; {nearest(to, known)} (there are {', '.join(known)})"
        )


@contextmanager
def writable(path: Path) -> Iterator[Path]:
    """The path, with its folder created; errors of the file system become InputError."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        yield path
    except OSError as error:
        raise InputError(f"export: {path} cannot be written ({error})") from error


def export_modes(modes: Modes, path: str | Path, to: str = "vtkhdf") -> Path:
    """Write mode shapes for other programs; returns the file to open.

    Parameters
    ----------
    modes : `Modes`
    path : file without its ending
    to : "vtkhdf", "xdmf" or "vtu"

    Raises
    ------
    InputError
        For an unknown format or a file that cannot be written.
    """
    check_format(to, WRITERS)
    system = modes.linear.system
    lines = Lines(system.describe())
    if not lines.points:
        raise InputError("this model has no nodes besides the ground: there is nothing to draw")
    with writable(Path(path)) as target:
        return write_frames(target, to, lines, _frames(modes, lines))


def _frames(modes: Modes, lines: Lines) -> Iterator[Frame]:
    linear = modes.linear
    state, centre = linear.state, linear.system.workspace.centre
    positions = state.u - np.einsum("nij,nj->ni", state.r, centre)
    points, axes = lines.at_points(positions), lines.axes(state.r)
    extent = float(np.ptp(points, axis=0).max()) or 1.0
    numbers = zip(modes.shapes, modes.frequencies_hz, modes.damping_ratios, strict=True)
    for number, (shape, frequency, damping) in enumerate(numbers, start=1):
        motion = _scaled(shape, extent)
        parts = {"displacement": motion[:, :3], "turn": motion[:, 3:]}
        values: dict[str, Array] = {}
        for name, part in parts.items():
            values |= {name: lines.at_points(part.real), f"{name}_90": lines.at_points(-part.imag)}
        values |= {f"d{k + 1}": axes[:, :, k] for k in range(3)}
        values["frequency"] = np.full((len(points), 1), frequency)
        values["damping_ratio"] = np.full((len(points), 1), damping)
        yield Frame(float(number), points, values)


def _scaled(shape: Complex, extent: float) -> Complex:
    displacement, rotation = np.abs(shape[:, :3]).max(), np.abs(shape[:, 3:]).max()
    if displacement > 1e-9 * extent * rotation:
        return shape * (SIZE * extent / displacement)
    return shape * (SIZE / rotation) if rotation else shape


def write_tables(folder: Path, result: Result, every: int = 1) -> list[Path]:
    """Write all tables into ``folder``, created if necessary; returns the files.

    ``every``: every n-th row, and the last. The ledger's works and dissipations then include those of the skipped
    rows.
    """
    folder.mkdir(parents=True, exist_ok=True)
    rows = chosen_rows(result, every)
    files = [_write_ledger(folder / "energy.csv", result, every), _write_steps(folder / "steps.csv", result)]
    table = PartTable(result.model)
    for name, output in table.outputs.items():
        titles = table.titles(output)
        if titles and name in result.outputs:
            files.append(_write(folder / f"{name}.csv", titles, _history(result, output, rows)))
    return files


def _history(result: Result, output: Output, rows: list[int]) -> Iterator[list[Any]]:
    """Rows of time and values of one output, first the state at the start unless a damaged file lost it."""
    if output.name in result.initial:
        yield [result.info.start_time, *_flat(result.initial[output.name][None], output)[0]]
    for block in blocks(rows):
        values = _flat(read_rows(result, output.name, block), output)
        for row, line in zip(block, values, strict=True):
            yield [float(result.output_time[row]), *line]


def _flat(values: np.ndarray, output: Output) -> list[list[float]]:
    """Every row as a list of numbers; of records, quantity by quantity for each record."""
    return flat_values(values, output).reshape(len(values), -1).tolist()


def _write_ledger(path: Path, result: Result, every: int) -> Path:
    count = result.steps
    ends = np.array([*range(every, count, every), count] if count else [], dtype=np.int64)
    columns = [result.time[ends - 1]]
    for name, column in result.energy.items():
        sums = np.diff(np.cumsum(column)[ends - 1], prepend=0.0)
        columns.append(column[ends - 1] if name in ENERGIES or every == 1 else sums)
    return _write(path, [f"{name} [J]" for name in result.energy], np.column_stack(columns).tolist())


def _write_steps(path: Path, result: Result) -> Path:
    names = [name for name in result.step if name != "time"]
    titles = [f"{name} [s]" if name == "dt" else name for name in names]
    columns = [result.time.tolist(), *(result.step[name].tolist() for name in names)]
    return _write(path, titles, zip(*columns, strict=True))


def _write(path: Path, names: Sequence[str], rows: Iterable[Sequence[Any]]) -> Path:
    with path.open("w", newline="", encoding="utf-8") as file:
        table = csv.writer(file)
        table.writerow(["time [s]", *names])
        table.writerows(rows)
    return path
