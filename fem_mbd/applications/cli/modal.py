"""`fem-mbd modal CASE` and `fem-mbd campbell CASE`: modes of a case's structure, at rest and over speed."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import numpy as np

from fem_mbd.analysis.modal.modes import Modes, modes_of
from fem_mbd.analysis.modal.wording import motion_of
from fem_mbd.analysis.rotors.campbell import Campbell, follow_modes
from fem_mbd.analysis.rotors.family import Family, LinearFamily
from fem_mbd.applications.cli.answers import answer, chosen, head
from fem_mbd.applications.cli.defaults import LINEAR_FRAMES, SPEEDS
from fem_mbd.base.validation import whole_number
from fem_mbd.case import Case
from fem_mbd.cases import model_of
from fem_mbd.core.model.model import Model
from fem_mbd.errors import InputError
from fem_mbd.output.animation.formats import ending
from fem_mbd.output.export.campbell import write_cmb
from fem_mbd.runs.running.computable import computable


def modal_case(options: argparse.Namespace) -> int:
    """Find the modes, tell them, draw them."""
    case, parameters = _case(options)
    options.speed = speed_of(options, parameters)
    if not np.isfinite(options.speed) or options.speed < 0:
        raise InputError(f"modal: --speed is {options.speed}: give a finite number from 0, rad/s")
    if options.show:
        ending(options.show, "--show")
    family = _family(case, parameters, options)
    found = modes_of(family.at(options.speed), options.modes, options.undamped)
    data = (
        head(case, parameters) | {"speed_rad_s": options.speed, "frame": family.frame} | modal_report(found)
    )
    names = family.names(found)
    data |= {"names": names} if names else {}
    data["figures"] = _draw_modes(case, found, options, names)
    if options.show:
        data["figures"].append(str(found.animate(options.show).file))
    return answer(data, options, _modal_table(data))


def campbell_case(options: argparse.Namespace) -> int:
    """Follow the modes over speed, tell them, draw them."""
    case, parameters = _case(options)
    speeds = options.speeds or _usual_speeds(case, parameters)
    if options.cmb is not None and options.cmb.suffix != ".cmb":
        raise InputError(f"--cmb {options.cmb}: the name has to end in .cmb")
    family = _family(case, parameters, options)
    found = follow_modes(family, speeds, options.modes, options.undamped)
    data = head(case, parameters) | campbell_report(found)
    data["figures"] = _draw_campbell(case, found, options)
    data["table"] = None if options.cmb is None else str(_write_cmb(options.cmb, found))
    return answer(data, options, _campbell_table(data))


def modal_report(found: Modes) -> dict[str, Any]:
    """Modes as plain data, by ascending size of the eigenvalue."""
    return {
        "mass_kg": found.linear.total_mass,
        "degrees_of_freedom": found.linear.freedoms,
        "frequencies_hz": found.frequencies_hz.tolist(),
        "damped_frequencies_hz": found.damped_frequencies_hz.tolist(),
        "damping_ratios": found.damping_ratios.tolist(),
        "eigenvalues": [[v.real, v.imag] for v in found.eigenvalues.tolist()],
        "stable": found.stable,
    }


def campbell_report(found: Campbell) -> dict[str, Any]:
    """The diagram as plain data: a row per speed, a column per mode, null where a mode was lost."""
    return {
        "mass_kg": found.family.rest.total_mass,
        "frame": found.frame,
        "speeds_rad_s": found.speeds.tolist(),
        "frequencies_hz": found.frequencies_hz.tolist(),
        "damping_ratios": found.damping_ratios.tolist(),
        "whirl": found.whirl.tolist(),
        "growth_1_s": found.growth.tolist(),
        "critical_speeds_rad_s": critical(found),
    } | ({"names": list(found.names)} if found.names else {})


def critical(found: Campbell) -> list[float]:
    """Where a whirl is as fast as the rotor, within the speeds computed."""
    if found.frame == "multi-blade":
        return []  # what a machine may pass is a matter of its controller, not of its whirls
    if found.frame == "inertial":
        return [speed for _, speed in found.crossings(1)]
    return [float(speed) for speed in found.divergence()]


def _case(options: argparse.Namespace) -> tuple[Case[Any], Any]:
    whole_number(options.modes, "--modes")
    return chosen(options.case, options)


def speed_of(options: argparse.Namespace, parameters: Any) -> float:
    """rad/s: `--speed`, else the case's own parameter of that name, else zero."""
    given = options.speed
    return float(getattr(parameters, "speed", 0.0) if given is None else given)


def _usual_speeds(case: Case[Any], parameters: Any) -> list[float]:
    own: tuple[float, float] | None = getattr(parameters, "speeds", None)
    if case.speeds is None and own is not None:
        return [float(x) for x in np.linspace(*own, SPEEDS)]
    if case.speeds is None:
        raise InputError(
            f"campbell: case {case.name!r} has no usual range of speeds: give --speeds A:B:N, rad/s"
        )
    return [float(x) for x in np.linspace(*case.speeds, SPEEDS)]


def _model(case: Case[Any], parameters: Any) -> Model:
    with computable(case.name):
        return model_of(case, parameters)


def _family(case: Case[Any], parameters: Any, options: argparse.Namespace) -> LinearFamily:
    """Linear models over speed: those that the case offers, or of its structure in the frame asked for."""
    if case.family is None:
        point, axis = case.axis
        return Family(_model(case, parameters), axis, point, options.frame or LINEAR_FRAMES[0])
    if options.frame is not None:
        raise InputError(
            f"--frame: modes of case {case.name!r} are in multi-blade coordinates, whatever turns"
        )
    with computable(case.name):
        return case.family(parameters)


def _folder(case: Case[Any], options: argparse.Namespace, what: str) -> Path | None:
    """Where figures go; None when there shall be none."""
    if options.no_plot or (options.json and options.out is None):
        return None
    folder = options.out or Path("results") / f"{case.name}-{what}"
    folder.mkdir(parents=True, exist_ok=True)
    return Path(folder)


def _draw_modes(case: Case[Any], found: Modes, options: argparse.Namespace, names: list[str]) -> list[str]:
    from fem_mbd.output.figures.modal import draw_modes

    folder = _folder(case, options, "modal")
    if folder is None:
        return []
    speed = f", {options.speed:g} rad/s" if options.speed else ""
    return [str(draw_modes(found, folder / "modes.png", f"{case.name}: modes{speed}", names=names))]


def _draw_campbell(case: Case[Any], found: Campbell, options: argparse.Namespace) -> list[str]:
    from fem_mbd.output.figures.modal import draw_campbell, draw_modes

    folder = _folder(case, options, "campbell")
    if folder is None:
        return []
    last = found.modes[-1]
    title = f"{case.name}: modes at {found.speeds[-1]:g} rad/s"
    return [
        str(
            draw_campbell(
                found, folder / "campbell.png", f"{case.name}: Campbell diagram, {found.frame} frame"
            )
        ),
        str(draw_modes(last, folder / "modes.png", title, options.modes, found.family.names(last))),
    ]


def _write_cmb(file: Path, found: Campbell) -> Path:
    file.parent.mkdir(parents=True, exist_ok=True)
    return write_cmb(file, found)


def _modal_table(data: dict[str, Any]) -> str:
    rows = [f"mass {data['mass_kg']:.6g} kg, {data['degrees_of_freedom']} degrees of freedom"]
    if data["speed_rad_s"]:
        rows.append(f"in steady rotation at {data['speed_rad_s']:g} rad/s, {data['frame']} frame")
    rows.append("mode   frequency [Hz]   damping ratio")
    names = data.get("names", [""] * len(data["frequencies_hz"]))
    listed = zip(data["eigenvalues"], data["frequencies_hz"], data["damping_ratios"], names, strict=True)
    for k, (value, f, z, name) in enumerate(listed, start=1):
        swings = value[1] != 0.0 or value[0] == 0.0
        frequency = f"{f:14.6g}" if swings else f"{'–':>14}"
        told = name if swings else f"{name.split(', ')[0]}, {motion_of(complex(*value))}".removeprefix(", ")
        rows.append(f"{k:4d}   {frequency}   {z + 0.0:13.4g}   {told}".rstrip())
    if not data["stable"]:
        rows.append("unstable: a motion grows")
    return "\n".join([*rows, *data["figures"]])


def _campbell_table(data: dict[str, Any]) -> str:
    rows = ["speed [rad/s]   frequencies [Hz]"]
    rows = [f"mode {k}: {name}" for k, name in enumerate(data.get("names", []), start=1)] + rows
    for speed, frequencies in zip(data["speeds_rad_s"], data["frequencies_hz"], strict=True):
        rows.append(f"{speed:13.6g}   " + " ".join(f"{f:10.5g}" for f in frequencies))
    if data["critical_speeds_rad_s"]:
        rows.append(
            "critical speeds [rad/s]: " + ", ".join(f"{s:.6g}" for s in data["critical_speeds_rad_s"])
        )
    return "\n".join([*rows, *data["figures"], *([data["table"]] if data["table"] else [])])
