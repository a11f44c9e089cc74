"""Large models: set-up, memory and a step of chains to 200,000 elements and of lattices, on one thread and on two.

Every run has its own process, whose largest resident memory counts, minus that after a run of a small model.

    python -m benchmarks.costs.large MODEL SIZE KEPT THREADS

is such a run; it prints its results as the last line.
"""

from __future__ import annotations

import itertools
import json
import resource
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks.comparison.curves import exponent
from benchmarks.comparison.study import Settings
from benchmarks.problems.chain import DT, beam_chain
from benchmarks.reports.report import Goal, Report, Table
from fem_mbd import Model, NewtonOptions, Simulation, StepControl
from fem_mbd.cases.lattice import Parameters, build_model, set_velocities

ROOT = Path(__file__).resolve().parents[2]
CHAINS, QUICK_CHAINS = (20_000, 50_000, 100_000, 200_000), (1500,)  # elements
LATTICES, QUICK_LATTICES = (50, 100), (6,)  # cells along an edge; 2 cells (cells + 1) elements
SMALL = {"chain": 10, "lattice": 4}
STEPS = 5  # number of steps; the first is not timed
MEMORY, GROWTH, TWO_THREADS = 15.0, 1.1, 1 / 1.7  # goals: kB per element; exponent; seconds of one thread
STEP = 0.6  # goal: CPU s of a step of the longest chain
THREADED = 20_000  # elements of the chain that is run on two threads
COLUMNS = (
    "model", "elements", "factorisations", "threads", "unknowns", "solver", "iterations/step", "kB/element",
    "set-up, CPU s", "CPU s/step", "s/step", "CPU s/step of the busiest thread",
)  # fmt: skip
TIMED = frozenset(COLUMNS[8:])


def model_of(kind: str, size: int) -> tuple[Model, int]:
    """A chain of that many elements, or a lattice of that many cells along an edge, and the number of elements."""
    if kind == "chain":
        return beam_chain(size)[0], size
    p = Parameters(cells=size, order=2)
    model, _ = build_model(p)
    set_velocities(model, p)
    return model, 2 * size * (size + 1)


def measure(kind: str, size: int, kept: bool, threads: int) -> dict[str, Any]:
    """One run in this process."""
    options = NewtonOptions(reuse=kept, threads=threads)
    next(Simulation(model_of(kind, SMALL[kind])[0], 1.0, StepControl.fixed(DT), newton=options).steps())
    before, start = _resident(), time.process_time()
    model, elements = model_of(kind, size)
    sim = Simulation(model, 1.0, StepControl.fixed(DT), newton=options)
    found: dict[str, Any] = {
        "elements": elements,
        "set-up": time.process_time() - start,
        "unknowns": sim.system.size,
    }
    steps = sim.steps()
    next(steps)
    clocks = (time.process_time, time.perf_counter, time.thread_time)
    begin = [clock() for clock in clocks]
    records = list(itertools.islice(steps, STEPS - 1))
    spent = [(clock() - at) / len(records) for clock, at in zip(clocks, begin, strict=True)]
    found |= {"cpu": spent[0], "wall": spent[1], "busiest": spent[2]}
    found["iterations"] = sum(record.newton_iterations for record in records) / len(records)
    found["solver"] = "in place" if sim.solver.linear.in_place else sim.solver.linear.package
    found["kilobytes"] = (_peak() - before) / 1e3 / elements
    return found


def run(settings: Settings) -> Report:
    """Set-up, memory and step times of large models."""
    report = Report(
        "large", "Large models", "Set-up, peak memory beyond that of a small model, and steps of 1 ms."
    )
    runs = {key: _alone(*key) for key in _keys(settings.quick)}
    rows = [_row(key, found) for key, found in runs.items()]
    report.tables.append(Table("Runs", COLUMNS, rows, TIMED, keys=4))
    if settings.quick:
        return report
    longest = runs["chain", CHAINS[-1], True, 1]["cpu"]
    report.goals.append(
        Goal(f"CPU seconds of a step, chain of {CHAINS[-1]:,}, kept", longest, STEP, timed=True)
    )
    for kept in (False, True):
        chains = [runs["chain", size, kept, 1] for size in CHAINS]
        label = "kept" if kept else "anew"
        growth = exponent(list(CHAINS), [found["cpu"] / found["iterations"] for found in chains])
        report.goals.append(
            Goal(f"p of CPU seconds of an iteration ~ elements^p, {label}", growth, GROWTH, timed=True)
        )
        most = max(found["kilobytes"] for found in chains)
        report.goals.append(Goal(f"kB for an element of the chain, {label}", most, MEMORY))
        one, two = (runs["chain", THREADED, kept, threads] for threads in (1, 2))
        report.goals.append(
            Goal(
                f"seconds on two threads over one, chain, {label}",
                two["wall"] / one["wall"],
                TWO_THREADS,
                timed=True,
            )
        )
    return report


def _keys(quick: bool) -> Iterator[tuple[str, int, bool, int]]:
    for kept in (False, True):
        for size in QUICK_CHAINS if quick else CHAINS:
            yield "chain", size, kept, 1
        yield "chain", QUICK_CHAINS[0] if quick else THREADED, kept, 2
    for cells in QUICK_LATTICES if quick else LATTICES:
        yield "lattice", cells, False, 1


def _alone(kind: str, size: int, kept: bool, threads: int) -> dict[str, Any]:
    command = [sys.executable, "-m", "benchmarks.costs.large", kind, str(size), str(int(kept)), str(threads)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=True)
    return json.loads(done.stdout.splitlines()[-1])


def _row(key: tuple[str, int, bool, int], found: dict[str, Any]) -> tuple[str | float | int, ...]:
    kind, _, kept, threads = key
    return (
        kind, found["elements"], "kept" if kept else "anew", threads, found["unknowns"], found["solver"],
        found["iterations"], found["kilobytes"], found["set-up"], found["cpu"], found["wall"], found["busiest"],
    )  # fmt: skip


def _resident() -> float:
    """Resident memory, bytes."""
    return float(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize()


def _peak() -> float:
    """Peak memory, bytes."""
    # not of getrusage, whose maximum a process inherits from the one that has started it
    status = Path("/proc/self/status").read_text()
    return 1024.0 * float(next(line.split()[1] for line in status.splitlines() if line.startswith("VmHWM:")))


if __name__ == "__main__":
    print(json.dumps(measure(sys.argv[1], int(sys.argv[2]), sys.argv[3] == "1", int(sys.argv[4]))))
