"""Common part of `modal`, `campbell` and `linearize`: options, speed, and linear models of a case over speed."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from fem_mbd.applications.cli.options import LINEAR_FRAMES, add_case, add_figures, add_json, chosen_case

if TYPE_CHECKING:
    from fem_mbd.analysis.rotors.family import LinearFamily
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
    from fem_mbd.analysis.rotors.family import Family
    from fem_mbd.cases import model_of
    from fem_mbd.errors import InputError
    from fem_mbd.runs.running.arithmetic_guard import arithmetic_guard

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
