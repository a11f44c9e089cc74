"""What every call of a step costs: microseconds of the kernels in the lists that a compiled step makes.

    python -m benchmarks.call_cost "crank mechanism, case 2" "turbine blades"

The models are those of `benchmarks.step_cost`, some hundred steps on. Each call is made alone, again and again, in a
step that has been solved. The smallest of many repetitions counts, as the rest is other work of the machine.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from itertools import islice
from time import perf_counter

from benchmarks.step_cost import MODELS
from fem_mbd.core.compiled.calls import Call, CallList, Task

STEPS = 200  # before the clock runs
REPETITIONS, SPAN = 60, 8e-4  # and seconds of one: shorter than the turns that the system gives to processes
PHASES = ("begin", "residual", "residual_after_tangent", "tangent", "ledger", "accept")
WORTH = 0.05  # us, of a call that is shown


def microseconds(call: Callable[[], None]) -> float:
    """Of one call."""
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
    """Microseconds and name of every call, by phase, dearest first."""
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
