"""Command `fem-mbd show DIR`: writes the animation of a run, one page for any browser."""

from __future__ import annotations

import argparse

from fem_mbd.applications.cli.options import PAGE_NAME, PAGE_STATES, RUN_FOLDER, path
from fem_mbd.applications.cli.reports import write_line


def add_options(command: argparse.ArgumentParser) -> None:
    """Add the options of `show`."""
    command.add_argument("folder", type=path, metavar="DIR", help=RUN_FOLDER)
    command.add_argument(
        "--out", type=path, metavar="FILE.html", help=f"the page (default: {PAGE_NAME} beside the results)"
    )
    command.add_argument(
        "--frames",
        type=int,
        default=PAGE_STATES,
        metavar="N",
        help=f"largest number of states to show (default: {PAGE_STATES})",
    )
    command.add_argument(
        "--plot",
        nargs="+",
        metavar="PART.QUANTITY",
        help="histories below the animation (default: energies, contact forces, reactions)",
    )
    command.add_argument(
        "--colour", default="", metavar="NAME", help="of beams in a .glb: a section force or strain, e.g. M2"
    )
    command.add_argument(
        "--at", type=float, metavar="T", help="time (s) of these colours (default: the start)"
    )
    command.set_defaults(command=show_run)


def show_run(options: argparse.Namespace) -> int:
    """Write the page and print its name; returns the exit status."""
    from fem_mbd.applications.cli.reports import reading_status
    from fem_mbd.errors import InputError
    from fem_mbd.output.animation import animate
    from fem_mbd.output.animation.formats import ending
    from fem_mbd.runs.results.hdf5.reader import results_path
    from fem_mbd.runs.results.result import Result

    file = results_path(options.folder)
    page = options.out or file.parent / PAGE_NAME
    ending(page, "--out")
    if options.at is not None and not options.colour:
        raise InputError("--at is the time of the colours of --colour: give both")
    with Result.open(file, scan=True) as result:
        animation = animate(result, frames=options.frames, plots=options.plot)
        animation.save(page, colour=options.colour, at=options.at or 0.0)
        write_line(page)
        return reading_status(result)
