"""Derivatives of the end of a run by its start, the period and parameters, against differences of runs."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest

from fem_mbd import Model, Simulation
from fem_mbd.analysis.periodic.newton import Condition, _updated
from fem_mbd.analysis.periodic.problem import Point, Problem
from fem_mbd.analysis.periodic.shooting import PERIOD, Evaluation, Linearised, Shooting
from fem_mbd.analysis.sensitivity.parameters import Propagation
from fem_mbd.base.arrays import Array
from tests.analysis.sensitivity.replay import of_case

pytestmark = pytest.mark.filterwarnings("ignore::fem_mbd.errors.FemMbdWarning")
# case, parameters, one that is varied, period (s), steps of it, steps before it, size of differences by the start and
# by the others: small where contacts open and close
CASES = {
    "K1 ideal": ("crank_mechanism", ["case=1"], "damping", 0.02, 8, 12, 1e-5, 1e-4),
    "K1 speed": ("crank_mechanism", ["case=1"], "crank_speed", 0.02, 8, 12, 1e-5, 1e-4),
    "K2": ("supercritical_rotor", ["whirl_time=0"], "disk_mass", 0.02, 8, 12, 1e-7, 1e-4),
    "K7": ("slider_crank_clearance", [], "mu_k", 2e-3, 8, 4, 1e-7, 1e-5),
    "blades": ("turbine_blades", [], "preload", 4e-3, 6, 4, 1e-9, 1e-3),
    "joint friction": ("pendulum_friction", [], "mass", 0.02, 8, 10, 1e-6, 1e-5),
}


def _posed(name: str) -> tuple[Shooting, Point]:
    """A case from where a few steps have brought it."""
    case, given, wrt, period, steps, before, *_ = CASES[name]
    build, values = of_case(case, given, [wrt])

    def model(values: Mapping[str, float]) -> Model:
        made: Simulation = build(values)
        return made.system.model

    problem = Problem(model, None, 0.0, steps, 1, 2.0 * np.pi / period)
    arcs = problem.arcs(values, period)
    end = arcs.run(arcs.reference(), (period / steps * np.arange(1, before + 1)).tolist()).end
    problem.start = end.time
    problem.cache.clear()
    return Shooting(problem), Point((end,), values, period)


def test_many_directions_by_matrices_of_the_steps_as_by_dual_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    shooting, point = _posed("blades")
    evaluation, carry, carried = shooting.evaluate(point), Propagation.carry, []

    def noted(self: Propagation, *given: Any) -> Array:
        carried.append(self)
        return carry(self, *given)

    monkeypatch.setattr(Propagation, "carry", noted)
    found = shooting.linearise(evaluation, {}).blocks[0]
    assert carried
    monkeypatch.setattr(Propagation, "worthwhile", lambda *_: False)
    expected = shooting.linearise(evaluation, {}).blocks[0]
    _close(found, expected, 1e-9)


@pytest.mark.parametrize("name", CASES)
def test_as_differences_of_runs(name: str) -> None:
    *_, wrt, period, _, _, small, large = CASES[name]
    shooting, point = _posed(name)
    values = point.values
    evaluation = shooting.evaluate(point)
    linear = shooting.linearise(evaluation, shooting.seeds(point, [PERIOD, wrt], values[wrt]))

    def at(y: Array, changes: dict[str, float]) -> Array:
        moved = shooting.moved(evaluation, y[None], changes)
        return evaluation.spaces[0].of(shooting.evaluate(moved).arcs[0].end)

    def difference(y: Array, changes: dict[str, float], size: float) -> Array:
        several = [at(k * size * y, {n: k * size * c for n, c in changes.items()}) for k in (1, -1, 2, -2)]
        return (8.0 * (several[0] - several[1]) - (several[2] - several[3])) / (12.0 * size)

    random, nothing = np.random.default_rng(5), np.zeros(evaluation.size)
    count = evaluation.spaces[0].motions
    for own in (slice(0, count), slice(count, 2 * count)):
        y = nothing.copy()
        y[own] = random.normal(size=count)
        _close(linear.blocks[0] @ y, difference(y, {}, small), 2e-6)
    _close(linear.columns[0][:, 0], difference(nothing, {PERIOD: period}, large), 1e-5)
    _close(linear.columns[0][:, 1], difference(nothing, {wrt: values[wrt]}, large), 1e-5)


def test_kept_derivatives_fulfil_the_secant_condition() -> None:
    """B' s is the change of the equations along the step s (Broyden 1965), of derivatives B far from theirs."""
    random = np.random.default_rng(3)
    kept, own, start = random.normal(size=(2, 2)), random.normal(size=(2, 2)), random.normal(size=2)
    point: Any = None

    def at(residual: Array) -> Evaluation:
        return Evaluation(point, [], [], residual[None])

    active, no_columns = np.ones(2, dtype=bool), np.zeros((1, 2, 0))
    linear = Linearised(at(start), (kept + np.eye(2))[None], no_columns, (), active)
    rows, right = Condition().rows(linear), np.zeros(0)
    step = linear.solve(rows, right)
    np.testing.assert_allclose(kept @ step, -start, rtol=1e-12)
    updated = _updated(linear, at(start + own @ step), Condition(), step)
    updated.of = at(own @ step)
    np.testing.assert_allclose(updated.solve(rows, right), -step, rtol=1e-10)


def _close(found: Array, expected: Array, tolerance: float) -> None:
    """To where differences have no more digits: steps are solved to a tolerance."""
    assert np.abs(expected).max() > 0.0
    assert np.abs(found - expected).max() < tolerance * np.abs(expected).max()
