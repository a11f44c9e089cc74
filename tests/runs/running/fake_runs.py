"""Runs of the fake simulation in separate processes, for tests that stop them.

`python -m tests.runs.running.fake_runs FILE ...`
"""

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from fem_mbd.runs.running.runs import run
from tests.runs.running.fake_simulation import FakeSimulation

ROOT = Path(__file__).resolve().parents[3]


def start_run(file: Path, *, steps: int, pause: float, checkpoint_every: int) -> subprocess.Popen[str]:
    """A process that runs the fake simulation into `file` and is about to make its first step."""
    words = (str(word) for word in (file, steps, pause, checkpoint_every))
    command = [sys.executable, "-m", "tests.runs.running.fake_runs", *words]
    process = subprocess.Popen(command, cwd=ROOT, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdout is not None and process.stdout.readline() == "running\n"
    return process


def signal_in(step: int, number: int = signal.SIGINT) -> Callable[[int], None]:
    """For each step of a `FakeSimulation`: sends this process a signal within one of them."""
    return lambda index: os.kill(os.getpid(), number) if index == step else None


def main(file: str, steps: str, pause: str, checkpoint_every: str) -> int:
    """Run, print when the first step is about to be made, and print how the run ended."""

    def announce(index: int) -> None:
        if index == 1:
            sys.stdout.write("running\n")
            sys.stdout.flush()

    sim = FakeSimulation(int(steps), pause=float(pause), each_step=announce)
    result = run(sim, file=file, checkpoint_every=int(checkpoint_every))
    sys.stdout.write(f"{result.status} {result.steps}\n")
    return 0


if __name__ == "__main__":
    raise SystemExit(main(*sys.argv[1:]))
