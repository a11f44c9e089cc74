"""`fem-mbd import FILE`: what a machine's file holds, as a table and a picture."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from fem_mbd.elements.blades.hawc2_st import CENTRES
from fem_mbd.errors import InputError
from fem_mbd.results.summary import finite_json

if TYPE_CHECKING:
    Subcommands = argparse._SubParsersAction[argparse.ArgumentParser]

KNOWN = (".htc",)


def add_import(sub: Subcommands) -> None:
    """The grammar of the command."""
    command = sub.add_parser("import", help="what a machine's file holds: HAWC2 (.htc)")
    command.add_argument("file", metavar="FILE", type=Path, help="main file of the machine")
    command.add_argument(
        "--radii-at",
        choices=CENTRES,
        help="HAWC2: where radii of gyration are given; nothing that is shown depends on it",
    )
    command.add_argument("--json", action="store_true", help="one JSON object on standard output")
    command.add_argument(
        "--out", type=Path, metavar="DIR", help="folder of the picture (default: results/NAME-import)"
    )
    command.add_argument("--no-plot", action="store_true", help="draw no picture")
    command.set_defaults(command=import_machine)


def import_machine(options: argparse.Namespace) -> int:
    """Read the file, tell what it holds, draw it."""
    from fem_mbd.machines.hawc2 import read_hawc2_machine
    from fem_mbd.machines.report import as_table, centre_lines, describe

    if options.file.suffix.lower() not in KNOWN:
        raise InputError(
            f"import: '{options.file}' is not known by its ending: give a file of {', '.join(KNOWN)}"
        )
    # mass, places and links do not depend on where radii of gyration are taken
    machine = read_hawc2_machine(options.file, options.radii_at or CENTRES[0])
    data = describe(machine)
    data["figures"] = []
    if not options.no_plot and (options.out is not None or not options.json):
        from fem_mbd.figures.machine import draw_machine

        folder = options.out or Path("results") / f"{machine.name}-import"
        folder.mkdir(parents=True, exist_ok=True)
        data["figures"] = [str(draw_machine(centre_lines(machine), folder / "machine.png", machine.name))]
    if options.json:
        text = json.dumps(finite_json(data), indent=2, allow_nan=False)
    else:
        text = "\n".join([as_table(data), *data["figures"]])
    sys.stdout.write(text + "\n")
    return 0
