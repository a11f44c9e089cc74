"""Commands `fem-mbd list`, `new`, `run`, `resume` and `plot`: cases, and one of them simulated, continued and drawn.

fem-mbd list          all cases, or the parameters of one
fem-mbd new NAME      a study to start from, a copy of the one in `cases/_template`
fem-mbd run CASE      simulates a case, evaluates its checks and draws its figures
fem-mbd resume DIR    continues a run that was interrupted or killed
fem-mbd plot DIR      draws the figures of a recorded run
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fem_mbd.applications.cli.options import (
    CASE,
    ImmediateAction,
    add_json,
    add_parameters,
    add_progress,
    add_trust,
    path,
)
from fem_mbd.applications.cli.reports import write_line, write_report
from fem_mbd.base.text import text_table

if TYPE_CHECKING:
    from fem_mbd.case import Case
    from fem_mbd.runs.results.result import Result


def add_list_options(command: argparse.ArgumentParser) -> None:
    """Add the options of `list`."""
    command.add_argument(
        "case",
        nargs="?",
        metavar="CASE",
        help="show the parameters of this case, or of the study in this folder",
    )
    add_json(command)
    command.set_defaults(command=list_cases)


def list_cases(options: argparse.Namespace) -> int:
    """List the cases, or describe the given one."""
    from fem_mbd.case_parameters import describe
    from fem_mbd.cases import case_names, load_case

    cases = [load_case(name) for name in ([options.case] if options.case else case_names())]
    data = [
        {"name": case.name, "summary": case.summary, "parameters": describe(case.parameters)}
        for case in cases
    ]
    if options.case:
        text = describe_case(options.case)
    else:
        text = text_table([(case.name, case.summary) for case in cases], left=True)
    return write_report({"cases": data}, options, text)


def describe_case(name: str) -> str:
    """Text that describes a case and its parameters; InputError when there is no such case."""
    from fem_mbd.cases import load_case

    case = load_case(name)
    return f"{case.name}: {case.summary}\n" + _parameter_table(case)


def _parameter_table(case: Case[Any]) -> str:
    from fem_mbd.case_parameters import describe

    rows = [("parameter", "default", "unit", "type", "meaning")]
    for entry in describe(case.parameters):
        default = entry["default"]
        text = ",".join(map(str, default)) if isinstance(default, list) else str(default)
        rows.append((entry["name"], text, entry["unit"], entry["type"], entry["help"]))
    return text_table(rows, left=True)


SAMPLE = "spring_mass"  # name of the template's study


def add_new_options(command: argparse.ArgumentParser) -> None:
    """Add the options of `new`."""
    command.add_argument("folder", type=path, metavar="NAME", help="its folder, which is created")
    command.set_defaults(command=new_study)


def new_study(options: argparse.Namespace) -> int:
    """Write the study; print its files and the commands to run and test it."""
    files = write_study(options.folder)
    folder = options.folder if options.folder.is_absolute() else f"./{options.folder}"
    for file in files:
        write_line(file)
    write_line(f"run it with: fem-mbd run {folder}\ntest it with: python -m pytest {options.folder}")
    return 0


def write_study(folder: Path) -> list[Path]:
    """Write the study into a new folder; returns its files.

    Raises
    ------
    InputError
        When the name is not a valid name of a Python package or is that of a case of this package, when the folder
        exists or cannot be created.
    """
    import keyword
    from importlib.resources import files

    from fem_mbd.cases import case_names
    from fem_mbd.errors import InputError

    name = folder.name
    if not name.isidentifier() or keyword.iskeyword(name) or not name.isascii():
        raise InputError(f"new {folder}: {name!r} cannot name a Python package: use letters, digits and _")
    if name in case_names():
        raise InputError(f"new {folder}: there is a case {name!r} already: choose another name")
    if folder.exists():
        raise InputError(f"new {folder}: it exists already: choose another name, nothing is overwritten")
    texts = {
        file.name.replace(SAMPLE, name): file.read_text(encoding="utf-8").replace(SAMPLE, name)
        for file in files("fem_mbd.cases._template").iterdir()
        if file.name.endswith(".py")
    }
    try:
        folder.mkdir(parents=True)
        for file_name, text in texts.items():
            (folder / file_name).write_text(text, encoding="utf-8")
    except OSError as error:
        raise InputError(f"new {folder}: it cannot be written ({error.strerror})") from error
    return [folder / file_name for file_name in sorted(texts)]


class _CaseHelp(ImmediateAction):
    """`run --help`, which also lists the parameters of a case named before it."""

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: object,
        option_string: str | None = None,
    ) -> None:
        parser.print_help()
        case = getattr(namespace, "case", None)
        if case:
            from fem_mbd.applications.cli.running import describe_case

            sys.stdout.write("\n" + describe_case(case) + "\n")
        parser.exit()


def add_run_options(command: argparse.ArgumentParser) -> None:
    """Add the options of `run`."""
    command.add_argument("-h", "--help", action=_CaseHelp, help="this help and, after CASE, its parameters")
    command.add_argument("case", metavar="CASE", nargs="?", help=CASE)
    command.add_argument(
        "--from-xml", metavar="FILE", help="instead of CASE: run a model file of MotionSolve's XML format"
    )
    add_parameters(command)
    command.add_argument(
        "--wind", metavar="SPEED", help="a machine's file: wind at the hub, m/s, or a .bts or .wnd file"
    )
    command.add_argument(
        "--out", type=path, metavar="DIR", help="folder of the run (default: results/CASE-...)"
    )
    command.add_argument(
        "--force", action="store_true", help="replace a run of other parameters in that folder"
    )
    command.add_argument(
        "--record-every",
        type=int,
        default=1,
        metavar="N",
        help="record positions, forces, ... of every N-th step only (energies: of all, unless --recorded-only)",
    )
    command.add_argument(
        "--recorded-only",
        action="store_true",
        help="energies and statistics of recorded states only, with sums over the steps between: for many millions",
    )
    command.add_argument(
        "--record-at",
        metavar="S[,S...]",
        help="record them at a time interval, or at several times (s); steps end there",
    )
    command.add_argument("--quantities", metavar="NAME,...", help="record these outputs only")
    command.add_argument(
        "--checkpoint-every", type=int, default=200, metavar="N", help="steps between checkpoints"
    )
    add_progress(command)
    command.set_defaults(command=run_case)


def run_case(options: argparse.Namespace) -> int:
    """Simulate the case; returns the exit status."""
    from fem_mbd import case_parameters
    from fem_mbd.applications.cli.completed_run import (
        build,
        check_one_process,
        finish,
        progress_of,
    )
    from fem_mbd.runs.results.hdf5.layout import RESULTS_NAME
    from fem_mbd.runs.running import run_folder
    from fem_mbd.runs.running.runs import execute, plan

    check_one_process()
    case, assignments = _chosen(options)
    case_parameters.check_read_by(case.parameters, assignments, options.word)
    parameters = case_parameters.fill(case.parameters, options.params, assignments, "--set")
    plain = case_parameters.to_plain(parameters)
    folder = options.out or run_folder.default_folder(case.name, parameters)
    run_folder.check_folder(folder, case.address, plain, options.force)
    quantities = (
        None if options.quantities is None else [name for name in options.quantities.split(",") if name]
    )
    progress = progress_of(options)
    sim = build(case, parameters)
    info = plan(
        sim,
        case=case.address,
        parameters=plain,
        checkpoint_every=options.checkpoint_every,
        record_every=options.record_every,
        record_at=_record_at(options.record_at),
        every_step=not options.recorded_only,
        quantities=quantities,
    )
    with run_folder.locked_folder(folder):
        run_folder.remove_earlier_run(folder)
        result = execute(sim, info, folder / RESULTS_NAME, progress)
        return finish(folder, case, parameters, result, options)


def _record_at(text: str | None) -> float | list[float] | None:
    """`--record-at`: one number is an interval, several are times (s)."""
    from fem_mbd.errors import InputError

    if text is None:
        return None
    try:
        numbers = [float(word) for word in text.split(",")]
    except ValueError:
        raise InputError(f"--record-at {text}: give an interval in s, or times separated by commas") from None
    return numbers[0] if len(numbers) == 1 else numbers


def _chosen(options: argparse.Namespace) -> tuple[Case[Any], list[str]]:
    """The given case, or the one that reads a model file, and its parameters as NAME=VALUE."""
    from fem_mbd.cases import load_case
    from fem_mbd.errors import InputError

    if options.from_xml is None:
        if options.case is None:
            raise InputError("run: give a case (`fem-mbd list` shows all), or a model file with --from-xml")
        wind = [] if options.wind is None else [f"wind={options.wind}"]
        return load_case(options.case), [*options.assignments, *wind]
    if options.case is not None:
        raise InputError(f"run: give either the case {options.case!r} or --from-xml, not both")
    file = Path(options.from_xml).absolute()
    return load_case("xml_model"), [f"file={file}", *options.assignments]


def add_resume_options(command: argparse.ArgumentParser) -> None:
    """Add the options of `resume`."""
    command.add_argument("folder", type=path, metavar="DIR", help="folder of the run")
    add_progress(command)
    add_trust(command)
    command.set_defaults(command=resume_run)


def resume_run(options: argparse.Namespace) -> int:
    """Continue the run; case and parameters come from the results file. Returns the exit status."""
    from fem_mbd.applications.cli.completed_run import (
        build,
        case_of,
        check_one_process,
        finish,
        progress_of,
        trusted_by,
    )
    from fem_mbd.runs.results.hdf5.reader import results_path
    from fem_mbd.runs.results.result import Result
    from fem_mbd.runs.running.run_folder import locked_folder
    from fem_mbd.runs.running.runs import resume

    check_one_process()
    file = results_path(options.folder)
    with Result.open(file) as earlier:
        case, parameters = case_of(earlier, file, trusted_by(options))
    progress = progress_of(options)
    sim = build(case, parameters)
    with locked_folder(file.parent):
        return finish(file.parent, case, parameters, resume(file, sim, progress=progress), options)


def add_plot_options(command: argparse.ArgumentParser) -> None:
    """Add the options of `plot`."""
    command.add_argument("folder", type=path, metavar="DIR", help="folder of the run")
    command.add_argument(
        "--out", type=path, metavar="DIR", help="folder for the figures (default: figures in the run's)"
    )
    command.add_argument(
        "--part",
        action="append",
        metavar="NAME",
        help="histories of this part, with energies, steps and shapes instead of the case's own figures; repeatable",
    )
    command.add_argument("--to", metavar="png,pdf,svg", help="formats of these (default: png)")
    command.add_argument("--width", choices=("page", "column"), help="190 or 90 mm (default: page)")
    add_trust(command)
    command.set_defaults(command=plot_run)


def plot_run(options: argparse.Namespace) -> int:
    """Draw the figures and print their names; returns the exit status."""
    from fem_mbd.applications.cli.completed_run import case_of, draw_figures, trusted_by
    from fem_mbd.applications.cli.reports import reading_status
    from fem_mbd.runs.results.hdf5.reader import results_path
    from fem_mbd.runs.results.result import Result
    from fem_mbd.runs.running.run_folder import FIGURES_NAME

    file = results_path(options.folder)
    with Result.open(file, scan=True) as result:
        folder = options.out or file.parent / FIGURES_NAME
        if not result.case or options.part or options.to or options.width:
            figures = _draw_parts(folder, result, options)
        else:
            figures = draw_figures(folder, *case_of(result, file, trusted_by(options)), result)
        for figure in figures:
            write_line(figure)
        return reading_status(result)


def _draw_parts(folder: Path, result: Result, options: argparse.Namespace) -> list[Path]:
    """Figures available for every run, also for a model built in Python."""
    from fem_mbd.output import run_figures

    formats = (options.to or "png").split(",")
    figures = run_figures.plot_run(
        result, *(options.part or []), formats=formats, width=options.width or "page"
    )
    return run_figures.write(figures, folder, formats)
