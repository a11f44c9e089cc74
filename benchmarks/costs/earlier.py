"""Whole runs beside an earlier commit of this project, in turn on one machine.

    EARLIER=88c37be8 python -m benchmarks earlier

The commit is checked out under `build/benchmarks` and run by this Python with the libraries installed here. Each run
has a process of its own; both commits take turns. The default commit is the last one before kernels were compiled ahead
of time, block LU was used for jointed models, and factorisations were updated.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks.comparison.study import Settings
from benchmarks.costs.whole_runs import BUILDERS, MEASURED
from benchmarks.reports.report import Goal, Report, Table

ROOT = Path(__file__).resolve().parents[2]
CHILD = Path(__file__).with_name("whole_runs.py")
VARIABLE, DEFAULT = "EARLIER", "88c37be8"
COLUMNS = (
    "run", "steps", "iterations/step", "iterations/step before", "ratio",
    "now, ms", "before, ms", "unit",
)  # fmt: skip
NOW = 5  # column of the mean of this checkout
UNITS = {"IEA 15 MW turbine": "simulated second", "sweep of 100 runs": "sweep"}
GOALS = {"IEA 15 MW turbine": 80.0, "sweep of 100 runs": 8000.0}  # ms
PROBLEM = (
    "Means over whole runs in CPU time, in turn with those of an earlier commit: the run with its record in memory,\n"
    "set-up excluded; medians of the repetitions. Chains: steps of 1 ms without the first. Turbine: gravity, steps\n"
    "of 0.05 s. Sweep: 100 runs of half a revolution of the slider-crank with clearance by `fem-mbd sweep`, start and\n"
    "checks included."
)


def checkout(commit: str) -> Path:
    """Folder of that commit, made where it is missing. Raises SystemExit where git does not know the commit."""
    folder = ROOT / "build" / "benchmarks" / f"commit-{commit}"
    if not folder.exists():
        command = ["git", "worktree", "add", "--detach", str(folder), commit]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
        if done.returncode:
            raise SystemExit(f"{VARIABLE}={commit} cannot be checked out: {done.stderr.strip()}")
    return folder


def measured(folder: Path, name: str) -> dict[str, Any]:
    """What the child process in that checkout reports for one model."""
    environment = os.environ | {"PYTHONPATH": str(folder)}
    command = [sys.executable, "-P", "-W", "ignore", str(CHILD), name]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"{name} in {folder.name} failed: {done.stderr.strip().splitlines()[-1]}")
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def compare(name: str, earlier: Path, repeats: int, notes: list[str]) -> tuple[str | float | int, ...]:
    """A row of the table; what this checkout's run says besides goes to ``notes``."""
    runs: list[tuple[dict[str, Any], dict[str, Any]]] = []
    for _ in range(repeats):
        runs.append((measured(ROOT, name), measured(earlier, name)))
    now, before = (
        1e3 * median(s for one in found for s in one["seconds"]) for found in zip(*runs, strict=True)
    )
    here, there = (one["iterations"] for one in runs[0])
    steps = runs[0][0]["steps"]
    notes += [runs[0][0]["note"]] if "note" in runs[0][0] else []
    return name, steps, here, there, now / before, now, before, UNITS.get(name, "step")


def run(settings: Settings) -> Report:
    """Ratios of CPU time to the earlier commit; a quick run compares one model with this checkout itself."""
    commit = os.environ.get(VARIABLE, DEFAULT)
    earlier = ROOT if settings.quick else checkout(commit)
    chosen = list(BUILDERS)[:1] if settings.quick else MEASURED
    notes: list[str] = []
    repeats = 1 if settings.quick else settings.repeats
    rows = [compare(name, earlier, repeats, notes) for name in chosen]
    table = Table(f"Beside commit {commit}", COLUMNS, rows, frozenset(COLUMNS[5:]))
    goals = [
        Goal(f"CPU milliseconds of a {UNITS[name]}, {name}", float(row[NOW]), GOALS[name], timed=True)
        for name, row in zip(chosen, rows, strict=True)
        if name in GOALS
    ]
    return Report("earlier", "Beside an earlier commit", PROBLEM, [table], goals, notes)
