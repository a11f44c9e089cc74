"""Command `fem-mbd list`: all cases, or the parameters of one."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from fem_mbd.applications.cli.options import add_json
from fem_mbd.applications.cli.reports import write_report
from fem_mbd.base.text_table import text_table

if TYPE_CHECKING:
    from fem_mbd.case import Case


def add_options(command: argparse.ArgumentParser) -> None:
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
