"""Command `fem-mbd plot DIR`: draws the figures of a recorded run."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from fem_mbd.applications.cli.options import add_trust, path
from fem_mbd.applications.cli.reports import write_line

if TYPE_CHECKING:
    from fem_mbd.runs.results.result import Result


def add_options(command: argparse.ArgumentParser) -> None:
    """Add the options of `plot`."""
    command.add_argument("folder", type=path, metavar="DIR", help="folder of the run")
    command.add_argument(
        "--out", type=path, metavar="DIR", help="folder for the figures (default: figures in the run's)"
    )
    command.add_argument(
        "--part",
        action="append",
        metavar="NAME",
        help="histories of this part, with energies, steps and shapes instead of the case's own figures; repeatable",
    )
    command.add_argument("--to", metavar="png,pdf,svg", help="formats of these (default: png)")
    command.add_argument("--width", choices=("page", "column"), help="190 or 90 mm (default: page)")
    add_trust(command)
    command.set_defaults(command=plot_run)


def plot_run(options: argparse.Namespace) -> int:
    """Draw the figures and print their names; returns the exit status."""
    from fem_mbd.applications.cli.reports import reading_status
    from fem_mbd.applications.cli.run_commands.completed_run import case_of, draw_figures, trusted_by
    from fem_mbd.runs.results.hdf5.reader import results_path
    from fem_mbd.runs.results.result import Result
    from fem_mbd.runs.running.run_folder import FIGURES_NAME

    file = results_path(options.folder)
    with Result.open(file, scan=True) as result:
        folder = options.out or file.parent / FIGURES_NAME
        if not result.case or options.part or options.to or options.width:
            figures = _draw_parts(folder, result, options)
        else:
            figures = draw_figures(folder, *case_of(result, file, trusted_by(options)), result)
        for figure in figures:
            write_line(figure)
        return reading_status(result)


def _draw_parts(folder: Path, result: Result, options: argparse.Namespace) -> list[Path]:
    """Figures available for every run, also for a model built in Python."""
    from fem_mbd.output import run_figures

    formats = (options.to or "png").split(",")
    figures = run_figures.plot_run(
        result, *(options.part or []), formats=formats, width=options.width or "page"
    )
    return run_figures.write(figures, folder, formats)
