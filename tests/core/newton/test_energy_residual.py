"""Tests of the second convergence test, which reduces the residual of the energy balance by further iterations."""

import numpy as np
import pytest

from fem_mbd import Model, NewtonOptions, Simulation, StepControl
from fem_mbd.base.arrays import Array
from fem_mbd.core.model.workspace import Forces
from fem_mbd.core.newton.energy_residual import MAX_EXTRA, TOLERANCE, EnergyResidualTest
from fem_mbd.core.scheme.ledger import LEDGER, ROUND_OFF, round_off
from fem_mbd.elements import Force, RigidBody, SpringDamper
from tests.core.newton.small_equations import solver_of

both = pytest.mark.parametrize("compiled", [True, False])  # the compiled iteration, and SNES
Y, DT = np.array([2.0, 1.0]), 0.5


def forces(residual: float) -> np.ndarray:
    """Equations with that energy residual, J."""
    return np.array([residual * DT**2 / Y[0], 0.0])


def test_it_continues_until_the_residual_is_small_and_stores_the_best_iterate() -> None:
    test = EnergyResidualTest(2)
    test.scale = 10.0
    test.start()
    assert not test.is_last(forces(20 * TOLERANCE), Y, DT)
    assert test.has_best and np.array_equal(test.best, Y)
    assert test.is_last(forces(9 * TOLERANCE), 2 * Y / 2, DT) and not test.has_best


def test_it_stops_where_the_residual_does_not_decrease() -> None:
    test = EnergyResidualTest(2)
    test.scale = 10.0
    test.start()
    assert not test.is_last(forces(0.9 * TOLERANCE), Y, DT, True)
    assert test.is_last(forces(0.6 * TOLERANCE), Y, DT, True)
    test.start()
    tried = [test.is_last(forces(1e-3 * 0.4**k), Y, DT) for k in range(MAX_EXTRA + 1)]
    assert tried == [False] * MAX_EXTRA + [True]


def test_a_last_iterate_with_a_larger_residual_is_not_taken() -> None:
    """Of noise that is not negligible the smallest of several iterates is taken, not the last."""
    test = EnergyResidualTest(2)
    test.scale = 10.0
    test.start()
    noise = [30, 20, 25, 40]
    tried = [test.is_last(forces(n * TOLERANCE) / k, float(k) * Y, DT) for k, n in enumerate(noise, 1)]
    assert tried == [False] * MAX_EXTRA + [True]
    assert test.has_best and np.array_equal(test.best, 2.0 * Y)
    assert test.residual == pytest.approx(20 * TOLERANCE, rel=1e-12, abs=0.0)


def test_without_a_scale_there_is_no_test() -> None:
    test = EnergyResidualTest(2)
    test.start()
    assert test.is_last(forces(1.0), Y, DT)


@pytest.mark.parametrize("tolerance", [1e-4, 1e-6])
def test_energy_balance_closes_with_a_coarse_newton_tolerance(tolerance: float) -> None:
    """A body on a stiff spring with large steps."""
    model = Model()
    body = model.add(RigidBody(1.0, (1, 1, 1), (1, 0, 0)))
    model.add(SpringDamper(model.ground, body.node, 1e6, 0.0))
    model.set_velocity(body.node, (0.5, 1, 0))
    sim = Simulation(model, 1.0, StepControl.fixed(0.02), newton=NewtonOptions(tolerance=tolerance))
    residuals = [record.energy[LEDGER.index("residual")] for record in sim.steps()]
    assert np.abs(residuals).max() < 1e-11 * sim.energy_scale


def test_without_forces_round_off_is_the_energy_of_a_spring_stretched_by_it() -> None:
    """k (eps L)^2: the tangent's diagonal is k dt^2; equations of multipliers do not count."""
    stiffness, length, dt = 2e6, 3.0, 1e-3
    nothing, found = np.zeros((1, 4, 3)), np.zeros(1)
    diagonal = np.array([stiffness * dt**2, 1e9])
    round_off(
        np.zeros((1, 2)), Forces(nothing, nothing), diagonal, np.array([0]), np.ones(1), nothing, np.zeros(3),
        length, dt, found,
    )  # fmt: skip
    assert found[0] / (stiffness * (ROUND_OFF * length) ** 2) == pytest.approx(1.0, rel=1e-14)


def test_the_first_step_from_rest_has_its_own_energies_as_scale() -> None:
    model = Model()
    body = model.add(RigidBody(1.0, (1, 1, 1), (1, 0, 0)))
    model.add(SpringDamper(model.ground, body.node, 1e6, 0.0))
    model.add(Force(body.node, (1e4, 3e3, 0)))
    sim = Simulation(model, 0.02, StepControl.fixed(0.02), newton=NewtonOptions(tolerance=1e-4))
    assert sim.energy_scale == 0.0
    (record,) = sim.steps()
    assert abs(record.energy[LEDGER.index("residual")]) < 1e-11 * sim.energy_scale


@both
def test_round_off_of_stiff_equations_does_not_hide_the_residual_of_others(compiled: bool) -> None:
    """Backtracking uses the norm of all equations: at its round-off it rejects updates that reduce the energy residual.

    The first equation is a staircase function, as that of a stiff part at round-off of its position: nowhere zero, and
    slightly smaller after the first update only. The tangent of the second one is wrong by a tenth.
    """
    height, width, soft = 1e-9, 1e-13, 1e-3

    def residual(y: Array) -> Array:
        stiff = height * {0: 1.0, -1: -0.9}.get(int(np.floor(y[0] / width)), 2.0)
        return np.array([stiff, soft * (y[1] - 1.0)])

    options = NewtonOptions(reuse=False, compiled=compiled)
    solver = solver_of(2, residual, lambda _: np.diag([height / width, soft / 0.9]), options)
    solver.cautious[0] = 1  # begin with backtracking
    solver.energy_residual.scale = 1e-5
    assert solver.solve(np.array([0.5 * width, 1.0 + 2e-11]), 1.0).converged
    assert abs(soft * (solver.y[1] - 1.0)) < TOLERANCE * solver.energy_residual.scale


@both
def test_residual_at_the_last_allowed_iteration_is_reduced_too(compiled: bool) -> None:
    """A tangent that is wrong by a twentieth: the error is 4e-11 after eight iterations, where Newton ends."""
    soft = 1e-3

    options = NewtonOptions(reuse=False, max_iterations=8, compiled=compiled)
    solver = solver_of(1, lambda y: soft * (y - 1.0), lambda _: np.array([soft / 0.95]), options)
    solver.energy_residual.scale = soft
    outcome = solver.solve(np.zeros(1), 1.0)
    assert outcome.converged and outcome.iterations > 8
    assert soft * abs(solver.y[0] - 1.0) < TOLERANCE * solver.energy_residual.scale


@both
@pytest.mark.parametrize("line_search", ["full steps", "backtracking"])
def test_newton_ends_at_the_best_iterate_at_round_off(line_search: str, compiled: bool) -> None:
    """An equation without a zero, as that of a stiff part at round-off of its position.

    Newton has converged at all iterates, which are 1e-13 apart; the second has the smallest residual.
    """
    height, width, soft = 1e-9, 1e-13, 1e-3
    visited = []

    def residual(y: Array) -> Array:
        step = int(np.floor(y[0] / width))
        f = np.array([height * {0: 1.0, -1: -0.6}.get(step, 2.0), soft * (y[1] - 1.0)])
        visited.append(abs(float(f @ y)))
        return f

    options = NewtonOptions(reuse=False, compiled=compiled)
    solver = solver_of(2, residual, lambda _: np.diag([height / width, soft]), options)
    solver.cautious[0] = int(line_search == "backtracking")
    solver.energy_residual.scale = 1e-12
    assert solver.solve(np.array([0.5 * width, 1.0 + 2e-11]), 1.0).converged
    assert abs(float(residual(solver.y) @ solver.y)) == min(visited)
