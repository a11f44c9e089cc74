"""The nonlinear solver on equations of its own: what counts as converged and what as failure."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from fem_mbd.newton import NewtonOptions, NewtonResult, NewtonSolver

Array = NDArray[np.float64]


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
