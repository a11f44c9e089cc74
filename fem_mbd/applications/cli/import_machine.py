"""`fem-mbd import FILE`: what a machine's file holds, as a table and a picture."""

from __future__ import annotations

import argparse
from pathlib import Path

from fem_mbd.applications.cli.answers import answer
from fem_mbd.base.file_names import file_name
from fem_mbd.elements.blades.hawc2_st import CENTRES
from fem_mbd.machines.description.machine import Machine
from fem_mbd.machines.readers.any_file import ENDINGS, read_machine
from fem_mbd.machines.readers.openfast.support import Platform
from fem_mbd.machines.report import as_table, centre_lines, describe


def import_machine(options: argparse.Namespace) -> int:
    """Read the file, tell what it holds, draw it."""
    machine = _read(options)
    data = describe(machine)
    data["figures"] = []
    if not options.no_plot and (options.out is not None or not options.json):
        from fem_mbd.output.figures.machine import draw_machine

        folder = options.out or Path("results") / f"{file_name(machine.name)}-import"
        folder.mkdir(parents=True, exist_ok=True)
        data["figures"] = [str(draw_machine(centre_lines(machine), folder / "machine.png", machine.name))]
    return answer(data, options, "\n".join([as_table(data), *data["figures"]]))


def _read(options: argparse.Namespace) -> Machine:
    """The machine, by the ending of its file."""
    if ENDINGS.get(options.file.suffix.lower()) == "OpenFAST":
        platform: Platform = "held" if options.platform == "held" else "as in the files"
        return read_machine(options.file, platform=platform, leave_out=options.leave_out)
    # mass, places and links do not depend on where radii of gyration are taken
    return read_machine(options.file, radii_at=options.radii_at or CENTRES[0], leave_out=options.leave_out)
