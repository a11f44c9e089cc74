"""Overhead of a sweep: many short runs by worker processes, compared with the same runs in one warm process.

    python -m benchmarks sweep_efficiency

A thousand runs of 0.1 s of the slider-crank with clearance, in a separate process as from the command line, with the
checks of the case and an output; results are not kept. Every 25th run is repeated before and after the sweep in this
process, which is warm, in three ways:

- steps alone: the solver, step by step in Python, without storing results;
- outputs in memory: every step with its outputs, in blocks. A sweep adds checks and outputs of the runs, besides its
  own work. The cheaper the steps, the larger this share;
- as a task: the same run in one warm process, its checks included. The goal refers to this one: nine tenths of the
  sweep's CPU time. The rest is overhead of the sweep: its processes and their start, tasks, the table.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
import warnings
from pathlib import Path
from tempfile import TemporaryDirectory
from time import process_time
from typing import Any

import numpy as np

import fem_mbd as fm
from benchmarks.comparison.study import Settings
from benchmarks.costs.step_cost import of_case
from benchmarks.reports.report import Goal, Report, Table
from fem_mbd.applications.sweeps.executors import DONE, Task, execute_task
from fem_mbd.friction import LawRangeWarning

RUNS, STRIDE, QUICK = 1000, 25, 4
CASE, END, SPEED = "slider_crank_clearance", 0.1, 2500 / 60  # s simulated, revolutions a second
CLEARANCE = 0.3e-3, 0.6e-3  # m, from the first run to the last one
OUTPUTS = {"peak": "max(clearance.normal_force)"}
# Goals: overhead as a fraction of the CPU seconds; largest memory in MB, and its growth after a tenth of the runs
BESIDE, MEMORY, GROWTH = 0.10, 1000.0, 50.0
LOOK = 0.5  # s between samples of the memory
PROBLEM = (
    "Runs of 0.1 s of the slider-crank with clearance, some 6,500 steps each, by `fem-mbd sweep` on two processes,\n"
    "with the checks of its case and an output, and results that are not kept, beside the same runs in one warm\n"
    "process: steps alone, with their outputs in memory (the solver's own work), and as a task, with checks and\n"
    "output as in the sweep. CPU seconds, so that other work of the machine counts little."
)
COLUMNS = (
    "runs", "CPU s a run, steps alone", "outputs in memory", "as a task", "in the sweep", "steps / sweep",
    "in memory / sweep", "tasks / sweep", "busy share of two cores", "parent, MB", "growth, MB",
)  # fmt: skip
TIMED = frozenset(COLUMNS[1:9])


def changes(clearance: float) -> dict[str, Any]:
    """Parameters of a run."""
    return {"revolutions": END * SPEED, "clearance": float(clearance)}


def steps_alone(clearance: float) -> None:
    """The solver alone."""
    for _ in of_case(CASE, **changes(clearance)).steps():
        pass


def kept_in_memory(clearance: float) -> None:
    """A run in memory, as from Python."""
    fm.run(of_case(CASE, **changes(clearance)), progress=False)


def as_a_task(clearance: float) -> None:
    """A run as made by a worker."""
    with TemporaryDirectory() as folder:
        outcome = execute_task(Task("0", CASE, changes(clearance), folder, OUTPUTS, keep=False))
    if outcome.status != DONE:
        raise SystemExit(f"a run ended {outcome.status}: {outcome.reason}")


WAYS = (steps_alone, kept_in_memory, as_a_task)


def seconds(clearances: np.ndarray) -> np.ndarray:
    """CPU seconds of a run in this process, warm, with a newly built model, alternately in the three ways."""
    used = np.zeros(len(WAYS))
    for clearance in clearances:
        for i, way in enumerate(WAYS):
            began = process_time()
            way(clearance)
            used[i] += process_time() - began
    return used / len(clearances)


def sweep(clearances: np.ndarray, folder: Path) -> tuple[float, float, np.ndarray]:
    """(CPU seconds of all processes, wall seconds, MB of the parent over the time) of the sweep."""
    spec = folder / "spec.toml"
    values = ", ".join(repr(float(c)) for c in clearances)
    spec.write_text(
        f'case = "{CASE}"\n[set]\nrevolutions = {END * SPEED!r}\n[grid]\nclearance = [{values}]\n'
        f'[outputs]\npeak = "{OUTPUTS["peak"]}"\n[record]\nkeep = false\n'
    )
    code = "import sys; from fem_mbd.__main__ import main; sys.exit(main())"
    options = ["sweep", str(spec), "--out", str(folder / "sweep"), "--processes", "2", "--quiet", "--no-plot"]
    began, memory = time.perf_counter(), []
    process = subprocess.Popen([sys.executable, "-W", "ignore", "-c", code, *options])
    while True:
        ended, status, used = os.wait4(process.pid, os.WNOHANG)
        if ended:
            break
        memory.append(resident(process.pid))
        time.sleep(LOOK)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"the sweep ended with status {process.returncode}")
    return used.ru_utime + used.ru_stime, time.perf_counter() - began, np.array(memory)


def resident(pid: int) -> float:
    """MB that a process has in memory (Linux)."""
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


def run(settings: Settings) -> Report:
    """CPU seconds of runs in the three ways."""
    with warnings.catch_warnings():
        # impacts of this mechanism are faster than its law's range, of which every run would warn
        warnings.simplefilter("ignore", LawRangeWarning)
        return measured(settings)


def measured(settings: Settings) -> Report:
    """The runs in the three ways, and their report."""
    count = QUICK if settings.quick else RUNS
    clearances = np.linspace(*CLEARANCE, count)
    some = clearances[:: 2 if settings.quick else STRIDE]
    as_a_task(clearances[0])  # compiles, or loads compiled code
    before = seconds(some)
    with TemporaryDirectory() as folder:
        used, wall, memory = sweep(clearances, Path(folder))
    warm = 0.5 * (before + seconds(some))
    each, loaded = used / count, memory[len(memory) // 10 :]
    growth = loaded.max() - loaded[0]
    shares = warm / each
    report = Report("sweep_efficiency", "Efficiency of a sweep", PROBLEM)
    row = (count, *warm, each, *shares, used / (2 * wall), memory.max(), growth)
    cells = tuple(value if isinstance(value, int) else float(value) for value in row)
    report.tables.append(Table("Runs", COLUMNS, [cells], TIMED))
    report.goals += [
        Goal(
            "share of CPU seconds beside the same runs in one process",
            1.0 - float(shares[2]),
            BESIDE,
            timed=True,
        ),
        Goal("memory of the parent, MB", float(memory.max()), MEMORY),
    ]
    if not settings.quick:  # a few runs end before everything is loaded
        report.goals.append(Goal("its growth while runs come in, MB", float(growth), GROWTH))
    return report
