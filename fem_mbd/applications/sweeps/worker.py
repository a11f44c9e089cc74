"""Worker process of a sweep: reads tasks from standard input, writes outcomes to standard output, as JSON.

Libraries are loaded once for all runs of the worker. Anything that libraries print goes to standard error. When the
parent process has ended, the worker ends after its run, whose outcome is stored.
"""

from __future__ import annotations

import json
import os
import sys
import warnings
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any


def main() -> int:
    """Execute tasks until the end of the input."""
    output = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    from fem_mbd.applications.sweeps.executors import Task, execute_task

    warnings.showwarning = partial(_warn_once, Path(sys.argv[1]))

    try:
        for line in sys.stdin:
            outcome = execute_task(Task(**json.loads(line)))
            output.write(json.dumps(asdict(outcome)) + "\n")
            output.flush()
    except (BrokenPipeError, KeyboardInterrupt):
        return 1
    return 0


def _warn_once(log: Path, message: Warning | str, category: type[Warning], *place: Any) -> None:
    """Write a warning to standard error, the log of all workers, unless it stands there already."""
    text = f"{category.__name__}: {message}\n"
    if text not in log.read_text("utf-8", errors="replace"):
        sys.stderr.write(text)
        sys.stderr.flush()


if __name__ == "__main__":
    raise SystemExit(main())
