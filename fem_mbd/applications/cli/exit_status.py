"""With which status the command ends: 0 done, 1 and 2 refused, 128 + n ended by signal n, and these."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fem_mbd.runs.results.reader import DAMAGED
from fem_mbd.runs.running.session import COMPLETE, FAILED

if TYPE_CHECKING:
    from fem_mbd.runs.results.result import Result

STATUS = {COMPLETE: 0, FAILED: 3}
CHECK_FAILED = 4  # of a run that is complete
DAMAGED_FILE = 5  # what is whole of it was read, and a warning says what is lost


def of_reading(result: Result) -> int:
    """The status after a results file was read: not 0 where something is lost, so that scripts see it."""
    return DAMAGED_FILE if result.status == DAMAGED else 0
