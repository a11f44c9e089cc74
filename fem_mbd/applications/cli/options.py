"""Options shared by several commands, and access to the chosen case and its parameters. Only argparse is imported.

Choices defined in a library module are repeated, so that help and tab completion need not load it; a test
compares them.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from fem_mbd.case import Case

CASE = "a case (see `fem-mbd list`) or the folder of a study of yours"
RUN_FOLDER = "folder of the run, or its results file"
EXPORT_FORMATS = ("vtkhdf", "xdmf", "vtu", "csv")  # as fem_mbd.output.export.FORMATS
CENTRES = ("mass centre", "elastic centre")  # as fem_mbd.elements.blades.hawc2.CENTRES
LINEAR_FRAMES = ("rotating", "inertial")
SPEEDS = 30  # number of speeds of a Campbell diagram without --speeds
PAGE_NAME = "animation.html"
PAGE_STATES = 400  # as fem_mbd.output.animation.animate.FRAMES
LOADS_FOLDER = "loads"
LOADS_EXPONENTS = (4.0, 10.0)  # as fem_mbd.output.section_loads.loads.EXPONENTS
EXPORT_FOLDER, EXPORT_NAME = "export", "deformed"


def path(text: str) -> Path:
    """The path given by an argument.

    Raises
    ------
    argparse.ArgumentTypeError
        For an empty argument: `pathlib` would take it for the current folder, and shells produce one from an unset
        variable.
    """
    if not text.strip():
        raise argparse.ArgumentTypeError("it is empty; give a path, '.' for the current folder")
    return Path(text)


class ImmediateAction(argparse.Action):
    """An option without a value that acts at once, in ``__call__``, instead of running a command."""

    def __init__(self, option_strings: Sequence[str], dest: str, help: str | None = None) -> None:
        super().__init__(option_strings, argparse.SUPPRESS, nargs=0, default=argparse.SUPPRESS, help=help)


def add_case(command: argparse.ArgumentParser) -> None:
    """Add the argument CASE with `--set` and `--params`."""
    command.add_argument("case", metavar="CASE", help=CASE)
    add_parameters(command)


def add_parameters(command: argparse.ArgumentParser) -> None:
    """Add `--set` and `--params`, the parameters of a case."""
    command.add_argument(
        "--set", dest="assignments", nargs="+", action="extend", default=[], metavar="NAME=VALUE",
        help="parameters of the case (see `fem-mbd list CASE`)",
    )  # fmt: skip
    command.add_argument(
        "--params", type=path, metavar="FILE.toml", help="parameters from a file; --set takes precedence"
    )


def add_json(command: argparse.ArgumentParser) -> None:
    """Add `--json`."""
    command.add_argument("--json", action="store_true", help="one JSON object on standard output")


def add_figures(command: argparse.ArgumentParser, default: str, figures: str = "figure") -> None:
    """Add `--out` and `--no-plot`, for a command that draws figures into a folder."""
    command.add_argument(
        "--out", type=path, metavar="DIR", help=f"folder of the {figures} (default: {default})"
    )
    command.add_argument("--no-plot", action="store_true", help=f"draw no {figures}")


def add_trust(command: argparse.ArgumentParser) -> None:
    """Add the option that lets a command execute the study of a run."""
    command.add_argument(
        "--trust",
        action="store_true",
        help="execute the study that the run is of; without it you are asked, and refused where there is no terminal",
    )


def add_progress(command: argparse.ArgumentParser) -> None:
    """Add `--quiet`, `--progress` and `--no-plot`, for `run` and `resume`."""
    display = command.add_mutually_exclusive_group()
    display.add_argument("--quiet", action="store_true", help="print errors only")
    display.add_argument(
        "--progress", action="store_true", help="write progress lines also where there is no terminal"
    )
    command.add_argument("--no-plot", action="store_true", help="draw no figures")


def chosen_case(options: argparse.Namespace, name: str | Path | None = None) -> tuple[Case[Any], Any]:
    """The case given by the options (or by ``name``) and its parameters.

    Raises
    ------
    InputError
        For an unknown case, for invalid parameters, and for those given by `--set` that the command does not read.
    """
    from fem_mbd import case_parameters
    from fem_mbd.cases import load_case

    case = load_case(options.case if name is None else name)
    case_parameters.check_read_by(case.parameters, options.assignments, options.word)
    return case, case_parameters.fill(case.parameters, options.params, options.assignments, "--set")


def add_outputs(command: argparse.ArgumentParser, required: bool = False) -> None:
    """Add `--of`; its values are parsed by `named_output`."""
    command.add_argument(
        "--of", nargs="+", action="extend", default=None if required else [], required=required, metavar="OUTPUT",
        help="outputs in the syntax of a sweep: 'max(Q.normal_force)', or NAME='max(Q.normal_force)'",
    )  # fmt: skip


def add_real_parameters(command: argparse.ArgumentParser, purpose: str) -> None:
    """Add `--wrt` and `--scale`.

    Parameters
    ----------
    command : parser of the command
    purpose : of the parameters, for the help
    """
    command.add_argument(
        "--wrt", nargs="+", action="extend", required=True, metavar="PARAMETER",
        help=f"parameters of the case, real numbers, {purpose}",
    )  # fmt: skip
    command.add_argument(
        "--scale", nargs="+", action="extend", default=[], metavar="NAME=SIZE",
        help="typical size of a parameter that is zero",
    )  # fmt: skip


def real_value(parameters: Any, name: str, option: str) -> float:
    """Value of a case's parameter that is a real number; InputError for others.

    Parameters
    ----------
    parameters : of the case
    name : of the parameter
    option : of the command line, for messages
    """
    from fem_mbd import case_parameters
    from fem_mbd.base.lazy import nearest
    from fem_mbd.errors import InputError

    known = case_parameters.to_plain(parameters)
    if name not in known:
        raise InputError(f"{option}: there is no parameter {name!r}; {nearest(name, known)}")
    kind = next(p["type"] for p in case_parameters.describe(type(parameters)) if p["name"] == name)
    value = known[name]
    if not isinstance(value, float):
        raise InputError(
            f"{option}: {name} is {value!r} ({kind}): only real parameters can be differentiated"
        )
    return value


def pair(text: str, option: str, what: str = "SIZE") -> tuple[str, float]:
    """Name and number of NAME=NUMBER; InputError for anything else."""
    from fem_mbd.errors import InputError

    name, _, number = text.partition("=")
    try:
        return name.strip(), float(number)
    except ValueError:
        raise InputError(f"{option} {text}: write it as NAME={what}") from None


def builder(case: Case[Any], parameters: Any) -> Callable[[Mapping[str, float]], Any]:
    """Function that creates the case's simulation for changed values of its real parameters."""
    from dataclasses import replace

    from fem_mbd.case import arithmetic_guard

    def build(changed: Mapping[str, float]) -> Any:
        with arithmetic_guard(case.name):
            return case.build(replace(parameters, **changed))

    return build


def named_output(text: str) -> tuple[str, str]:
    """Name and expression of an output; without ``NAME=`` the expression is its name."""
    name, equals, rest = text.partition("=")
    named = equals and name.strip().isidentifier()
    return (name.strip(), rest.strip()) if named else (text.strip(), text.strip())
