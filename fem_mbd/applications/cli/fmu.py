"""`fem-mbd fmu CASE`: a case as a functional mock-up unit."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from fem_mbd import case_parameters
from fem_mbd.applications.cosimulation.fmu import ENDING, write_fmu
from fem_mbd.cases import load_case
from fem_mbd.runs.running.arithmetic_guard import arithmetic_guard


def make_fmu(options: argparse.Namespace) -> int:
    """Write the FMU and name it."""
    case = load_case(options.case)
    parameters = case_parameters.fill(case.parameters, options.params, options.assignments, "--set")
    file = options.out or Path(f"{case.name}{ENDING}")
    with arithmetic_guard(case.name):
        made = write_fmu(case, parameters, file, options.inputs, options.outputs, options.step)
    sys.stdout.write(f"{made}\n")
    return 0
