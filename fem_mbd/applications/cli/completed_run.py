"""Common part of `run`, `resume` and `plot`: building a case, and the summary, checks and figures of its run.

Raises an error in several processes started by mpiexec or srun for one run.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fem_mbd import case_parameters
from fem_mbd.applications.cli.reports import CHECK_FAILED, run_status, write_line
from fem_mbd.case import Case, arithmetic_guard
from fem_mbd.cases import recorded_case
from fem_mbd.errors import InputError
from fem_mbd.runs.results.checks import Check, checks_table
from fem_mbd.runs.results.summary import write_summary
from fem_mbd.runs.results.views.states import NotRecorded
from fem_mbd.runs.running.progress import Progress, Silent, choose_progress
from fem_mbd.runs.running.run_folder import FIGURES_NAME, make_folder
from fem_mbd.runs.running.session import COMPLETE, FAILED, INTERRUPTED

if TYPE_CHECKING:
    from fem_mbd.runs.results.result import Result

# set by mpiexec of Open MPI, by that of MPICH and Intel MPI, by srun
SIZES = ("OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_STEP_NUM_TASKS")
PMIX = "PMIX_RANK"  # without it or PMI, tasks of srun are independent


def build(case: Case[Any], parameters: Any) -> Any:
    """The simulation of a case; InputError where its parameters lead to numbers out of range."""
    with arithmetic_guard(case.name):
        return case.build(parameters)


def progress_of(options: argparse.Namespace) -> Progress:
    """The progress display chosen by `--quiet` and `--progress`."""
    if options.quiet:
        return Silent()
    return choose_progress(True if options.progress else None)


def trusted_by(options: argparse.Namespace) -> Callable[[str], bool]:
    """What decides whether a study is executed: `--trust`, or the user at a terminal."""

    def trusted(question: str) -> bool:
        if options.trust or not (sys.stdin.isatty() and sys.stderr.isatty()):
            return bool(options.trust)
        sys.stderr.write(f"{question}. Go on? [y/N] ")
        sys.stderr.flush()
        return sys.stdin.readline().strip().casefold() in ("y", "yes")

    return trusted


def case_of(result: Result, path: Path, trusted: Callable[[str], bool]) -> tuple[Case[Any], Any]:
    """Case and parameters of a recorded run; InputError for a model built in Python, and a study that is not
    ``trusted``.
    """
    if not result.case:
        raise InputError(
            f"{path}: it comes from a model built in Python, not from a case; "
            "use fem_mbd.Result and fem_mbd.resume there"
        )
    case = recorded_case(result.case, trusted)
    return case, case_parameters.from_plain(case.parameters, result.parameters)


def finish(
    folder: Path, case: Case[Any], parameters: Any, result: Result, options: argparse.Namespace
) -> int:
    """Write summary, checks and figures; returns the exit status. The summary comes first, in case the others fail."""
    summary = result.summary
    path = write_summary(folder, summary, [])
    checks: list[Check] = []
    figures: list[Path] = []
    if result.status == COMPLETE:
        try:
            checks = case.checks(result, parameters)
            write_summary(folder, summary, checks)
            figures = [] if options.no_plot else draw_figures(folder / FIGURES_NAME, case, parameters, result)
        except NotRecorded as error:
            sys.stderr.write(
                f"fem-mbd: note: checks and figures of this case need more quantities: {error}\n"
            )
        except (ArithmeticError, IndexError, ValueError) as error:
            # checks are made for the default parameters: with others their states may not occur
            if parameters == case.parameters():
                raise
            sys.stderr.write(
                "fem-mbd: note: the checks or figures of this case cannot be made with these parameters "
                f"({type(error).__name__}: {error})\n"
            )
        write_summary(folder, summary, checks, figures)
    if not options.quiet:
        write_line("\n".join(filter(None, [checks_table(checks), str(path), *map(str, figures)])))
    if result.status != COMPLETE:
        # A progress display has shown the reason already, but it may have scrolled away.
        advice = "" if result.status == FAILED else f"; continue with: fem-mbd resume {folder}"
        sys.stderr.write(f"fem-mbd: {result.status}: {result.reason}; results kept in {folder}{advice}\n")
    # as shells report a process ended by a signal: 130 for SIGINT, 143 for SIGTERM
    if result.status == INTERRUPTED:
        return 128 + int(result.log["signal"])
    return CHECK_FAILED if any(check.failed for check in checks) else run_status(result)


def draw_figures(figures: Path, case: Case[Any], parameters: Any, result: Result) -> list[Path]:
    """Draw the case's own figures and those of every run into a folder; returns the files."""
    from fem_mbd.output.run_figures import standard_figures

    make_folder(figures)
    return [*case.plot(result, parameters, figures), *standard_figures(result, figures)]


def check_one_process() -> None:
    """Raise an error in one of several MPI processes: each would simulate the whole run, into the same folder.

    Raises
    ------
    InputError
        When a launcher has started more than one.
    """
    sizes = SIZES if PMIX in os.environ else SIZES[:-1]
    count = max((int(size) for size in map(os.environ.get, sizes) if size and size.isdecimal()), default=1)
    if count > 1:
        raise InputError(
            f"{count} processes were started for one run, but one model runs in one process: start it without "
            "mpiexec or srun, with FEM_MBD_THREADS=2 or more for a large model; many runs share processors and "
            "machines by `fem-mbd sweep`"
        )
