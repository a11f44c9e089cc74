"""`fem-mbd fmu CASE`: a case as a functional mock-up unit."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from fem_mbd.applications.cli.answers import chosen
from fem_mbd.applications.cosimulation.fmu import ENDING, write_fmu
from fem_mbd.runs.running.computable import computable


def make_fmu(options: argparse.Namespace) -> int:
    """Write the FMU and name it."""
    case, parameters = chosen(options.case, options)
    file = options.out or Path(f"{case.name}{ENDING}")
    with computable(case.name):
        made = write_fmu(case, parameters, file, options.inputs, options.outputs, options.step)
    sys.stdout.write(f"{made}\n")
    return 0
