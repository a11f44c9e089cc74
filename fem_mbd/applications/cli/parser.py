"""Parser of the command line. It imports only argparse, so that help and tab completion are fast.

`COMMANDS` names the module of each command, with a function `add_COMMAND_options` and the action. The module is
imported when the command is used; the action imports libraries when it is called.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Collection
from importlib import import_module

from fem_mbd.applications.cli.options import ImmediateAction

# command: module with the functions `add_COMMAND_options` and the action, and the line of the help
COMMANDS = {
    "list": ("cases", "list the cases, or the parameters of one"),
    "run": ("running", "run a case"),
    "new": ("cases", "write a study of your own to start from: fem-mbd run ./NAME"),
    "resume": ("running", "continue a run that was interrupted or killed"),
    "plot": ("running", "draw the figures of a run again"),
    "show": ("results", "write the animation of a run: one page that opens in any browser"),
    "diagnose": ("results", "why a run went as it did, and which option to change"),
    "sweep": (
        "studies",
        "run a case for many values of its parameters; repeated: the missing runs",
    ),
    "gradient": ("studies", "exact derivatives of a run's outputs by a case's parameters"),
    "error": ("studies", "estimated errors of a run's outputs, by its steps and by its mesh"),
    "continue": (
        "studies",
        "periodic motions of a case over a parameter: response curves, stability, bifurcations",
    ),
    "static": ("models", "static equilibrium of a case's structure, at rest or rotating"),
    "trim": ("trimming", "controls of a rotor with given mean loads, and its periodic motion"),
    "modal": ("linear_models", "frequencies, damping and shapes of a case's structure"),
    "campbell": ("linear_models", "modes of a case's structure over the speed of rotation"),
    "steady": ("machine_files", "power, thrust and deflections of a turbine's file over the wind"),
    "linearize": ("linear_models", "state space of a case's structure, for control design"),
    "import": (
        "machine_files",
        "contents of a machine's file: HAWC2 (.htc), OpenFAST (.fst), windIO (.yaml)",
    ),
    "sections": (
        "machine_files",
        "sections of a windIO blade from its layers: table, figure, files of BeamDyn, HAWC2, windIO",
    ),
    "export": ("results", "write a run's results for ParaView or as tables"),
    "loads": (
        "results",
        "section loads of a run: histories, extremes, spectra, damage-equivalent loads",
    ),
    "fmu": ("models", "a case as a functional mock-up unit for co-simulation (FMI 3.0)"),
    "laws": ("laws", "the friction and contact laws, and their results on standard probes"),
    "fit": ("laws", "parameters of friction laws from measured forces"),
    "calibrate": ("laws", "parameters of a case from measured histories of its parts"),
    "doctor": ("doctor", "what is installed, what is missing, and how to install it"),
}


class _Version(ImmediateAction):
    """`--version`; the package's metadata is read only when requested."""

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: object,
        option_string: str | None = None,
    ) -> None:
        from fem_mbd.base.dependencies import package_version

        sys.stdout.write(f"fem_mbd {package_version()}\n")
        parser.exit()


def parser(words: Collection[str] = tuple(COMMANDS)) -> argparse.ArgumentParser:
    """The parser of `fem-mbd`.

    Parameters
    ----------
    words : of the command line; only commands among them get their options
    """
    top = argparse.ArgumentParser(
        prog="fem-mbd",
        description="Flexible multibody dynamics with energy-decaying time stepping.",
        epilog="PETSc options, written last (-fem_mbd_ksp_type gmres), are passed to the solver.",
    )
    top.add_argument("--version", action=_Version, help="show the version and stop")
    sub = top.add_subparsers(metavar="COMMAND", required=True)
    for name, (module, text) in COMMANDS.items():
        # `run` replaces the option --help
        command = sub.add_parser(name, help=text, conflict_handler="resolve" if name == "run" else "error")
        command.set_defaults(word=name)
        if name in words:
            commands = import_module(f"fem_mbd.applications.cli.{module}")
            getattr(commands, f"add_{name}_options")(command)
    return top
