"""Runs the peer's half of a benchmark in a process of its own, under a time limit.

    python -m benchmarks.peer PROBLEM < arguments.json

calls `exudyn(**arguments)` of the problem's module and prints the outcome as the last line. A separate process, because
Exudyn prints on its own, keeps global state, and may go on for ever once its step control has failed.
"""

from __future__ import annotations

import importlib
import importlib.metadata
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from benchmarks.outcome import Outcome

PACKAGE = "exudyn"
ROOT = Path(__file__).resolve().parent.parent
MARK = "outcome: "


class PeerStopped(Exception):
    """The peer's process did not deliver: the time limit, or an error of its own."""


def peer_version() -> str | None:
    """Version of Exudyn, None where it is not installed."""
    try:
        return importlib.metadata.version(PACKAGE)
    except importlib.metadata.PackageNotFoundError:
        return None


def run_peer(problem: str, limit: float = 300.0, **arguments: Any) -> Outcome:
    """Outcome of `exudyn(**arguments)` of the module `benchmarks.<problem>`; `limit` in s of real time.

    Raises PeerStopped with the reason.
    """
    command = [sys.executable, "-m", "benchmarks.peer", problem]
    try:
        done = subprocess.run(
            command,
            input=json.dumps(arguments),
            capture_output=True,
            text=True,
            timeout=limit,
            cwd=ROOT,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise PeerStopped(f"not finished after {limit:g} s") from error
    for line in reversed(done.stdout.splitlines()):
        if line.startswith(MARK):
            return Outcome.from_plain(json.loads(line[len(MARK) :]))
    last = (done.stderr.strip().splitlines() or ["no message"])[-1]
    raise PeerStopped(f"ended with status {done.returncode}: {last}")


def main() -> None:
    """The process that runs the peer."""
    module = importlib.import_module(f"benchmarks.{sys.argv[1]}")
    outcome: Outcome = module.exudyn(**json.load(sys.stdin))
    print("\n" + MARK + json.dumps(outcome.to_plain()))


if __name__ == "__main__":
    main()
