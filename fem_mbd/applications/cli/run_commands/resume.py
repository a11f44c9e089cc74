"""Command `fem-mbd resume DIR`: continues a run that was interrupted or killed."""

from __future__ import annotations

import argparse

from fem_mbd.applications.cli.options import add_progress, add_trust, path


def add_options(command: argparse.ArgumentParser) -> None:
    """Add the options of `resume`."""
    command.add_argument("folder", type=path, metavar="DIR", help="folder of the run")
    add_progress(command)
    add_trust(command)
    command.set_defaults(command=resume_run)


def resume_run(options: argparse.Namespace) -> int:
    """Continue the run; case and parameters come from the results file. Returns the exit status."""
    from fem_mbd.applications.cli.run_commands.completed_run import (
        build,
        case_of,
        check_one_process,
        finish,
        progress_of,
        trusted_by,
    )
    from fem_mbd.runs.results.hdf5.reader import results_path
    from fem_mbd.runs.results.result import Result
    from fem_mbd.runs.running.run_folder import locked_folder
    from fem_mbd.runs.running.runs import resume

    check_one_process()
    file = results_path(options.folder)
    with Result.open(file) as earlier:
        case, parameters = case_of(earlier, file, trusted_by(options))
    progress = progress_of(options)
    sim = build(case, parameters)
    with locked_folder(file.parent):
        return finish(file.parent, case, parameters, resume(file, sim, progress=progress), options)
