"""Tests of the Newton solver on small systems of equations: convergence test, failures, factorisations, PETSc."""

import logging
from collections.abc import Callable
from typing import Literal

import numpy as np
import pytest

from fem_mbd import InputError, Model, NewtonOptions, Simulation, StepControl
from fem_mbd.core.linear_solvers.petsc import petsc
from fem_mbd.core.newton.convergence import Convergence, Status, set_round_off
from fem_mbd.core.newton.equations import NewtonResult
from fem_mbd.elements import Beam, Material, Section
from fem_mbd.joints import Revolute
from tests.core.newton.small_equations import solver_of


def solve_scalar(slope_error: float, options: NewtonOptions | None = None) -> tuple[NewtonResult, float]:
    """Solve y**3 + y = 10 from 1 with a tangent that is wrong by a factor."""
    solver = solver_of(1, lambda y: y**3 + y - 10.0, lambda y: slope_error * (3 * y**2 + 1), options)
    result = solver.solve(np.ones(1), 1.0)
    return result, float(solver.y[0])


def test_quadratic_convergence() -> None:
    result, y = solve_scalar(1.0, NewtonOptions(reuse=False))
    assert result.converged
    assert y == pytest.approx(2.0, rel=1e-12)
    assert result.iterations <= 7


@pytest.mark.parametrize("slope_error", [-1.0, -1e9])
def test_line_search_that_shrinks_to_zero_is_no_convergence(slope_error: float) -> None:
    """With a tangent of the wrong sign no step along the update reduces the residual, however short it is."""
    result, _ = solve_scalar(slope_error)
    assert not result.converged
    assert result.reason


@pytest.mark.parametrize(("reuse", "factorisations"), [(False, 1.9), ("step", 1.0), (True, 0.02)])
def test_number_of_factorisations(reuse: bool | Literal["step"], factorisations: float) -> None:
    """A stiff pendulum rotates little in a step: the balance closes as well with few factorisations as with many."""
    model = Model(gravity=(0, 0, -9.81))
    section = Section.rectangle(0.02, 0.02, Material(young=70e9, poisson=0.3, density=2700.0))
    beam = model.add(Beam(section, (0, 0, 0), (1, 0, 0), elements=2))
    model.add(Revolute(model.ground, beam.start, axis=(0, 1, 0)))
    sim = Simulation(model, 0.01, StepControl.fixed(1e-4), newton=NewtonOptions(reuse=reuse))
    worst = max(abs(record.energy[-1]) for record in sim.steps())
    assert worst < 1e-12 * sim.energy_scale
    first = 2  # the step from rest, whose own energies are the scale, may take an iteration or two more
    assert sim.counters["factorisations"] <= (factorisations + 0.1) * sim.counters["steps"] + first


def test_unknown_reuse_is_refused() -> None:
    with pytest.raises(InputError, match="reuse is 'steps'"):
        NewtonOptions(reuse="steps")  # type: ignore[arg-type]


# -- convergence test ------------------------------------------------------------------------------------------


def statuses(steps: list[float], shares: list[float]) -> list[Status]:
    """Status after updates (m) of which a line search took these fractions, in a motion of one metre."""
    test = Convergence(np.zeros(1, dtype=np.int64), 1.0, NewtonOptions())
    iterate = np.ones(1)
    test.start(iterate)
    found = []
    for k, (step, share) in enumerate(zip(steps, shares, strict=True)):
        iterate = iterate + share * step
        found.append(test.check(k + 1, np.array([step]), iterate, lagged=False))
    return found


def test_the_ratio_of_full_updates_ends_the_iteration() -> None:
    """5e-8 after 1e-4: the remaining error is 5e-4 times the last update, 2.5e-11."""
    assert statuses([1e-4, 5e-8], [1.0, 1.0])[-1] is Status.CONVERGED


@pytest.mark.parametrize("shares", [(1.0, 0.01), (0.01, 1.0), (1.0, 0.0)])
def test_a_shortened_update_is_no_sign_of_convergence(shares: tuple[float, float]) -> None:
    assert statuses([1e-4, 5e-8], list(shares))[-1] is not Status.CONVERGED


def test_two_ratios_are_required_after_a_shortened_update() -> None:
    found = statuses([1e-3, 1e-4, 1e-7, 1e-9, 1e-11], [0.1, 1.0, 1.0, 1.0, 1.0])
    assert [v is Status.CONVERGED for v in found] == [False, False, False, True, True]


@pytest.mark.parametrize("fresh", [False, True])
def test_the_first_update_of_fresh_factors_does_not_call_for_others(fresh: bool) -> None:
    """It is as large as the error that the factors before have left, however good its own factors are."""
    test, iterate = Convergence(np.zeros(1, dtype=np.int64), 1.0, NewtonOptions()), np.ones(1)
    test.start(iterate)
    found = []
    for k, update in enumerate([1e-3, 9e-4, 1e-6]):
        iterate = iterate + update
        found.append(test.check(k + 1, np.array([update]), iterate, lagged=True, fresh=fresh and k == 1))
    assert found == [Status.ITERATING, Status.ITERATING if fresh else Status.SLOW, Status.ITERATING]


def remaining_error(fast: float, slow: float, share: float) -> float:
    """Error (m) of a linear iteration of two modes from 1 m when the test says converged, in a motion of one metre."""
    test = Convergence(np.zeros(1, dtype=np.int64), 1.0, NewtonOptions())
    rates, error = np.array([fast, slow]), np.array([1.0 - share, share])
    iterate = np.zeros(1)
    test.start(iterate)
    for k in range(1, 40):
        update = (error * (1.0 - rates)).sum()
        error, iterate = error * rates, iterate + update
        if test.check(k, np.array([update]), iterate, lagged=True) is Status.CONVERGED:
            return float(error.sum())
    raise AssertionError("never converged")


@pytest.mark.parametrize("fast", [1e-7, 1e-5, 1e-3])
@pytest.mark.parametrize("slow", [0.01, 0.05, 0.2])
def test_a_slowly_decreasing_part_leaves_a_small_error(fast: float, slow: float) -> None:
    """The last update is at most ten tolerances, and a part that decreases by 0.2 leaves a quarter of it."""
    errors = [remaining_error(fast, slow, share) for share in np.logspace(-12, 0, 60)]
    assert max(errors) <= 2.5 * NewtonOptions().tolerance


@pytest.mark.parametrize("ratio", [0.2, 0.5])
def test_linear_convergence_leaves_the_sum_of_the_updates_to_come(ratio: float) -> None:
    """With updates u, r u, r^2 u, ... the error after u is u r/(1 - r); it is within the tolerance at convergence."""
    worst = 0.0
    for first in np.logspace(-4, -3, 40):
        test, iterate, update = (
            Convergence(np.zeros(1, dtype=np.int64), 1.0, NewtonOptions()),
            np.ones(1),
            first,
        )
        test.start(iterate)
        for k in range(1, 200):
            iterate = iterate + update
            if test.check(k, np.array([update]), iterate, lagged=False) is Status.CONVERGED:
                break
            update *= ratio
        worst = max(worst, update * ratio / (1.0 - ratio))
    assert 0.5 * ratio < worst / NewtonOptions().tolerance < 1.01


@pytest.mark.parametrize(("noise", "last"), [(3e-15, Status.CONVERGED), (3e-14, Status.SLOW)])
def test_updates_that_do_not_decrease_are_noise_near_round_off_only(noise: float, last: Status) -> None:
    """In a motion so small, 1e-7 m, that noise is above the tolerance; residuals never reach round-off."""
    test = Convergence(np.zeros(1, dtype=np.int64), 1.0, NewtonOptions())
    iterate = np.full(1, 1e-7)
    test.start(iterate)
    found = []
    for k, size in enumerate((1.2, 0.9, 1.1, 0.8), start=1):
        iterate = iterate + size * noise
        found.append(test.check(k, np.array([size * noise]), iterate, lagged=True))
    assert Status.CONVERGED not in found[:-1] and found[-1] is last
    expected = 0.8 * noise if last is Status.CONVERGED else 0.0
    assert test.noise == pytest.approx(expected, rel=1e-12, abs=0.0)


# -- PETSc ------------------------------------------------------------------------------------------------------


def test_no_petsc_option_remains_set() -> None:
    for solver in ("auto", "mumps"):
        before = petsc().Options().getAll()
        solve_scalar(1.0, NewtonOptions(linear_solver=solver))
        solve_scalar(-1.0, NewtonOptions(linear_solver=solver))  # uses the backtracking solver too
        assert petsc().Options().getAll() == before


@pytest.mark.parametrize("compiled", [True, False])
def test_iterations_are_logged(caplog: pytest.LogCaptureFixture, compiled: bool) -> None:
    with caplog.at_level(logging.DEBUG, logger="fem_mbd.newton"):
        result, _ = solve_scalar(1.0, NewtonOptions(compiled=compiled))
    lines = [r.getMessage() for r in caplog.records if r.name == "fem_mbd.newton"]
    assert sum(line.startswith("iteration") for line in lines) == result.iterations
    assert lines[-2].endswith("CONVERGED")
    caplog.clear()
    solve_scalar(1.0)
    assert not caplog.records


def test_updates_that_are_noise_end_the_iteration_where_residuals_are_at_round_off() -> None:
    """In a long chain the round-off of the equations accumulates to more than that of one position."""
    answers: dict[Status, Callable[[], bool]] = {Status.CONVERGED: lambda: True, Status.SLOW: lambda: False}
    for expected, at_round_off in answers.items():
        test = Convergence(np.zeros(1, dtype=np.int64), 1.0, NewtonOptions(), at_round_off=at_round_off)
        y = np.zeros(1)
        test.start(y)
        for k, step in enumerate((1e-3, 1e-8, 2e-14, 1.9e-14), start=1):
            y = y + step
            status = test.check(k, np.array([step]), y, lagged=True)
        assert status is expected


def test_round_off_far_from_the_origin_is_that_of_coordinates_and_of_lines_of_neighbours() -> None:
    """At 10 m, a model of 1 m with nodes 0.05 m apart: coordinates as of 16 m, directions of lines their 1/0.05."""
    test = Convergence(np.array([0, 1, 2]), 1.0, NewtonOptions(), spacing=0.05).test
    assert test["size"][0].tolist() == [1.0, pytest.approx(20.0), 0.0]
    places, noise, longest = np.zeros((2, 4, 3)), np.zeros(3), np.zeros(1)
    places[1, 0, 2] = -10.0
    set_round_off(places, 1.0, 0.05, test, np.array([0, 1, 2]), noise, longest)
    np.testing.assert_allclose(test["size"][0], [16.0, 16.0 / 0.05, 0.0], rtol=1e-15)
    np.testing.assert_allclose(noise / noise[0], [1.0, 1.0 / 0.05, 1.0], rtol=1e-14)
    assert longest[0] == 16.0
