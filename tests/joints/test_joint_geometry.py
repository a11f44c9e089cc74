"""Constrained and free motions of joints: finite motions, and the number of conditions."""

import numpy as np
import pytest

from fem_mbd.base.arrays import Array
from fem_mbd.core.rotations import rotation_about
from fem_mbd.core.solver.simulation import Simulation
from tests.core.scheme_tools import difference_tangent, simulation
from tests.joints.joint_models import AT, CASES, PASSIVE, joined


def _place(sim: Simulation, node: int, rotation: Array, about: Array, shift: Array) -> None:
    state = sim.state
    state.u[node] = about + shift + rotation @ (state.u[node] - about)
    state.r[node] = rotation @ state.r[node]


def _values(sim: Simulation) -> Array:
    """The conditions (m,) in the current configuration."""
    sim.scheme.load_state()
    sim.scheme.begin(0.1)
    sim.scheme.residual(np.zeros(sim.system.size), np.empty(sim.system.size))
    return sim.scheme.workspace.constraints[:, 0]


@pytest.mark.parametrize("name", PASSIVE)
def test_every_motion_that_the_joint_allows_obeys_it(name: str) -> None:
    rng = np.random.default_rng(4)
    for _ in range(5):
        sim = simulation(joined(name), 0.1)
        turn, shift = CASES[name].motion(rng.normal(size=3))
        _place(sim, 2, turn, AT, shift)
        frame, about, far = (
            rotation_about(rng.normal(size=3), 2.0),
            rng.normal(size=3),
            5 * rng.normal(size=3),
        )
        for node in (1, 2):
            _place(sim, node, frame, about, far)
        assert np.abs(_values(sim)).max() < 1e-14


def _check_rank(sim: Simulation, name: str) -> None:
    y = np.zeros(sim.system.size)
    sim.scheme.begin(1e-6)  # the drivers have not moved
    system = sim.system
    rows = system.constraint_equation[:, 0]
    gradient = difference_tangent(sim, y)[np.ix_(rows, system.equation[1:, :6].ravel())]
    values = np.linalg.svd(gradient, compute_uv=False)
    assert len(rows) == CASES[name].conditions == sum(values > 0.1)


@pytest.mark.parametrize("name", CASES)
def test_number_of_freedoms(name: str) -> None:
    _check_rank(simulation(joined(name), 0.1), name)


@pytest.mark.parametrize("angle", [0.5 * np.pi, np.pi, 1.5 * np.pi])
@pytest.mark.parametrize("name", PASSIVE)
def test_number_of_freedoms_after_a_turn(name: str, angle: float) -> None:
    """Right angles, at which conditions along axes of the wrong body would coincide."""
    sim = simulation(joined(name), 0.1)
    _place(sim, 2, CASES[name].motion(np.array([angle, 0.2, -0.1]))[0], AT, np.zeros(3))
    sim.scheme.load_state()
    _check_rank(sim, name)


@pytest.mark.parametrize("name", PASSIVE)
def test_a_motion_that_it_does_not_allow_breaks_it(name: str) -> None:
    rng = np.random.default_rng(5)
    sim = simulation(joined(name), 0.1)
    _place(sim, 2, rotation_about(rng.normal(size=3), 0.3), AT, 0.1 * rng.normal(size=3))
    assert np.abs(_values(sim)).max() > 1e-2
