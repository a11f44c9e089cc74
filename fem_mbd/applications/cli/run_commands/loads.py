"""Command `fem-mbd loads DIR`: section loads of a run, of many runs, or of a machine's file, as tables and figure."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import Any

from fem_mbd.applications.cli.options import LOADS_EXPONENTS, LOADS_FOLDER, add_parameters, path
from fem_mbd.applications.cli.reports import write_line
from fem_mbd.base.text_table import text_table


def add_options(command: argparse.ArgumentParser) -> None:
    """Add the options of `loads`."""
    command.add_argument(
        "folder",
        type=path,
        metavar="DIR",
        help="folder of a run or of many, table of load cases (.csv), .outb file, or a machine's file (.fst, …)",
    )
    add_parameters(command)
    command.add_argument(
        "--channels", nargs="+", metavar="NAME", help="e.g. RootMyb1 TwrBsMyt (default: all of the model)"
    )
    command.add_argument("--after", type=float, metavar="S", help="leave out earlier times")
    command.add_argument(
        "--exponents",
        nargs="+",
        type=float,
        default=list(LOADS_EXPONENTS),
        metavar="M",
        help=f"exponents of the S-N curves (default: {' '.join(f'{m:g}' for m in LOADS_EXPONENTS)})",
    )
    command.add_argument(
        "--frequency",
        type=float,
        default=1.0,
        metavar="HZ",
        help="frequency of the damage-equivalent loads (default: 1)",
    )
    command.add_argument(
        "--out", type=path, metavar="FOLDER", help=f"(default: {LOADS_FOLDER} beside the results)"
    )
    command.add_argument(
        "--outb", action="store_true", help="of a run: also write the histories as OpenFAST's .outb"
    )
    command.set_defaults(command=write_loads)


def write_loads(options: argparse.Namespace) -> int:
    """Write tables and figure, print the table and the names of the files; returns the exit status."""
    from fem_mbd.applications.cli.run_commands.machine_loads import machine_loads
    from fem_mbd.cases import is_machine
    from fem_mbd.errors import InputError
    from fem_mbd.runs.results.hdf5.layout import RESULTS_NAME

    if is_machine(options.folder):
        return machine_loads(options)
    if options.assignments or options.params:
        raise InputError("loads: --set and --params are for a machine's file; a run has its parameters")
    several = options.folder.is_dir() and not (options.folder / RESULTS_NAME).is_file()
    if several or options.folder.suffix.lower() in (".csv", ".outb"):
        return _many(options)
    return _one(options)


def _one(options: argparse.Namespace) -> int:
    from fem_mbd.applications.cli.reports import reading_status
    from fem_mbd.output.export.outb import write_outb
    from fem_mbd.output.section_loads.loads import section_loads
    from fem_mbd.runs.results.hdf5.reader import results_path
    from fem_mbd.runs.results.result import Result

    file = results_path(options.folder)
    folder = options.out or file.parent / LOADS_FOLDER
    names = options.channels or ()
    with Result.open(file, scan=True) as result:
        loads = section_loads(result, *names, after=options.after)
        rows = loads.table(options.exponents, options.frequency)
        files = loads.to_csv(folder, exponents=options.exponents, frequency=options.frequency)
        files.append(loads.plot(folder / "loads.png", names))
        if options.outb:
            outb = folder / "loads.outb"
            files.append(
                write_outb(outb, loads.time, loads.channels, loads.units, "section loads by fem_mbd")
            )
        status = reading_status(result)
    _show(rows, files)
    return status


def _many(options: argparse.Namespace) -> int:
    """Extremes and damage-equivalent loads over a folder of runs, a table of load cases or one file of OpenFAST."""
    from fem_mbd.output.section_loads.many_runs import LoadCase, loads_of_runs

    single = options.folder.suffix.lower() == ".outb"
    loads = loads_of_runs(
        (LoadCase(options.folder, name=options.folder.name),) if single else options.folder,
        *(options.channels or ()),
        after=options.after,
        exponents=options.exponents,
        frequency=options.frequency,
    )
    parent = options.folder if options.folder.is_dir() else options.folder.parent
    _show(loads.rows, loads.to_csv(options.out or parent / LOADS_FOLDER))
    return 0


def _show(rows: Sequence[dict[str, Any]], files: Sequence[Any]) -> None:
    write_line(
        text_table([list(rows[0]), *([_text(value) for value in row.values()] for row in rows)], left=True)
    )
    for file in files:
        write_line(file)


def _text(value: Any) -> str:
    return value if isinstance(value, str) else f"{value:.5g}"
