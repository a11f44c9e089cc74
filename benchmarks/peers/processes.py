"""Runs other programs as separate processes with a time limit that also ends their child processes."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path


def run_limited(
    command: Sequence[str],
    limit: float,
    folder: Path,
    text: str = "",
    environment: Mapping[str, str] | None = None,
) -> subprocess.CompletedProcess[str]:
    """Run `command` in `folder` with `text` as its standard input; status and both outputs.

    After `limit` s of real time it is killed with all its child processes: a program is often started by a wrapper
    script, and would otherwise continue. Raises TimeoutExpired then, and OSError where the command cannot be started.
    """
    process = subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        errors="replace",
        cwd=folder,
        env=environment,
        start_new_session=True,
    )
    with process:
        try:
            out, err = process.communicate(text, timeout=limit)
        except BaseException:
            os.killpg(process.pid, signal.SIGKILL)
            raise
    return subprocess.CompletedProcess(command, process.returncode, out, err)
