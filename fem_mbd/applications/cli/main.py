"""Main function of `fem-mbd`: parses the arguments, runs one command, turns errors into messages and exit statuses.

Exit status: 0 success, 2 bad input (message on standard error, nothing written), 3 the solver failed, results could
not be stored or memory is exhausted (results so far are kept, the message gives the reason), 4 a check has failed, 5 a
results file is damaged, 130 interrupted and 143 terminated (results kept; continue with `fem-mbd resume`), 141 the
output was closed by its reader.

`complete` is for tab completion of cases' names, folders of studies and the parameters of the given case. It uses
argcomplete, enabled by ``eval "$(register-python-argcomplete fem-mbd)"`` in the shell's start file.

Parser of the command line. It imports only argparse, so that help and tab completion are fast.

`COMMANDS` names the module of each command, with a function `add_COMMAND_options` and the action. The module is
imported when the command is used; the action imports libraries when it is called.
"""

from __future__ import annotations

import argparse
import errno
import os
import resource
import sys
import warnings
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any

from fem_mbd.applications.cli.options import ImmediateAction
from fem_mbd.applications.cli.reports import BAD_INPUT, INTERRUPTED, NO_READER, SOLVER_FAILED
from fem_mbd.base.dependencies import has
from fem_mbd.errors import FemMbdError, FemMbdWarning, InputError, RecordingFailed, SolverFailure

# command: module with the functions `add_COMMAND_options` and the action, and the line of the help
COMMANDS = {
    "list": ("running", "list the cases, or the parameters of one"),
    "run": ("running", "run a case"),
    "new": ("running", "write a study of your own to start from: fem-mbd run ./NAME"),
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


COMPLETION_REQUEST = "_ARGCOMPLETE"  # environment variable set by the shell


def complete() -> None:
    """Write the completions and end the process when a shell requests them; otherwise do nothing."""
    if COMPLETION_REQUEST not in os.environ:
        return
    import argcomplete

    from fem_mbd.applications.cli.main import parser

    top = parser(os.environ.get("COMP_LINE", "").split())
    for action in _actions(top):
        if action.dest in COMPLETERS:
            action.completer = COMPLETERS[action.dest]  # type: ignore[attr-defined]
    argcomplete.autocomplete(top, always_complete_options=False)


def _actions(parser: argparse.ArgumentParser) -> Iterator[argparse.Action]:
    for action in parser._actions:
        yield action
        if isinstance(action, argparse._SubParsersAction):
            for command in action.choices.values():
                yield from _actions(command)


def cases(prefix: str, **about: Any) -> list[str]:
    """Names of cases, and folders with a study."""
    from fem_mbd.case import START
    from fem_mbd.cases import case_names

    parent = Path(prefix).parent if not prefix.endswith("/") else Path(prefix)
    try:
        folders = sorted(entry for entry in parent.iterdir() if entry.is_dir())
    except OSError:
        folders = []
    studies = [
        f"{entry}" if entry.is_absolute() else f"./{entry}" for entry in folders if (entry / START).is_file()
    ]
    return [*case_names(), *studies]


def assignments(prefix: str, parsed_args: argparse.Namespace, **about: Any) -> list[str]:
    """``name=`` for every parameter of the case, ``name=value`` where there are few possible values."""
    from fem_mbd import case_parameters
    from fem_mbd.cases import load_case
    from fem_mbd.errors import FemMbdError

    if not getattr(parsed_args, "case", None):
        return []
    try:
        kind = load_case(parsed_args.case).parameters
    except FemMbdError:
        return []
    name, equals, _ = prefix.partition("=")
    if not equals:
        return [f"{entry['name']}=" for entry in case_parameters.describe(kind)]
    return [f"{name}={choice}" for choice in case_parameters.choices(kind, name)]


COMPLETERS = {"case": cases, "assignments": assignments}


# File-system errors that do not depend on the path chosen by the user.
DISK_ERRORS = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)
LEAST_MEMORY = 600e6  # bytes of address space needed by NumPy, SciPy, HDF5 and PETSc
NO_MEMORY = ("failed to map segment", "annot allocate memory")  # messages of the dynamic loader
PETSC_PREFIX = "-fem_mbd_"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return the exit status."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    own_words, petsc = split_petsc_options(words)
    if petsc:
        # PETSc reads this variable when it is initialised, which is later.
        os.environ["PETSC_OPTIONS"] = " ".join([os.environ.get("PETSC_OPTIONS", ""), *petsc]).strip()
    try:
        complete()
        top = parser(own_words)
        options = top.parse_args(own_words)
        check_memory()
        with plain_warnings():
            _leave_out_figures(options)
            return options.command(options)
    except (SolverFailure, RecordingFailed) as failure:
        return end(f"{failure}", SOLVER_FAILED)
    except FemMbdError as error:
        return end(f"error: {error}", BAD_INPUT)
    except BrokenPipeError:
        # Nothing more can be written, not even when Python ends.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return NO_READER
    except OSError as error:
        status = SOLVER_FAILED if error.errno in DISK_ERRORS else BAD_INPUT
        return end(f"error: {error.filename or 'writing'}: {error.strerror or error}", status)
    except KeyboardInterrupt as interrupt:
        return end(str(interrupt) or "interrupted", INTERRUPTED)
    except (MemoryError, ImportError) as error:
        if isinstance(error, ImportError) and not any(words in str(error) for words in NO_MEMORY):
            raise
        return end(f"error: not enough memory ({error}): see the limits of `ulimit -a`", SOLVER_FAILED)


def _leave_out_figures(options: argparse.Namespace) -> None:
    """Without matplotlib, commands that draw by default run without figures, after a warning."""
    if getattr(options, "no_plot", True) or has("matplotlib"):
        return
    options.no_plot = True
    warnings.warn(
        "no figures are drawn, because matplotlib is not installed: pip install 'fem_mbd[figures]'",
        FemMbdWarning,
        stacklevel=2,
    )


def end(text: str, status: int) -> int:
    """Write an error, and return the exit status.

    Parameters
    ----------
    text : for standard error
    status : of the command
    """
    sys.stderr.write(f"fem-mbd: {text}\n")
    return status


def check_memory() -> None:
    """Raise InputError for less address space than the libraries need: OpenBLAS would loop for ever."""
    limit, _ = resource.getrlimit(resource.RLIMIT_AS)
    if 0 <= limit < LEAST_MEMORY:
        raise InputError(
            f"this process is limited to {limit / 1e6:.0f} MB of address space (ulimit -v), less than its libraries "
            "need: allow 1 GB and the memory of the model"
        )


@contextmanager
def plain_warnings() -> Iterator[None]:
    """Context: warnings are single lines on standard error, without source locations, each only once."""
    shown: set[str] = set()

    def show(message: Warning | str, category: type[Warning], *place: Any, **more: Any) -> None:
        text = str(message)
        if text not in shown:
            shown.add(text)
            sys.stderr.write(f"fem-mbd: warning: {text}\n")

    with warnings.catch_warnings():
        warnings.showwarning = show
        warnings.simplefilter("always", FemMbdWarning)
        yield


def split_petsc_options(arguments: Sequence[str]) -> tuple[list[str], list[str]]:
    """Separate own arguments from PETSc's: every `-fem_mbd_NAME`, with the value after it if there is one."""
    own_words: list[str] = []
    petsc: list[str] = []
    previous = ""
    for argument in arguments:
        is_value = bool(previous) and not argument.startswith("-")
        (petsc if argument.startswith(PETSC_PREFIX) or is_value else own_words).append(argument)
        previous = argument if argument.startswith(PETSC_PREFIX) else ""
    return own_words, petsc


if __name__ == "__main__":
    raise SystemExit(main())
