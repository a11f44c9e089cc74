"""What `fem-mbd fmu CASE` takes."""

from __future__ import annotations

from fem_mbd.applications.cli.grammar.shared import CASE, Subcommands, add_parameters, path


def add_fmu(sub: Subcommands) -> None:
    """The grammar of the command."""
    command = sub.add_parser("fmu", help="a case as a functional mock-up unit for co-simulation (FMI 3.0)")
    command.add_argument("case", metavar="CASE", help=CASE)
    add_parameters(command)
    command.add_argument(
        "--inputs", nargs="+", action="extend", default=[], metavar="NAME",
        help="inputs of its model (default: all), or at its parts: JOINT.torque, BODY.force[2], BODY.moment[0]",
    )  # fmt: skip
    command.add_argument(
        "--outputs", nargs="+", action="extend", default=[], metavar="PATH", required=True,
        help="quantities, PART.QUANTITY or NAME=PART.QUANTITY[k], e.g. hinge.angle",
    )  # fmt: skip
    command.add_argument(
        "--step", type=float, metavar="S", help="interval offered to the importing program (s)"
    )
    command.add_argument(
        "--out", type=path, metavar="FILE.fmu", help="the FMU (default: CASE.fmu in this folder)"
    )
    command.set_defaults(command="fmu.make_fmu")
