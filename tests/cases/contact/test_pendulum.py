"""Tests of the pendulum case: its checks (closed-form period, energy balance), and what a start imports."""

import subprocess
import sys
from pathlib import Path

import pytest

from fem_mbd import run
from fem_mbd.cases.pendulum import CASE, Parameters, build, checks


@pytest.mark.parametrize("parameters", [Parameters(), Parameters(joint="clearance", end_time=0.1)])
def test_checks_pass_and_figures_are_drawn(tmp_path: Path, parameters: Parameters) -> None:
    result = run(build(parameters), file=tmp_path / "results.h5")
    assert result.status == "complete"
    made = checks(result, parameters)
    assert len(made) >= 2 and all(check.passed for check in made), made
    assert [path.exists() for path in CASE.plot(result, parameters, tmp_path)] == [True]


def test_a_start_imports_no_more_than_it_needs() -> None:
    """SciPy's sparse matrices and linear algebra would take a fifth of the start; numba is imported where kernels are
    compiled.
    """
    code = """
import sys
from fem_mbd.cases import load_case
case = load_case("pendulum")
next(case.build(case.parameters()).steps())
print([name for name in ("numba", "scipy.sparse", "scipy.linalg", "matplotlib") if name in sys.modules])
"""
    command = [sys.executable, "-c", code]
    subprocess.run(command, capture_output=True, check=True)  # writes the compiled kernels
    assert subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip() == "[]"
