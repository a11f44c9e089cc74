"""Runs MBDyn on an input file as a separate process, and reads its output files.

The program is given by the environment variable MBDYN, or `mbdyn` on the PATH:

    MBDYN=/usr/local/mbdyn/bin/mbdyn python -m benchmarks spin_up

MBDyn comes as source from https://www.mbdyn.org and is in no package index: RESULTS.md says with which version these
input files ran. The tests check them against the data of the problems, and this module with a substitute program. A
failed run is reported as a line in the report.
"""

from __future__ import annotations

import os
import re
import resource
import shutil
import subprocess
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from benchmarks.comparison.outcome import Outcome, PeerStopped
from benchmarks.peers.mbdyn_deck import Deck, Integration
from benchmarks.peers.processes import run_limited
from fem_mbd.base.arrays import Array

VARIABLE, PROGRAM = "MBDYN", "mbdyn"
ABSENT = f"MBDyn was not run: {VARIABLE} names no program, and none called {PROGRAM} is on the PATH."
COLUMNS = 13  # columns of a node in a .mov file: label, position, angles, velocity, angular velocity
STEP = re.compile(r"Step\s+(\d+)\s+(\S+)\s+(\S+)\s+(\d+)\s+(\S+)\s+(\S+)\s+([01])(?:\s+([01]))?\s*$")
NO_REASON = "An error occurred during the execution of MBDyn"  # its last line whatever the reason


def mbdyn_program() -> str | None:
    """Path of MBDyn, None without it. Raises PeerStopped where MBDYN names something that cannot be run."""
    named = os.environ.get(VARIABLE)
    if not named:
        return shutil.which(PROGRAM)
    found = shutil.which(named)
    if found is None:
        raise PeerStopped(f"{VARIABLE}={named} is no program that can be run")
    return str(Path(found).absolute())


def why_no_mbdyn() -> str | None:
    """A sentence where MBDyn cannot be run, None where it is available."""
    try:
        program = mbdyn_program()
    except PeerStopped as reason:
        return f"MBDyn was not run: {reason}."
    if program is None:
        return ABSENT
    return None if mbdyn_version() else f"MBDyn was not run: {program} does not start."


def mbdyn_version() -> str | None:
    """Version as printed by the program, None where MBDyn is missing or does not start."""
    try:
        program = mbdyn_program()
        if program is None:
            return None
        done = run_limited([program, "-v"], 20.0, Path.cwd())
    except (PeerStopped, OSError, subprocess.TimeoutExpired):
        return None
    found = re.search(r"Multi-?Body Dynamics\s+(\S+)", done.stdout + done.stderr)
    return found[1] if found else "of unknown version"


def solve_mbdyn(
    deck: Deck, watched: int, times: Array, steps: int, *, keep: int = 1, limit: float = 300.0
) -> Outcome:
    """Solve to times[-1] in `steps` equal steps; samples are the position (3,) of the node `watched` at `times`, m.

    `times` are evenly spaced from zero on, and `steps` is a multiple of their number: a step ends at each of them. CPU
    seconds are those of the process minus those of the same input ended before the first step, so that reading the
    input is not included. Raises PeerStopped with the reason, after `limit` s of real time too.
    """
    if steps % len(times):
        raise ValueError(f"steps is {steps}: give a multiple of {len(times)}, the number of samples")
    program = mbdyn_program()
    if program is None:
        raise PeerStopped(ABSENT)
    integration = Integration(steps, float(times[-1]), steps // len(times), keep=keep)
    deadline = time.monotonic() + limit
    with tempfile.TemporaryDirectory(prefix="mbdyn") as name:
        folder = Path(name)
        started = _run(program, folder, deck.text(integration, watched, stop=True), deadline, limit)
        seconds = _run(program, folder, deck.text(integration, watched), deadline, limit) - started
        log = read_out(folder / "run.out")
        places = read_mov(folder / "run.mov", watched)[:, 1:4]
    if log.time[-1] < times[-1] - 1e-6 * times[-1]:
        raise PeerStopped(f"MBDyn says nothing but stopped at {log.time[-1]:g} of {times[-1]:g} s")
    samples = places[rows_at(times, log.written(integration.every), len(places))]
    factorisations = int(np.ceil(log.iterations / keep).sum())
    return Outcome(
        float(steps), int(log.step[-1]), int(log.iterations.sum()), factorisations, max(seconds, 1e-6), samples,
        float(log.time[-1]), True, {"start_cpu_seconds": started},
    )  # fmt: skip


def _run(program: str, folder: Path, text: str, deadline: float, limit: float) -> float:
    """CPU seconds of one run; its files are called run.* in `folder`."""
    for old in folder.glob("run.*"):
        old.unlink()
    (folder / "deck.mbd").write_text(text)
    environment = {name: value for name, value in os.environ.items() if name != VARIABLE}
    before = _children()
    try:
        command = [program, "-f", "deck.mbd", "-o", "run"]
        done = run_limited(command, max(deadline - time.monotonic(), 0.1), folder, environment=environment)
    except subprocess.TimeoutExpired as error:
        raise PeerStopped(f"MBDyn did not finish within {limit:g} s") from error
    except OSError as error:
        raise PeerStopped(f"{program} does not start: {error.strerror}") from error
    seconds = _children() - before
    if done.returncode:
        raise PeerStopped(
            f"MBDyn ended with status {done.returncode}: {last_words(done.stdout, done.stderr)}"
        )
    return seconds


def _children() -> float:
    """CPU seconds of all terminated child processes."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def last_words(out: str, err: str) -> str:
    """The last non-empty line, of the error output if there is any."""
    for text in (err, out):
        lines = [line.strip() for line in text.splitlines() if line.strip() and NO_REASON not in line]
        if lines:
            return lines[-1]
    return "no message"


def rows_at(times: Array, written: Array, rows: int) -> Array:
    """Indices of the rows of a .mov file at `times` (s), of so many `rows` that were `written` at those times (s)."""
    if rows != len(written):
        raise PeerStopped(f"run.mov has {rows} rows of the node, by run.out there are {len(written)}")
    found = np.minimum(np.searchsorted(written, times * (1.0 - 1e-6)), rows - 1)
    off = np.abs(written[found] - times)
    if off.max() > 1e-6 * times[-1]:
        raise PeerStopped(f"run.mov has no row at {times[int(off.argmax())]:g} s")
    return found


@dataclass(frozen=True)
class StepLog:
    """Of every step in a .out file: its number, time (s), iterations, and 1 where it was written, or -1 if unknown."""

    step: Array
    time: Array
    iterations: Array
    flag: Array

    def written(self, every: int) -> Array:
        """Times of the rows in the .mov file; older versions do not record which steps they wrote."""
        told = bool((self.flag >= 0).all())
        return self.time[self.flag == 1 if told else self.step % every == 0]


def read_out(path: Path) -> StepLog:
    """The steps in a .out file, with the start as step 0. Raises PeerStopped if there are none."""
    found = [match for line in _lines(path) if (match := STEP.match(line))]
    if not found:
        raise PeerStopped(f"{path.name} has no steps")
    rows = [(int(m[1]), float(m[2]), int(m[4]), -1 if m[8] is None else int(m[8])) for m in found]
    step, at, iterations, flag = (np.array(column) for column in zip(*rows, strict=True))
    return StepLog(step, at, np.where(step > 0, iterations, 0), flag)


def read_mov(path: Path, label: int) -> Array:
    """Rows (k, 13) of one node: label, position, angles (degrees about x, y, z in sequence), velocity, angular
    velocity.

    Optional accelerations at the end of a row are ignored. Raises PeerStopped where a row is incomplete.
    """
    rows = []
    for count, line in enumerate(_lines(path), start=1):
        words = line.split()
        if not words or words[0] != str(label):
            continue
        if len(words) < COLUMNS:
            raise PeerStopped(
                f"{path.name}, line {count}: {len(words)} numbers instead of {COLUMNS}, cut off?"
            )
        try:
            rows.append([float(word) for word in words[:COLUMNS]])
        except ValueError as error:
            raise PeerStopped(f"{path.name}, line {count}: {error}") from error
    if not rows:
        raise PeerStopped(f"{path.name} has no row of node {label}")
    return np.array(rows)


def _lines(path: Path) -> list[str]:
    try:
        return path.read_text(errors="replace").splitlines()
    except FileNotFoundError as error:
        raise PeerStopped(f"MBDyn wrote no {path.name}") from error
