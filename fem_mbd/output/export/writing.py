"""Function `export_result`: writes a result in a requested format."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from fem_mbd.base.suggestions import nearest
from fem_mbd.errors import InputError
from fem_mbd.output.export import tables, vtkhdf, vtu, xdmf
from fem_mbd.output.export.lines import Frame, Lines, lines_of
from fem_mbd.runs.results.result import Result

Write = Callable[[Path, Lines, Iterable[Frame]], int]
WRITERS: dict[str, tuple[Write, str]] = {
    "vtkhdf": (vtkhdf.write, ".vtkhdf"),
    "xdmf": (xdmf.write, ".xdmf"),
    "vtu": (vtu.write, ".pvd"),
}
FORMATS = (*WRITERS, "csv")


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
