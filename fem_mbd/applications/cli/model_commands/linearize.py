"""Command `fem-mbd linearize CASE`: state-space model of a case's structure, printed and written to a file."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fem_mbd.applications.cli.options import add_case, add_json, chosen_case, path
from fem_mbd.applications.cli.reports import write_report

if TYPE_CHECKING:
    from fem_mbd.analysis.control.space import StateSpace
    from fem_mbd.case import Case

FORMATS = (".npz", ".lin")


def add_options(command: argparse.ArgumentParser) -> None:
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
    from fem_mbd.base.suggestions import nearest
    from fem_mbd.case_parameters import to_plain
    from fem_mbd.errors import InputError
    from fem_mbd.runs.running.arithmetic_guard import arithmetic_guard

    case, parameters = chosen_case(options)
    if options.out is not None and options.out.suffix not in FORMATS:
        raise InputError(f"--out {options.out}: {nearest(options.out.suffix, FORMATS)}")
    with arithmetic_guard(case.name):
        space = _space(case, parameters, options)
    data = {"case": case.name, "parameters": to_plain(parameters)} | space_report(space)
    data["file"] = None if options.out is None else str(_write(space, options.out))
    return write_report(data, options, _table(data))


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
    from fem_mbd.applications.cli.model_commands.linear_family import speed_of
    from fem_mbd.cases import model_of
    from fem_mbd.errors import InputError

    names, speed = (options.inputs, options.outputs), speed_of(options, parameters)
    if not isfinite(speed):
        raise InputError(f"linearize: --speed is {speed}: give a finite number, rad/s")
    if case.family is not None:
        return state_space(case.family(parameters), *names, modes=options.modes, speed=speed)
    spin = Spin(*case.axis, speed) if speed else None
    return state_space(model_of(case, parameters), *names, modes=options.modes, spin=spin)


def _write(space: StateSpace, file: Path) -> Path:
    from fem_mbd.output.export.linearization import write_lin

    file.parent.mkdir(parents=True, exist_ok=True)
    return Path(write_lin(file, space) if file.suffix == ".lin" else space.save(file))


def _table(data: dict[str, Any]) -> str:
    rows = [f"{len(data['states'])} states, {len(data['inputs'])} inputs, {len(data['outputs'])} outputs"]
    if data["speed_rad_s"]:
        rows.append(f"in steady rotation at {data['speed_rad_s']:g} rad/s, {data['frame']} axes")
    for kind in ("input", "output"):
        listed = zip(data[f"{kind}s"], data[f"{kind}_units"], strict=True)
        rows += [f"{kind:7s}{k:4d}   {name} [{unit}]" for k, (name, unit) in enumerate(listed, start=1)]
    rows += [f"state  {k:4d}   {name}" for k, name in enumerate(data["states"], start=1)]
    return "\n".join(rows + ([data["file"]] if data["file"] else []))
