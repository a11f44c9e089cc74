"""Run after run in one process, as sweeps and fits make them: what a run leaves behind."""

from __future__ import annotations

import gc
import resource
from dataclasses import replace
from pathlib import Path

import fem_mbd as fm
from fem_mbd import run
from fem_mbd.cases import load_case
from fem_mbd.elements import Beam, Material, Section
from fem_mbd.joints import Clamp


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


def _resident() -> float:
    """MB that this process has in memory."""
    return int(Path("/proc/self/statm").read_text("utf-8").split()[1]) * resource.getpagesize() / 1e6


def test_runs_leave_no_memory_behind() -> None:
    """Matrices, factors and vectors of PETSc go with their run: they stayed, 11 MB of each with 400 elements."""

    def once() -> None:
        model = fm.Model(gravity=(0, 0, -9.81))
        steel = Material(young=2e11, poisson=0.3, density=7800)
        beam = model.add(Beam(Section.circle(0.01, material=steel), (0, 0, 0), (1, 0, 0), elements=100))
        model.add(Clamp(model.ground, beam.start))
        fm.simulate(model, 2e-4, fm.StepControl.fixed(1e-4), progress=False)

    for _ in range(10):
        once()
    before = _resident()
    for _ in range(20):
        once()
    assert _resident() - before < 20 * 0.2
