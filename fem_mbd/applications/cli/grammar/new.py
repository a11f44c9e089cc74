"""What `fem-mbd new NAME` takes."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from fem_mbd.applications.cli.grammar.shared import path

if TYPE_CHECKING:
    Subcommands = argparse._SubParsersAction[argparse.ArgumentParser]


def add_new(sub: Subcommands) -> None:
    """The command's grammar."""
    command = sub.add_parser("new", help="write a study of your own to begin with: fem-mbd run ./NAME")
    command.add_argument("folder", type=path, metavar="NAME", help="its folder, which is made")
    command.set_defaults(command=_run)


def _run(options: argparse.Namespace) -> int:
    from fem_mbd.applications.cli.new import new_study

    return new_study(options)
