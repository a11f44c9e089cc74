"""Tests of the messages for packages that PETSc does not have and for insufficient memory."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from fem_mbd import InputError
from fem_mbd.core.linear_solvers import linear_solver
from fem_mbd.core.linear_solvers.linear_solver import LinearSolver
from fem_mbd.core.linear_solvers.petsc import petsc

ROOT = Path(__file__).resolve().parents[3]
RUN = """
import resource, sys
from fem_mbd import NewtonOptions, Simulation, StepControl, FemMbdError
from fem_mbd.cases.lattice import build_model
from fem_mbd.cases.lattice import Parameters
next(Simulation(build_model(Parameters(cells=4))[0], 1e-3, StepControl.fixed(1e-3)).steps())
model = build_model(Parameters(cells=30, order=2))[0]
sim = Simulation(model, 1e-3, StepControl.fixed(1e-3), newton=NewtonOptions(linear_solver=sys.argv[1]))
if len(sys.argv) > 2:
    used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (used + int(sys.argv[2]),) * 2)
try:
    next(sim.steps())
except FemMbdError as error:
    sys.exit(f"{type(error).__name__}: {error}")
"""


def error_output(*arguments: str, options: str = "") -> str:
    """Last line of the error output of a process that makes one step of a lattice.

    arguments : linear solver, and memory (bytes) that may be allocated in the step; options : of PETSc
    """
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PETSC_OPTIONS": options}
    done = subprocess.run(
        [sys.executable, "-c", RUN, *arguments], capture_output=True, text=True, env=environment, check=False
    )
    return done.stderr.strip().splitlines()[-1] if done.stderr.strip() else ""


@pytest.mark.skipif(sys.platform != "linux", reason="limits of memory as Linux has them")
@pytest.mark.parametrize(
    ("solver", "more", "words"),
    [
        ("mumps", 40_000_000, r"needs, about [1-9]\d+ MB \(INFOG\(1\) = -13\)"),
        ("lu", 40_000_000, r"factors of the matrix, which takes [1-9]\.\d* MB itself"),
    ],
)
def test_insufficient_memory_is_reported_with_the_amount(solver: str, more: int, words: str) -> None:
    assert not error_output(solver)  # with enough memory; this compiles all kernels too
    text = error_output(solver, str(more))
    assert text.startswith("SolverFailure: ")
    assert re.search(words, text), text


@pytest.mark.parametrize(
    "option", ["pc_factor_mat_solver_type nonesuch", "ksp_type nonesuch", "pc_type nonesuch"]
)
def test_options_for_missing_packages_list_the_available_ones(option: str) -> None:
    text = error_output("lu", options=f"-fem_mbd_{option}")
    assert "InputError: a PETSc option" in text and "nonesuch" in text
    assert f"its packages for LU are {', '.join(linear_solver.lu_packages())}" in text


def test_packages_are_those_that_petsc_factorises_with() -> None:
    P = petsc()
    matrix = P.Mat().createAIJ((2, 2), nnz=2, comm=P.COMM_SELF)
    matrix[0, 0] = matrix[1, 1] = 2.0
    matrix[0, 1] = matrix[1, 0] = 1.0
    matrix.assemble()
    right, solution = matrix.createVecs()
    for name in linear_solver.lu_packages():
        if name == "superlu_dist":
            continue  # ends the process when it is created and destroyed
        right.array = [3.0, 3.0]
        pc = P.PC().create(P.COMM_SELF)
        pc.setOperators(matrix)
        pc.setType("lu")
        pc.setFactorSolverType(name)
        pc.setUp()
        pc.apply(right, solution)
        assert solution.array == pytest.approx([1.0, 1.0])


def test_mumps_where_petsc_lacks_it_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (linear_solver, linear_solver):
        monkeypatch.setattr(module, "has_package", lambda name: name == "suitesparse")
    with pytest.raises(
        InputError, match="compiled without; its packages for LU are petsc, klu, umfpack: give 'auto'"
    ):
        LinearSolver("mumps", 100, 1e3)
