"""Command `fem-mbd import FILE`: contents of a machine's file as a table and a picture."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from fem_mbd.applications.cli.options import CENTRES, add_figures, add_json, path
from fem_mbd.applications.cli.reports import figures_folder, write_report

if TYPE_CHECKING:
    from fem_mbd.machines.description.machine import Machine
    from fem_mbd.machines.readers.left_out import Platform


def add_options(command: argparse.ArgumentParser) -> None:
    """Add the options of `import`."""
    command.add_argument("file", metavar="FILE", type=path, help="main file of the machine")
    command.add_argument(
        "--radii-at",
        choices=CENTRES,
        help="HAWC2: reference point of the radii of gyration; does not affect the output",
    )
    command.add_argument(
        "--platform",
        choices=("file", "held"),
        help="OpenFAST, HAWC2: held treats a floating platform as fixed",
    )
    command.add_argument(
        "--leave-out",
        nargs="+",
        default=[],
        metavar="BLOCK",
        help="HAWC2: constraints and blocks to ignore, such as dll, ext_sys, soil",
    )
    add_json(command)
    add_figures(command, "results/NAME-import", "picture")
    command.set_defaults(command=import_machine)


def import_machine(options: argparse.Namespace) -> int:
    """Read the file, print its contents, draw the machine."""
    from fem_mbd.base.file_names import file_name
    from fem_mbd.machines.report import as_table, centre_lines, describe

    machine = _read(options)
    data = describe(machine)
    data["figures"] = []
    folder = figures_folder(options, f"{file_name(machine.name)}-import")
    if folder is not None:
        from fem_mbd.output.figures.structures import draw_machine

        data["figures"] = [str(draw_machine(centre_lines(machine), folder / "machine.png", machine.name))]
    return write_report(data, options, "\n".join([as_table(data), *data["figures"]]))


def _read(options: argparse.Namespace) -> Machine:
    """Read the machine by the reader for the ending of its file."""
    from fem_mbd.machines.readers.any_file import ENDINGS, read_machine

    platform: Platform = "held" if options.platform == "held" else "as in the files"
    # mass, positions and links do not depend on the reference point of the radii of gyration
    hawc2 = ENDINGS.get(options.file.suffix.lower()) == "HAWC2"
    radii = options.radii_at or CENTRES[0] if hawc2 else None
    return read_machine(options.file, platform=platform, radii_at=radii, leave_out=options.leave_out)
