"""Times this package: one loop over the steps, with nothing but the sampling inside."""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np

from benchmarks.outcome import Outcome
from fem_mbd import Simulation, SolverFailure, StepControl
from fem_mbd.arrays import Array
from fem_mbd.scheme.ledger_names import LEDGER
from fem_mbd.scheme.state import State
from fem_mbd.stepping.step_record import StepRecord
from fem_mbd.stepping.step_rules import FixedStep

RESIDUAL = LEDGER.index("residual")


def fixed_steps(dt: float, times: Array) -> StepControl:
    """Steps of `dt` (s) that also end at all sample `times`."""
    return StepControl(FixedStep(dt), dt_initial=dt, dt_min=1e-6 * dt, output_times=times)


def march(
    sim: Simulation,
    parameter: float,
    times: Array,
    observe: Callable[[State], Array],
    watch: Callable[[StepRecord, State], None] | None = None,
) -> Outcome:
    """Run `sim` to its end; samples are what `observe` returns, shape (d,), when the run passes each of `times` (s).

    `watch` is called after every step. Facts: "ledger", the largest energy residual of a step over the energy scale;
    "most_iterations" of an accepted step; "rejected", attempts thrown away; "unknowns".
    """
    samples = np.full((len(times), len(observe(sim.state))), np.nan)
    count, most, worst, complete = 0, 0, 0.0, True
    start = time.process_time()
    try:
        for record in sim.steps():
            worst = max(worst, abs(float(record.energy[RESIDUAL])))
            most = max(most, record.newton_iterations)
            if watch is not None:
                watch(record, sim.state)
            while count < len(times) and record.time >= times[count] - 1e-9 * record.dt:
                samples[count] = observe(sim.state)
                count += 1
    except SolverFailure:
        complete = False
    seconds = time.process_time() - start
    counters = sim.counters
    facts = {
        "ledger": worst / max(sim.energy_scale, 1e-300),
        "most_iterations": float(most),
        "rejected": float(counters["rejected"]),
        "unknowns": float(sim.system.size),
    }
    return Outcome(
        parameter, int(counters["steps"]), int(counters["newton_iterations"]), int(counters["factorisations"]),
        seconds, samples, float(sim.state.time), complete, facts,
    )  # fmt: skip
