"""`fem-mbd laws`: features of the friction laws, found by probes; figures of them."""

from __future__ import annotations

import argparse
import sys
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    Subcommands = argparse._SubParsersAction[argparse.ArgumentParser]


def add_laws(sub: Subcommands) -> None:
    """The command's grammar."""
    command = sub.add_parser("laws", help="the friction laws and what they show on standard probes")
    command.add_argument("--json", action="store_true", help="one JSON object on standard output")
    command.add_argument("--plot", type=Path, metavar="DIR", help="also draw a figure of each law there")
    command.set_defaults(command=show_laws)


def show_laws(options: argparse.Namespace) -> int:
    """Print the table; draw the figures if asked to."""
    gallery = import_module("fem_mbd.friction.gallery")
    sys.stdout.write(gallery.table(options.json) + "\n")
    if options.plot is not None:
        gallery.draw(options.plot)
    return 0
