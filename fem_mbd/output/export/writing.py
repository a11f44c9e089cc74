"""Function `export_result`: writes a result in a requested format.

Export of mode shapes for ParaView: one time step per mode, with the number of the mode as its time.

The points are those of the equilibrium. Every mode is scaled so that its largest displacement is a tenth of the
model's size (for pure rotations, that its largest rotation is 0.1 rad). A mode moves as

    displacement cos(w t) + displacement_90 sin(w t)        likewise turn and turn_90 [rad], global axes

with the second part zero for a mode in which everything oscillates in phase: warp by `displacement` to see it. The
values `frequency` [Hz] and `damping_ratio` are the same at all points.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from fem_mbd.analysis.modal.modes import Modes
from fem_mbd.base.arrays import Array, Complex
from fem_mbd.base.suggestions import nearest
from fem_mbd.errors import InputError
from fem_mbd.output.export import tables, vtkhdf, xml_files
from fem_mbd.output.export.lines import Frame, Lines, lines_of
from fem_mbd.runs.results.result import Result

Write = Callable[[Path, Lines, Iterable[Frame]], int]
WRITERS: dict[str, tuple[Write, str]] = {
    "vtkhdf": (vtkhdf.write, ".vtkhdf"),
    "xdmf": (xml_files.write_xdmf, ".xdmf"),
    "vtu": (xml_files.write_vtu, ".pvd"),
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
    with writable(Path(path)) as place:
        if to == "csv":
            return tables.write(place, result, every)
        lines = lines_of(result)
        return [write_frames(place, to, lines, lines.frames(result, every))]


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


def export_modes(found: Modes, path: str | Path, to: str = "vtkhdf") -> Path:
    """Write mode shapes for other programs; returns the file to open.

    Parameters
    ----------
    found : `Modes`
    path : file without its ending
    to : "vtkhdf", "xdmf" or "vtu"

    Raises
    ------
    InputError
        For an unknown format or a file that cannot be written.
    """
    check_format(to, WRITERS)
    system = found.linear.system
    lines = Lines(system.describe())
    if not lines.points:
        raise InputError("this model has no nodes besides the ground: there is nothing to draw")
    with writable(Path(path)) as place:
        return write_frames(place, to, lines, _frames(found, lines))


def _frames(found: Modes, lines: Lines) -> Iterator[Frame]:
    linear = found.linear
    state, centre = linear.state, linear.system.work.centre
    positions = state.u - np.einsum("nij,nj->ni", state.r, centre)
    points, axes = lines.places(positions), lines.axes(state.r)
    extent = float(np.ptp(points, axis=0).max()) or 1.0
    numbers = zip(found.shapes, found.frequencies_hz, found.damping_ratios, strict=True)
    for number, (shape, frequency, damping) in enumerate(numbers, start=1):
        motion = _scaled(shape, extent)
        halves = {"displacement": motion[:, :3], "turn": motion[:, 3:]}
        values: dict[str, Array] = {}
        for name, part in halves.items():
            values |= {name: lines.places(part.real), f"{name}_90": lines.places(-part.imag)}
        values |= {f"d{k + 1}": axes[:, :, k] for k in range(3)}
        values["frequency"] = np.full((len(points), 1), frequency)
        values["damping_ratio"] = np.full((len(points), 1), damping)
        yield Frame(float(number), points, values)


def _scaled(shape: Complex, extent: float) -> Complex:
    moved, turned = np.abs(shape[:, :3]).max(), np.abs(shape[:, 3:]).max()
    if moved > 1e-9 * extent * turned:
        return shape * (SIZE * extent / moved)
    return shape * (SIZE / turned) if turned else shape
