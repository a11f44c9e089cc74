"""Parser of the command line. It imports only argparse, so that help and tab completion are fast.

Each command has a module in `run_commands` or `model_commands` with its options and its action. The module is imported
when the command is used; the action imports libraries when it is called.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Collection
from importlib import import_module

from fem_mbd.applications.cli.options import ImmediateAction

# name: module with the functions `add_options` and the action, and the line of the help
COMMANDS = {
    "list": ("run_commands.list", "list the cases, or the parameters of one"),
    "run": ("run_commands.run", "run a case"),
    "new": ("run_commands.new", "write a study of your own to start from: fem-mbd run ./NAME"),
    "resume": ("run_commands.resume", "continue a run that was interrupted or killed"),
    "plot": ("run_commands.plot", "draw the figures of a run again"),
    "show": ("run_commands.show", "write the animation of a run: one page that opens in any browser"),
    "diagnose": ("run_commands.diagnose", "why a run went as it did, and which option to change"),
    "sweep": (
        "run_commands.sweep",
        "run a case for many values of its parameters; repeated: the missing runs",
    ),
    "gradient": ("run_commands.gradient", "exact derivatives of a run's outputs by a case's parameters"),
    "error": ("run_commands.error", "estimated errors of a run's outputs, by its steps and by its mesh"),
    "continue": (
        "run_commands.continuation",
        "periodic motions of a case over a parameter: response curves, stability, bifurcations",
    ),
    "static": ("model_commands.static", "static equilibrium of a case's structure, at rest or rotating"),
    "modal": ("model_commands.modal", "frequencies, damping and shapes of a case's structure"),
    "campbell": ("model_commands.campbell", "modes of a case's structure over the speed of rotation"),
    "steady": ("model_commands.steady", "power, thrust and deflections of a turbine's file over the wind"),
    "linearize": ("model_commands.linearize", "state space of a case's structure, for control design"),
    "import": (
        "model_commands.import_machine",
        "contents of a machine's file: HAWC2 (.htc), OpenFAST (.fst), windIO (.yaml)",
    ),
    "sections": (
        "model_commands.sections",
        "sections of a windIO blade from its layers: table, figure, files of BeamDyn, HAWC2, windIO",
    ),
    "export": ("run_commands.export", "write a run's results for ParaView or as tables"),
    "loads": (
        "run_commands.loads",
        "section loads of a run: histories, extremes, spectra, damage-equivalent loads",
    ),
    "fmu": ("model_commands.fmu", "a case as a functional mock-up unit for co-simulation (FMI 3.0)"),
    "laws": ("model_commands.laws", "the friction and contact laws, and their results on standard probes"),
    "fit": ("model_commands.fit", "parameters of friction laws from measured forces"),
    "calibrate": ("model_commands.calibrate", "parameters of a case from measured histories of its parts"),
    "doctor": ("model_commands.doctor", "what is installed, what is missing, and how to install it"),
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
        from fem_mbd.base.version import package_version

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
            import_module(f"fem_mbd.applications.cli.{module}").add_options(command)
    return top
