"""Command `fem-mbd fmu CASE`: exports a case as a functional mock-up unit for co-simulation."""

from __future__ import annotations

import argparse
from pathlib import Path

from fem_mbd.applications.cli.options import add_case, chosen_case, path
from fem_mbd.applications.cli.reports import write_line


def add_options(command: argparse.ArgumentParser) -> None:
    """Add the options of `fmu`."""
    add_case(command)
    command.add_argument(
        "--inputs", nargs="+", action="extend", default=[], metavar="NAME",
        help="inputs of its model (default: all), or at its parts: JOINT.torque, BODY.force[2], BODY.moment[0]",
    )  # fmt: skip
    command.add_argument(
        "--outputs", nargs="+", action="extend", default=[], metavar="PATH", required=True,
        help="quantities, PART.QUANTITY or NAME=PART.QUANTITY[k], e.g. hinge.angle",
    )  # fmt: skip
    command.add_argument("--step", type=float, metavar="S", help="default step (s) of the importing program")
    command.add_argument(
        "--out", type=path, metavar="FILE.fmu", help="the FMU (default: CASE.fmu in this folder)"
    )
    command.set_defaults(command=export_fmu)


def export_fmu(options: argparse.Namespace) -> int:
    """Write the FMU and print its name."""
    from fem_mbd.applications.cosimulation.fmu import ENDING, write_fmu
    from fem_mbd.runs.running.arithmetic_guard import arithmetic_guard

    case, parameters = chosen_case(options)
    file = options.out or Path(f"{case.name}{ENDING}")
    with arithmetic_guard(case.name):
        write_line(write_fmu(case, parameters, file, options.inputs, options.outputs, options.step))
    return 0
