"""Command `fem-mbd laws`: friction and contact laws with their properties on standard probes, and their figures."""

from __future__ import annotations

import argparse

from fem_mbd.applications.cli.options import add_json, path
from fem_mbd.applications.cli.reports import write_line


def add_options(command: argparse.ArgumentParser) -> None:
    """Add the options of `laws`."""
    command.add_argument(
        "name", nargs="?", metavar="LAW", help="one law: source, parameters with units, equations"
    )
    add_json(command)
    command.add_argument("--plot", type=path, metavar="DIR", help="also draw a figure of each law there")
    command.set_defaults(command=show_laws)


def show_laws(options: argparse.Namespace) -> int:
    """Print the table of all laws, or one law; draw the figures if requested."""
    from fem_mbd.friction.probes import gallery, gallery_text as text, normal_gallery

    contact = normal_gallery.ENTRIES
    if options.name is None:
        entries = [*gallery.ENTRIES, *contact]
        write_line(text.table_json() if options.json else text.table())
    else:
        entries = text.find(options.name)
        write_line(text.law_json(options.name) if options.json else text.law(options.name))
    if options.plot is not None:
        from fem_mbd.friction.probes import gallery_figures as figures

        figures.draw(options.plot, [entry for entry in entries if entry not in contact])
        figures.draw_impacts(options.plot, [entry for entry in entries if entry in contact])
    return 0
