"""Options shared by several commands, and the case that they choose. Only argparse is imported."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from fem_mbd.case import Case

CASE = "a case (see `fem-mbd list`) or the folder of a study of yours"
RUN_FOLDER = "folder of the run, or its results file"


def path(text: str) -> Path:
    """The path given by an argument.

    Raises
    ------
    argparse.ArgumentTypeError
        For an empty argument: `pathlib` would take it for the current folder, and shells produce one from an unset
        variable.
    """
    if not text.strip():
        raise argparse.ArgumentTypeError("it is empty; give a path, '.' for the current folder")
    return Path(text)


class ImmediateAction(argparse.Action):
    """An option without a value that acts at once, in ``__call__``, instead of running a command."""

    def __init__(self, option_strings: Sequence[str], dest: str, help: str | None = None) -> None:
        super().__init__(option_strings, argparse.SUPPRESS, nargs=0, default=argparse.SUPPRESS, help=help)


def add_case(command: argparse.ArgumentParser) -> None:
    """The argument CASE with `--set` and `--params`."""
    command.add_argument("case", metavar="CASE", help=CASE)
    add_parameters(command)


def add_parameters(command: argparse.ArgumentParser) -> None:
    """`--set` and `--params`, the parameters of a case."""
    command.add_argument(
        "--set", dest="assignments", nargs="+", action="extend", default=[], metavar="NAME=VALUE",
        help="parameters of the case (see `fem-mbd list CASE`)",
    )  # fmt: skip
    command.add_argument(
        "--params", type=path, metavar="FILE.toml", help="parameters from a file; --set takes precedence"
    )


def add_json(command: argparse.ArgumentParser) -> None:
    """`--json`."""
    command.add_argument("--json", action="store_true", help="one JSON object on standard output")


def add_figures(command: argparse.ArgumentParser, default: str, figures: str = "figure") -> None:
    """`--out` and `--no-plot`, for a command that draws figures into a folder."""
    command.add_argument(
        "--out", type=path, metavar="DIR", help=f"folder of the {figures} (default: {default})"
    )
    command.add_argument("--no-plot", action="store_true", help=f"draw no {figures}")


def add_progress(command: argparse.ArgumentParser) -> None:
    """`--quiet`, `--progress` and `--no-plot`, for `run` and `resume`."""
    display = command.add_mutually_exclusive_group()
    display.add_argument("--quiet", action="store_true", help="print errors only")
    display.add_argument(
        "--progress", action="store_true", help="write progress lines also where there is no terminal"
    )
    command.add_argument("--no-plot", action="store_true", help="draw no figures")


def chosen_case(options: argparse.Namespace, name: str | Path | None = None) -> tuple[Case[Any], Any]:
    """The case given by the options (or by ``name``) and its parameters.

    Raises
    ------
    InputError
        For an unknown case, and for invalid parameters.
    """
    from fem_mbd import case_parameters
    from fem_mbd.cases import load_case

    case = load_case(options.case if name is None else name)
    return case, case_parameters.fill(case.parameters, options.params, options.assignments, "--set")
