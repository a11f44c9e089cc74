"""Run after run in one process, as sweeps and fits make them: what a run leaves behind."""

from __future__ import annotations

import gc
from dataclasses import replace

from fem_mbd import run
from fem_mbd.cases import load_case


def test_a_run_leaves_nothing_to_the_garbage_collector() -> None:
    """What refers to itself stays until the collector comes by, with all arrays of its run, and makes that sooner."""
    case = load_case("pendulum")
    parameters = replace(case.parameters(), end_time=0.05)
    assert run(case.build(parameters), progress=False).status == "complete"  # fills what the process keeps
    gc.disable()
    left = []
    try:
        for _ in range(3):  # other threads of the process may leave something, not in every run
            gc.collect()
            run(case.build(parameters), progress=False)
            left.append(gc.collect())
    finally:
        gc.enable()
    assert min(left) == 0, left
