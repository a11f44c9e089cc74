"""Tests of factors that turn with the nodes (`turned`)."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_matrix
from scipy.sparse.linalg import spsolve

from fem_mbd import Model, NewtonOptions, Simulation, StepControl
from fem_mbd.core.compiled.calls import CallList
from fem_mbd.core.linear_solvers.block_lu import BlockLU
from fem_mbd.core.linear_solvers.turned import TurnedLU, Turning, turning_of
from fem_mbd.core.rotations import rotation_from_vector
from fem_mbd.core.solver import simulation
from fem_mbd.elements import Beam, RigidBody, Section
from fem_mbd.joints import Revolute

DT = 0.05
SECTION = Section(np.diag([1e9, 4e8, 4e8, 2e7, 2e7, 4e7]), 8.0, np.diag([0.2, 0.1, 0.1]))


def free_beam() -> Simulation:
    """A bent beam without supports."""
    model = Model()
    model.add(Beam(SECTION, (0, 0, 0), (4, 1, 0), elements=3))
    return Simulation(model, 1.0, StepControl.fixed(DT))


def tangent_of(sim: Simulation) -> np.ndarray:
    """Values of the matrix at rest."""
    scheme = sim.scheme
    scheme.load_state()
    scheme.residual(scheme.begin(sim.time + DT), np.zeros(sim.system.size))
    return scheme.tangent()


def turn_all(sim: Simulation, rotation: np.ndarray) -> None:
    """Turn the model about the origin."""
    sim.state.u[1:] = sim.state.u[1:] @ rotation.T
    sim.state.r[1:] = rotation @ sim.state.r[1:]


def test_factors_of_a_body_that_has_turned_as_a_whole_are_those_of_its_tangent() -> None:
    sim = free_beam()
    system, values = sim.system, tangent_of(sim)
    turning = turning_of(system)
    assert turning is not None and len(turning.node) == 2 * (len(sim.state.u) - 1)  # without the ground
    f, y = np.random.default_rng(0).normal(size=system.size), np.zeros(system.size)
    lu = TurnedLU(BlockLU(system.pattern, values), turning)
    CallList(lu.factorise())()
    kept = values.copy()
    turn_all(sim, rotation_from_vector(np.array([0.3, -0.8, 1.1])))
    a = csr_matrix((tangent_of(sim).copy(), system.indices, system.indptr), shape=(system.size, system.size))
    values[:] = kept
    right = f.copy()
    CallList(lu.solve(f, y))()
    np.testing.assert_array_equal(f, right)
    expected = spsolve(a.tocsc(), f)
    np.testing.assert_allclose(y, expected, rtol=0.0, atol=1e-8 * np.abs(expected).max())


def test_without_rotation_nothing_changes() -> None:
    sim = free_beam()
    system, values = sim.system, tangent_of(sim)
    turning = turning_of(system)
    assert turning is not None
    plain = BlockLU(system.pattern, values)
    f, y, same = (
        np.random.default_rng(0).normal(size=system.size),
        np.zeros(system.size),
        np.zeros(system.size),
    )
    lu = TurnedLU(plain, turning)
    CallList(lu.factorise())()
    CallList(lu.solve(f, y))()
    CallList(plain.solve(f, same))()
    np.testing.assert_array_equal(y, same)


def turning_blade(**options: Any) -> Simulation:
    """A blade on a hinge, which turns by 0.04 rad in a step and bends."""
    model = Model(gravity=(0.0, 0.0, -9.81))
    beam = model.add(Beam(SECTION, (0, 0, 0), (20, 0, 0), elements=4, name="blade"))
    model.add(Revolute(model.ground, beam.start, axis=(0, 1, 0), at=(0, 0, 0)))
    model.set_velocity(beam.nodes, omega=(0.0, 0.8, 0.0), about=(0, 0, 0))
    return Simulation(model, 60 * DT, StepControl.fixed(DT), newton=NewtonOptions(**options))


def test_a_turning_blade_needs_half_the_factorisations(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is a thousand times stiffer along than across, and turns by 0.04 rad in a step."""
    sim, exact = turning_blade(reuse=True), turning_blade(reuse=False)
    monkeypatch.setattr(simulation, "turning_of", lambda system: None)
    unturned = turning_blade(reuse=True)
    turned, kept, _ = (sum(step.factorisations for step in run.steps()) for run in (sim, unturned, exact))
    assert turned <= 0.5 * kept
    np.testing.assert_allclose(sim.state.u, exact.state.u, rtol=0.0, atol=1e-8)
    # multipliers are not among what Newton's method tests
    scale = np.abs(exact.state.multipliers).max()
    np.testing.assert_allclose(sim.state.multipliers, exact.state.multipliers, rtol=0.0, atol=1e-7 * scale)


def test_models_whose_stiffness_does_not_turn_are_solved_as_before() -> None:
    model = Model()
    body = model.add(RigidBody(1.0, np.eye(3), position=(1.0, 0.0, 0.0)))
    model.add(Revolute(model.ground, body, axis=(0, 1, 0), at=(0, 0, 0)))
    assert turning_of(Simulation(model, 1.0, StepControl.fixed(DT)).system) is None


def test_vectors_are_turned_by_the_change_of_rotation() -> None:
    rotations = np.stack([np.eye(3), rotation_from_vector(np.array([0.0, 0.0, 0.5 * np.pi]))])
    turning = Turning(rotations, np.array([1]), np.array([[2, 0, 1]]))

    class Diagonal:
        """An LU of a diagonal matrix."""

        failed, releases_gil, releases_gil_later = np.zeros(1, dtype=np.int32), False, False

        def factorise(self) -> list[Any]:
            return []

        def solve(self, f: np.ndarray, y: np.ndarray) -> list[Any]:
            def solve() -> None:
                y[:] = f * [1.0, 2.0, 3.0]  # along z, x, y

            return [solve]

    lu, y = TurnedLU(Diagonal(), turning), np.zeros(3)
    rotations[:] = np.eye(3)
    CallList(lu.factorise())()
    rotations[1] = rotation_from_vector(np.array([0.0, 0.0, 0.5 * np.pi]))
    CallList(lu.solve(np.array([0.0, 0.0, 1.0]), y))()  # along the global x, which is -y of the factors
    np.testing.assert_allclose(y, [0.0, 0.0, 1.0], atol=1e-15)
