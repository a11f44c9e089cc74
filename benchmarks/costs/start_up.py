"""Start-up cost of the command: CPU time to the help and to the first step of a case; building all libraries.

    python -m benchmarks start_up

Every number is that of a separate process. A start does not depend on earlier ones: nothing is compiled or cached.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.comparison.study import Settings
from benchmarks.peers.peer import ROOT
from benchmarks.reports.report import Goal, Report, Table
from fem_mbd.core.compiled.libraries import usable

CASES = ("pendulum", "crank_mechanism", "supercritical_rotor", "turbine_blades")
REPEATS = 5
COLUMNS = ("start", "CPU s", "of that imports")
BUILDING = ("libraries", "CPU s", "s")
PROBLEM = (
    "CPU seconds of a new process: to the end of `--help`, to the first accepted step of a case. Building: all\n"
    "libraries of kernels for this processor, from nothing."
)
# as installed: modules are compiled to byte code once
ENVIRONMENT = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
HELP = "from fem_mbd.applications.cli.main import main; main(['--help'])"
# the work of `fem-mbd run` up to the first step
FIRST_STEP = """
import gc, json, sys, time
gc.set_threshold(50_000, 20, 20)  # as fem_mbd.__main__
import fem_mbd.applications.cli.completed_run, fem_mbd.runs.running.runs
from fem_mbd.cases import load_case
imported = time.process_time()
case = load_case(sys.argv[1])
next(case.build(case.parameters()).steps())
print(json.dumps([time.process_time(), imported]))
"""


def first_step(case: str) -> tuple[float, float]:
    """CPU seconds in total, and those of imports."""
    seconds, imports = json.loads(_last_line(FIRST_STEP, case))
    return seconds, imports


def help_seconds() -> float:
    """CPU seconds of `--help`."""
    code = f"import time\ntry:\n    {HELP}\nexcept SystemExit:\n    print(time.process_time())"
    return float(_last_line(code))


def _last_line(code: str, *arguments: str) -> str:
    """The last line that a new process prints."""
    command = [sys.executable, "-c", code, *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=ROOT, env=ENVIRONMENT)
    return done.stdout.splitlines()[-1]


def building() -> tuple[float, float]:
    """CPU seconds of all build processes, and seconds."""
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / usable()[0]).mkdir()
        code = (
            "from pathlib import Path; from fem_mbd.core.compiled.build.builder import build; "
            "from fem_mbd.core.compiled.libraries import LIBRARIES; "
            f"build(list(LIBRARIES), [Path({folder!r}) / {usable()[0]!r}])"
        )
        start, before = time.perf_counter(), resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, cwd=ROOT)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        used = after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
        return used, time.perf_counter() - start


def run(settings: Settings) -> Report:
    """Starts, and building; a quick run measures the start of one case."""
    repeats = 1 if settings.quick else REPEATS
    help_seconds()  # writes Python's byte code
    told = min(help_seconds() for _ in range(repeats))
    rows: list[tuple[str | float | int, ...]] = [("--help", told, told)]
    goals = [Goal("CPU seconds of --help", told, 0.1, True)]
    for case in CASES[:1] if settings.quick else CASES:
        first_step(case)  # writes Python's byte code, and rebuilds a stale library
        found = min(first_step(case) for _ in range(repeats))
        rows.append((case, *found))
        goals.append(Goal(f"CPU seconds to the first step of {case}", found[0], 0.3, True))
    tables = [Table("Starts", COLUMNS, rows, frozenset(COLUMNS[1:]))]
    if not settings.quick:
        used, took = building()
        tables.append(Table("Building", BUILDING, [("all", used, took)], frozenset(BUILDING[1:])))
        goals.append(Goal("seconds of building all libraries", took, 180.0, True))
    return Report("start_up", "Start", PROBLEM, tables, goals)
