"""Command `fem-mbd diagnose DIR`: diagnoses a run and names options to change."""

from __future__ import annotations

import argparse

from fem_mbd.applications.cli.options import RUN_FOLDER, add_json, add_trust, path
from fem_mbd.applications.cli.reports import write_report


def add_options(command: argparse.ArgumentParser) -> None:
    """Add the options of `diagnose`."""
    command.add_argument("folder", type=path, metavar="DIR", help=RUN_FOLDER)
    command.add_argument(
        "--picture",
        type=path,
        metavar="FILE.png",
        help="also draw the last recorded state, with contact forces",
    )
    add_json(command)
    add_trust(command)
    command.set_defaults(command=diagnose_run)


def diagnose_run(options: argparse.Namespace) -> int:
    """Print the findings; the model of a case is built again for the condition of its constraints."""
    from fem_mbd import case_parameters
    from fem_mbd.applications.cli.reports import reading_status
    from fem_mbd.applications.cli.run_commands.completed_run import trusted_by
    from fem_mbd.cases import recorded_case
    from fem_mbd.core.solver.simulation import Simulation
    from fem_mbd.output.animation.writers.film import write_last_state
    from fem_mbd.runs.diagnosis.diagnosis import diagnose
    from fem_mbd.runs.results.hdf5.reader import results_path
    from fem_mbd.runs.results.result import Result

    with Result.open(results_path(options.folder), scan=True) as result:
        system = None
        if result.case:
            case = recorded_case(result.case, trusted_by(options))
            sim = case.build(case_parameters.from_plain(case.parameters, result.parameters))
            system = sim.system if isinstance(sim, Simulation) else None
        diagnosis = diagnose(result, system)
        if options.picture:
            write_last_state(result, options.picture)
        status = reading_status(result)
    write_report(diagnosis.to_plain(), options, str(diagnosis))
    return status
