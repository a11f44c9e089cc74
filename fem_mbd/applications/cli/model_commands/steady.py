"""Command `fem-mbd steady FILE`: power, thrust and deflections of a turbine over the wind."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from fem_mbd.applications.cli.options import add_figures, add_json, add_parameters, chosen_case, path
from fem_mbd.applications.cli.reports import figures_folder, write_report

if TYPE_CHECKING:
    import numpy as np


def add_options(command: argparse.ArgumentParser) -> None:
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
    from fem_mbd.cases import _machine_file
    from fem_mbd.errors import InputError
    from fem_mbd.runs.running.arithmetic_guard import arithmetic_guard

    case, parameters = chosen_case(options, options.file)
    machine = _machine_file.machine(parameters)
    winds, pitch, speed = operation_of(options, parameters)
    if speed is None:
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
        from fem_mbd.output.figures.steady import draw_steady

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
    found = [np.interp(winds, table[:, 0], table[:, k]) for k in (1, 2)]
    return winds, found[0] if pitch is None else pitch, found[1] if speed is None else speed


def _along(states: Any) -> list[tuple[float, np.ndarray, np.ndarray]]:
    """Wind, span (m) of blade 1 and forces (n, 3) of each state."""
    return [(s.wind, s.flow.span[0], s.flow.force[0]) for s in states.states]
