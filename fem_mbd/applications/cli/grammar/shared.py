"""Options that several commands share."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import TypeAlias

Subcommands: TypeAlias = "argparse._SubParsersAction[argparse.ArgumentParser]"
CASE = "a case (see `fem-mbd list`) or the folder of a study of yours"


def path(text: str) -> Path:
    """The file or folder that an argument names.

    Raises
    ------
    argparse.ArgumentTypeError
        For an empty argument: `pathlib` takes it for the current folder, and a shell makes one of a variable that is
        not set.
    """
    if not text.strip():
        raise argparse.ArgumentTypeError("it is empty; give a path, '.' for the current folder")
    return Path(text)


class Answer(argparse.Action):
    """An option without a value that answers at once, in ``__call__``, instead of running a command."""

    def __init__(self, option_strings: Sequence[str], dest: str, help: str | None = None) -> None:
        super().__init__(option_strings, argparse.SUPPRESS, nargs=0, default=argparse.SUPPRESS, help=help)


def add_parameters(command: argparse.ArgumentParser) -> None:
    """`--set` and `--params`, the parameters of a case."""
    command.add_argument(
        "--set", dest="assignments", nargs="+", action="extend", default=[], metavar="NAME=VALUE",
        help="parameters of the case (see `fem-mbd list CASE`)",
    )  # fmt: skip
    command.add_argument(
        "--params", type=path, metavar="FILE.toml", help="parameters from a file; --set overrules it"
    )


def add_json(command: argparse.ArgumentParser) -> None:
    """`--json`."""
    command.add_argument("--json", action="store_true", help="one JSON object on standard output")
