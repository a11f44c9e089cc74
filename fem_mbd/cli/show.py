"""`fem-mbd show DIR`: a run as a moving picture, one page for any browser."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    Subcommands = argparse._SubParsersAction[argparse.ArgumentParser]

NAME = "animation.html"
FRAMES = 400  # as in fem_mbd.animation, without importing what it needs


def add_show(sub: Subcommands) -> None:
    """The command's grammar."""
    command = sub.add_parser(
        "show", help="write a run as a moving picture: one page that opens in any browser"
    )
    command.add_argument("folder", type=Path, metavar="DIR", help="folder of the run, or its results file")
    command.add_argument(
        "--out", type=Path, metavar="FILE.html", help=f"the page (default: {NAME} beside the results)"
    )
    command.add_argument(
        "--frames", type=int, default=FRAMES, metavar="N", help=f"most states to show (default: {FRAMES})"
    )
    command.add_argument(
        "--plot",
        nargs="+",
        metavar="PART.QUANTITY",
        help="histories under the picture (default: energies, contact forces, reactions)",
    )
    command.set_defaults(command=show_run)


def show_run(options: argparse.Namespace) -> int:
    """Write the page and name it."""
    from fem_mbd.animation import animate
    from fem_mbd.errors import InputError
    from fem_mbd.results.reader import results_path
    from fem_mbd.results.result import Result

    path = results_path(options.folder)
    page = options.out or path.parent / NAME
    if page.suffix.lower() not in (".html", ".htm"):
        raise InputError(f"--out {page}: give a file that ends in .html")
    with Result.open(path, scan=True) as result:
        animate(result, page, frames=options.frames, plots=options.plot)
    sys.stdout.write(f"{page}\n")
    return 0
