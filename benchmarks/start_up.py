"""What the command costs before it works: CPU time to the help, to the first step of a case, and of a cold compilation.

    python -m benchmarks start_up

Every figure is that of a process of its own. A cold start finds no machine code of kernels (an empty folder in
NUMBA_CACHE_DIR), a warm one all that it needs.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from benchmarks.peer import ROOT
from benchmarks.report import Goal, Report, Table
from benchmarks.study import Settings

CASES = ("pendulum", "crank_mechanism", "supercritical_rotor", "turbine_blades")
REPEATS = 5
COLUMNS = ("start", "kernels compiled", "CPU s", "of that imports")
PROBLEM = (
    "CPU seconds of a new process: to the end of `--help`, to the first accepted step of a case with kernels kept on\n"
    "disk, and the same when none is kept."
)
HELP = "from fem_mbd.cli.main import main; main(['--help'])"
# what `fem-mbd run` does up to the first step
FIRST_STEP = """
import gc, json, sys, time
gc.set_threshold(50_000, 20, 20)  # as fem_mbd.cli.start
import fem_mbd.cli.commands, fem_mbd.running.runs
from fem_mbd.cases import load_case
from fem_mbd.compiled.compiling.compilations import Counter, watched_compilations
imported = time.process_time()
counter = Counter()
with watched_compilations(counter):
    case = load_case(sys.argv[1])
    next(case.build(case.parameters()).steps())
print(json.dumps([counter.count, time.process_time(), imported]))
"""


def first_step(case: str, kept: Path | None = None) -> tuple[int, float, float]:
    """Kernels compiled, CPU seconds, and those of imports; ``kept`` is where machine code is kept."""
    environment = dict(os.environ, **({} if kept is None else {"NUMBA_CACHE_DIR": str(kept)}))
    done = subprocess.run(
        [sys.executable, "-c", FIRST_STEP, case], capture_output=True, text=True, check=True, cwd=ROOT,
        env=environment,
    )  # fmt: skip
    made, seconds, imports = json.loads(done.stdout.splitlines()[-1])
    return made, seconds, imports


def help_seconds() -> float:
    """CPU seconds of `--help`."""
    code = f"import time\ntry:\n    {HELP}\nexcept SystemExit:\n    print(time.process_time())"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    return float(done.stdout.splitlines()[-1])


def run(settings: Settings) -> Report:
    """Warm and cold starts; a quick run makes the warm one of one case."""
    repeats = 1 if settings.quick else REPEATS
    told = min(help_seconds() for _ in range(repeats))
    rows: list[tuple[str | float | int, ...]] = [("--help", 0, told, told)]
    goals = [Goal("CPU seconds of --help", told, 0.1, True)]
    for case in CASES[:1] if settings.quick else CASES:
        first_step(case)  # compiles what is not kept yet
        warm = min((first_step(case) for _ in range(repeats)), key=lambda found: found[1])
        rows.append((f"{case}, warm", *warm))
        goals.append(Goal(f"CPU seconds to the first step of {case}", warm[1], 0.35, True))
        if not settings.quick:
            with tempfile.TemporaryDirectory() as folder:
                cold = first_step(case, Path(folder))
            rows.append((f"{case}, cold", *cold))
            goals.append(Goal(f"CPU seconds of compiling for {case}", cold[1] - warm[1], 12.0, True))
    table = Table("Starts", COLUMNS, rows, frozenset(COLUMNS[2:]))
    return Report("start_up", "Start", PROBLEM, [table], goals)
