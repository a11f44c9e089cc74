"""Tests of the pendulum case: closed-form period, energy balance, and a real run resumed bit for bit."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from fem_mbd import Result, Simulation, resume, run
from fem_mbd.cases.pendulum import CASE, Parameters, build, checks, measured_period
from fem_mbd.core.solver.step_block import Block, Sink

CLEARANCE = Parameters(joint="clearance", end_time=0.05)


class Stopped(Exception):
    """Raised to stop a run."""


def stopped_after(sim: Simulation, steps: int) -> Simulation:
    """The same simulation, which raises `Stopped` after a number of steps, in the compiled loop as in Python."""
    make_steps = sim.hooks.make_steps

    def some(t_end: float, most: int, sink: Sink, row: int) -> Block | None:
        left = steps - sim.counters["steps"]
        if left == 0:
            raise Stopped
        return make_steps(t_end, min(most, left), sink, row)

    sim.hooks.make_steps = some  # type: ignore[method-assign]
    return sim


@pytest.mark.parametrize("parameters", [Parameters(), Parameters(joint="clearance", end_time=0.1)])
def test_checks_pass_and_figures_are_drawn(tmp_path: Path, parameters: Parameters) -> None:
    result = run(build(parameters), file=tmp_path / "results.h5")
    assert result.status == "complete"
    made = checks(result, parameters)
    assert len(made) >= 2 and all(check.passed for check in made), made
    assert [path.exists() for path in CASE.plot(result, parameters, tmp_path)] == [True]


@pytest.mark.parametrize("angle", [5.0, 120.0])
def test_period_against_the_elliptic_integral(angle: float) -> None:
    parameters = Parameters(angle=angle, end_time=2.5)
    result = run(build(parameters), quantities=("position",))
    assert measured_period(result) == pytest.approx(parameters.period, rel=5e-4)


@pytest.mark.filterwarnings("ignore::fem_mbd.runs.results.numerical_dissipation.NumericalDissipationWarning")
def test_energy_residual_at_absurd_steps() -> None:
    result = run(build(Parameters(dt=0.5, end_time=5.0)), quantities=())
    assert result.status == "complete" and result.summary["energy"]["relative"] < 1e-11


@pytest.mark.parametrize("parameters", [Parameters(end_time=0.5), CLEARANCE])
@pytest.mark.parametrize("stop", [25, 63])
def test_resumed_run_repeats_the_numbers_bit_for_bit(
    tmp_path: Path, parameters: Parameters, stop: int
) -> None:
    path = tmp_path / "results.h5"
    whole = run(build(parameters), checkpoint_every=20)
    with pytest.raises(Stopped):
        run(stopped_after(build(parameters), stop), file=path, checkpoint_every=20)
    assert Result.open(path).steps == stop < whole.steps
    resumed = resume(path, build(parameters))
    assert resumed.status == "complete" and resumed.steps == whole.steps
    for group in ("step", "energy", "outputs"):
        ours, theirs = getattr(resumed, group), getattr(whole, group)
        assert all(np.array_equal(ours[name], theirs[name]) for name in theirs), group
    before, after = whole.summary, resumed.summary
    for key in ("steps", "newton_iterations", "rejected_steps", "factorisations", "energy"):
        assert before[key] == after[key], key


def test_outputs_have_the_documented_shapes() -> None:
    sim = build(CLEARANCE)
    nodes = len(sim.system.model.nodes)
    result = run(sim)
    k = result.steps
    shapes = {name: history.shape for name, history in result.outputs.items()}
    assert shapes["position"] == (k, nodes, 3) and shapes["quaternion"] == (k, nodes, 4)
    assert shapes["section_force"] == shapes["section_strain"] == (k, 6, 6)
    assert result.contacts.shape == (k, 1) and result.contacts.dtype.names is not None
    assert np.all(np.diff(result.time) > 0) and result.time[-1] == CLEARANCE.end_time
    assert result.step["dt"].sum() == pytest.approx(CLEARANCE.end_time)


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
