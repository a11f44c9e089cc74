"""Command `fem-mbd sections FILE`: sections of a windIO blade from its layers, as a table, a figure and files."""

from __future__ import annotations

import argparse

from fem_mbd.applications.cli.options import add_figures, add_json, path
from fem_mbd.applications.cli.reports import figures_folder, write_report

DRAWN = 9  # sections in the figure


def add_options(command: argparse.ArgumentParser) -> None:
    """Add the options of `sections`."""
    command.add_argument("file", metavar="FILE", type=path, help="windIO file of a turbine (.yaml)")
    command.add_argument(
        "--stations",
        default="0:1:21",
        metavar="FROM:TO:COUNT",
        help="fractions of the blade's length, or a list: 0,0.3,1 (default: %(default)s)",
    )
    command.add_argument("--size", type=float, metavar="M", help="size of the elements along the walls, m")
    command.add_argument("--beamdyn", type=path, metavar="OUT", help="write BeamDyn's blade file")
    command.add_argument("--hawc2", type=path, metavar="OUT", help="write HAWC2's st file (30 columns)")
    command.add_argument(
        "--windio",
        type=path,
        metavar="OUT",
        help="write FILE again, with these sections as its elastic properties",
    )
    add_json(command)
    add_figures(command, "results/NAME-sections")
    command.set_defaults(command=sections)


def sections(options: argparse.Namespace) -> int:
    """Compute the sections, print and draw them, write the files."""
    from fem_mbd.base.file_names import file_name
    from fem_mbd.base.text_table import text_table
    from fem_mbd.elements.blades.section_files import section_rows, write_beamdyn_blade, write_hawc2_st
    from fem_mbd.machines.readers.windio.layers import read_blade_layers, write_elastic_properties

    s = stations(options.stations)
    layers = read_blade_layers(options.file)
    whole = any((options.beamdyn, options.hawc2, options.windio))
    table = layers.table(s, options.size) if whole else None
    found = list(table.sections) if table else [layers.section(float(at), options.size) for at in s]
    columns = section_rows(found, s)
    written = []
    if options.beamdyn and table:
        written.append(write_beamdyn_blade(options.beamdyn, table))
    if options.hawc2 and table:
        written.append(write_hawc2_st(options.hawc2, table, layers.length))
    if options.windio and table:
        written.append(write_elastic_properties(options.file, options.windio, table))
    folder = figures_folder(options, f"{file_name(options.file.stem)}-sections")
    if folder is not None:
        from fem_mbd.output.figures.sections import draw_sections

        shown = range(0, len(found), -(-len(found) // DRAWN))
        solutions = [found[k].solution for k in shown]
        meshes = [solution.mesh for solution in solutions if solution]
        written.append(draw_sections(meshes, [f"s = {s[k]:.3g}" for k in shown], folder / "sections.png"))
    rows = [[f"{value:.4g}" for value in row] for row in zip(*columns.values(), strict=True)]
    data = {name: values.tolist() for name, values in columns.items()} | {"files": [str(p) for p in written]}
    return write_report(data, options, "\n".join([text_table([list(columns), *rows]), *map(str, written)]))


def stations(text: str) -> list[float]:
    """Fractions of FROM:TO:COUNT or of a list.

    Raises
    ------
    InputError
        For other text, and fractions that do not ascend within 0 … 1.
    """
    import numpy as np

    from fem_mbd.errors import InputError

    try:
        if ":" in text:
            start, end, count = text.split(":")
            s = np.linspace(float(start), float(end), int(count))
        else:
            s = np.array([float(word) for word in text.split(",")])
    except ValueError:
        raise InputError(
            f"--stations {text}: give FROM:TO:COUNT, 0:1:21 for instance, or a list, 0,0.3,1"
        ) from None
    if not len(s) or not (s[0] >= 0.0 and s[-1] <= 1.0 and np.all(np.diff(s) > 0.0)):
        raise InputError(f"--stations {text}: fractions have to ascend within 0 … 1")
    return [float(at) for at in s]
