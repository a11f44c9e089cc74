"""Runs that are killed at random moments and gone on with until they end: nothing may be lost but the last steps.

Each run is a process of its own, forked from one that has its libraries loaded. kill -9 or SIGTERM comes at a random
moment of what a whole run takes; what it leaves is opened and compared; then it is gone on with, and perhaps killed
again. At the end its file has to hold the same bytes of numbers as that of a run that nothing happened to.
"""

import os
import random
import signal
import time
from collections import Counter
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from fem_mbd import InputError, Result
from fem_mbd.cases.pendulum import Parameters
from tests.campaigns.run_apart import FAILED, FINISHED, fork, forked, go, numbers
from tests.campaigns.tally import Found

CASES = (Parameters(end_time=0.3, dt=1e-3), Parameters(joint="clearance", end_time=0.02))
MAX_KILLS = 4  # of one run; then it is left alone
SIGNALS = (signal.SIGKILL, signal.SIGTERM)


@dataclass
class Truth:
    """A run that nothing happens to: its parameters, the bytes of its numbers, how long it takes at present (s)."""

    parameters: Parameters
    numbers: dict[str, bytes]
    seconds: float


def kill_runs(kills: int, seed: int, folder: Path) -> Found:
    """Kill so many times; every run ends in the end."""
    truths = [_truth(parameters, folder / "truth.h5") for parameters in CASES]
    rng, found, number = random.Random(seed), Found(), 0
    while found.counts.total() < kills:
        truth = truths[number % len(truths)]
        number += 1
        fault = _one_run(truth, rng, folder / "run.h5", found.counts)
        if fault:
            found.faults.append(f"seed {seed}, run {number}: {fault}")
    return found


def _truth(parameters: Parameters, file: Path) -> Truth:
    """Run twice: the first time kernels may have to be compiled."""
    for _ in range(2):
        file.unlink(missing_ok=True)
        began = time.monotonic()
        if forked(partial(go, parameters, file)) != FINISHED:
            raise RuntimeError(f"a run that nothing happened to failed: {parameters}")
    return Truth(parameters, numbers(file), time.monotonic() - began)


def _one_run(truth: Truth, rng: random.Random, file: Path, counts: Counter[str]) -> str:
    """Begin, kill, look, go on; what is wrong, "" for nothing."""
    for path in file.parent.glob(f"{file.name}*"):
        path.unlink()
    for _ in range(MAX_KILLS):
        number = rng.choice(SIGNALS)
        process = fork(partial(go, truth.parameters, file))
        time.sleep(rng.uniform(0.0, truth.seconds))
        os.kill(process, number)
        status = os.waitpid(process, 0)[1]
        if os.WIFEXITED(status) and os.WEXITSTATUS(status) == FAILED:
            return "the run itself failed"
        outcome, fault = _look(file, truth.numbers)
        if fault:
            return fault
        # a machine with other work is now faster and now slower: signals that come too late are sent earlier
        truth.seconds *= 0.8 if outcome == "complete" else 1.02
        if outcome == "complete":
            break
        counts[f"{number.name}: {outcome}"] += 1
    if forked(partial(go, truth.parameters, file)) != FINISHED:
        return "it could not be gone on with"
    ours = numbers(file)
    differing = [name for name in truth.numbers if ours.get(name) != truth.numbers[name]]
    return f"other numbers after it was gone on with: {', '.join(differing)}" if differing else ""


def _look(file: Path, truth: dict[str, bytes]) -> tuple[str, str]:
    """What a killed run left, and what is wrong with it: numbers have to be the first of those of a whole run."""
    if not file.exists():
        return "nothing written yet", ""
    try:
        found = numbers(file)
    except InputError as error:
        return "refused", f"its file does not open: {error}"
    wrong = [name for name, data in found.items() if not truth[name].startswith(data)]
    with Result.open(file) as result:
        status = result.status
    return status, f"other numbers than those of a whole run: {', '.join(wrong)}" if wrong else ""
