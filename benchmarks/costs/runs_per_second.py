"""Number of short runs per second and core: many runs in one process, as in sweeps and fits.

    python -m benchmarks runs_per_second

A run includes the building of the case's model, the set-up of the simulation, its steps, and results in memory.
"""

from __future__ import annotations

from dataclasses import replace
from time import process_time
from typing import Any

from benchmarks.comparison.study import Settings
from benchmarks.reports.report import Goal, Report, Table
from fem_mbd import run as run_simulation
from fem_mbd.case import Case
from fem_mbd.cases import load_case

CASE, END = "pendulum", 0.1  # s
RUNS = 20  # runs of a block; the fastest block counts
COLUMNS = ("case", "simulated s", "steps", "unknowns", "runs/s", "set-ups/s", "us/step")
PROBLEM = (
    "Runs of a case per second of CPU time in one process, kernels compiled before; of these the set-up alone (model\n"
    "and simulation), and microseconds of a step with its record."
)


def of_case(case: Case[Any], parameters: Any, blocks: int) -> tuple[str | float | int, ...]:
    """A row of the table."""
    result = run_simulation(case.build(parameters), progress=False)
    steps, size = len(result.time), int(result.model["equations"])
    run = min(_seconds(case, parameters, whole=True) for _ in range(blocks))
    setting_up = min(_seconds(case, parameters, whole=False) for _ in range(blocks))
    return case.name, END, steps, size, 1.0 / run, 1.0 / setting_up, 1e6 * (run - setting_up) / steps


def _seconds(case: Case[Any], parameters: Any, whole: bool) -> float:
    """CPU seconds of a run, or of its set-up."""
    start = process_time()
    for _ in range(RUNS):
        simulation = case.build(parameters)
        if whole:
            run_simulation(simulation, progress=False)
    return (process_time() - start) / RUNS


def run(settings: Settings) -> Report:
    """Runs of the pendulum over a tenth of a second."""
    case = load_case(CASE)
    row = of_case(case, replace(case.parameters(), end_time=END), 1 if settings.quick else 10)
    table = Table("Runs", COLUMNS, [row], frozenset(COLUMNS[4:]))
    goals = [Goal(f"seconds of a run of {END:g} s of the {CASE}", 1.0 / float(row[4]), 1.0 / 300, True)]
    return Report("runs_per_second", "Runs per second and core", PROBLEM, [table], goals)
