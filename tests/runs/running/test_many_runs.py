"""Tests of many runs in one process, as in sweeps and fits: memory and garbage left behind."""

import gc
import resource
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

import fem_mbd as fm
from fem_mbd import run
from fem_mbd.cases import load_case
from fem_mbd.elements import Beam, Material, RigidBody, RotationalSpringDamper, Section
from fem_mbd.joints import Clamp, Revolute


def test_a_run_leaves_nothing_to_the_garbage_collector() -> None:
    """Reference cycles would keep all arrays of a run until garbage collection, and cause it earlier."""
    case = load_case("pendulum")
    parameters = replace(case.parameters(), end_time=0.05)
    assert run(case.build(parameters), progress=False).status == "complete"  # fills the caches of the process
    gc.disable()
    gc.freeze()  # what other tests hold is not looked at
    left = []
    try:
        for _ in range(3):  # other threads of the process may leave garbage, but not in every run
            gc.collect()
            run(case.build(parameters), progress=False)
            left.append(gc.collect())
    finally:
        gc.unfreeze()
        gc.enable()
    assert min(left) == 0, left


def _resident() -> float:
    """MB resident in memory of this process."""
    return int(Path("/proc/self/statm").read_text("utf-8").split()[1]) * resource.getpagesize() / 1e6


def beam(solver: str) -> None:
    model = fm.Model(gravity=(0, 0, -9.81))
    steel = Material(young=2e11, poisson=0.3, density=7800)
    beam = model.add(Beam(Section.circle(0.01, material=steel), (0, 0, 0), (1, 0, 0), elements=400))
    model.add(Clamp(model.ground, beam.start))
    options = fm.NewtonOptions(linear_solver=solver)
    fm.simulate(model, 2e-4, fm.StepControl.fixed(1e-4), newton=options, progress=False)


def hinge(solver: str) -> None:
    model = fm.Model()
    body = model.add(RigidBody(1.0, (0.02, 0.02, 0.02), position=(0, 0, 0)))
    model.add(Revolute(model.ground, body.node, at=(0, 0, 0), axis=(0, 0, 1)))
    model.add(RotationalSpringDamper(model.ground, body.node, (0, 0, 1), 5.0, angle=-0.5))
    options = fm.NewtonOptions(linear_solver=solver)
    fm.simulate(model, 4e-3, fm.StepControl.fixed(2e-3), newton=options, progress=False)


@pytest.mark.parametrize(
    ("once", "solver", "runs", "most"),
    [(beam, "block", 30, 0.6), (beam, "lu", 30, 0.6), (hinge, "block", 300, 15.0), (hinge, "lu", 300, 15.0)],
)
def test_runs_leave_no_memory_behind(
    once: Callable[[str], None], solver: str, runs: int, most: float
) -> None:
    """Matrices, factors and vectors of PETSc are freed with their run: they used to remain, 21 MB per run with 400
    elements.

    Small runs fill gaps in the heap: 16 MB in 2,000 runs, of which 0.2 in the last 400.
    """
    grown = []
    for _ in range(4):  # a leak occurs each time, while gaps in the heap left by other tests are filled once
        before = _resident()
        for _ in range(runs):
            once(solver)
        grown.append(_resident() - before)
        if grown[-1] < most:
            return
    pytest.fail(f"{grown} MB in {runs} runs each")
