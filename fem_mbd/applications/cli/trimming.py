"""Command `fem-mbd trim`: controls of a rotor with given mean loads or flapping, also over a parameter.

fem-mbd trim CASE --over advance=0:0.3:7
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fem_mbd.applications.cli.options import add_case, add_figures, add_json, chosen_case
from fem_mbd.applications.cli.reports import figures_folder, write_report

if TYPE_CHECKING:
    from fem_mbd.aerodynamics.trim import Trim, TrimTask

HARMONICS = 8
LOADS = {"torsion": 3, "M2": 4, "M3": 5}  # about section axes


def add_trim_options(command: argparse.ArgumentParser) -> None:
    """Add the options of `trim`."""
    add_case(command)
    command.add_argument(
        "--over",
        metavar="NAME=FIRST:LAST:COUNT",
        help="trim at several values of a parameter, each from the one before",
    )
    add_json(command)
    add_figures(command, "results/CASE-trim")
    command.set_defaults(command=trim_case)


def trim_case(options: argparse.Namespace) -> int:
    """Trim, print controls, mean loads, power and harmonics of the hub's loads, draw them over the parameter."""
    from dataclasses import replace

    from fem_mbd.aerodynamics.trim import run_task
    from fem_mbd.errors import InputError

    case, parameters = chosen_case(options)
    if case.trim is None:
        raise InputError(f"trim: case '{case.name}' has no rotor to trim: its Case(…) needs trim=function")
    over, values = _range(options.over, parameters) if options.over else ("", [None])
    trims: list[Trim] = []
    beam = ""
    for value in values:
        task: TrimTask = case.trim(parameters if value is None else replace(parameters, **{over: value}))
        trims.append(run_task(task, trims[-1] if trims else None))
        beam = task.beam
    data: dict[str, Any] = {"case": case.name, "over": over, "values": values if over else []}
    data["trims"] = [report(trim, beam) for trim in trims]
    folder = figures_folder(options, f"{case.name}-trim") if over else None
    data["figures"] = [] if folder is None else [str(draw(trims, values, over, folder / "trim.png", beam))]
    return write_report(data, options, table(data))


def _range(text: str, parameters: Any) -> tuple[str, list[Any]]:
    """Name and values of NAME=FIRST:LAST:COUNT."""
    import numpy as np

    from fem_mbd.base.lazy import nearest
    from fem_mbd.errors import InputError

    name, _, numbers = text.partition("=")
    if not hasattr(parameters, name):
        raise InputError(
            f"trim: --over: there is no parameter {name!r}; {nearest(name, list(vars(parameters)))}"
        )
    try:
        first, last, count = (float(number) for number in numbers.split(":"))
        return name, [float(x) for x in np.linspace(first, last, int(count))]
    except ValueError as error:
        raise InputError(f"trim: --over is {text!r}: write it as advance=0:0.3:7") from error


def report(trim: Trim, beam: str = "") -> dict[str, Any]:
    """Plain data of a trim; angles in rad, section loads of a beam: least, mean, largest."""
    at, loads = (each.tolist() for each in trim.section_loads(beam)) if beam else ([], [])
    return {
        "controls": trim.controls,
        "loads": trim.loads,
        "power_w": trim.power,
        "hub_harmonics": trim.harmonics(HARMONICS).tolist(),
        "iterations": trim.iterations,
        "section_loads": {"beam": beam, "at": at, "loads": loads},
    }


def table(data: dict[str, Any]) -> str:
    """The report as text."""
    lines = []
    for k, trim in enumerate(data["trims"]):
        at = f"{data['over']} {data['values'][k]:g}: " if data["over"] else ""
        controls = ", ".join(f"{name} {value:.5g} rad" for name, value in trim["controls"].items())
        lines.append(f"{at}{controls}")
        loads = trim["loads"]
        lines.append(
            f"    thrust {loads['thrust']:.6g} N, drag {loads['drag']:.5g} N, power {trim['power_w']:.6g} W, coning "
            f"{loads['coning']:.4g} rad, a_1 {loads['longitudinal_flapping']:.3g} rad, "
            f"b_1 {loads['lateral_flapping']:.3g} rad"
        )
        vertical = ", ".join(f"{row[2]:.4g}" for row in trim["hub_harmonics"][1:])
        lines.append(f"    vertical force of the hub by harmonics 1 to {HARMONICS}: {vertical} N")
        lines += sections(trim["section_loads"])
    return "\n".join([*lines, *data["figures"]])


def sections(data: dict[str, Any]) -> list[str]:
    """Lines of bending and torsion of the sections of `report`."""
    lines = []
    for at, (least, mean, largest) in zip(data["at"], data["loads"], strict=True):
        loads = (f"{name} {mean[k]:.4g} ({least[k]:.4g} to {largest[k]:.4g})" for name, k in LOADS.items())
        lines.append(f"    {data['beam']} at {at:.3g} of its length: {', '.join(loads)} N m")
    return lines


def draw(trims: list[Trim], values: list[Any], over: str, file: Path, beam: str = "") -> Path:
    """Figure of controls, power, vibration, and of half the range of a beam's largest moments, over the parameter.

    Parameters
    ----------
    trims : the trims
    values : of the parameter
    over : its name
    file : PNG
    beam : name of the beam
    """
    import numpy as np

    from fem_mbd.output.figures.plots import Panel, draw_panels

    x = np.asarray(values, dtype=float)
    controls = {name: np.degrees([trim.controls[name] for trim in trims]) for name in trims[0].controls}
    power = {"power": np.array([trim.power for trim in trims]) / 1e3}
    harmonics = np.array([trim.harmonics(HARMONICS)[:, 2] for trim in trims])
    largest = np.argsort(harmonics[:, 1:].max(axis=0))[::-1][:2] + 1
    vibration = {f"{n}/rev": harmonics[:, n] for n in sorted(largest.tolist())}
    panels = [
        Panel("controls [deg]", controls),
        Panel("power [kW]", power),
        Panel("vertical hub force [N]", vibration),
    ]
    if beam:
        loads = np.array([trim.section_loads(beam)[1] for trim in trims])
        halves = 0.5 * (loads[:, :, 2] - loads[:, :, 0]).max(axis=1)
        panels.append(Panel(f"{beam}, half range [N m]", {name: halves[:, k] for name, k in LOADS.items()}))
    return draw_panels(file, x, panels, xlabel=over)
