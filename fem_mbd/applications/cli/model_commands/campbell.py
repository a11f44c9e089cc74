"""Command `fem-mbd campbell CASE`: modes of a case's structure over the speed of rotation."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fem_mbd.applications.cli.model_commands.linear_family import (
    add_family,
    case_and_modes,
    family_of,
    heading,
)
from fem_mbd.applications.cli.model_commands.steady import operation_of, winds_of
from fem_mbd.applications.cli.options import SPEEDS, path
from fem_mbd.applications.cli.reports import figures_folder, write_report

if TYPE_CHECKING:
    from fem_mbd.analysis.rotors.campbell import Campbell
    from fem_mbd.case import Case


def add_options(command: argparse.ArgumentParser) -> None:
    """Add the options of `campbell`."""
    add_family(command, 8, "results/CASE-campbell")
    command.add_argument(
        "--speeds",
        type=_speeds,
        metavar="A:B:N",
        help=f"N speeds from A to B, rad/s (default: the case's range, {SPEEDS} speeds)",
    )
    command.add_argument(
        "--winds", type=winds_of, metavar="A:B:N", help="aeroelastic modes at N winds from A to B, m/s"
    )
    command.add_argument(
        "--operation",
        type=path,
        metavar="FILE.opt",
        help="with --winds: pitch and speed over the wind, HAWC2's table",
    )
    command.add_argument("--frozen-wake", action="store_true", help="with --winds: induced velocities stay")
    command.add_argument("--cmb", type=path, metavar="FILE.cmb", help="also write HAWCStab2's table")
    command.set_defaults(command=campbell_case)


def _speeds(text: str) -> list[float]:
    """Speeds from A:B:N."""
    try:
        first, last, count = text.split(":")
        start, end, number = float(first), float(last), int(count)
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"{text!r} is not A:B:N, for instance 0:2:30") from error
    if not (0 <= start < end < float("inf")) or number < 2:
        raise argparse.ArgumentTypeError(
            f"{text!r}: speeds have to ascend from 0 or above, N has to be 2 or more"
        )
    spacing = (end - start) / (number - 1)
    return [*(start + k * spacing for k in range(number - 1)), end]


def campbell_case(options: argparse.Namespace) -> int:
    """Track the modes over speed, print them, draw the diagram."""
    from fem_mbd.analysis.rotors.campbell import follow_modes
    from fem_mbd.errors import InputError
    from fem_mbd.output.export.campbell import write_cmb

    case, parameters = case_and_modes(options)
    if options.cmb is not None and options.cmb.suffix != ".cmb":
        raise InputError(f"--cmb {options.cmb}: the name has to end in .cmb")
    if options.winds is None:
        if options.operation or options.frozen_wake:
            raise InputError("campbell: --operation and --frozen-wake belong to --winds A:B:N")
        speeds = options.speeds or _default_speeds(case, parameters)
        diagram = follow_modes(family_of(case, parameters, options), speeds, options.modes, options.undamped)
    else:
        diagram = _over_winds(case, parameters, options)
    data = heading(case, parameters) | campbell_report(diagram)
    folder = figures_folder(options, f"{case.name}-campbell")
    data["figures"] = [] if folder is None else _draw(case, diagram, folder, options.modes)
    data["table"] = None
    if options.cmb is not None:
        options.cmb.parent.mkdir(parents=True, exist_ok=True)
        data["table"] = str(write_cmb(options.cmb, diagram))
    return write_report(data, options, _table(data))


def _over_winds(case: Case[Any], parameters: Any, options: argparse.Namespace) -> Campbell:
    """Aeroelastic modes of a machine over the wind."""
    from fem_mbd.cases import _machine_file
    from fem_mbd.errors import InputError
    from fem_mbd.runs.running.arithmetic_guard import arithmetic_guard

    if not isinstance(parameters, _machine_file.Parameters):
        raise InputError(f"campbell: --winds is for a machine's file; {case.name!r} is a case")
    if options.speeds is not None or options.undamped or options.frame is not None:
        raise InputError("campbell: --winds goes without --speeds, --undamped and --frame")
    winds, pitch, speed = operation_of(options, parameters)
    if speed is None:
        raise InputError(
            "campbell: give the rotor's speed: --set speed=RAD_S, or a table of operation: --operation FILE.opt"
        )
    more = {"elements": parameters.elements} if parameters.elements else {}
    with arithmetic_guard(case.name):
        return _machine_file.machine(parameters).campbell_over_winds(
            winds, options.modes, pitch=pitch, speed=speed, frozen_wake=options.frozen_wake, **more
        )


def campbell_report(diagram: Campbell) -> dict[str, Any]:
    """The diagram as plain data: a row per speed, a column per mode, null where a mode was lost."""
    return {
        "mass_kg": diagram.family.rest.total_mass,
        "frame": diagram.frame,
        ("winds_m_s" if diagram.over == "wind" else "speeds_rad_s"): diagram.speeds.tolist(),
        "frequencies_hz": diagram.frequencies_hz.tolist(),
        "damping_ratios": diagram.damping_ratios.tolist(),
        "whirl": diagram.whirl.tolist(),
        "growth_1_s": diagram.growth.tolist(),
        "critical_speeds_rad_s": critical(diagram),
    } | ({"names": list(diagram.names)} if diagram.names else {})


def critical(diagram: Campbell) -> list[float]:
    """Critical speeds within the computed range: a whirl frequency equals the speed of the rotor."""
    if diagram.frame == "multi-blade" or diagram.over == "wind":
        return []  # not defined for whole machines
    if diagram.frame == "inertial":
        return [speed for _, speed in diagram.crossings(1)]
    return [float(speed) for speed in diagram.divergence()]


def _default_speeds(case: Case[Any], parameters: Any) -> list[float]:
    import numpy as np

    from fem_mbd.errors import InputError

    limits: tuple[float, float] | None = case.speeds or getattr(parameters, "speeds", None)
    if limits is None:
        raise InputError(f"campbell: case {case.name!r} has no default speeds: give --speeds A:B:N, rad/s")
    return [float(x) for x in np.linspace(limits[0], limits[1], SPEEDS)]


def _draw(case: Case[Any], diagram: Campbell, folder: Path, modes: int) -> list[str]:
    from fem_mbd.output.figures.modal import draw_campbell, draw_modes

    title = f"{case.name}: Campbell diagram, {diagram.frame} frame"
    figures = [draw_campbell(diagram, folder / "campbell.png", title)]
    last = diagram.modes[-1]
    unit = "m/s" if diagram.over == "wind" else "rad/s"
    title = f"{case.name}: modes at {diagram.speeds[-1]:g} {unit}"
    figures.append(draw_modes(last, folder / "modes.png", title, modes, diagram.family.names(last)))
    return list(map(str, figures))


def _table(data: dict[str, Any]) -> str:
    rows = [f"mode {k}: {name}" for k, name in enumerate(data.get("names", []), start=1)]
    winds = "winds_m_s" in data
    rows.append(
        f"{'   wind [m/s]' if winds else 'speed [rad/s]'}   frequencies [Hz]{', damping [%]' if winds else ''}"
    )
    speeds = data["winds_m_s" if winds else "speeds_rad_s"]
    for speed, frequencies, ratios in zip(
        speeds, data["frequencies_hz"], data["damping_ratios"], strict=True
    ):
        rows.append(f"{speed:13.6g}   " + " ".join(f"{f:10.5g}" for f in frequencies))
        if winds:
            rows.append(" " * 16 + " ".join(f"{100 * ratio:10.4g}" for ratio in ratios))
    if data["critical_speeds_rad_s"]:
        rows.append(
            "critical speeds [rad/s]: " + ", ".join(f"{s:.6g}" for s in data["critical_speeds_rad_s"])
        )
    return "\n".join([*rows, *data["figures"], *([data["table"]] if data["table"] else [])])
