"""The compiled iteration beside PETSc's SNES: the same steps and states, and who serves when."""

from __future__ import annotations

import itertools
import logging
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import fem_mbd as fm
from fem_mbd.cases import case_names, load_case
from fem_mbd.elements import Beam, Force, Section
from fem_mbd.solver import compiled_newton
from fem_mbd.solver.petsc import petsc
from fem_mbd.solver.simulation import Simulation

STEPS = 40


def both_ways(build: Any, steps: int = STEPS) -> list[tuple[Simulation, list[Any]]]:
    """Simulations and the statistics of their first steps: compiled, and with SNES."""
    made = []
    for compiled in (True, False):
        sim: Simulation = build()
        sim.solver.options = replace(sim.solver.options, compiled=compiled)
        rows = [
            (r.time, r.rule, r.newton_iterations, r.factorisations, r.rejections)
            for r in itertools.islice(sim.steps(), steps)
        ]
        made.append((sim, rows))
    return made


@pytest.mark.slow
@pytest.mark.parametrize("name", case_names())
def test_every_case_goes_both_ways(name: str) -> None:
    case = load_case(name)
    (compiled, rows), (readable, expected) = both_ways(lambda: case.build(case.parameters()))
    assert rows == expected
    here, there = compiled.state.to_flat(), readable.state.to_flat()
    np.testing.assert_allclose(here, there, rtol=1e-12, atol=1e-12 * float(np.abs(there).max()))


def cantilever(force: Any = (0.0, 0.0, 5.0), **options: Any) -> Simulation:
    """A beam with a force at its tip."""
    model = fm.Model()
    section = Section(np.diag([1e6, 1e6, 1e6, 1e3, 1e3, 1e3]), 1.0, np.diag([20.0, 10.0, 10.0]))
    beam = model.add(Beam(section, (0, 0, 0), (10, 0, 0), elements=2))
    model.fix(beam.start)
    model.add(Force(beam.end, force))
    return Simulation(model, fm.StepControl.fixed(0.05), 2.0, fm.NewtonOptions(**options))


class Served(Exception):
    """Raised in the place of the compiled iteration."""


@pytest.fixture
def trap(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever asks for the compiled iteration is told so."""

    def solve(*_: Any) -> None:
        raise Served

    monkeypatch.setattr(compiled_newton.CompiledNewton, "solve", solve)


@pytest.mark.usefixtures("trap")
class TestWhoServes:
    def test_compiled_unless_told_otherwise(self) -> None:
        with pytest.raises(Served):
            next(cantilever().steps())

    @pytest.mark.parametrize("options", [{"compiled": False}, {"linear_solver": "options"}])
    def test_snes_when_the_options_say_so(self, options: Any) -> None:
        assert next(cantilever(**options).steps()).newton_iterations > 0

    def test_snes_when_petsc_is_told_something(self) -> None:
        given = petsc().Options()
        given.setValue("-fem_mbd_ksp_type", "gmres")
        try:
            assert next(cantilever().steps()).newton_iterations > 0
        finally:
            given.delValue("-fem_mbd_ksp_type")

    def test_snes_when_iterations_are_logged(self, caplog: pytest.LogCaptureFixture) -> None:
        with caplog.at_level(logging.DEBUG, logger="fem_mbd.newton"):
            assert next(cantilever().steps()).newton_iterations > 0


@pytest.mark.parametrize("solver", ["lu", "mumps"])
@pytest.mark.parametrize("reuse", [True, False, "step"])
def test_the_same_iterates(solver: str, reuse: bool | str) -> None:
    (compiled, rows), (readable, expected) = both_ways(lambda: cantilever(linear_solver=solver, reuse=reuse))
    assert rows == expected
    np.testing.assert_array_equal(compiled.state.to_flat(), readable.state.to_flat())


def test_the_same_failure() -> None:
    """One iteration is too few: Newton needs two to know that it is done."""
    said = []
    for compiled in (True, False):
        sim = cantilever(max_iterations=1, compiled=compiled)
        with pytest.raises(fm.SolverFailure) as failure:
            list(sim.steps())
        said.append((str(failure.value), sim.counters["newton_iterations"]))
    assert said[0] == said[1]


def test_a_python_function_that_raises_in_a_run_keeps_its_traceback() -> None:
    """The load is a Python function, evaluated when a step begins."""

    def force(t: float) -> tuple[float, float, float]:
        if t > 0.5:
            raise ZeroDivisionError("no force after half a second")
        return (0.0, 0.0, 1.0)

    with pytest.raises(fm.SolverFailure, match="no force after half a second"):
        list(cantilever(force).steps())


def test_time_of_assembly_is_counted() -> None:
    sim = cantilever()
    list(sim.steps())
    assert 0.0 < sim.counters["assembly"]
    assert 0.0 < sim.counters["solve"]
