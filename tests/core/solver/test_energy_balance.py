"""Tests of the energy balance: runs whose energies are at round-off, residuals that are too large, restarts."""

import numpy as np
import pytest

from fem_mbd import Model, NewtonOptions, Simulation, StepControl, simulate
from fem_mbd.core.newton.equations import NewtonResult
from fem_mbd.core.scheme.ledger import LEDGER
from fem_mbd.core.solver.energy_balance import EnergyBalance
from fem_mbd.elements import Beam, Material, RigidBody, Section
from fem_mbd.joints import Revolute, Spherical
from fem_mbd.runs.results.summary import summarise


@pytest.mark.parametrize("at", [(0.0, 0.0, 0.0), (0.3, 0.2, 0.1)])
def test_a_machine_at_rest_has_no_relative_energy_error(at: tuple[float, float, float]) -> None:
    """Energies of 1e-24 J are the round-off of joints that close to 1e-17 m; a residual of this size is no error."""
    model = Model()
    body = model.add(RigidBody(1.0, (1e-2, 2e-2, 2.5e-2), (0.3, 0.1, 0.2)))
    model.add(Spherical(model.ground, body.node, at=at))
    section = Section.circle(0.01, Material(7e10, 0.3, 2700))
    beam = model.add(Beam(section, (0.3, 0.1, 0.2), (1.1, 0.7, 0.3)))
    model.add(Revolute(body.node, beam.start, axis=(0.3, 0.4, 0.5)))
    energy = simulate(model, 0.05, StepControl.fixed(1e-3)).summary["energy"]
    assert energy["scale"] < 1e-20
    assert energy["relative"] < 1e-11
    # the residual attributed to round-off is far below any measurable energy
    assert energy["round_off"] < 1e-15


def test_energy_loss_of_a_tiny_machine_is_detected() -> None:
    """A body of 1e-9 J that loses a millionth of it: round-off accounts for 1e-5 of that."""
    model = Model()
    body = model.add(RigidBody(1e-9, (1e-15, 2e-15, 2.5e-15), (0, 0, 0)))
    model.set_velocity(body.node, (1.0, 0.5, 0.2), (1, 2, 3))
    result = simulate(model, 0.05, StepControl.fixed(1e-3))
    assert result.summary["energy"]["relative"] < 1e-12
    result.energy["residual"][3] += 1e-15
    assert summarise(result)["energy"]["relative"] > 1e-7


def test_a_step_with_a_large_energy_residual_is_solved_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """A solver that returns a wrong iterate: the step is solved with fresh factorisations, then halved."""
    model = Model()
    body = model.add(RigidBody(1.0, (1e-2, 2e-2, 2.5e-2), (0, 0, 0)))
    model.set_velocity(body.node, (1.0, 0.5, 0.2), (1, 2, 3))
    sim = Simulation(model, 1e-1, StepControl.fixed(1e-2), newton=NewtonOptions(compiled=False))
    steps = sim.steps()
    next(steps)
    solve, tried = sim.solver.solve, []

    def inaccurate(predictor: np.ndarray, dt: float, keep: bool = True) -> NewtonResult:
        outcome = solve(predictor, dt, keep)
        tried.append((dt, keep))
        if keep or dt > 6e-3:
            sim.scheme.residual(1.001 * sim.solver.y, np.empty_like(predictor))
        outcome.factorisations = 0 if keep else outcome.iterations
        return outcome

    monkeypatch.setattr(sim.solver, "solve", inaccurate)
    record = next(steps)
    assert tried == [(1e-2, True), (1e-2, False), (5e-3, True), (5e-3, False)]
    assert abs(record.energy[LEDGER.index("residual")]) < 1e-12 * sim.energy_scale
    assert record.rejections == 1


def test_energy_balance_survives_a_restart() -> None:
    one, other = EnergyBalance(0.5), EnergyBalance(0.0)
    one.add(np.arange(len(LEDGER), dtype=float))
    other.restore(one.state())
    assert other.state() == one.state() and other.scale == one.scale > 0.5
