"""What `fem-mbd warm-up` takes."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from fem_mbd.cli.grammar.shared import CASE

if TYPE_CHECKING:
    Subcommands = argparse._SubParsersAction[argparse.ArgumentParser]


def add_warm_up(sub: Subcommands) -> None:
    """The command's grammar."""
    command = sub.add_parser(
        "warm-up", help="compile the kernels of cases now, which their first run would do otherwise"
    )
    command.add_argument("cases", nargs="*", metavar="CASE", help=f"{CASE}; all cases when left out")
    command.add_argument(
        "--processes",
        type=int,
        metavar="N",
        help="that compile side by side (default: one per processor, at most 4)",
    )
    command.set_defaults(command=_run)


def _run(options: argparse.Namespace) -> int:
    from fem_mbd.cli.warm_up import warm_up

    return warm_up(options)
