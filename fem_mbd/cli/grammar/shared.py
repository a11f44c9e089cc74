"""Options that several commands share."""

from __future__ import annotations

import argparse
from pathlib import Path

CASE = "a case (see `fem-mbd list`) or the folder of a study of yours"


def add_parameters(command: argparse.ArgumentParser) -> None:
    """`--set` and `--params`, the parameters of a case."""
    command.add_argument(
        "--set", dest="assignments", nargs="+", action="extend", default=[], metavar="NAME=VALUE",
        help="parameters of the case (see `fem-mbd list CASE`)",
    )  # fmt: skip
    command.add_argument(
        "--params", type=Path, metavar="FILE.toml", help="parameters from a file; --set overrules it"
    )


def add_json(command: argparse.ArgumentParser) -> None:
    """`--json`."""
    command.add_argument("--json", action="store_true", help="one JSON object on standard output")
