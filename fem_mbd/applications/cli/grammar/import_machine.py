"""What `fem-mbd import FILE` takes."""

from __future__ import annotations

from fem_mbd.applications.cli.defaults import CENTRES
from fem_mbd.applications.cli.grammar.shared import Subcommands, add_json, path


def add_import(sub: Subcommands) -> None:
    """The grammar of the command."""
    command = sub.add_parser(
        "import", help="what a machine's file holds: HAWC2 (.htc), OpenFAST (.fst), windIO (.yaml)"
    )
    command.add_argument("file", metavar="FILE", type=path, help="main file of the machine")
    command.add_argument(
        "--radii-at",
        choices=CENTRES,
        help="HAWC2: where radii of gyration are given; nothing that is shown depends on it",
    )
    command.add_argument(
        "--platform", choices=("file", "held"), help="OpenFAST: held takes what floats as if it stood"
    )
    command.add_argument(
        "--leave-out",
        nargs="+",
        default=[],
        metavar="BLOCK",
        help="HAWC2: constraints and blocks that are not to be read, as dll, ext_sys, soil",
    )
    add_json(command)
    command.add_argument(
        "--out", type=path, metavar="DIR", help="folder of the picture (default: results/NAME-import)"
    )
    command.add_argument("--no-plot", action="store_true", help="draw no picture")
    command.set_defaults(command="import_machine.import_machine")
