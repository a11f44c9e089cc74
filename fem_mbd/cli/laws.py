"""`fem-mbd laws`: features of the friction and contact laws, found by probes; one law in full; figures."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    Subcommands = argparse._SubParsersAction[argparse.ArgumentParser]


def add_laws(sub: Subcommands) -> None:
    """The command's grammar."""
    command = sub.add_parser(
        "laws", help="the friction and contact laws, and what they show on standard probes"
    )
    command.add_argument(
        "name", nargs="?", metavar="LAW", help="one law: source, parameters with units, equations"
    )
    command.add_argument("--json", action="store_true", help="one JSON object on standard output")
    command.add_argument("--plot", type=Path, metavar="DIR", help="also draw a figure of each law there")
    command.set_defaults(command=show_laws)


def show_laws(options: argparse.Namespace) -> int:
    """Print the table or the law; draw the figures if asked to."""
    # laws take their time to load, which other commands need not wait for
    from fem_mbd.friction.probes import gallery, normal_gallery
    from fem_mbd.friction.probes import gallery_text as text

    contact = normal_gallery.ENTRIES
    if options.name is None:
        chosen = [*gallery.ENTRIES, *contact]
        written = text.table_json() if options.json else text.table()
    else:
        chosen = text.find(options.name)
        written = text.law_json(options.name) if options.json else text.law(options.name)
    sys.stdout.write(written + "\n")
    if options.plot is not None:
        from fem_mbd.friction.probes import gallery_figures as figures

        figures.draw(options.plot, [entry for entry in chosen if entry not in contact])
        figures.draw_impacts(options.plot, [entry for entry in chosen if entry in contact])
    return 0
