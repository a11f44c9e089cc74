"""Runs the peer program of a benchmark in a separate process with a time limit.

    python -m benchmarks.peers.peer PROBLEM PROGRAM < arguments.json

calls the function `exudyn` or `mbdyn` of the problem's module and prints the outcome as the last line. A separate
process is used because Exudyn prints to standard output, has global state, and may never end once its step control has
failed, and because MBDyn's processor time is that of a process and its children.
"""

from __future__ import annotations

import importlib
import importlib.metadata
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from benchmarks.comparison.outcome import Outcome, PeerStopped
from benchmarks.peers.mbdyn_system import mbdyn_version
from benchmarks.peers.processes import run_limited

PACKAGE = "exudyn"
ROOT = Path(__file__).resolve().parents[2]
MARK, STOPPED = "outcome: ", "stopped: "
GRACE = 30.0  # s, for a peer that observes the limit itself


def peer_version() -> str | None:
    """Version of Exudyn, None where it is not installed."""
    try:
        return importlib.metadata.version(PACKAGE)
    except importlib.metadata.PackageNotFoundError:
        return None


def peer_versions() -> dict[str, str]:
    """Program -> version of the available ones; the names are those of the problems' functions."""
    found = {PACKAGE: peer_version(), "mbdyn": mbdyn_version()}
    return {program: version for program, version in found.items() if version}


def run_peer(problem: str, limit: float = 300.0, program: str = PACKAGE, **arguments: Any) -> Outcome:
    """Outcome of the function `program` of the module `benchmarks.problems.<problem>`; `limit` in s of real time.

    Raises PeerStopped with the reason.
    """
    command = [sys.executable, "-m", "benchmarks.peers.peer", problem, program]
    if program != PACKAGE:
        arguments["limit"], patience = limit, limit + GRACE
    else:
        patience = limit
    try:
        done = run_limited(command, patience, ROOT, json.dumps(arguments))
    except subprocess.TimeoutExpired as error:
        raise PeerStopped(f"not finished after {limit:g} s") from error
    for line in reversed(done.stdout.splitlines()):
        if line.startswith(MARK):
            return Outcome.from_plain(json.loads(line[len(MARK) :]))
        if line.startswith(STOPPED):
            raise PeerStopped(line[len(STOPPED) :])
    last = (done.stderr.strip().splitlines() or ["no message"])[-1]
    raise PeerStopped(f"ended with status {done.returncode}: {last}")


def main() -> None:
    """Main function of the process that runs the peer."""
    problem, program = sys.argv[1:]
    module = importlib.import_module(f"benchmarks.problems.{problem}")
    try:
        outcome: Outcome = getattr(module, program)(**json.load(sys.stdin))
    except PeerStopped as reason:
        print(f"\n{STOPPED}{reason}")
        sys.exit(1)
    print("\n" + MARK + json.dumps(outcome.to_plain()))


if __name__ == "__main__":
    main()
