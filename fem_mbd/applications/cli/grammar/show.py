"""What `fem-mbd show DIR` takes."""

from __future__ import annotations

from fem_mbd.applications.cli.defaults import PAGE_NAME, PAGE_STATES
from fem_mbd.applications.cli.grammar.shared import Subcommands, path


def add_show(sub: Subcommands) -> None:
    """The command's grammar."""
    command = sub.add_parser(
        "show", help="write a run as a moving picture: one page that opens in any browser"
    )
    command.add_argument("folder", type=path, metavar="DIR", help="folder of the run, or its results file")
    command.add_argument(
        "--out", type=path, metavar="FILE.html", help=f"the page (default: {PAGE_NAME} beside the results)"
    )
    command.add_argument(
        "--frames",
        type=int,
        default=PAGE_STATES,
        metavar="N",
        help=f"most states to show (default: {PAGE_STATES})",
    )
    command.add_argument(
        "--plot",
        nargs="+",
        metavar="PART.QUANTITY",
        help="histories under the picture (default: energies, contact forces, reactions)",
    )
    command.add_argument(
        "--colour", default="", metavar="NAME", help="of beams in a .glb: a section force or strain, e.g. M2"
    )
    command.add_argument(
        "--at", type=float, metavar="T", help="the instant (s) of these colours (default: the start)"
    )
    command.set_defaults(command="show.show_run")
