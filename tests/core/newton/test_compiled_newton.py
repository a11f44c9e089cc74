"""Tests of the compiled Newton iteration against PETSc's SNES: same steps and states, and when each is used."""

import itertools
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import fem_mbd as fm
from fem_mbd import Result, Simulation
from fem_mbd.cases import case_names, load_case
from fem_mbd.core.linear_solvers.petsc import petsc
from fem_mbd.core.model.part_kind import PartKind
from fem_mbd.core.model.workspace import Workspace
from fem_mbd.core.newton import newton_iteration
from fem_mbd.core.newton.newton_iteration import sum_of_squares
from fem_mbd.core.newton.petsc_backend import PetscBackend
from fem_mbd.elements import Beam, Force, RigidBody, Section

STEPS = 40


def both_ways(sim: Simulation, steps: int = STEPS) -> list[tuple[Simulation, list[Any]]]:
    """A new simulation and statistics of its first steps, with the compiled iteration and with calls from Python.

    Of each step the last number is 1 when it, or one shortly before it, needed a line search.
    SNES cannot factorise in place: where the compiled iteration does so, both are run with PETSc's LU.
    """
    made = []
    solver = "lu" if sim.solver.linear.in_place else sim.solver.options.linear_solver
    for compiled in (True, False):
        options = replace(sim.solver.options, compiled=compiled, linear_solver=solver)
        anew = Simulation(sim.system.model, sim.end_time, sim.control, newton=options, initial=sim.state)
        rows = [
            (
                r.time,
                r.rule,
                r.newton_iterations,
                r.factorisations,
                r.rejections,
                *r.energy,
                int(anew.solver.cautious[0] > 0),
            )
            for r in itertools.islice(anew.steps(), steps)
        ]
        made.append((anew, rows))
    return made


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::fem_mbd.errors.FemMbdWarning")  # of laws and rules of the cases
@pytest.mark.parametrize("name", [name for name in case_names() if name != "xml_model"])  # which needs a file
def test_every_case_is_the_same_compiled_and_from_python(name: str) -> None:
    case = load_case(name)
    sim = case.build(case.parameters())
    assert isinstance(sim, Simulation)
    (compiled, rows), (readable, expected) = both_ways(sim)
    # bit for bit up to a step that full updates do not solve: line searches sum norms in another order
    same = next((k for k, row in enumerate(expected) if row[-1]), len(expected))
    assert rows[:same] == expected[:same]
    for row, other in zip(rows[same:], expected[same:], strict=True):
        assert row[5:] == pytest.approx(other[5:], rel=1e-8, abs=1e-9 * max(np.abs(other[5:])))
    here, there = compiled.state.to_flat(), readable.state.to_flat()
    # behind a line search each step ends within Newton's tolerance of its motion
    apart = 1e-12 if same == len(expected) else STEPS * sim.solver.options.tolerance
    np.testing.assert_allclose(here, there, rtol=1e-12, atol=apart * float(np.abs(there).max()))


def cantilever(force: Any = (0.0, 0.0, 5.0), **options: Any) -> Simulation:
    """A beam with a force at its tip."""
    model = fm.Model()
    section = Section(np.diag([1e6, 1e6, 1e6, 1e3, 1e3, 1e3]), 1.0, np.diag([20.0, 10.0, 10.0]))
    beam = model.add(Beam(section, (0, 0, 0), (10, 0, 0), elements=2))
    model.fix(beam.start)
    model.add(Force(beam.end, force))
    return Simulation(model, 2.0, fm.StepControl.fixed(0.05), newton=fm.NewtonOptions(**options))


def test_regular_steps_create_no_snes(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[str] = []
    make = PetscBackend.make_solver

    def counted(backend: PetscBackend, callbacks: Any, line_search: str, most: int) -> Any:
        made.append(line_search)
        return make(backend, callbacks, line_search, most)

    monkeypatch.setattr(PetscBackend, "make_solver", counted)
    assert len(list(cantilever().steps())) == STEPS
    assert not made
    assert len(list(cantilever(compiled=False).steps())) == STEPS
    assert made == ["basic"]


class CompiledIterationUsed(Exception):
    """Raised instead of running the compiled iteration."""


@pytest.fixture
def trap(monkeypatch: pytest.MonkeyPatch) -> None:
    """Raise an exception when the compiled iteration is used."""

    def solve(*_: Any) -> None:
        raise CompiledIterationUsed

    monkeypatch.setattr(newton_iteration.CompiledNewton, "solve", solve)


@pytest.mark.usefixtures("trap")
class TestChoiceOfIteration:
    def test_compiled_by_default(self) -> None:
        with pytest.raises(CompiledIterationUsed):
            next(cantilever().steps())

    @pytest.mark.parametrize("options", [{"compiled": False}, {"linear_solver": "options"}])
    def test_snes_by_option(self, options: Any) -> None:
        assert next(cantilever(**options).steps()).newton_iterations > 0

    def test_snes_with_petsc_options(self) -> None:
        options = petsc().Options()
        options.setValue("-fem_mbd_ksp_type", "gmres")
        try:
            assert next(cantilever().steps()).newton_iterations > 0
        finally:
            options.delValue("-fem_mbd_ksp_type")


@pytest.mark.parametrize("solver", ["lu", "mumps"])
@pytest.mark.parametrize("reuse", [True, False, "step"])
def test_the_same_iterates(solver: str, reuse: bool | str) -> None:
    (compiled, rows), (readable, expected) = both_ways(cantilever(linear_solver=solver, reuse=reuse))
    assert rows == expected
    np.testing.assert_array_equal(compiled.state.to_flat(), readable.state.to_flat())


@pytest.mark.out_of_range("rotation within an element")
def test_attempts_that_fail_are_the_same() -> None:
    """One iteration of full updates is not enough: each step is solved by the line search, with up to three."""
    (compiled, rows), (readable, expected) = both_ways(
        cantilever((0.0, 0.0, 100.0), max_iterations=1, linear_solver="lu")
    )
    assert rows == expected
    assert compiled.counters["newton_iterations"] == readable.counters["newton_iterations"]
    assert compiled.counters["newton_iterations"] > 3 * compiled.counters["steps"]


def test_a_load_that_raises_ends_the_run_with_its_reason() -> None:
    """The load is a Python function, evaluated when a step begins."""

    def force(t: float) -> tuple[float, float, float]:
        if t > 0.5:
            raise ZeroDivisionError("no force after half a second")
        return (0.0, 0.0, 1.0)

    with pytest.raises(fm.SolverFailure, match="no force after half a second"):
        list(cantilever(force).steps())


class Fault(PartKind):
    """An element class in Python whose forces raise an error after half a second."""

    def __init__(self, specs: Any, workspace: Workspace):
        self.specs, self.nodes, self.multipliers = specs, np.array([[1]]), np.zeros(1, dtype=np.int64)

    def residual(self, workspace: Workspace) -> None:
        if workspace.t_f > 0.5:
            raise ZeroDivisionError("within an iteration")


@dataclass(frozen=True)
class Spec:
    """Specification of a `Fault`."""

    name: str = "fault"


def test_a_kind_that_raises_within_an_iteration_keeps_its_traceback_and_the_results(tmp_path: Path) -> None:
    model = fm.Model(gravity=(0.0, 0.0, -9.81))
    model.add(RigidBody(1.0, (1.0, 1.0, 1.0), position=(0.0, 0.0, 0.0)))
    model.registry.add(Fault, Spec())
    with pytest.raises(ZeroDivisionError, match="within an iteration") as raised:
        fm.simulate(model, 1.0, fm.StepControl.fixed(0.05), file=tmp_path / "run.h5")
    assert raised.traceback[-1].name == "residual"
    stored = Result.open(tmp_path / "run.h5")
    assert stored.status == "crashed" and len(stored.time) == 10


def test_time_of_assembly_is_counted() -> None:
    sim = cantilever()
    list(sim.steps())
    assert 0.0 < sim.counters["assembly"]
    assert 0.0 < sim.counters["solve"]


@pytest.mark.parametrize("wrong", [np.nan, np.inf, -np.inf])
def test_one_entry_that_is_not_finite_is_found_anywhere(wrong: float) -> None:
    for size in range(10):
        f = np.linspace(-1.0, 1.0, size)
        assert np.isfinite(sum_of_squares(f))
        for k in range(size):
            changed = f.copy()
            changed[k] = wrong
            assert not np.isfinite(sum_of_squares(changed))
