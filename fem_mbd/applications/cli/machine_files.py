"""Commands `fem-mbd import`, `sections` and `steady` for the file of a machine.

fem-mbd import FILE      contents of a machine's file as a table and a picture
fem-mbd sections FILE    sections of a windIO blade from its layers, as a table, a figure and files
fem-mbd steady FILE      power, thrust and deflections of a turbine over the wind
"""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from fem_mbd.applications.cli.options import CENTRES, add_figures, add_json, add_parameters, chosen_case, path
from fem_mbd.applications.cli.reports import figures_folder, write_report

if TYPE_CHECKING:
    import numpy as np

    from fem_mbd.machines.description.machine import Machine
    from fem_mbd.machines.readers.left_out import Platform


def add_import_options(command: argparse.ArgumentParser) -> None:
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
    from fem_mbd.base.text import file_name
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


DRAWN = 9  # sections in the figure


def add_sections_options(command: argparse.ArgumentParser) -> None:
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
    from fem_mbd.base.text import file_name, text_table
    from fem_mbd.elements.blades.stations import section_rows, write_beamdyn_blade, write_hawc2_st
    from fem_mbd.machines.readers.windio.layers import read_blade_layers, write_elastic_properties

    s = stations(options.stations)
    layers = read_blade_layers(options.file)
    whole = any((options.beamdyn, options.hawc2, options.windio))
    table = layers.table(s, options.size) if whole else None
    cross_sections = list(table.sections) if table else [layers.section(float(at), options.size) for at in s]
    columns = section_rows(cross_sections, s)
    written = []
    if options.beamdyn and table:
        written.append(write_beamdyn_blade(options.beamdyn, table))
    if options.hawc2 and table:
        written.append(write_hawc2_st(options.hawc2, table, layers.length))
    if options.windio and table:
        written.append(write_elastic_properties(options.file, options.windio, table))
    folder = figures_folder(options, f"{file_name(options.file.stem)}-sections")
    if folder is not None:
        from fem_mbd.output.figures.structures import draw_sections

        shown = range(0, len(cross_sections), -(-len(cross_sections) // DRAWN))
        solutions = [cross_sections[k].solution for k in shown]
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


def add_steady_options(command: argparse.ArgumentParser) -> None:
    """Add the options of `steady`."""
    command.add_argument("file", metavar="FILE", type=path, help="main file of the machine")
    command.add_argument(
        "--winds", type=winds_of, metavar="A:B:N", help="N winds from A to B, m/s, or one wind"
    )
    command.add_argument(
        "--operation",
        type=path,
        metavar="FILE.opt",
        help="pitch and speed over the wind, HAWC2's table: m/s, deg, rpm",
    )
    add_parameters(command)
    add_json(command)
    add_figures(command, "results/NAME-steady")
    command.set_defaults(command=steady)


def winds_of(text: str) -> list[float]:
    """Winds from A:B:N, or one."""
    parts = text.split(":")
    try:
        numbers = [float(part) for part in parts[:2]]
        count = int(parts[2]) if len(parts) == 3 else 1
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"{text!r} is not A:B:N, for instance 4:25:22") from error
    if len(parts) == 1 and 0.0 < numbers[0] < float("inf"):
        return numbers
    if len(parts) != 3 or not 0.0 < numbers[0] < numbers[1] < float("inf") or not 2 <= count <= 1000:
        raise argparse.ArgumentTypeError(f"{text!r}: winds ascend from above 0, N is from 2 to 1000: 4:25:22")
    first, last = numbers
    return [first + k * (last - first) / (count - 1) for k in range(count)]


def steady(options: argparse.Namespace) -> int:
    """Compute the steady states, print them, draw power, thrust and distributions."""
    import numpy as np

    from fem_mbd.case import arithmetic_guard
    from fem_mbd.cases import _machine_file
    from fem_mbd.errors import InputError

    case, parameters = chosen_case(options, options.file)
    machine = _machine_file.machine(parameters)
    winds, pitch, speed = operation_of(options, parameters)
    if speed is None and (machine.controller is None or np.any(pitch)):
        raise InputError(
            "steady: give the rotor's speed: --set speed=RAD_S, or a table of operation: --operation FILE.opt"
        )
    more = {"elements": parameters.elements} if parameters.elements else {}
    with arithmetic_guard(case.name):
        states = machine.steady(winds, pitch=pitch, speed=speed, **more)
    data = states.plain()
    data["figures"] = []
    folder = figures_folder(options, f"{case.name}-steady")
    if folder is not None:
        from fem_mbd.output.figures.structures import draw_steady

        data["figures"] = [str(draw_steady(data, _along(states), folder / "steady.png", machine.name))]
    return write_report(data, options, "\n".join([str(states), *data["figures"]]))


def operation_of(options: argparse.Namespace, parameters: Any) -> tuple[Any, Any, Any]:
    """Winds, pitch (rad) and speed (rad/s) of each; what `--set` gives comes before the table."""
    import numpy as np

    from fem_mbd.errors import InputError
    from fem_mbd.machines.steady import read_operation

    pitch = None if parameters.pitch is None else np.radians(parameters.pitch)
    speed = parameters.speed or None
    if options.operation is None:
        if options.winds is None:
            raise InputError("give winds: --winds A:B:N")
        return options.winds, 0.0 if pitch is None else pitch, speed
    table = read_operation(options.operation)
    winds = table[:, 0] if options.winds is None else np.array(options.winds)
    if winds[0] < table[0, 0] or winds[-1] > table[-1, 0]:
        raise InputError(
            f"{options.operation}: its winds are {table[0, 0]:g} to {table[-1, 0]:g} m/s; {winds[0]:g} "
            f"to {winds[-1]:g} m/s "
            "are asked for"
        )
    tabulated = [np.interp(winds, table[:, 0], table[:, k]) for k in (1, 2)]
    return winds, tabulated[0] if pitch is None else pitch, tabulated[1] if speed is None else speed


def _along(states: Any) -> list[tuple[float, np.ndarray, np.ndarray]]:
    """Wind, span (m) of blade 1 and forces (n, 3) of each state."""
    return [(s.wind, s.flow.span[0], s.flow.force[0]) for s in states.states]
