"""What `fem-mbd diagnose DIR` takes."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from fem_mbd.applications.cli.grammar.shared import add_json, path

if TYPE_CHECKING:
    Subcommands = argparse._SubParsersAction[argparse.ArgumentParser]


def add_diagnose(sub: Subcommands) -> None:
    """The command's grammar."""
    command = sub.add_parser("diagnose", help="why a run went as it did, and which option to change")
    command.add_argument("folder", type=path, metavar="DIR", help="folder of the run, or its results file")
    command.add_argument(
        "--picture",
        type=path,
        metavar="FILE.png",
        help="also draw the last moment on record, with contact forces",
    )
    add_json(command)
    command.set_defaults(command=_run)


def _run(options: argparse.Namespace) -> int:
    from fem_mbd.applications.cli.diagnose import diagnose_run

    return diagnose_run(options)
