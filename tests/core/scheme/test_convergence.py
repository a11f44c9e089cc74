"""Orders of convergence in time for smooth motion: 3 for displacements, rotations and velocities, 2 for multipliers."""

import numpy as np
import pytest

from fem_mbd import Model, Simulation
from fem_mbd.base.arrays import Array
from fem_mbd.elements import Beam, RigidBody, Straight
from fem_mbd.joints import Revolute, Spherical, Universal
from tests.core.scheme_tools import column, momenta, orders, run, simulation, worst_residual
from tests.elements.beam.beam_models import section


def double_pendulum(elbow: str) -> Model:
    """A body on a hinge, and a second one on a spherical or universal joint at its end, in three-dimensional motion."""
    model = Model(gravity=(0, 0, -9.81))
    upper = model.add(RigidBody(1.0, (0.01, 0.1, 0.1), (0.5, 0, 0))).node
    lower = model.add(RigidBody(2.0, (0.06, 0.15, 0.2), (1.5, 0, 0))).node
    model.add(Revolute(model.ground, upper, at=(0, 0, 0), axis=(0, 1, 0)))
    spin = np.array([0, 3.0, 0])
    at = np.array([1.0, 0, 0])
    if elbow == "spherical":
        model.add(Spherical(upper, lower, at=at))
        turn = spin + (0, 0, 1.5)
    else:
        model.add(Universal(upper, lower, at=at, axis_k=(0, 1, 0), axis_l=(0, 0, 1)))
        turn = np.array([0, 5.0, 1.0])
    model.set_velocity(upper, omega=spin, about=(0, 0, 0))
    model.set_velocity(lower, np.cross(spin, at), turn, about=at)
    return model


@pytest.mark.parametrize("elbow", ["spherical", "universal"])
def test_double_pendulum(elbow: str) -> None:
    def solve(count: int) -> tuple[Array, ...]:
        sim = simulation(double_pendulum(elbow), 1.0 / count)
        assert sim.initial_message == ""
        assert worst_residual(sim, run(sim)) < 1e-12
        assert np.abs(sim.scheme.workspace.constraints).max() < 1e-13
        state = sim.state
        return state.u, state.r, state.v, state.omega, state.multipliers.sum(axis=1)

    found = orders(solve, (80, 113, 160, 226), 2000)
    assert found[:4] == pytest.approx([3, 3, 3, 3], abs=0.2)
    assert found[4] == pytest.approx(2, abs=0.2)


def flexible_beam(dt: float) -> Simulation:
    """A free beam of two elements with three nodes, tumbling and bending; its stiffness is fully coupled."""
    model = Model()
    beam = model.add(Beam(section(20.0), line=Straight((0, 0, 0), (5, 0, 0)), elements=2, order=3))
    spin = np.array([0.6, 0.4, 2.5])
    for node in beam.nodes:
        s = float(node.position[0]) / 5
        bow = np.array([0, 0, 3 * np.sin(np.pi * s)])
        turn = np.array([0, -3 * np.pi / 5 * np.cos(np.pi * s), 0])
        arm = node.position - (2.5, 0, 0)
        model.set_velocity(node, np.cross(spin, arm) + bow + (0.5, 0, 0.2), spin + turn)
    return simulation(model, dt, 0.4)


@pytest.mark.out_of_range("strain, elements")
def test_free_flexible_beam() -> None:
    def solve(count: int) -> tuple[Array, ...]:
        sim = flexible_beam(0.4 / count)
        ledger = run(sim)
        assert worst_residual(sim, ledger) < 1e-12
        state = sim.state
        lost = column(ledger, "dissipation_scheme").sum(keepdims=True)
        return state.u, state.r, state.v, state.omega, lost

    assert orders(solve, (40, 57, 80, 113), 800) == pytest.approx([3] * 5, abs=0.2)


@pytest.mark.out_of_range("strain, elements")
def test_angular_momentum_drifts_with_third_order() -> None:
    """Momentum is kept to round-off, angular momentum is not: its drift is an error like any other."""

    def solve(count: int) -> tuple[Array, ...]:
        if count == 0:
            return (momenta(flexible_beam(0.4))[1],)
        sim = flexible_beam(0.4 / count)
        before = momenta(sim)[0]
        run(sim)
        after = momenta(sim)
        assert after[0] == pytest.approx(before, abs=1e-12 * np.abs(before).max())
        return (after[1],)

    assert orders(solve, (40, 57, 80, 113), 0)[0] > 2.8
