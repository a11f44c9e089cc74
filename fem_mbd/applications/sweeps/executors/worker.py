"""A worker process: tasks as lines of JSON on standard input, outcomes as lines on standard output, until its end.

It is warm: libraries are loaded and kernels read once, then come run after run. Whatever the libraries print goes to
standard error. When whoever gives the tasks is gone, the worker ends after its run, whose outcome is stored.
"""

from __future__ import annotations

import json
import os
import sys
from dataclasses import asdict


def main() -> int:
    """Serve until the input ends."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    from fem_mbd.applications.sweeps.executors.one_run import Task, do

    try:
        for line in sys.stdin:
            outcome = do(Task(**json.loads(line)))
            answers.write(json.dumps(asdict(outcome)) + "\n")
            answers.flush()
    except (BrokenPipeError, KeyboardInterrupt):
        return 1
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
