"""When a converged iterate may be the last: by the work that its remaining residual does in the step."""

from __future__ import annotations

import numpy as np
import pytest

from fem_mbd import Model, StepControl
from fem_mbd.base.arrays import Array
from fem_mbd.core.newton.energy_residual import MOST, SMALL, EnergyResidualTest
from fem_mbd.core.newton.newton_solver import NewtonOptions, NewtonSolver, StepEquations
from fem_mbd.core.scheme.ledger_names import LEDGER
from fem_mbd.core.solver.simulation import Simulation
from fem_mbd.elements import Force, RigidBody, SpringDamper

Y, DT = np.array([2.0, 1.0]), 0.5


def left(work: float) -> np.ndarray:
    """A residual whose work over the step is that many J."""
    return np.array([work * DT**2 / Y[0], 0.0])


def test_it_goes_on_until_the_work_is_small_and_keeps_the_iterate_before() -> None:
    test = EnergyResidualTest(2)
    test.scale = 10.0
    test.start()
    assert not test.small(left(20 * SMALL), Y, DT)
    assert test.has_good and np.array_equal(test.good, Y)
    assert test.small(left(9 * SMALL), 2 * Y / 2, DT) and not test.has_good


def test_it_stops_where_nothing_is_gained() -> None:
    test = EnergyResidualTest(2)
    test.scale = 10.0
    test.start()
    assert not test.small(left(1e-9), Y, DT)
    assert test.small(left(0.6e-9), Y, DT)
    test.start()
    tried = [test.small(left(1e-3 * 0.4**k), Y, DT) for k in range(MOST + 1)]
    assert tried == [False] * MOST + [True]


def test_an_iterate_that_leaves_more_than_the_one_before_is_no_end() -> None:
    test = EnergyResidualTest(2)
    test.scale = 10.0
    test.start()
    assert not test.small(left(30 * SMALL), Y, DT)
    assert test.small(left(20 * SMALL), 2.0 * Y, DT)
    assert test.has_good and np.array_equal(test.good, Y)
    assert test.work == pytest.approx(30 * SMALL, rel=1e-12)


def test_a_run_without_energy_is_not_held_up() -> None:
    test = EnergyResidualTest(2)
    test.start()
    assert test.small(left(1.0), Y, DT)


@pytest.mark.parametrize("tolerance", [1e-4, 1e-6])
def test_energy_balance_closes_although_newton_is_told_to_stop_early(tolerance: float) -> None:
    """A body on a stiff spring with large steps, beyond the first ones, whose energy scale is not known yet."""
    model = Model()
    body = model.add(RigidBody(1.0, (1, 1, 1), (1, 0, 0)))
    model.add(SpringDamper(model.ground, body.node, 1e6, 0.0))
    model.set_velocity(body.node, (0.5, 1, 0))
    sim = Simulation(model, 1.0, StepControl.fixed(0.02), newton=NewtonOptions(tolerance=tolerance))
    residuals = [record.energy[LEDGER.index("residual")] for record in sim.steps()]
    assert np.abs(residuals).max() < 1e-11 * sim.energy_scale


def test_the_first_step_from_rest_has_its_own_energies_as_scale() -> None:
    model = Model()
    body = model.add(RigidBody(1.0, (1, 1, 1), (1, 0, 0)))
    model.add(SpringDamper(model.ground, body.node, 1e6, 0.0))
    model.add(Force(body.node, (1e4, 3e3, 0)))
    sim = Simulation(model, 0.02, StepControl.fixed(0.02), newton=NewtonOptions(tolerance=1e-4))
    assert sim.energy_scale == 0.0
    (record,) = sim.steps()
    assert abs(record.energy[LEDGER.index("residual")]) < 1e-11 * sim.energy_scale


def test_round_off_of_stiff_equations_does_not_hide_what_is_left() -> None:
    """Backtracking sees the norm of all equations: at its round-off it refuses the updates that the work needs.

    The first equation is a staircase, as that of a stiff part in the last digits of its place: nowhere zero, and a bit
    nearer to it after the first update only. The second one's tangent is off by a tenth.
    """
    height, width, soft = 1e-9, 1e-13, 1e-3

    def residual(y: Array, f: Array) -> None:
        f[0] = height * {0: 1.0, -1: -0.9}.get(int(np.floor(y[0] / width)), 2.0)
        f[1] = soft * (y[1] - 1.0)

    equations = StepEquations(
        np.array([0, 1, 2], dtype=np.int32), np.array([0, 1], dtype=np.int32), np.zeros(2, dtype=np.int64), 1.0,
        residual, lambda: np.array([height / width, soft / 0.9]),
    )  # fmt: skip
    solver = NewtonSolver(equations, NewtonOptions(reuse=False))
    solver._cautious = 1  # begin with backtracking
    solver.energy_residual.scale = 1e-5
    assert solver.solve(np.array([0.5 * width, 1.0 + 2e-11]), 1.0).converged
    assert abs(soft * (solver.y[1] - 1.0)) < SMALL * solver.energy_residual.scale


def test_work_left_at_the_last_iteration_allowed_is_made_less_all_the_same() -> None:
    """An equation whose tangent is off by a twentieth: its error is 4e-11 after eight iterations, where Newton ends."""
    soft = 1e-3

    def residual(y: Array, f: Array) -> None:
        f[:] = soft * (y - 1.0)

    equations = StepEquations(
        np.array([0, 1], dtype=np.int32), np.array([0], dtype=np.int32), np.zeros(1, dtype=np.int64), 1.0,
        residual, lambda: np.array([soft / 0.95]),
    )  # fmt: skip
    solver = NewtonSolver(equations, NewtonOptions(reuse=False, max_iterations=8))
    solver.energy_residual.scale = soft
    outcome = solver.solve(np.zeros(1), 1.0)
    assert outcome.converged and outcome.iterations > 8
    assert soft * abs(solver.y[0] - 1.0) < SMALL * solver.energy_residual.scale


@pytest.mark.parametrize("line_search", ["full steps", "backtracking"])
def test_newton_ends_at_the_best_iterate_where_digits_come_and_go(line_search: str) -> None:
    """An equation that has no zero, as that of a stiff part in the last digits of its place.

    Newton has converged at all its iterates, which lie 1e-13 apart; the second leaves least.
    """
    height, width, soft = 1e-9, 1e-13, 1e-3
    visited = []

    def residual(y: Array, f: Array) -> None:
        step = int(np.floor(y[0] / width))
        f[0] = height * {0: 1.0, -1: -0.6}.get(step, 2.0)
        f[1] = soft * (y[1] - 1.0)
        visited.append(abs(float(f @ y)))

    equations = StepEquations(
        np.array([0, 1, 2], dtype=np.int32), np.array([0, 1], dtype=np.int32), np.zeros(2, dtype=np.int64), 1.0,
        residual, lambda: np.array([height / width, soft]),
    )  # fmt: skip
    solver = NewtonSolver(equations, NewtonOptions(reuse=False))
    solver._cautious = int(line_search == "backtracking")
    solver.energy_residual.scale = 1e-12
    assert solver.solve(np.array([0.5 * width, 1.0 + 2e-11]), 1.0).converged
    f = np.empty(2)
    residual(solver.y, f)
    assert abs(float(f @ solver.y)) == min(visited)
