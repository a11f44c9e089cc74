"""`fem-mbd linearize CASE`: state space of a case's structure, told and written."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import numpy as np

from fem_mbd.analysis.control.space import StateSpace
from fem_mbd.analysis.control.state_space import state_space
from fem_mbd.analysis.statics.steady_rotation import Spin
from fem_mbd.applications.cli.answers import answer, chosen, head
from fem_mbd.applications.cli.modal import speed_of
from fem_mbd.base.suggestions import nearest
from fem_mbd.case import Case
from fem_mbd.cases import model_of
from fem_mbd.errors import InputError
from fem_mbd.output.export.linearization import write_lin
from fem_mbd.runs.running.computable import computable

WRITERS = {".npz": StateSpace.save, ".lin": lambda space, file: write_lin(file, space)}


def linearize_case(options: argparse.Namespace) -> int:
    """Find the matrices, tell what they belong to, write them."""
    case, parameters = chosen(options.case, options)
    if options.out is not None and options.out.suffix not in WRITERS:
        raise InputError(f"--out {options.out}: {nearest(options.out.suffix, WRITERS)}")
    with computable(case.name):
        space = _space(case, parameters, options)
    data = head(case, parameters) | space_report(space)
    data["file"] = None if options.out is None else str(_write(space, options.out))
    return answer(data, options, _table(data))


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
    names, speed = (options.inputs, options.outputs), speed_of(options, parameters)
    if not np.isfinite(speed):
        raise InputError(f"linearize: --speed is {speed}: give a finite number, rad/s")
    if case.family is not None:
        return state_space(case.family(parameters), *names, modes=options.modes, speed=speed)
    spin = Spin(*case.axis, speed) if speed else None
    return state_space(model_of(case, parameters), *names, modes=options.modes, spin=spin)


def _write(space: StateSpace, file: Path) -> Path:
    file.parent.mkdir(parents=True, exist_ok=True)
    return Path(WRITERS[file.suffix](space, file))


def _table(data: dict[str, Any]) -> str:
    rows = [f"{len(data['states'])} states, {len(data['inputs'])} inputs, {len(data['outputs'])} outputs"]
    if data["speed_rad_s"]:
        rows.append(f"in steady rotation at {data['speed_rad_s']:g} rad/s, {data['frame']} axes")
    for kind in ("input", "output"):
        listed = zip(data[f"{kind}s"], data[f"{kind}_units"], strict=True)
        rows += [f"{kind:7s}{k:4d}   {name} [{unit}]" for k, (name, unit) in enumerate(listed, start=1)]
    rows += [f"state  {k:4d}   {name}" for k, name in enumerate(data["states"], start=1)]
    return "\n".join(rows + ([data["file"]] if data["file"] else []))
