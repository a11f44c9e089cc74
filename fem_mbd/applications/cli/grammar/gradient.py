"""What `fem-mbd gradient CASE` takes."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from fem_mbd.applications.cli.grammar.shared import CASE, add_json, add_parameters, path

if TYPE_CHECKING:
    Subcommands = argparse._SubParsersAction[argparse.ArgumentParser]


def add_gradient(sub: Subcommands) -> None:
    """The command's grammar."""
    command = sub.add_parser("gradient", help="exact derivatives of a run's outputs by a case's parameters")
    command.add_argument("case", metavar="CASE", help=CASE)
    add_parameters(command)
    command.add_argument(
        "--of", nargs="+", action="extend", required=True, metavar="OUTPUT",
        help="outputs as of a sweep: 'max(Q.normal_force)', or NAME='max(Q.normal_force)'",
    )  # fmt: skip
    command.add_argument(
        "--wrt",
        nargs="+",
        action="extend",
        required=True,
        metavar="PARAMETER",
        help="parameters that are numbers",
    )
    command.add_argument(
        "--scale",
        nargs="+",
        action="extend",
        default=[],
        metavar="NAME=SIZE",
        help="of parameters that are zero",
    )
    command.add_argument(
        "--largest-growth",
        type=float,
        metavar="G",
        help="of a small change of the start: chaos is refused (1e6)",
    )
    add_json(command)
    command.add_argument(
        "--out", type=path, metavar="DIR", help="folder of the figure (default: results/CASE-gradient)"
    )
    command.add_argument("--no-plot", action="store_true", help="draw no figure")
    command.set_defaults(command="gradient.gradient_case")
