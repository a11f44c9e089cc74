"""What `fem-mbd linearize` takes."""

from __future__ import annotations

from fem_mbd.applications.cli.grammar.shared import CASE, Subcommands, add_json, add_parameters, path


def add_linearize(sub: Subcommands) -> None:
    """The grammar of the command."""
    command = sub.add_parser("linearize", help="state space of a case's structure, for control design")
    command.add_argument("case", metavar="CASE", help=CASE)
    add_parameters(command)
    for name, what in (("inputs", "bar@1.force[z]"), ("outputs", "bar@1.displacement[z]")):
        command.add_argument(
            f"--{name}",
            nargs="+",
            default=[],
            metavar="NAME",
            help=f"such as {what}; see docs/how-to/linear-models.md",
        )
    command.add_argument("--speed", type=float, metavar="RAD/S", help="in steady rotation")
    command.add_argument(
        "--modes",
        type=int,
        metavar="N",
        help="keep the lowest modes, the others follow statically (default: all)",
    )
    command.add_argument(
        "--out", type=path, metavar="FILE", help="write the matrices: .npz (NumPy) or .lin (OpenFAST)"
    )
    add_json(command)
    command.set_defaults(command="linearize.linearize_case")
