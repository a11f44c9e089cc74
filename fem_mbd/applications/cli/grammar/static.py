"""What `fem-mbd static CASE` takes."""

from __future__ import annotations

from fem_mbd.applications.cli.grammar.shared import CASE, Subcommands, add_json, add_parameters, path


def add_static(sub: Subcommands) -> None:
    """The command's grammar."""
    command = sub.add_parser("static", help="static equilibrium of a case's structure, at rest or rotating")
    command.add_argument("case", metavar="CASE", help=CASE)
    add_parameters(command)
    command.add_argument("--load-factor", type=float, default=1.0, metavar="F", help="times the case's loads")
    command.add_argument("--load-steps", type=int, default=16, metavar="N", help="the first step is 1/N")
    command.add_argument(
        "--arc-length", action="store_true", help="follow the path of equilibria past limit points"
    )
    command.add_argument("--speed", type=float, metavar="RAD/S", help="equilibrium in steady rotation")
    command.add_argument(
        "--azimuth", type=float, metavar="DEG",
        help="hold gravity where the rotor has turned by so much (left out: only its part along the axis acts)",
    )  # fmt: skip
    command.add_argument(
        "--buckling", type=int, default=0, metavar="N", help="also the N critical load factors nearest to it"
    )
    command.add_argument(
        "--tip", metavar="NODE", help="node that is reported (default: the last of the model)"
    )
    add_json(command)
    command.add_argument(
        "--out", type=path, metavar="DIR", help="folder of the figure (default: results/CASE-static)"
    )
    command.add_argument("--no-plot", action="store_true", help="draw no figure")
    command.add_argument(
        "--show",
        type=path,
        metavar="FILE.html",
        help="write the buckling shapes (with --buckling) as a moving picture",
    )
    command.set_defaults(command="static.static_case")
