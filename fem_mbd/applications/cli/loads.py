"""`fem-mbd loads DIR`: section loads of a run, of many runs, or of a machine's file, as tables and figure."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from typing import Any

from fem_mbd.applications.cli.defaults import LOADS_FOLDER
from fem_mbd.applications.cli.exit_status import of_reading
from fem_mbd.applications.cli.machine_loads import machine_loads
from fem_mbd.cases import is_machine
from fem_mbd.errors import InputError
from fem_mbd.output.export.outb import write_outb
from fem_mbd.output.section_loads.loads import Loads, section_loads
from fem_mbd.output.section_loads.many_runs import loads_of_runs
from fem_mbd.runs.results.file_format import RESULTS_NAME
from fem_mbd.runs.results.reader import results_path
from fem_mbd.runs.results.result import Result


def write_loads(options: argparse.Namespace) -> int:
    """Write tables and figure, show the table, and name the files."""
    if is_machine(options.folder):
        return machine_loads(options)
    if options.assignments or options.params:
        raise InputError("loads: --set and --params are for a machine's file; a run has its parameters")
    several = options.folder.is_dir() and not (options.folder / RESULTS_NAME).is_file()
    if several or options.folder.suffix.lower() in (".csv", ".outb"):
        return _many(options)
    path = results_path(options.folder)
    folder = options.out or path.parent / LOADS_FOLDER
    names = options.channels or ()
    with Result.open(path, scan=True) as result:
        loads = section_loads(result, *names, after=options.after)
        rows = loads.table(options.exponents, options.frequency)
        files = loads.to_csv(folder, exponents=options.exponents, frequency=options.frequency)
        files.append(loads.plot(folder / "loads.png", names))
        if options.outb:
            files.append(_outb(folder / "loads.outb", loads))
        status = of_reading(result)
    _show(rows)
    sys.stdout.write("".join(f"{file}\n" for file in files))
    return status


def _outb(file: Any, loads: Loads) -> Any:
    return write_outb(file, loads.time, loads.channels, loads.units, "section loads by fem_mbd")


def _many(options: argparse.Namespace) -> int:
    """Extremes and damage-equivalent loads over a folder of runs, a table of load cases or one file of OpenFAST."""
    single = options.folder.suffix.lower() == ".outb"
    place = options.folder
    if single:
        from fem_mbd.output.section_loads.many_runs import LoadCase

        place = (LoadCase(options.folder, name=options.folder.name),)
    found = loads_of_runs(
        place,
        *(options.channels or ()),
        after=options.after,
        exponents=options.exponents,
        frequency=options.frequency,
    )
    beside = options.folder if options.folder.is_dir() else options.folder.parent
    files = found.to_csv(options.out or beside / LOADS_FOLDER)
    _show(found.rows)
    sys.stdout.write("".join(f"{file}\n" for file in files))
    return 0


def _show(rows: Sequence[dict[str, Any]]) -> None:
    lines = [list(rows[0]), *([_text(value) for value in row.values()] for row in rows)]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    for line in lines:
        cells = [text.ljust(width) for text, width in zip(line, widths, strict=True)]
        sys.stdout.write("  ".join(cells).rstrip() + "\n")


def _text(value: Any) -> str:
    return value if isinstance(value, str) else f"{value:.5g}"
