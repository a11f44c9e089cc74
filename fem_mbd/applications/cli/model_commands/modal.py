"""Command `fem-mbd modal CASE`: frequencies, damping ratios and shapes of the modes of a case's structure."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from fem_mbd.applications.cli.model_commands.linear_family import (
    add_family,
    case_and_modes,
    family_of,
    heading,
    speed_of,
)
from fem_mbd.applications.cli.options import path
from fem_mbd.applications.cli.reports import figures_folder, write_report

if TYPE_CHECKING:
    from fem_mbd.analysis.modal.modes import Modes


def add_options(command: argparse.ArgumentParser) -> None:
    """Add the options of `modal`."""
    add_family(command, 10, "results/CASE-modal")
    command.add_argument("--speed", type=float, metavar="RAD/S", help="in steady rotation")
    command.add_argument("--show", type=path, metavar="FILE.html", help="write an animation of the modes")
    command.set_defaults(command=modal_case)


def modal_case(options: argparse.Namespace) -> int:
    """Compute the modes, print them, draw them."""
    from math import isfinite

    from fem_mbd.analysis.modal.modes import modes_of
    from fem_mbd.errors import InputError
    from fem_mbd.output.animation.formats import ending

    case, parameters = case_and_modes(options)
    speed = speed_of(options, parameters)
    if not isfinite(speed) or speed < 0:
        raise InputError(f"modal: --speed is {speed}: give a finite number from 0, rad/s")
    if options.show:
        ending(options.show, "--show")
    family = family_of(case, parameters, options)
    modes = modes_of(family.at(speed), options.modes, options.undamped)
    data = heading(case, parameters) | {"speed_rad_s": speed, "frame": family.frame} | modal_report(modes)
    names = family.names(modes)
    data |= {"names": names} if names else {}
    data["figures"] = []
    folder = figures_folder(options, f"{case.name}-modal")
    if folder is not None:
        from fem_mbd.output.figures.modal import draw_modes

        title = f"{case.name}: modes" + (f", {speed:g} rad/s" if speed else "")
        data["figures"].append(str(draw_modes(modes, folder / "modes.png", title, names=names)))
    if options.show:
        data["figures"].append(str(modes.animate(options.show).file))
    return write_report(data, options, _table(data))


def modal_report(modes: Modes) -> dict[str, Any]:
    """Modes as plain data, by ascending magnitude of the eigenvalue."""
    return {
        "mass_kg": modes.linear.total_mass,
        "degrees_of_freedom": modes.linear.freedoms,
        "frequencies_hz": modes.frequencies_hz.tolist(),
        "damped_frequencies_hz": modes.damped_frequencies_hz.tolist(),
        "damping_ratios": modes.damping_ratios.tolist(),
        "eigenvalues": [[v.real, v.imag] for v in modes.eigenvalues.tolist()],
        "stable": modes.stable,
    }


def _table(data: dict[str, Any]) -> str:
    from fem_mbd.analysis.modal.modes import motion_of

    rows = [f"mass {data['mass_kg']:.6g} kg, {data['degrees_of_freedom']} degrees of freedom"]
    if data["speed_rad_s"]:
        rows.append(f"in steady rotation at {data['speed_rad_s']:g} rad/s, {data['frame']} frame")
    rows.append("mode   frequency [Hz]   damping ratio")
    names = data.get("names", [""] * len(data["frequencies_hz"]))
    listed = zip(data["eigenvalues"], data["frequencies_hz"], data["damping_ratios"], names, strict=True)
    for k, (value, f, z, name) in enumerate(listed, start=1):
        oscillates = value[1] != 0.0 or value[0] == 0.0
        frequency = f"{f:14.6g}" if oscillates else f"{'–':>14}"
        label = (
            name if oscillates else f"{name.split(', ')[0]}, {motion_of(complex(*value))}".removeprefix(", ")
        )
        rows.append(f"{k:4d}   {frequency}   {z + 0.0:13.4g}   {label}".rstrip())
    if not data["stable"]:
        rows.append("unstable: a motion grows")
    return "\n".join([*rows, *data["figures"]])
