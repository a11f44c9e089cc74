"""Tangent of the beam against differences, and the extrapolated stresses of its geometric terms."""

from typing import Any

import numpy as np
import pytest

from fem_mbd.base.arrays import Array
from fem_mbd.core.scheme.nodes.node_kernels import ambient_increments, fill_maps
from fem_mbd.core.solver.simulation import Simulation
from tests.core.scheme_tools import random_step, run, simulation, tangent_error
from tests.elements.beam.beam_models import ORDERS, SHAPES, beam


@pytest.mark.parametrize("damping", [0.0, 0.2])
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("order", ORDERS)
def test_tangent(order: int, shape: str, damping: float) -> None:
    for scale in (0.05, 0.5):
        sim, y = random_step(beam(order, shape, damping=damping)[0], 0.2, scale)
        assert tangent_error(sim, y) < 1e-9


@pytest.mark.parametrize("order", ORDERS)
def test_tangent_of_a_strained_beam(order: int) -> None:
    """The step starts from a configuration with large strains, as in the middle of a run."""
    sim, y = random_step(beam(order)[0], 0.2, 0.3)
    sim.scheme.accept(sim.scheme.ledger())
    sim.scheme.begin(0.4)
    assert np.abs(sim.outputs()["section_strain"]).max() > 0.1
    assert tangent_error(sim, 0.7 * y) < 1e-9


def _stress(sim: Simulation, y: Array) -> Array:
    """Mean and linear part (2, n, g, 6) of the stresses at y."""
    workspace, beams = sim.scheme.workspace, _beams(sim)
    sim.scheme.residual(y, np.empty_like(y))
    workspace.dq[:] = workspace.dp[:] = 0.0
    beams.extrapolate(workspace)
    return np.stack([beams.records["lin_g"], beams.records["lin_d"]])


def _beams(sim: Simulation) -> Any:
    return sim.system.kinds[0]


@pytest.mark.parametrize("order", ORDERS)
def test_stresses_are_extrapolated_by_their_derivative(order: int) -> None:
    sim, y = random_step(beam(order, damping=0.1)[0], 0.2, 0.3)
    update = 0.5 * np.random.default_rng(9).normal(size=len(y))
    workspace, h = sim.scheme.workspace, 1e-3
    samples = [_stress(sim, y + k * h * update) for k in (-2, -1, 1, 2)]
    slope = (8 * (samples[2] - samples[1]) - (samples[3] - samples[0])) / (12 * h)
    expected = _stress(sim, y) + slope
    fill_maps(workspace)
    x_old = workspace.x.copy()
    sim.scheme.residual(y + update, np.empty_like(y))
    ambient_increments(workspace.x, x_old, workspace.d_q, workspace.d_p, workspace.dq, workspace.dp)
    sim.scheme.residual(y, np.empty_like(y))
    _beams(sim).extrapolate(workspace)
    found = np.stack([_beams(sim).records["lin_g"], _beams(sim).records["lin_d"]])
    assert found == pytest.approx(expected, abs=1e-9 * np.abs(expected).max())


@pytest.mark.out_of_range("angular momentum lost in a step")
@pytest.mark.parametrize("dt", [0.01, 0.2])
def test_newton_needs_few_iterations_for_stiff_beams(dt: float) -> None:
    """Axial stiffness 1e7 times that of bending, spinning fast: diverges without the extrapolated stresses."""
    model, handle = beam(3, "straight", elements=4, scale=1e7)
    model.set_velocity(handle.nodes, (0, 0, 0), (0, 1.0, 1.5), about=handle.start.position)
    sim = simulation(model, dt, 40 * dt)
    run(sim)
    assert sim.counters["rejected"] == 0
    assert sim.counters["newton_iterations"] <= 6 * sim.counters["steps"]
