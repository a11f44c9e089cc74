"""`fem-mbd diagnose DIR`: why a run went as it did, and what to change."""

from __future__ import annotations

import argparse

from fem_mbd import case_parameters
from fem_mbd.applications.cli.answers import answer
from fem_mbd.applications.cli.exit_status import of_reading
from fem_mbd.cases import recorded_case
from fem_mbd.core.solver.simulation import Simulation
from fem_mbd.output.animation.moment import write_moment
from fem_mbd.runs.diagnosis.diagnosis import diagnose
from fem_mbd.runs.results.reader import results_path
from fem_mbd.runs.results.result import Result


def diagnose_run(options: argparse.Namespace) -> int:
    """Say what was found; the model of a case is built again to look at its joints."""
    with Result.open(results_path(options.folder), scan=True) as result:
        system = None
        if result.case:
            case = recorded_case(result.case)
            sim = case.build(case_parameters.from_plain(case.parameters, result.parameters))
            system = sim.system if isinstance(sim, Simulation) else None
        found = diagnose(result, system)
        if options.picture:
            write_moment(result, options.picture)
        status = of_reading(result)
    answer(found.to_plain(), options, str(found))
    return status
