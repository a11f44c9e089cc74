"""Commands `fem-mbd show`, `diagnose`, `export` and `loads`: what a recorded run contains.

fem-mbd show DIR                  the animation of a run, one page for any browser
fem-mbd diagnose DIR              diagnosis of a run, with options to change
fem-mbd export DIR --to FORMAT    a run's results for ParaView or as tables
fem-mbd loads DIR                 section loads of a run, of many runs, or of a machine's file, as tables and figure
"""

from __future__ import annotations

import argparse
import csv
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from fem_mbd.applications.cli.options import (
    EXPORT_FOLDER,
    EXPORT_FORMATS,
    EXPORT_NAME,
    LOADS_EXPONENTS,
    LOADS_FOLDER,
    PAGE_NAME,
    PAGE_STATES,
    RUN_FOLDER,
    add_json,
    add_parameters,
    add_trust,
    chosen_case,
    path,
)
from fem_mbd.applications.cli.reports import write_line, write_report
from fem_mbd.base.lazy import nearest
from fem_mbd.base.text import text_table
from fem_mbd.errors import InputError


def machine_loads(options: argparse.Namespace) -> int:
    """Compute the equilibrium, print its loads and write them as a table; returns the exit status."""
    from fem_mbd.analysis.statics.equilibrium import find_equilibrium
    from fem_mbd.case import arithmetic_guard
    from fem_mbd.cases import model_of
    from fem_mbd.output.section_loads.loads import channel_units

    case, parameters = chosen_case(options, options.folder)
    if case.spin is None:
        raise InputError(f"loads: case {case.name!r} has no rotor")
    with arithmetic_guard(case.name):
        model = model_of(case, parameters)
        spin = case.spin(parameters, parameters.speed, 0.0)
        equilibrium = find_equilibrium(model, spin=spin, load_steps=2)
    units = channel_units(equilibrium.forces.system.describe())
    values = equilibrium.loads()
    channels = options.channels or list(values)
    for name in channels:
        if name not in values:
            raise InputError(f"there is no load channel '{name}': {nearest(name, values)}")
    folder = options.out or Path("results") / f"{case.name}-loads"
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / "loads.csv"
    with file.open("w", newline="", encoding="utf-8") as stream:
        csv.writer(stream).writerows(
            [("channel", "value", "unit"), *((n, values[n], units[n]) for n in channels)]
        )
    width = max(map(len, channels))
    for name in channels:
        write_line(f"{name.ljust(width)}  {f'{values[name]:.6g}':>12s}  {units[name]}")
    write_line(file)
    return 0


def add_show_options(command: argparse.ArgumentParser) -> None:
    """Add the options of `show`."""
    command.add_argument("folder", type=path, metavar="DIR", help=RUN_FOLDER)
    command.add_argument(
        "--out", type=path, metavar="FILE.html", help=f"the page (default: {PAGE_NAME} beside the results)"
    )
    command.add_argument(
        "--frames",
        type=int,
        default=PAGE_STATES,
        metavar="N",
        help=f"largest number of states to show (default: {PAGE_STATES})",
    )
    command.add_argument(
        "--plot",
        nargs="+",
        metavar="PART.QUANTITY",
        help="histories below the animation (default: energies, contact forces, reactions)",
    )
    command.add_argument(
        "--colour", default="", metavar="NAME", help="of beams in a .glb: a section force or strain, e.g. M2"
    )
    command.add_argument(
        "--at", type=float, metavar="T", help="time (s) of these colours (default: the start)"
    )
    command.set_defaults(command=show_run)


def show_run(options: argparse.Namespace) -> int:
    """Write the page and print its name; returns the exit status."""
    from fem_mbd.applications.cli.reports import reading_status
    from fem_mbd.output.animation import animate
    from fem_mbd.output.animation.animate import ending
    from fem_mbd.runs.results.hdf5.reader import results_path
    from fem_mbd.runs.results.result import Result

    file = results_path(options.folder)
    page = options.out or file.parent / PAGE_NAME
    ending(page, "--out")
    if options.at is not None and not options.colour:
        raise InputError("--at is the time of the colours of --colour: give both")
    with Result.open(file, scan=True) as result:
        animation = animate(result, frames=options.frames, plots=options.plot)
        animation.save(page, colour=options.colour, at=options.at or 0.0)
        write_line(page)
        return reading_status(result)


def add_diagnose_options(command: argparse.ArgumentParser) -> None:
    """Add the options of `diagnose`."""
    command.add_argument("folder", type=path, metavar="DIR", help=RUN_FOLDER)
    command.add_argument(
        "--picture",
        type=path,
        metavar="FILE.png",
        help="also draw the last recorded state, with contact forces",
    )
    add_json(command)
    add_trust(command)
    command.set_defaults(command=diagnose_run)


def diagnose_run(options: argparse.Namespace) -> int:
    """Print the findings; the model of a case is built again for the condition of its constraints."""
    from fem_mbd import case_parameters
    from fem_mbd.applications.cli.completed_run import trusted_by
    from fem_mbd.applications.cli.reports import reading_status
    from fem_mbd.cases import recorded_case
    from fem_mbd.core.solver.simulation import Simulation
    from fem_mbd.output.animation.animate import write_last_state
    from fem_mbd.runs.diagnosis import diagnose
    from fem_mbd.runs.results.hdf5.reader import results_path
    from fem_mbd.runs.results.result import Result

    with Result.open(results_path(options.folder), scan=True) as result:
        system = None
        if result.case:
            case = recorded_case(result.case, trusted_by(options))
            sim = case.build(case_parameters.from_plain(case.parameters, result.parameters))
            system = sim.system if isinstance(sim, Simulation) else None
        diagnosis = diagnose(result, system)
        if options.picture:
            write_last_state(result, options.picture)
        status = reading_status(result)
    write_report(diagnosis.to_plain(), options, str(diagnosis))
    return status


def add_export_options(command: argparse.ArgumentParser) -> None:
    """Add the options of `export`."""
    command.add_argument("folder", type=path, metavar="DIR", help=RUN_FOLDER)
    command.add_argument(
        "--to",
        required=True,
        choices=EXPORT_FORMATS,
        help="vtkhdf, xdmf, vtu: deformed shapes for ParaView; csv: tables",
    )
    command.add_argument(
        "--every", type=int, default=1, metavar="N", help="every N-th recorded state (and the last one)"
    )
    command.add_argument(
        "--out",
        type=path,
        metavar="PATH",
        help="file without its ending, for csv a folder "
        f"(default: {EXPORT_FOLDER}/{EXPORT_NAME} or {EXPORT_FOLDER}/csv beside the results)",
    )
    command.set_defaults(command=export_run)


def export_run(options: argparse.Namespace) -> int:
    """Write the files and print their names; returns the exit status."""
    from fem_mbd.applications.cli.reports import reading_status
    from fem_mbd.output.export import export_result
    from fem_mbd.runs.results.hdf5.reader import results_path
    from fem_mbd.runs.results.result import Result

    file = results_path(options.folder)
    default = file.parent / EXPORT_FOLDER / ("csv" if options.to == "csv" else EXPORT_NAME)
    with Result.open(file, scan=True) as result:
        for written in export_result(result, options.out or default, options.to, options.every):
            write_line(written)
        return reading_status(result)


def add_loads_options(command: argparse.ArgumentParser) -> None:
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
    from fem_mbd.cases import is_machine
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
