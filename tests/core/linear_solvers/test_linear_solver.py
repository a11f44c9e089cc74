"""Tests of the choice of the direct solver with PETSc: package, work space of MUMPS, messages after failures."""

import numpy as np
import pytest

from fem_mbd import Model, NewtonOptions, Simulation, StepControl
from fem_mbd.base.arrays import Array
from fem_mbd.core.linear_solvers import linear_solver
from fem_mbd.elements import RigidBody
from fem_mbd.joints import Revolute
from tests.core.newton.small_equations import solver_of


def slender_linkages() -> Model:
    """Two four-bar linkages in a row, of bars without inertia about their axes, which pass a singular position."""
    model = Model(gravity=(0, -9.81, 0), allow_redundant=True)
    post, beam, z = (1 / 12, 0.0, 1 / 12), (0.0, 1 / 12, 1 / 12), (0, 0, 1)
    posts = [model.add(RigidBody(1.0, post, (k, 0.5, 0))).node for k in range(3)]
    beams = [model.add(RigidBody(1.0, beam, (k + 0.5, 1, 0))).node for k in range(2)]
    for k, node in enumerate(posts):
        model.add(Revolute(model.ground, node, at=(k, 0, 0), axis=z))
        model.set_velocity(node, omega=(0, 0, -1), about=(k, 0, 0))
    for k, node in enumerate(beams):
        model.add(Revolute(posts[k], node, at=(k, 1, 0), axis=z))
        model.add(Revolute(node, posts[k + 1], at=(k + 1, 1, 0), axis=z))
    model.set_velocity(beams, velocity=(1, 0, 0))
    return model


def run(solver: str, end: float) -> Simulation:
    sim = Simulation(
        slender_linkages(), end, StepControl.fixed(5e-3), newton=NewtonOptions(linear_solver=solver)
    )
    for record in sim.steps():
        assert abs(record.energy[-1]) < 1e-11 * sim.energy_scale
    return sim


@pytest.mark.out_of_range("change of the distance from a singular position")
def test_mumps_gets_the_work_space_that_a_singular_position_needs() -> None:
    """Pivots delayed at 0.71 s need more than the estimate from the pattern."""
    sim = run("mumps", 0.8)
    assert sim.solver.linear.options()["mat_mumps_icntl_14"] == str(linear_solver.WORK_SPACE[1])


def test_mumps_is_used_after_a_zero_pivot() -> None:
    """Elimination in the order of the equations fails for bars without inertia about their axes."""
    assert Simulation(slender_linkages(), 0.1, StepControl.fixed(5e-3)).solver.linear.in_place
    linear = run("auto", 0.1).solver.linear
    assert linear.package == "mumps" and not linear.in_place


def test_insufficient_work_space_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(linear_solver, "WORK_SPACE", (0,))
    with pytest.raises(Exception, match=r"MUMPS needs more work space \(INFOG\(1\) = -\d+\)"):
        run("mumps", 0.8)


def solve_linear(matrix: Array, solver: str) -> tuple[bool, str]:
    size = len(matrix)
    newton = solver_of(
        size, lambda y: matrix @ y - 1.0, lambda _: matrix, NewtonOptions(linear_solver=solver)
    )
    outcome = newton.solve(np.zeros(size), 1.0)
    return outcome.converged, outcome.reason


def test_a_regular_matrix_with_a_zero_pivot_is_solved_by_mumps() -> None:
    swap = np.array([[0.0, 1.0], [1.0, 0.0]])
    assert solve_linear(swap, "auto") == (True, "")
    converged, reason = solve_linear(swap, "lu")
    assert not converged and "singular" in reason
