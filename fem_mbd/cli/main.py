"""The command `fem-mbd`: arguments in, exit status out; the work is done in `fem_mbd.cli.commands`.

Exit status: 0 success, 2 bad input (message on standard error, nothing written), 3 the solver gave up or
results could not be stored (those up to there are kept, the reason is named), 130 interrupted and 143 terminated
(results kept; `fem-mbd resume` goes on), 141 the reader of the output is gone.
"""

from __future__ import annotations

import argparse
import errno
import os
import sys
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from fem_mbd.cli import commands
from fem_mbd.cli.completion import complete
from fem_mbd.cli.diagnose import add_diagnose
from fem_mbd.cli.export import add_export
from fem_mbd.cli.fit import add_fit
from fem_mbd.cli.import_machine import add_import
from fem_mbd.cli.laws import add_laws
from fem_mbd.cli.modal import add_modal
from fem_mbd.cli.new import add_new
from fem_mbd.cli.show import add_show
from fem_mbd.cli.static import add_static
from fem_mbd.cli.sweep import add_sweep
from fem_mbd.errors import FemMbdError, FemMbdWarning, SolverFailure
from fem_mbd.results.recorder import RecordingFailed
from fem_mbd.version import package_version

OK, BAD_INPUT, SOLVER_FAILED, INTERRUPTED, NO_READER = 0, 2, 3, 130, 141
# Errors of the file system that are not about the place that the user chose.
NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)
PETSC_PREFIX = "-fem_mbd_"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return the exit status."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    own, petsc = split_petsc_options(given)
    if petsc:
        # PETSc reads this variable when it is started, which is later.
        os.environ["PETSC_OPTIONS"] = " ".join([os.environ.get("PETSC_OPTIONS", ""), *petsc]).strip()
    try:
        grammar = parser()
        complete(grammar)
        options = grammar.parse_args(own)
        with plain_warnings():
            return options.command(options)
    except (SolverFailure, RecordingFailed) as failure:
        sys.stderr.write(f"fem-mbd: {failure}\n")
        return SOLVER_FAILED
    except FemMbdError as error:
        sys.stderr.write(f"fem-mbd: error: {error}\n")
        return BAD_INPUT
    except BrokenPipeError:
        # Nothing more can be said, also not when Python ends.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return NO_READER
    except OSError as error:
        sys.stderr.write(f"fem-mbd: error: {error.filename or 'writing'}: {error.strerror or error}\n")
        return SOLVER_FAILED if error.errno in NO_ROOM else BAD_INPUT
    except KeyboardInterrupt:
        sys.stderr.write("fem-mbd: interrupted\n")
        return INTERRUPTED


@contextmanager
def plain_warnings() -> Iterator[None]:
    """Warnings as one line each on standard error, without the places in the source, the same one only once."""
    said: set[str] = set()

    def show(message: Warning | str, category: type[Warning], *place: Any, **more: Any) -> None:
        text = str(message)
        if text not in said:
            said.add(text)
            sys.stderr.write(f"fem-mbd: warning: {text}\n")

    with warnings.catch_warnings():
        warnings.showwarning = show
        warnings.simplefilter("always", FemMbdWarning)
        yield


def split_petsc_options(arguments: Sequence[str]) -> tuple[list[str], list[str]]:
    """Own arguments, and PETSc's: every `-fem_mbd_NAME`, with the value after it if there is one."""
    own: list[str] = []
    petsc: list[str] = []
    previous = ""
    for argument in arguments:
        is_value = bool(previous) and not argument.startswith("-")
        (petsc if argument.startswith(PETSC_PREFIX) or is_value else own).append(argument)
        previous = argument if argument.startswith(PETSC_PREFIX) else ""
    return own, petsc


def parser() -> argparse.ArgumentParser:
    """The command line's grammar."""
    top = argparse.ArgumentParser(
        prog="fem-mbd",
        description="Flexible multibody dynamics with energy-decaying time stepping.",
        epilog="PETSc options, written last (-fem_mbd_ksp_type gmres), reach the solver.",
    )
    top.add_argument("--version", action="version", version=f"fem_mbd {package_version()}")
    sub = top.add_subparsers(metavar="COMMAND", required=True)
    _add_list(sub)
    _add_run(sub)
    add_new(sub)
    _add_folder_commands(sub)
    add_show(sub)
    add_diagnose(sub)
    add_sweep(sub)
    add_static(sub)
    add_modal(sub)
    add_import(sub)
    add_export(sub)
    add_laws(sub)
    add_fit(sub)
    doctor = sub.add_parser("doctor", help="what is installed, what is missing, and how to install it")
    doctor.add_argument("--json", action="store_true", help="one JSON object on standard output")
    doctor.set_defaults(command=commands.doctor)
    return top


class _CaseHelp(argparse.Action):
    """`run --help`, which also lists the parameters of the case named before it."""

    def __init__(self, option_strings: Sequence[str], dest: str, help: str | None = None) -> None:
        super().__init__(option_strings, argparse.SUPPRESS, nargs=0, default=argparse.SUPPRESS, help=help)

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: object,
        option_string: str | None = None,
    ) -> None:
        parser.print_help()
        case = getattr(namespace, "case", None)
        if case:
            sys.stdout.write("\n" + commands.describe_case(case) + "\n")
        parser.exit()


def _add_list(sub: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    command = sub.add_parser("list", help="the cases there are, or the parameters of one")
    command.add_argument(
        "case",
        nargs="?",
        metavar="CASE",
        help="show the parameters of this case, or of the study in this folder",
    )
    command.add_argument("--json", action="store_true", help="one JSON object on standard output")
    command.set_defaults(command=commands.list_cases)


def _add_run(sub: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    command = sub.add_parser("run", help="run a case", add_help=False)
    command.add_argument("-h", "--help", action=_CaseHelp, help="this help and, after CASE, its parameters")
    command.add_argument(
        "case",
        metavar="CASE",
        nargs="?",
        help="a case (see `fem-mbd list`) or the folder of a study of yours",
    )
    command.add_argument(
        "--from-xml", metavar="FILE", help="instead of CASE: run a model file of MotionSolve's XML format"
    )
    command.add_argument(
        "--set",
        dest="assignments",
        nargs="+",
        action="extend",
        default=[],
        metavar="NAME=VALUE",
        help="parameters of the case (see `fem-mbd list CASE`)",
    )
    command.add_argument(
        "--params", type=Path, metavar="FILE.toml", help="parameters from a file; --set overrules it"
    )
    command.add_argument(
        "--out", type=Path, metavar="DIR", help="folder of the run (default: results/CASE-...)"
    )
    command.add_argument(
        "--force", action="store_true", help="replace a run of other parameters in that folder"
    )
    command.add_argument(
        "--record-every",
        type=int,
        default=1,
        metavar="N",
        help="record positions, forces, ... of every N-th step only (energies: always all)",
    )
    command.add_argument(
        "--record-at",
        metavar="S[,S...]",
        help="record them at an interval of time, or at several instants, where steps end then (s)",
    )
    command.add_argument("--quantities", metavar="NAME,...", help="record these outputs only")
    command.add_argument(
        "--checkpoint-every", type=int, default=200, metavar="N", help="steps between checkpoints"
    )
    _add_manner(command)
    command.set_defaults(command=commands.run_case)


def _add_folder_commands(sub: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    resume = sub.add_parser("resume", help="go on with a run that was interrupted or killed")
    resume.add_argument("folder", type=Path, metavar="DIR", help="folder of the run")
    _add_manner(resume)
    resume.set_defaults(command=commands.resume_run)
    plot = sub.add_parser("plot", help="draw the figures of a run again")
    plot.add_argument("folder", type=Path, metavar="DIR", help="folder of the run")
    plot.add_argument(
        "--out", type=Path, metavar="DIR", help="folder for the figures (default: figures in the run's)"
    )
    plot.add_argument(
        "--part",
        action="append",
        metavar="NAME",
        help="histories of this part, with energies, steps and shapes instead of the case's own figures; repeatable",
    )
    plot.add_argument("--to", metavar="png,pdf,svg", help="formats of these (default: png)")
    plot.add_argument("--width", choices=("page", "column"), help="190 or 90 mm (default: page)")
    plot.set_defaults(command=commands.plot_run)


def _add_manner(command: argparse.ArgumentParser) -> None:
    """Options that `run` and `resume` share."""
    loudness = command.add_mutually_exclusive_group()
    loudness.add_argument("--quiet", action="store_true", help="say nothing but errors")
    loudness.add_argument(
        "--progress", action="store_true", help="write progress lines also where there is no terminal"
    )
    command.add_argument("--no-plot", action="store_true", help="draw no figures")


if __name__ == "__main__":
    raise SystemExit(main())
