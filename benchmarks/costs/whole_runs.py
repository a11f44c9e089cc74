"""Whole runs of one model, in this checkout or an earlier one of this project: the child process of `earlier`.

    python -P benchmarks/costs/whole_runs.py MODEL

Prints CPU seconds of a step of each run, steps and iterations, as one line of JSON. It uses what both checkouts have:
public names, cases and the benchmarks' problems, whose package was another one in earlier commits.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from importlib import import_module
from importlib.metadata import entry_points
from itertools import islice
from pathlib import Path
from resource import RUSAGE_CHILDREN, getrusage
from typing import Any

import numpy as np

import fem_mbd as fm
from fem_mbd.cases import load_case

Found = dict[str, Any]
REPEATS = 3  # whole runs timed, after one that loads or compiles what they need
CHAIN_BLOCK = {5_000: 20, 200_000: 2}  # steps of 1 ms a repeat by the number of elements
SWEEP = """\
case = "slider_crank_clearance"
[set]
revolutions = 0.5
[grid]
clearance = %s
[outputs]
peak = "max(clearance.normal_force)"
"""  # runs of about 0.05 CPU s
SWEEP_RUNS = 100
TURBINE_SECONDS, TURBINE_STEP = 20.0, 0.05  # s


def problem(name: str) -> Any:
    """The module of a benchmark problem."""
    try:
        return import_module(f"benchmarks.problems.{name}")
    except ModuleNotFoundError:
        return import_module(f"benchmarks.{name}")


def of_case(name: str, **changes: Any) -> Any:
    """A case's simulation with some parameters changed."""
    case = load_case(name)
    return case.build(replace(case.parameters(), **changes))


def flying_beam() -> Any:
    """The flying beam with steps of 0.01 s, to the end of the problem."""
    module = problem("flying_beam")
    return module.simulation(0.01, np.array([module.END]))[0]


BUILDERS: dict[str, Callable[[], Any]] = {
    "flying beam": flying_beam,
    "spin-up": lambda: problem("spin_up").simulation(0.00625)[0],
    "right-angle cantilever": lambda: problem("right_angle").simulation(0.0125)[0],
    "slider-crank with clearance": lambda: problem("slider_crank_clearance").simulation(3e-6)[0],
    "crank mechanism, case 2": lambda: of_case("crank_mechanism", case=2),
    "supercritical rotor": lambda: of_case("supercritical_rotor"),
    "turbine blades": lambda: of_case("turbine_blades"),
}


def whole_runs(build: Callable[[], Any]) -> Found:
    """CPU seconds of a step, the mean over a whole run with its record in memory, for each of the repeats."""
    seconds = []
    for _ in range(REPEATS + 1):
        simulation = build()
        start = time.process_time()
        fm.run(simulation, progress=False)
        seconds.append((time.process_time() - start) / simulation.counters["steps"])
    counters = simulation.counters
    return {
        "seconds": seconds[1:],
        "steps": int(counters["steps"]),
        "iterations": counters["newton_iterations"] / counters["steps"],
    }


def chain(elements: int, kept: bool) -> Found:
    """The same of a chain of two-node elements, without set-up and first step; one block of steps a repeat."""
    module = problem("chain")
    model, _ = module.beam_chain(elements)
    newton = fm.NewtonOptions(reuse=kept, threads=1)
    control = fm.StepControl.fixed(module.DT)
    simulation = fm.Simulation(model, end_time=1.0, control=control, newton=newton)
    stepper = simulation.steps()
    next(stepper)
    seconds: list[float] = []
    records: list[Any] = []
    for _ in range(REPEATS):
        start = time.process_time()
        block = list(islice(stepper, CHAIN_BLOCK[elements]))
        seconds.append((time.process_time() - start) / len(block))
        records += block
    iterations = sum(record.newton_iterations for record in records)
    return {"seconds": seconds, "steps": len(records), "iterations": iterations / len(records)}


def turbine() -> Found:
    """CPU seconds of a simulated second of the IEA 15 MW turbine in gravity, steps of 0.05 s, set-up excluded."""
    found = whole_runs(lambda: _turbine(TURBINE_STEP))
    seconds = [one * found["steps"] / TURBINE_SECONDS for one in found["seconds"]]
    whole, half = (fm.run(_turbine(dt), progress=False) for dt in (TURBINE_STEP, TURBINE_STEP / 2))
    rows = np.searchsorted(half.time, whole.time - 1e-9)
    apart = float(np.abs(whole.outputs["position"] - half.outputs["position"][rows]).max())
    note = (
        f"IEA 15 MW turbine: in {TURBINE_SECONDS:g} s at 7.5 rev/min no node is farther than {1e3 * apart:.3g} mm from "
        f"where it is with half the step; blades are 117 m long."
    )
    return found | {"seconds": seconds, "note": note}


def _turbine(dt: float) -> Any:
    """The turbine with steps of ``dt`` (s)."""
    return of_case("iea15mw_turbine", gravity=True, end_time=TURBINE_SECONDS, dt=dt)


def sweep() -> Found:
    """CPU seconds of a sweep of short runs by the command line, parent and worker processes."""
    (command,) = (entry.value for entry in entry_points(group="console_scripts", name="fem-mbd"))
    if not hasattr(import_module("fem_mbd"), "gradient"):
        command = "fem_mbd.cli.start:main"  # where it was when commands were entered elsewhere
    seconds = []
    for _ in range(2):  # the first one loads or compiles
        start = getrusage(RUSAGE_CHILDREN)
        with tempfile.TemporaryDirectory() as folder:
            _sweep(command, Path(folder))
        end = getrusage(RUSAGE_CHILDREN)
        seconds.append(end.ru_utime + end.ru_stime - start.ru_utime - start.ru_stime)
    return {"seconds": seconds[1:], "steps": SWEEP_RUNS, "iterations": float("nan")}


def _sweep(command: str, folder: Path) -> None:
    """One sweep in a process of its own."""
    spec = folder / "sweep.toml"
    spec.write_text(SWEEP % np.linspace(0.3e-3, 0.6e-3, SWEEP_RUNS).tolist())
    module, _, function = command.partition(":")
    code = f"import sys; from {module} import {function}; sys.exit({function}())"
    options = ["--out", str(folder / "out"), "--processes", "1", "--quiet", "--no-plot"]
    subprocess.run([sys.executable, "-P", "-c", code, "sweep", str(spec), *options], check=True)


MEASURED: dict[str, Callable[[], Found]] = {
    **{name: partial(whole_runs, build) for name, build in BUILDERS.items()},
    "chain of 5,000, kept": partial(chain, 5_000, True),
    "chain of 5,000, full Newton": partial(chain, 5_000, False),
    "chain of 200,000, kept": partial(chain, 200_000, True),
    "IEA 15 MW turbine": turbine,
    "sweep of 100 runs": sweep,
}

if __name__ == "__main__":
    print(json.dumps(MEASURED[sys.argv[1]]()))
