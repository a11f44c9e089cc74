"""The nonlinear solver on equations of its own: what counts as converged and what as failure."""

from __future__ import annotations

from typing import Literal

import numpy as np
import pytest

from fem_mbd import Model, Simulation, StepControl
from fem_mbd.arrays import Array
from fem_mbd.elements import Beam, Material, Section
from fem_mbd.errors import InputError
from fem_mbd.joints import Revolute
from fem_mbd.solver.newton import NewtonOptions, NewtonResult, NewtonSolver


def solve_scalar(slope_error: float, options: NewtonOptions | None = None) -> tuple[NewtonResult, float]:
    """Solve y**3 + y = 10 from 1 with a tangent that is off by a factor."""
    place = np.zeros(1)

    def residual(y: Array, f: Array) -> None:
        place[:] = y
        f[:] = y**3 + y - 10.0

    def tangent() -> Array:
        return slope_error * (3 * place**2 + 1)

    solver = NewtonSolver(
        np.array([0, 1], dtype=np.int32), np.array([0], dtype=np.int32), np.zeros(1, dtype=np.int64), 1.0,
        residual, tangent, options or NewtonOptions(),
    )  # fmt: skip
    result = solver.solve(np.ones(1), 1.0)
    return result, float(solver.y[0])


def test_quadratic_convergence() -> None:
    result, y = solve_scalar(1.0)
    assert result.converged
    assert y == pytest.approx(2.0, rel=1e-12)
    assert result.iterations <= 7


@pytest.mark.parametrize("slope_error", [-1.0, -1e9])
def test_line_search_that_shrinks_to_nothing_is_no_convergence(slope_error: float) -> None:
    """A tangent of the wrong sign leads uphill: no step along it helps, however short (nor does a short one)."""
    result, _ = solve_scalar(slope_error)
    assert not result.converged
    assert result.reason


@pytest.mark.parametrize(("reuse", "factorisations"), [(False, 1.9), ("step", 1.0), (True, 0.02)])
def test_what_a_factorisation_serves(reuse: bool | Literal["step"], factorisations: float) -> None:
    """A stiff pendulum turns little in a step: its books close as well with few factorisations as with many."""
    model = Model(gravity=(0, 0, -9.81))
    section = Section.rectangle(0.02, 0.02, Material(young=70e9, poisson=0.3, density=2700.0))
    beam = model.add(Beam(section, (0, 0, 0), (1, 0, 0), elements=2))
    model.add(Revolute(model.ground, beam.start, axis=(0, 1, 0)))
    sim = Simulation(model, StepControl.fixed(1e-4), 0.01, NewtonOptions(reuse=reuse))
    worst = max(abs(record.energy[-1]) for record in sim.steps())
    assert worst < 1e-12 * sim.energy_scale
    assert sim.counters["factorisations"] <= (factorisations + 0.1) * sim.counters["steps"]


def test_unknown_reuse_is_refused() -> None:
    with pytest.raises(InputError, match="reuse is 'steps'"):
        NewtonOptions(reuse="steps")  # type: ignore[arg-type]
