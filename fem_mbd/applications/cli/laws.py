"""`fem-mbd laws`: features of the friction and contact laws, found by probes; one law in full; figures."""

from __future__ import annotations

import argparse
import sys

from fem_mbd.friction.probes import gallery, normal_gallery
from fem_mbd.friction.probes import gallery_text as text


def show_laws(options: argparse.Namespace) -> int:
    """Print the table or the law; draw the figures if asked to."""
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
