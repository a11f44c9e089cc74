"""What the commands of `fem-mbd` do. Heavy imports are made where they are needed, so that `list` and
`doctor` work at once and also where a library is missing.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fem_mbd import case_parameters
from fem_mbd.applications.cli.answers import as_json
from fem_mbd.applications.cli.exit_status import CHECK_FAILED, STATUS, of_reading
from fem_mbd.applications.cli.launcher import check_one_process
from fem_mbd.case import Case
from fem_mbd.cases import case_names, load_case, recorded_case
from fem_mbd.errors import InputError
from fem_mbd.runs.results.checks import Check, checks_table
from fem_mbd.runs.results.file_format import RESULTS_NAME
from fem_mbd.runs.results.reader import results_path
from fem_mbd.runs.results.summary import write_summary
from fem_mbd.runs.results.views.states import NotRecorded
from fem_mbd.runs.running.computable import computable
from fem_mbd.runs.running.progress import Progress, Silent, choose_progress
from fem_mbd.runs.running.run_folder import (
    FIGURES_NAME,
    check_folder,
    claimed,
    default_folder,
    forget_earlier_run,
    make_folder,
)
from fem_mbd.runs.running.session import COMPLETE, FAILED, INTERRUPTED

if TYPE_CHECKING:
    from fem_mbd.runs.results.result import Result


def list_cases(options: argparse.Namespace) -> int:
    """`fem-mbd list [CASE]`."""
    cases = [load_case(name) for name in ([options.case] if options.case else case_names())]
    if options.json:
        described = [
            {
                "name": case.name,
                "summary": case.summary,
                "parameters": case_parameters.describe(case.parameters),
            }
            for case in cases
        ]
        _say_json({"cases": described})
    elif options.case:
        _say(describe_case(options.case))
    else:
        width = max((len(case.name) for case in cases), default=0)
        _say("\n".join(f"{case.name.ljust(width)}  {case.summary}" for case in cases) or "there are no cases")
    return 0


def describe_case(name: str) -> str:
    """A case and its parameters, for people; InputError when there is no such case."""
    case = load_case(name)
    return f"{case.name}: {case.summary}\n" + _parameter_table(case)


def doctor(options: argparse.Namespace) -> int:
    """`fem-mbd doctor`."""
    from fem_mbd.applications.cli.doctor import render, report

    found = report()
    if options.json:
        _say_json(found)
    else:
        _say(render(found))
    return 0


def run_case(options: argparse.Namespace) -> int:
    """`fem-mbd run CASE`."""
    from fem_mbd.runs.running.runs import execute, plan

    check_one_process()
    case, assignments = _chosen(options)
    parameters = case_parameters.fill(case.parameters, options.params, assignments, "--set")
    plain = case_parameters.to_plain(parameters)
    folder = options.out or default_folder(case.name, parameters)
    check_folder(folder, case.address, plain, options.force)
    quantities = (
        None if options.quantities is None else [name for name in options.quantities.split(",") if name]
    )
    teller = _progress(options)
    with computable(case.name):
        sim = case.build(parameters)
    info = plan(
        sim,
        case=case.address,
        parameters=plain,
        checkpoint_every=options.checkpoint_every,
        record_every=options.record_every,
        record_at=_record_at(options.record_at),
        quantities=quantities,
    )
    with claimed(folder):
        forget_earlier_run(folder)
        result = execute(sim, info, folder / RESULTS_NAME, teller)
        return _finish(folder, case, parameters, result, options)


def _record_at(text: str | None) -> float | list[float] | None:
    """`--record-at`: one number is an interval, more are instants (s)."""
    if text is None:
        return None
    try:
        numbers = [float(word) for word in text.split(",")]
    except ValueError:
        raise InputError(
            f"--record-at {text}: give an interval in s, or instants with commas between"
        ) from None
    return numbers[0] if len(numbers) == 1 else numbers


def _chosen(options: argparse.Namespace) -> tuple[Case[Any], list[str]]:
    """The case that is named, or the one that reads a model file, and its parameters as NAME=VALUE."""
    if options.from_xml is None:
        if options.case is None:
            raise InputError("run: give a case (`fem-mbd list` shows all), or a model file with --from-xml")
        return load_case(options.case), options.assignments
    if options.case is not None:
        raise InputError(f"run: give either the case {options.case!r} or --from-xml, not both")
    file = Path(options.from_xml).absolute()
    return load_case("xml_model"), [f"file={file}", *options.assignments]


def resume_run(options: argparse.Namespace) -> int:
    """`fem-mbd resume DIR`: case and parameters come from the results file."""
    from fem_mbd.runs.results.result import Result
    from fem_mbd.runs.running.runs import resume

    check_one_process()
    path = results_path(options.folder)
    with Result.open(path) as earlier:
        case, parameters = _case_of(earlier, path)
    teller = _progress(options)
    with computable(case.name):
        sim = case.build(parameters)
    with claimed(path.parent):
        return _finish(path.parent, case, parameters, resume(path, sim, progress=teller), options)


def plot_run(options: argparse.Namespace) -> int:
    """`fem-mbd plot DIR`."""
    from fem_mbd.runs.results.result import Result

    path = results_path(options.folder)
    with Result.open(path, scan=True) as result:
        folder = options.out or path.parent / FIGURES_NAME
        if not result.case or options.part or options.to or options.width:
            figures = _draw_any(folder, result, options)
        else:
            figures = _draw(folder, *_case_of(result, path), result)
        for figure in figures:
            _say(str(figure))
        return of_reading(result)


def _draw_any(folder: Path, result: Result, options: argparse.Namespace) -> list[Path]:
    """Figures that every run can have, also one of a model built in Python."""
    from fem_mbd.output.run_figures import plot_run, write

    formats = (options.to or "png").split(",")
    figures = plot_run(result, *(options.part or []), formats=formats, width=options.width or "page")
    return write(figures, folder, formats)


def _case_of(result: Result, path: Path) -> tuple[Case[Any], Any]:
    if not result.case:
        raise InputError(
            f"{path}: it comes from a model built in Python, not from a case; "
            "use fem_mbd.Result and fem_mbd.resume there"
        )
    case = recorded_case(result.case)
    return case, case_parameters.from_plain(case.parameters, result.parameters)


def _finish(
    folder: Path, case: Case[Any], parameters: Any, result: Result, options: argparse.Namespace
) -> int:
    """Summary first, so that it is there whatever checks and figures do; then checks, figures, and what to
    tell.
    """
    summary = result.summary
    path = write_summary(folder, summary, [])
    checks: list[Check] = []
    figures: list[Path] = []
    if result.status == COMPLETE:
        try:
            checks = case.checks(result, parameters)
            write_summary(folder, summary, checks)
            figures = [] if options.no_plot else _draw(folder / FIGURES_NAME, case, parameters, result)
        except NotRecorded as error:
            sys.stderr.write(
                f"fem-mbd: note: checks and figures of this case need more quantities: {error}\n"
            )
        except (ArithmeticError, IndexError, ValueError) as error:
            # checks are made for the states that the case is about: far from its parameters there may be none of them
            if parameters == case.parameters():
                raise
            sys.stderr.write(
                "fem-mbd: note: the checks or figures of this case cannot be made with these parameters "
                f"({type(error).__name__}: {error})\n"
            )
        write_summary(folder, summary, checks, figures)
    if not options.quiet:
        _say("\n".join(filter(None, [checks_table(checks), str(path), *map(str, figures)])))
    if result.status != COMPLETE:
        # With a progress display the reason has been shown already, but it may have scrolled away.
        advice = "" if result.status == FAILED else f"; go on with: fem-mbd resume {folder}"
        sys.stderr.write(f"fem-mbd: {result.status}: {result.reason}; results kept in {folder}{advice}\n")
    # as a shell tells of a process that a signal ended: 130 for SIGINT, 143 for SIGTERM
    if result.status == INTERRUPTED:
        return 128 + int(result.log["signal"])
    return CHECK_FAILED if any(check.failed for check in checks) else STATUS[result.status]


def _draw(figures: Path, case: Case[Any], parameters: Any, result: Result) -> list[Path]:
    from fem_mbd.output.figures.every_run import standard_figures

    make_folder(figures)
    return [*case.plot(result, parameters, figures), *standard_figures(result, figures)]


def _progress(options: argparse.Namespace) -> Progress:
    if options.quiet:
        return Silent()
    return choose_progress(True if options.progress else None)


def _parameter_table(case: Case[Any]) -> str:
    rows = [("parameter", "default", "unit", "type", "meaning")]
    for entry in case_parameters.describe(case.parameters):
        default = entry["default"]
        text = ",".join(map(str, default)) if isinstance(default, list) else str(default)
        rows.append((entry["name"], text, entry["unit"], entry["type"], entry["help"]))
    widths = [max(len(row[i]) for row in rows) for i in range(4)]
    return "\n".join(
        "  ".join([*(cell.ljust(w) for cell, w in zip(row, widths, strict=False)), row[4]]).rstrip()
        for row in rows
    )


def _say(text: str) -> None:
    sys.stdout.write(text + "\n")


def _say_json(data: dict[str, Any]) -> None:
    _say(as_json(data))
