"""The command `fem-mbd`: arguments in, exit status out (grammar: `fem_mbd.applications.cli.grammar`).

Exit status: 0 success, 2 bad input (message on standard error, nothing written), 3 the solver gave up, results could
not be stored or memory is short (results up to there are kept, the reason is named), 4 a check has failed, 5 a results
file is damaged, 130 interrupted and 143 terminated (results kept; `fem-mbd resume` goes on), 141 the reader of the
output is gone.
"""

from __future__ import annotations

import argparse
import errno
import os
import resource
import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from typing import Any

from fem_mbd.applications.cli.completion import complete
from fem_mbd.applications.cli.grammar import parser
from fem_mbd.base.dependencies import has
from fem_mbd.errors import FemMbdError, FemMbdWarning, InputError, RecordingFailed, SolverFailure

OK, BAD_INPUT, SOLVER_FAILED, INTERRUPTED, NO_READER = 0, 2, 3, 130, 141
# Errors of the file system that are not about the place that the user chose.
NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)
LEAST_MEMORY = 600e6  # bytes of address space that NumPy, SciPy, HDF5 and PETSc take together
NO_MEMORY = ("failed to map segment", "annot allocate memory")  # what the loader says of a library
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
        check_memory()
        with plain_warnings():
            _leave_out_figures(options)
            return command(options.command)(options)
    except (SolverFailure, RecordingFailed) as failure:
        return end(f"{failure}", SOLVER_FAILED)
    except FemMbdError as error:
        return end(f"error: {error}", BAD_INPUT)
    except BrokenPipeError:
        # Nothing more can be said, also not when Python ends.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return NO_READER
    except OSError as error:
        status = SOLVER_FAILED if error.errno in NO_ROOM else BAD_INPUT
        return end(f"error: {error.filename or 'writing'}: {error.strerror or error}", status)
    except KeyboardInterrupt:
        return end("interrupted", INTERRUPTED)
    except (MemoryError, ImportError) as error:
        if isinstance(error, ImportError) and not any(words in str(error) for words in NO_MEMORY):
            raise
        return end(f"error: not enough memory ({error}): see the limits of `ulimit -a`", SOLVER_FAILED)


def command(name: str) -> Callable[[argparse.Namespace], int]:
    """The function MODULE.FUNCTION of this package, which the grammar names."""
    module, _, function = name.partition(".")
    return getattr(import_module(f"{__package__}.{module}"), function)


def _leave_out_figures(options: argparse.Namespace) -> None:
    """Commands that draw when nothing is said do their work without matplotlib too, and say so."""
    if getattr(options, "no_plot", True) or has("matplotlib"):
        return
    options.no_plot = True
    warnings.warn(
        "no figures are drawn, for matplotlib is not installed: pip install 'fem_mbd[figures]'",
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
    """Refuse to start with less address space than libraries take: OpenBLAS then goes round in circles for ever."""
    limit, _ = resource.getrlimit(resource.RLIMIT_AS)
    if 0 <= limit < LEAST_MEMORY:
        raise InputError(
            f"this process may have {limit / 1e6:.0f} MB of address space (ulimit -v), less than its libraries take: "
            "give it 1 GB and what the model needs"
        )


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


if __name__ == "__main__":
    raise SystemExit(main())
