"""Commands `fem-mbd modal`, `campbell` and `linearize`: linear models of a case's structure.

    fem-mbd modal CASE        frequencies, damping ratios and shapes of the modes
    fem-mbd campbell CASE     modes over the speed of rotation
    fem-mbd linearize CASE    state-space model, printed and written to a file

Their common part stands first: options, speed, and linear models of a case over speed (`family_of`).
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fem_mbd.applications.cli.machine_files import operation_of, winds_of
from fem_mbd.applications.cli.options import (
    LINEAR_FRAMES,
    SPEEDS,
    add_case,
    add_figures,
    add_json,
    chosen_case,
    path,
)
from fem_mbd.applications.cli.reports import figures_folder, write_report

if TYPE_CHECKING:
    from fem_mbd.analysis.control.state_space import StateSpace
    from fem_mbd.analysis.modal.modes import Modes
    from fem_mbd.analysis.rotors.campbell import Campbell
    from fem_mbd.analysis.rotors.rotating_models import LinearFamily
    from fem_mbd.case import Case


def add_family(command: argparse.ArgumentParser, modes: int, figures: str) -> None:
    """Options of `modal` and `campbell`; ``modes`` is the default number of modes."""
    add_case(command)
    command.add_argument("--modes", type=int, default=modes, metavar="N", help=f"number (default {modes})")
    command.add_argument(
        "--frame", choices=LINEAR_FRAMES,
        help="rotating (default): the whole structure rotates (blades); inertial: an axisymmetric rotor spins on "
        "fixed supports; whole machines have multi-blade coordinates",
    )  # fmt: skip
    command.add_argument("--undamped", action="store_true", help="leave out dampers and material damping")
    add_json(command)
    add_figures(command, figures)


def case_and_modes(options: argparse.Namespace) -> tuple[Case[Any], Any]:
    """The chosen case and its parameters, after a check of `--modes`."""
    from fem_mbd.base.validation import whole_number

    whole_number(options.modes, "--modes")
    return chosen_case(options)


def speed_of(options: argparse.Namespace, parameters: Any) -> float:
    """rad/s: `--speed`, otherwise the case's parameter of that name, otherwise zero."""
    return float(getattr(parameters, "speed", 0.0) if options.speed is None else options.speed)


def family_of(case: Case[Any], parameters: Any, options: argparse.Namespace) -> LinearFamily:
    """Linear models over speed: the case's own, or those of its structure in the requested frame."""
    from fem_mbd.analysis.rotors.rotating_models import Family
    from fem_mbd.case import arithmetic_guard
    from fem_mbd.cases import model_of
    from fem_mbd.errors import InputError

    if case.family is None:
        point, axis = case.axis
        with arithmetic_guard(case.name):
            model = model_of(case, parameters)
        return Family(model, axis, point, options.frame or LINEAR_FRAMES[0])
    if options.frame is not None:
        raise InputError(
            f"--frame: modes of case {case.name!r} are always in multi-blade coordinates: leave it out"
        )
    with arithmetic_guard(case.name):
        return case.family(parameters)


def heading(case: Case[Any], parameters: Any) -> dict[str, Any]:
    """Case and parameters as plain data."""
    from fem_mbd.case_parameters import to_plain

    return {"case": case.name, "parameters": to_plain(parameters)}


def add_modal_options(command: argparse.ArgumentParser) -> None:
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
    from fem_mbd.output.animation.animate import ending

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
    return write_report(data, options, _mode_table(data))


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


def _mode_table(data: dict[str, Any]) -> str:
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


def add_campbell_options(command: argparse.ArgumentParser) -> None:
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
    from fem_mbd.cases import _machine_file
    from fem_mbd.errors import InputError
    from fem_mbd.output.export.linearization import write_cmb

    case, parameters = case_and_modes(options)
    if options.cmb is not None and options.cmb.suffix != ".cmb":
        raise InputError(f"--cmb {options.cmb}: the name has to end in .cmb")
    if options.winds is None:
        if options.operation or options.frozen_wake:
            raise InputError("campbell: --operation and --frozen-wake belong to --winds A:B:N")
        if isinstance(parameters, _machine_file.Parameters) and parameters.speed:
            raise InputError(
                "--set speed: campbell does not read it without --winds, so that it would change nothing: leave it out"
            )
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
    return write_report(data, options, _campbell_table(data))


def _over_winds(case: Case[Any], parameters: Any, options: argparse.Namespace) -> Campbell:
    """Aeroelastic modes of a machine over the wind."""
    from fem_mbd.case import arithmetic_guard
    from fem_mbd.cases import _machine_file
    from fem_mbd.errors import InputError

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


def _campbell_table(data: dict[str, Any]) -> str:
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


FORMATS = (".npz", ".lin")


def add_linearize_options(command: argparse.ArgumentParser) -> None:
    """Add the options of `linearize`."""
    add_case(command)
    for name, example in (("inputs", "bar@1.force[z]"), ("outputs", "bar@1.displacement[z]")):
        command.add_argument(
            f"--{name}",
            nargs="+",
            default=[],
            metavar="NAME",
            help=f"such as {example}; see docs/how-to/linear-models.md",
        )
    command.add_argument("--speed", type=float, metavar="RAD/S", help="in steady rotation")
    command.add_argument(
        "--wind",
        type=float,
        metavar="M/S",
        help="of a machine's file: about its steady state in that wind, with inflow and stall among the states",
    )
    command.add_argument(
        "--stations",
        type=int,
        metavar="N",
        help="with --wind: aerodynamic stations of a blade, each with up to 8 states (default: that of the files)",
    )
    command.add_argument(
        "--modes",
        type=int,
        metavar="N",
        help="keep the lowest modes, the others follow statically (default: all)",
    )
    command.add_argument(
        "--out", type=path, metavar="FILE", help="write the matrices: .npz (NumPy) or .lin (OpenFAST)"
    )
    add_json(command)
    command.set_defaults(command=linearize_case)


def linearize_case(options: argparse.Namespace) -> int:
    """Compute the matrices, print a description of them, write them."""
    from fem_mbd.base.lazy import nearest
    from fem_mbd.case import arithmetic_guard
    from fem_mbd.case_parameters import to_plain
    from fem_mbd.errors import InputError

    case, parameters = chosen_case(options)
    if options.out is not None and options.out.suffix not in FORMATS:
        raise InputError(f"--out {options.out}: {nearest(options.out.suffix, FORMATS)}")
    with arithmetic_guard(case.name):
        space = _space(case, parameters, options)
    data = {"case": case.name, "parameters": to_plain(parameters)} | space_report(space)
    data["file"] = None if options.out is None else str(_write(space, options.out))
    return write_report(data, options, _signal_table(data))


def space_report(space: StateSpace) -> dict[str, Any]:
    """A state space as plain data.

    Parameters
    ----------
    space : the model
    """
    return {
        "frame": space.frame,
        "speed_rad_s": space.speed,
        "inputs": list(space.inputs),
        "input_units": list(space.input_units),
        "outputs": list(space.outputs),
        "output_units": list(space.output_units),
        "states": list(space.states),
        "eigenvalues": [[v.real, v.imag] for v in space.eigenvalues.tolist()],
    } | {name: getattr(space, name).tolist() for name in ("A", "B", "C", "D")}


def _space(case: Case[Any], parameters: Any, options: argparse.Namespace) -> StateSpace:
    from math import isfinite

    from fem_mbd.analysis.control.state_space import state_space
    from fem_mbd.analysis.statics.steady_rotation import Spin
    from fem_mbd.cases import model_of
    from fem_mbd.errors import InputError

    names, speed = (options.inputs, options.outputs), speed_of(options, parameters)
    if not isfinite(speed):
        raise InputError(f"linearize: --speed is {speed}: give a finite number, rad/s")
    if options.wind is not None:
        family = _family_in_wind(case, parameters, options, speed)
        return state_space(family, *names, modes=options.modes, wind=options.wind)
    if options.stations is not None:
        raise InputError("linearize: --stations belongs to --wind")
    if case.family is not None:
        return state_space(case.family(parameters), *names, modes=options.modes, speed=speed)
    spin = Spin(*case.axis, speed) if speed else None
    return state_space(model_of(case, parameters), *names, modes=options.modes, spin=spin)


def _family_in_wind(
    case: Case[Any], parameters: Any, options: argparse.Namespace, speed: float
) -> LinearFamily:
    """Linear model of a machine in wind, with the pitch of the parameters."""
    from dataclasses import replace
    from math import radians

    from fem_mbd.cases import _machine_file
    from fem_mbd.errors import InputError
    from fem_mbd.machines.aerodynamic_loads import aerodynamics_of
    from fem_mbd.machines.aeroelastic import ELEMENTS, AeroelasticFamily
    from fem_mbd.machines.description.beams import with_elements

    if not isinstance(parameters, _machine_file.Parameters):
        raise InputError(f"linearize: --wind is for a machine's file; {case.name!r} is a case")
    if not speed:
        raise InputError("linearize: give the rotor's speed in the wind: --speed RAD_S")
    machine = with_elements(_machine_file.machine(parameters), parameters.elements or ELEMENTS)
    if options.stations is not None:
        machine = replace(machine, aerodynamics=replace(aerodynamics_of(machine), stations=options.stations))
    pitch = radians(parameters.pitch or 0.0)
    return AeroelasticFamily(machine, [options.wind], pitch, speed, locked=parameters.locked)


def _write(space: StateSpace, file: Path) -> Path:
    from fem_mbd.output.export.linearization import write_lin

    file.parent.mkdir(parents=True, exist_ok=True)
    return Path(write_lin(file, space) if file.suffix == ".lin" else space.save(file))


def _signal_table(data: dict[str, Any]) -> str:
    rows = [f"{len(data['states'])} states, {len(data['inputs'])} inputs, {len(data['outputs'])} outputs"]
    if data["speed_rad_s"]:
        rows.append(f"in steady rotation at {data['speed_rad_s']:g} rad/s, {data['frame']} axes")
    for kind in ("input", "output"):
        listed = zip(data[f"{kind}s"], data[f"{kind}_units"], strict=True)
        rows += [f"{kind:7s}{k:4d}   {name} [{unit}]" for k, (name, unit) in enumerate(listed, start=1)]
    rows += [f"state  {k:4d}   {name}" for k, name in enumerate(data["states"], start=1)]
    return "\n".join(rows + ([data["file"]] if data["file"] else []))
