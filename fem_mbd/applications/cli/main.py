"""Main function of `fem-mbd`: parses the arguments, runs one command, turns errors into messages and exit statuses.

Exit status: 0 success, 2 bad input (message on standard error, nothing written), 3 the solver failed, results could
not be stored or memory is exhausted (results so far are kept, the message gives the reason), 4 a check has failed, 5 a
results file is damaged, 130 interrupted and 143 terminated (results kept; continue with `fem-mbd resume`), 141 the
output was closed by its reader.

`complete` is for tab completion of cases' names, folders of studies and the parameters of the given case. It uses
argcomplete, enabled by ``eval "$(register-python-argcomplete fem-mbd)"`` in the shell's start file.
"""

from __future__ import annotations

import argparse
import errno
import os
import resource
import sys
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from fem_mbd.applications.cli.parser import parser
from fem_mbd.applications.cli.reports import BAD_INPUT, INTERRUPTED, NO_READER, SOLVER_FAILED
from fem_mbd.base.dependencies import has
from fem_mbd.errors import FemMbdError, FemMbdWarning, InputError, RecordingFailed, SolverFailure

COMPLETION_REQUEST = "_ARGCOMPLETE"  # environment variable set by the shell


def complete() -> None:
    """Write the completions and end the process when a shell requests them; otherwise do nothing."""
    if COMPLETION_REQUEST not in os.environ:
        return
    import argcomplete

    from fem_mbd.applications.cli.parser import parser

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
    from fem_mbd.case_folder import START
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
