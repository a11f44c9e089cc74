"""`fem-mbd show DIR`: a run as a moving picture, one page for any browser."""

from __future__ import annotations

import argparse
import sys

from fem_mbd.applications.cli.defaults import PAGE_NAME
from fem_mbd.applications.cli.exit_status import of_reading
from fem_mbd.errors import InputError
from fem_mbd.output.animation import animate
from fem_mbd.output.animation.formats import ending
from fem_mbd.runs.results.reader import results_path
from fem_mbd.runs.results.result import Result


def show_run(options: argparse.Namespace) -> int:
    """Write the page and name it."""
    path = results_path(options.folder)
    page = options.out or path.parent / PAGE_NAME
    ending(page, "--out")
    if options.at is not None and not options.colour:
        raise InputError("--at says when the colours of --colour are: give both")
    with Result.open(path, scan=True) as result:
        made = animate(result, frames=options.frames, plots=options.plot)
        made.save(page, colour=options.colour, at=options.at or 0.0)
        sys.stdout.write(f"{page}\n")
        return of_reading(result)
