"""Steps with linear equations: one update solves them, and the next one of kept factors tells so."""

from typing import Any

import numpy as np
import pytest

import fem_mbd as fm
from fem_mbd.core.newton.convergence import Convergence
from fem_mbd.elements import Moment, PointMass, SpringDamper
from fem_mbd.joints import GearPair, ShaftInertia

Z = (0.0, 0.0, 1.0)


def driveline(**mesh: Any) -> fm.Model:
    """Inertias in a row; gears between them with a mesh stiffness, or ideal ones."""
    model = fm.Model()
    shafts = [model.add(ShaftInertia(1.0 + k, Z, name=f"shaft {k}")) for k in range(5)]
    for a, b in zip(shafts, shafts[1:], strict=False):
        model.add(GearPair(a, b, Z, 0.1, 0.15, **mesh))
    model.add(Moment(shafts[0], fm.time_functions.Harmonic((0.0, 0.0, 10.0), 30.0)))
    return model


def simulate(model: fm.Model, **options: Any) -> fm.Result:
    control = fm.StepControl.fixed(1e-3)
    return fm.simulate(model, 0.5, control, newton=fm.NewtonOptions(**options))


@pytest.mark.parametrize("stiffness", [2e5, None])
@pytest.mark.parametrize("compiled", [True, False])
def test_one_iteration_a_step(stiffness: float | None, compiled: bool) -> None:
    """The same motion and torques as with a factorisation in every iteration, which checks the second update anew."""
    mesh = {} if stiffness is None else {"stiffness": stiffness, "damping": 1e-4 * stiffness}
    once = simulate(driveline(**mesh), reuse=True, compiled=compiled, linear_solver="lu")
    exact = simulate(driveline(**mesh), reuse=False)
    steps = once.summary["steps"]
    assert once.summary["newton_iterations"] <= 1.02 * steps
    assert exact.summary["newton_iterations"] >= 2 * steps
    for part, quantity, allowed in (("shaft 4", "angular_velocity", 1e-12), ("gears", "force", 1e-9)):
        here, there = (getattr(one.of(part), quantity) for one in (once, exact))
        np.testing.assert_allclose(here, there, rtol=0, atol=allowed * np.abs(there).max())


def test_a_step_that_is_not_linear_takes_more() -> None:
    model = fm.Model(gravity=(0, 0, -9.81))
    bob = model.add(PointMass(1.0, (1.0, 0.0, 0.0), name="bob"))
    model.add(SpringDamper(model.ground, bob, 1e4))
    result = simulate(model, reuse=True)
    assert result.summary["newton_iterations"] > 1.5 * result.summary["steps"]


@pytest.mark.parametrize("place", [0, 1, 2])
def test_limit_of_the_update_that_is_not_taken(place: int) -> None:
    """A hundredth of the tolerance, of lengths, angles and multipliers each."""
    test = Convergence(np.arange(3), 1e-4, fm.NewtonOptions(tolerance=1e-6))
    motion = np.array([1e-2, 2.0, 3e-3])
    test.start(np.zeros(3))
    test.check(1, -motion, motion, True)
    for factor, negligible in ((0.99, True), (1.01, False)):
        update = np.zeros(3)
        update[place] = -factor * 1e-8 * motion[place]
        assert test.is_negligible(update) is negligible
