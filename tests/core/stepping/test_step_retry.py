"""Tests of repeated attempts at failing steps: longer steps after halving, giving up, energies that are not finite."""

from dataclasses import replace

import numpy as np
import pytest

from fem_mbd import InputError, Model, Simulation, SolverFailure, StepControl
from fem_mbd.base.arrays import Array
from fem_mbd.core.newton.equations import NewtonResult
from fem_mbd.core.solver.readable_steps import HALVINGS, MAX_FAILURES, Retries
from fem_mbd.elements import RigidBody
from tests.core.scheme_tools import simulation
from tests.validation.test_n_four_bar import linkages


def body(speed: float = 1.0) -> Model:
    model = Model()
    handle = model.add(RigidBody(1.0, (1.0, 1.0, 1.0), position=(0, 0, 0)))
    model.set_velocity(handle.node, (speed, 0, 0))
    return model


def fail_where(sim: Simulation, condition: object) -> list[float]:
    """Make attempts fail whose end (s) meets the condition; returns a list that collects the end of each attempt.

    Called before the first step; the steps are made in Python then.
    """
    ends: list[float] = []
    sim.solver.options = replace(sim.solver.options, compiled=False)
    solve = sim.solver.solve

    def failing(predictor: Array, dt: float, keep: bool = True) -> NewtonResult:
        ends.append(sim.scheme.workspace.t_f)
        if condition(ends[-1]):  # type: ignore[operator]
            return NewtonResult(False, 1, 1, "made to fail")
        return solve(predictor, dt, keep)

    sim.solver.solve = failing  # type: ignore[method-assign]
    return ends


def test_a_longer_step_passes_an_instant_at_which_no_step_can_end() -> None:
    """A step of 0.1 s and all shorter ones fail, one of 0.125 s does not."""
    sim = simulation(body(), 0.1, 1.0)
    ends = fail_where(sim, lambda t: t < 0.11)
    record = next(sim.steps())
    assert record.time == pytest.approx(0.125)
    assert record.rejections == HALVINGS + 1 == len(ends) - 1


def test_the_run_gives_up_with_a_reason() -> None:
    """A step of 10 s, of which only fractions below a ten-thousandth can be solved."""
    sim = simulation(body(), 10.0, 100.0)
    ends = fail_where(sim, lambda t: t - sim.state.time > 1e-3)
    with pytest.raises(SolverFailure, match=r"attempts have failed since t = 0 s, where a step of 10 s"):
        list(sim.steps())
    assert len(ends) < 10 * MAX_FAILURES


def test_failures_far_apart_do_not_end_the_run() -> None:
    retries = Retries()
    for k in range(10 * MAX_FAILURES):
        retries.step_failed(2.0 * k, 1.0)
        retries.steps_accepted()
    assert retries.reason_to_give_up == ""


def test_record_of_failures_survives_a_restart() -> None:
    one, other = Retries(), Retries()
    one.step_failed(1.0, 0.5)
    other.restore(one.state())
    assert other.state() == one.state()


def test_energy_that_is_not_finite_is_refused_at_the_start() -> None:
    with pytest.raises(InputError, match="energy at the start is not finite"):
        simulation(body(1e300), 0.01)


def test_energy_that_is_not_finite_ends_the_run(monkeypatch: pytest.MonkeyPatch) -> None:
    sim = simulation(body(), 0.01)
    ledger = sim.scheme.ledger
    monkeypatch.setattr(sim.scheme, "ledger", lambda: np.where(np.arange(len(ledger())) == 0, np.inf, 0.0))
    with pytest.raises(SolverFailure, match="energies of the step are not finite"):
        list(sim.steps())


@pytest.mark.out_of_range("change of the distance from a singular position")
@pytest.mark.parametrize(
    ("redundant", "dt", "end"), [(True, 0.0023768, 1.0), (True, 0.00139551, 10.0), (False, 3.498e-4, 2.7)]
)
def test_singular_positions_at_awkward_steps(redundant: bool, dt: float, end: float) -> None:
    """Steps that end next to a position in which all bars of two four-bar linkages are in line."""
    sim = Simulation(linkages(2, redundant)[0], end, StepControl.fixed(dt))
    worst = max(abs(record.energy[-1]) for record in sim.steps())
    assert worst < 1e-11 * sim.energy_scale


@pytest.mark.study
@pytest.mark.parametrize("dt", np.geomspace(1e-4, 2e-2, 200).tolist())
def test_no_step_size_stops_at_a_singular_position(dt: float) -> None:
    """The energy residual is at most what reactions of 1e6 N cause there by the round-off of positions."""
    sim = Simulation(linkages(2, True)[0], 10.0, StepControl.fixed(dt))
    steps = [(abs(record.energy[-1]), record.round_off) for record in sim.steps()]
    assert all(residual < max(1e-11 * sim.energy_scale, round_off) for residual, round_off in steps)
