"""Exit statuses of the commands; 128 + n means ended by signal n."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fem_mbd.runs.results.result import Result

OK, BAD_INPUT, SOLVER_FAILED = 0, 2, 3
CHECK_FAILED = 4  # of a complete run
DAMAGED_FILE = 5  # the intact part was read, and a warning says what is lost
INTERRUPTED, NO_READER = 130, 141


def reading_status(result: Result) -> int:
    """The status after a results file was read: not 0 where data are lost, so that scripts notice it."""
    from fem_mbd.runs.results.hdf5.reader import DAMAGED

    return DAMAGED_FILE if result.status == DAMAGED else OK


def run_status(result: Result) -> int:
    """The status after a run that is complete or has failed."""
    from fem_mbd.runs.running.session import COMPLETE, FAILED

    return {COMPLETE: OK, FAILED: SOLVER_FAILED}[result.status]
