"""Tests without PETSc, not installed or switched off: numbers of runs with PETSc, SuperLU, options that need PETSc."""

import gc
import itertools
import json
import logging
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fem_mbd import InputError, MissingDependency, Model, NewtonOptions, Simulation, StepControl
from fem_mbd.applications.cli.main import main
from fem_mbd.applications.cli.reports import BAD_INPUT
from fem_mbd.base.arrays import Array
from fem_mbd.core.linear_solvers import petsc
from fem_mbd.core.linear_solvers.superlu import NullPivots, SuperLU
from fem_mbd.elements import RigidBody
from fem_mbd.joints import Spherical
from tests.core.linear_solvers import petsc_free_program
from tests.core.linear_solvers.test_block_lu import Failing, chain, entries, ring
from tests.core.linear_solvers.test_linear_solver import run, solve_linear
from tests.core.newton.test_newton import solve_scalar

ROOT = Path(__file__).resolve().parents[3]
PROGRAM = str(Path(petsc_free_program.__file__))


@pytest.fixture
def off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(petsc.SWITCH, "off")


def found(folder: Path, *words: str, **environment: str) -> dict[str, Array]:
    """Results of the program, run in a separate process."""
    file = folder / "found.npz"
    inherited = {name: value for name, value in os.environ.items() if name != petsc.SWITCH}
    done = subprocess.run(
        [sys.executable, PROGRAM, str(file), *words],
        env={**inherited, "PYTHONPATH": str(ROOT), **environment},
        capture_output=True,
        text=True,
        check=False,
        timeout=600,
    )
    assert done.returncode == 0, done.stderr
    with np.load(file) as arrays:
        return dict(arrays)


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Array]:
    with_petsc = found(tmp_path_factory.mktemp("petsc"), FEM_MBD_PETSC="on")
    assert with_petsc.pop("petsc")
    return with_petsc


@pytest.mark.slow
@pytest.mark.parametrize("way", ["off", "blocked"])
def test_states_are_those_with_petsc(way: str, tmp_path: Path, expected: dict[str, Array]) -> None:
    """The program checks energy balances and joints too."""
    ours = found(tmp_path, "blocked") if way == "blocked" else found(tmp_path, FEM_MBD_PETSC="off")
    assert not ours.pop("petsc")
    assert set(ours) == set(expected)
    for name, array in expected.items():
        # the absolute part is for quantities without motion
        allowed = 1e-9 * float(np.abs(array).max()) + 1e-16
        np.testing.assert_allclose(ours[name], array, rtol=0.0, atol=allowed, err_msg=name)
    np.testing.assert_array_equal(ours["whole"], ours["resumed"])


# -- choice of the factorisation ---------------------------------------------------------------------------------


@pytest.mark.usefixtures("off")
@pytest.mark.parametrize(
    ("model", "dense", "in_place"), [(chain, 0, True), (ring, 1e9, True), (ring, 0, False)]
)
def test_auto_factorises_in_place_where_there_is_little_fill(
    model: Any, dense: float, in_place: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    entries(ring(), monkeypatch, dense)  # sets the limit
    assert Simulation(model(), 1e-3, StepControl.fixed(1e-3)).solver.linear.in_place is in_place


def test_option_scipy_does_not_use_an_installed_petsc(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fem_mbd.core.newton.petsc_backend.petsc", pytest.fail)
    sim = Simulation(chain(), 3e-3, StepControl.fixed(1e-3), newton=NewtonOptions(linear_solver="scipy"))
    assert len(list(sim.steps())) == 3
    assert not sim.solver.linear.in_place


@pytest.mark.usefixtures("off")
def test_after_a_zero_pivot_in_place_superlu_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fem_mbd.core.newton.newton_solver.BlockLU", Failing)
    sim = Simulation(chain(), 3e-3, StepControl.fixed(1e-3))
    assert sim.solver.linear.in_place
    assert [record.rejections for record in sim.steps()] == [0, 0, 0]
    assert not sim.solver.linear.in_place


@pytest.mark.out_of_range("change of the distance from a singular position")
def test_redundant_constraints_pass_a_singular_position() -> None:
    """Energy balances of a row of four-bar linkages, for which LU without pivoting fails."""
    assert run("scipy", 0.8).counters["rejected"] == 0


@pytest.mark.parametrize(
    "matrix", [[[0.0, 1.0], [1.0, 0.0]], [[1.0, 2.0, 1.0], [2.0, 4.0, 0.0], [1.0, 0.0, 0.0]]]
)
def test_zero_pivots_are_avoided(matrix: list[list[float]]) -> None:
    assert solve_linear(np.array(matrix), "scipy") == (True, "")


def superlu(matrix: Array, work: float = 0.0) -> SuperLU:
    """SuperLU of a full matrix."""
    size = len(matrix)
    indptr = np.arange(0, size * size + 1, size, dtype=np.int32)
    return SuperLU(indptr, np.tile(np.arange(size, dtype=np.int32), size), matrix.ravel(), work)


def solution(lu: SuperLU, right: Array) -> Array:
    y = np.zeros(len(right))
    for task in [*lu.factorise(), *lu.solve(right, y)]:
        if lu.failed[0] == 0:
            task()
    return y


@pytest.mark.parametrize("off", [0.0, 1e-16])
def test_an_unknown_without_a_pivot_is_set_to_zero(off: float) -> None:
    """Two equal equations: one of their two unknowns is determined, as by MUMPS."""
    matrix = np.array([[2.0, 1.0, 1.0], [1.0, 3.0, 3.0], [1.0, 3.0, 3.0 + off]])
    lu = superlu(matrix)
    y = solution(lu, np.array([4.0, 7.0, 7.0]))
    assert lu.failed[0] == 0
    assert np.sort(np.abs(y)) == pytest.approx([0.0, 1.0, 2.0], abs=1e-12) and y[0] == pytest.approx(1.0)


@pytest.mark.parametrize("place", [(-1.0, 0.0, 0.0), (-0.6, 0.64, 0.48)])
def test_a_point_mass_on_an_arm_swings(place: tuple[float, float, float]) -> None:
    """Its spin about the arm is undetermined, exactly or up to round-off."""
    states = []
    for solver in ("scipy", "auto"):
        model = Model(gravity=(0, -9.81, 0))
        bob = model.add(RigidBody(1.0, (0, 0, 0), position=place))
        model.add(Spherical(model.ground, bob.node, at=(0, 0, 0)))
        sim = Simulation(model, 0.2, StepControl.fixed(1e-3), newton=NewtonOptions(linear_solver=solver))
        for record in sim.steps():
            assert abs(record.energy[-1]) < 1e-12 * sim.energy_scale
        states.append(np.concatenate([sim.state.u[1], sim.state.v[1]]))
    np.testing.assert_allclose(states[0], states[1], rtol=0.0, atol=1e-9)


def test_factors_that_are_not_finite_have_failed() -> None:
    lu = superlu(np.array([[1.0, np.nan], [0.0, 1.0]]))
    solution(lu, np.ones(2))
    assert lu.failed[0] == 1


def test_a_failed_factorisation_is_reported_as_a_singular_tangent(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(_: NullPivots) -> None:
        raise RuntimeError("Factor is exactly singular")

    monkeypatch.setattr(NullPivots, "factors", fail)
    converged, reason = solve_linear(np.eye(2), "scipy")
    assert not converged and reason == "the linear solver failed: the tangent is singular"


def test_factors_are_freed_when_a_run_ends() -> None:
    gc.disable()
    try:
        sim = Simulation(ring(), 1e-3, StepControl.fixed(1e-3), newton=NewtonOptions(linear_solver="scipy"))
        list(sim.steps())
        assert sim.solver.compiled is not None
        lu = sim.solver.compiled._lu
        assert isinstance(lu, SuperLU) and lu.factors is not None
        del sim
        assert lu.factors is None
    finally:
        gc.enable()


@pytest.mark.parametrize("work", [0.0, 1e9])
def test_factors_solve_a_saddle_point_in_either_order(work: float) -> None:
    """Equations of 60 unknowns with 20 multipliers, whose diagonal is zero."""
    rng = np.random.default_rng(3)
    stiffness, constraints = np.diag(10.0 ** rng.uniform(-3, 9, 60)), rng.normal(size=(20, 60))
    matrix = np.block([[stiffness, constraints.T], [constraints, np.zeros((20, 20))]])
    lu, right = superlu(matrix, work), matrix @ rng.normal(size=len(matrix))
    y = solution(lu, right)
    assert lu.failed[0] == 0
    assert np.abs(matrix @ y - right).max() < 1e-12 * (np.abs(matrix) @ np.abs(y)).max()


# -- Newton -------------------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("off")
@pytest.mark.parametrize("compiled", [True, False])
def test_newton_is_the_compiled_iteration_whatever_is_asked_for(compiled: bool) -> None:
    result, y = solve_scalar(1.0, NewtonOptions(reuse=False, compiled=compiled))
    assert result.converged and y == pytest.approx(2.0, rel=1e-12)
    assert result.iterations <= 7
    uphill, _ = solve_scalar(-1.0, NewtonOptions(compiled=compiled))
    assert not uphill.converged and "line search found no smaller residual" in uphill.reason


@pytest.mark.usefixtures("off")
def test_iterations_are_logged_without_petsc(caplog: pytest.LogCaptureFixture) -> None:
    """Of steps of a run, some of which are logged: the iterates are the same."""

    def steps(logged: set[int]) -> tuple[Array, int]:
        sim = Simulation(
            ring(), 1.0, StepControl.fixed(1e-3), newton=NewtonOptions(linear_solver="scipy", reuse=True)
        )
        for k, _ in enumerate(itertools.islice(sim.steps(), 8)):
            caplog.set_level(logging.DEBUG if k + 1 in logged else logging.INFO, logger="fem_mbd.newton")
        return sim.state.to_flat(), int(sim.counters["newton_iterations"])

    mixed, iterations = steps({2, 3, 6})
    lines = [one.getMessage() for one in caplog.records if one.name == "fem_mbd.newton"]
    assert 3 <= sum(line.startswith("iteration") for line in lines) < iterations
    assert sum(line.startswith("dt 0.001 s") for line in lines) == 3
    np.testing.assert_array_equal(mixed, steps(set())[0])


# -- options that need PETSc -------------------------------------------------------------------------------------


@pytest.mark.usefixtures("off")
@pytest.mark.parametrize("solver", ["lu", "mumps", "options"])
def test_solvers_of_petsc_are_refused(solver: str) -> None:
    with pytest.raises(InputError, match=f"linear_solver is '{solver}'.*FEM_MBD_PETSC=off"):
        Simulation(chain(), 1e-3, StepControl.fixed(1e-3), newton=NewtonOptions(linear_solver=solver))


@pytest.mark.usefixtures("off")
def test_petsc_options_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PETSC_OPTIONS", "-malloc_debug 0")
    assert main(["run", "pendulum", "--out", "out", "-fem_mbd_ksp_type", "gmres"]) == BAD_INPUT
    assert "PETSc option -fem_mbd_ksp_type is given" in capsys.readouterr().err
    assert not Path("out").exists()


def test_the_environment_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    assert petsc.has_petsc()
    monkeypatch.setitem(sys.modules, "petsc4py", None)
    assert not petsc.has_petsc()
    monkeypatch.setenv(petsc.SWITCH, "on")
    monkeypatch.setattr("fem_mbd.core.newton.petsc_backend.petsc", petsc.petsc.__wrapped__)
    model = Model()
    model.add(RigidBody(1.0, (1, 1, 1), (0, 0, 0)))
    with pytest.raises(MissingDependency, match=r"(?s)python3-petsc4py.*conda install"):
        Simulation(model, 1e-3, StepControl.fixed(1e-3))
    monkeypatch.setenv(petsc.SWITCH, "no")
    with pytest.raises(InputError, match="FEM_MBD_PETSC is 'no': give 'on' or 'off'"):
        Simulation(model, 1e-3, StepControl.fixed(1e-3))


@pytest.mark.usefixtures("off")
def test_the_doctor_reports_the_solvers_used(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["doctor", "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["petsc"] is None and not [p for p in report["problems"] if "petsc" in p.lower()]
    assert main(["doctor"]) == 0
    said = capsys.readouterr().out
    assert "FEM_MBD_PETSC=off" in said and "SuperLU" in said and "PETSc would add" in said
