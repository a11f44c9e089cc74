"""Timing of this package: a recorded run in memory, with the outputs observed by the problem."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence

import numpy as np

from benchmarks.comparison.outcome import Outcome
from fem_mbd import Result, Simulation, StepControl, run as run_simulation
from fem_mbd.base.arrays import Array
from fem_mbd.core.stepping.step_rules import FixedStep

# Outputs at one time by name, without the axis of steps.
Outputs = Mapping[str, Array]


def fixed_steps(dt: float, times: Array) -> StepControl:
    """Step control with steps of `dt` (s) that also end at all sample `times`."""
    return StepControl(FixedStep(dt), dt_initial=dt, dt_min=1e-6 * dt, output_times=times)


def run_time_loop(
    sim: Simulation,
    parameter: float,
    times: Array,
    observe: Callable[[float, Outputs], Array],
    quantities: Sequence[str] = ("position",),
) -> tuple[Outcome, Result]:
    """Run `sim` to its end; samples are what `observe` returns, shape (d,), at the steps that end at `times` (s).

    `quantities` are the outputs recorded at every step, as the peer's sensors do. Facts: "ledger", the largest energy
    residual of a step over the energy scale; "most_iterations" of an accepted step; "rejected" attempts; "unknowns".
    """
    start = time.process_time()
    result = run_simulation(sim, progress=False, quantities=quantities)
    seconds = time.process_time() - start
    counters = sim.counters
    facts = {
        "ledger": float(np.abs(result.energy["residual"]).max()) / max(sim.energy_scale, 1e-300),
        "most_iterations": float(result.step["newton_iterations"].max()),
        "rejected": float(counters["rejected"]),
        "unknowns": float(sim.system.size),
    }
    samples = _samples(result, times, observe, quantities)
    outcome = Outcome(
        parameter, int(counters["steps"]), int(counters["newton_iterations"]), int(counters["factorisations"]),
        seconds, samples, float(sim.state.time), result.status == "complete", facts,
    )  # fmt: skip
    return outcome, result


def _samples(
    result: Result,
    times: Array,
    observe: Callable[[float, Outputs], Array],
    quantities: Sequence[str],
) -> Array:
    """Observations at the steps that end at `times`; NaN beyond the end of the run."""
    histories = {name: result.outputs[name] for name in quantities}
    dt = np.diff(result.time, prepend=result.info.start_time)
    rows = np.searchsorted(result.time + 1e-9 * dt, times)
    there = rows[rows < len(result.time)]
    found = [
        observe(result.time[row], {name: values[row] for name, values in histories.items()}) for row in there
    ]
    samples = np.full((len(times), len(found[0]) if found else 1), np.nan)
    samples[: len(found)] = found
    return samples
