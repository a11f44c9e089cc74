"""Worker process of a sweep: reads tasks from standard input, writes outcomes to standard output, as JSON.

Libraries are loaded once for all runs of the worker. Anything that libraries print goes to standard error. When the
parent process has ended, the worker ends after its run, whose outcome is stored.
"""

from __future__ import annotations

import json
import os
import sys
from dataclasses import asdict


def main() -> int:
    """Execute tasks until the end of the input."""
    output = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    from fem_mbd.applications.sweeps.executors.one_run import Task, execute_task

    try:
        for line in sys.stdin:
            outcome = execute_task(Task(**json.loads(line)))
            output.write(json.dumps(asdict(outcome)) + "\n")
            output.flush()
    except (BrokenPipeError, KeyboardInterrupt):
        return 1
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
