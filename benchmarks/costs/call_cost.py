"""Cost of every call in a time step: microseconds of the kernels in the call lists of a compiled step.

    python -m benchmarks.costs.call_cost "crank mechanism, case 2" "turbine blades"

The models are those of `benchmarks.costs.step_cost`, after some hundred steps. Each call is timed alone, repeatedly, in
a solved step. The smallest of many repetitions counts, as the rest is due to other load of the machine.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from itertools import islice
from time import perf_counter

from benchmarks.costs.step_cost import MODELS
from fem_mbd.core.compiled.calls import Call, CallList, Task

STEPS = 200  # steps before the timing
REPETITIONS, SPAN = 60, 8e-4  # and seconds of one: shorter than the time slices of the operating system
PHASES = ("begin", "residual", "residual_after_tangent", "tangent", "ledger", "accept")
WORTH = 0.05  # us, limit from which a call is listed


def microseconds(call: Callable[[], None]) -> float:
    """Microseconds of one call."""
    call()
    start = perf_counter()
    call()
    count = max(1, int(SPAN / max(perf_counter() - start, 2e-7)))
    best = float("inf")
    for _ in range(REPETITIONS):
        start = perf_counter()
        for _ in range(count):
            call()
        best = min(best, (perf_counter() - start) / count)
    return 1e6 * best


def name_of(task: Task) -> str:
    """Module and name of a call's kernel."""
    if isinstance(task, Call):
        return f"{task.kernel.__module__.removeprefix('fem_mbd.')}.{task.kernel.__name__}"
    return str(getattr(task, "__qualname__", task))


def costs(name: str) -> dict[str, list[tuple[float, str]]]:
    """Microseconds and name of every call, by phase, most expensive first."""
    sim = MODELS[name]()
    for record in islice(sim.steps(), STEPS):
        dt = record.dt
    sim.solver.solve(sim.scheme.begin(sim.state.time + dt), dt, keep=True)
    nothing = microseconds(CallList([]))
    return {
        phase: sorted(
            (
                (microseconds(CallList([task])) - nothing, name_of(task))
                for task in getattr(sim.scheme.calls, phase)
            ),
            reverse=True,
        )
        for phase in PHASES
    }


def main(models: list[str]) -> None:
    """Print a table for each model."""
    for name in models or ["crank mechanism, case 2"]:
        print(name)
        for phase, calls in costs(name).items():
            print(f"  {phase}: {sum(us for us, _ in calls):.1f} us")
            for us, kernel in calls:
                if us > WORTH:
                    print(f"    {us:8.2f}  {kernel}")


if __name__ == "__main__":
    main(sys.argv[1:])
