"""Output of commands: reports as text or JSON on standard output, warnings on standard error, exit statuses.

Also folders of figures. A status 128 + n means ended by signal n.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from fem_mbd.runs.results.result import Result

CHECK_FAILED = 4  # of a complete run
DAMAGED_FILE = 5  # the intact part was read, and a warning says what is lost
OK, BAD_INPUT, SOLVER_FAILED = 0, 2, 3
INTERRUPTED, NO_READER = 130, 141


def write_line(text: object) -> None:
    """Write a line to standard output."""
    sys.stdout.write(f"{text}\n")


def write_warning(text: str) -> None:
    """Write a warning to standard error."""
    sys.stderr.write(f"fem-mbd: warning: {text}\n")


def as_json(data: Mapping[str, Any]) -> str:
    """Plain data as JSON; numbers that are not finite become null."""
    import json

    from fem_mbd.runs.results.summary import finite_json

    return json.dumps(finite_json(dict(data)), indent=2, allow_nan=False)


def write_report(data: Mapping[str, Any], options: argparse.Namespace, text: str) -> int:
    """Write ``data`` as JSON with `--json`, otherwise ``text``; returns exit status 0."""
    write_line(as_json(data) if options.json else text)
    return 0


def figures_folder(options: argparse.Namespace, name: str) -> Path | None:
    """Folder for figures, created if necessary: `--out` or results/NAME; None when none are to be drawn."""
    if options.no_plot or (options.json and options.out is None):
        return None
    folder = Path(options.out or Path("results") / name)
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def reading_status(result: Result) -> int:
    """Exit status after reading a results file: not 0 where data are lost, so that scripts notice it."""
    from fem_mbd.runs.results.hdf5.reader import DAMAGED

    return DAMAGED_FILE if result.status == DAMAGED else OK


def run_status(result: Result) -> int:
    """Exit status of a run that is complete or has failed."""
    from fem_mbd.runs.running.session import COMPLETE, FAILED

    return {COMPLETE: OK, FAILED: SOLVER_FAILED}[result.status]
