"""Exact energy balance of the beam for any values of the unknowns, against an independent computation."""

from itertools import islice

import numpy as np
import pytest

from fem_mbd.core.scheme.ledger import LEDGER
from tests.core.scheme_tools import random_step, simulation, worst_residual
from tests.elements.beam.beam_models import ORDERS, SHAPES, Strains, beam, section

DISSIPATION, VISCOUS = LEDGER.index("dissipation_scheme"), LEDGER.index("dissipation_viscous")


@pytest.mark.parametrize("damping", [0.0, 0.2])
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("order", ORDERS)
def test_work_is_change_of_energy_and_losses(order: int, shape: str, damping: float) -> None:
    dt = 0.3
    for seed, scale in enumerate((0.01, 0.3, 1.0)):
        model, handle = beam(order, shape, damping=damping)
        sim, _ = random_step(model, dt, scale, seed)
        workspace, beams = sim.scheme.workspace, sim.system.kinds[0]
        strains = Strains(handle, workspace, section().stiffness)
        start, end, rate = (
            strains(workspace.q_i),
            strains(workspace.q_f),
            strains.rate(workspace.q_f, workspace.p),
        )
        change = end - start
        jump = (change - rate) / 3
        viscous = strains.energy(change) + strains.energy(rate - change) / 3
        expected = {
            "elastic": strains.energy(end),
            "dissipation_scheme": strains.energy(jump),
            "dissipation_viscous": 2 * damping / dt * viscous,
        }
        workspace.amounts[:] = 0.0
        beams.ledger(workspace)
        size = sum(expected.values())
        for name, value in expected.items():
            assert workspace.ledger[name][0] == pytest.approx(value, abs=1e-13 * size)
        done = (
            float(
                (workspace.force_m * (workspace.q_f - workspace.q_i)).sum()
                + (workspace.force_f * workspace.p).sum()
            )
            / dt**2
        )
        assert done == pytest.approx(size - strains.energy(start), abs=1e-12 * size)


@pytest.mark.parametrize("order", ORDERS)
def test_forces_sum_to_zero(order: int) -> None:
    sim, _ = random_step(beam(order)[0], 0.3, 0.5)
    for force in (sim.scheme.workspace.force_m, sim.scheme.workspace.force_f):
        assert np.abs(force[:, 0]).max() > 1.0
        assert force[:, 0].sum(axis=0) == pytest.approx(np.zeros(3), abs=1e-14 * np.abs(force).sum())


@pytest.mark.parametrize("order", ORDERS)
def test_moments_sum_to_zero(order: int) -> None:
    """In a deformed beam at rest, where the force of the step has one configuration to act in."""
    sim, y = random_step(beam(order)[0], 0.3, 0.5)
    workspace = sim.scheme.workspace
    sim.scheme.accept(sim.scheme.ledger())
    sim.scheme.begin(sim.state.time + 0.3)
    sim.scheme.residual(0 * y, np.empty_like(y))
    total = workspace.force_m + workspace.force_f
    moment = np.cross(workspace.q_f, total)
    assert np.abs(total).max() > 1.0
    assert moment.sum(axis=(0, 1)) == pytest.approx(np.zeros(3), abs=1e-14 * np.abs(moment).sum())


@pytest.mark.out_of_range("angular momentum lost in a step", "rotation in a step")
@pytest.mark.parametrize("dt", [0.01, 0.1, 1.0, 30.0])
@pytest.mark.parametrize("damping", [0.0, 1e-3])
@pytest.mark.parametrize("order", ORDERS)
def test_energy_balance_closes_at_any_step_size(order: int, damping: float, dt: float) -> None:
    """Also where Newton fails and the step is halved: the accepted steps satisfy the equations."""
    model, handle = beam(order, damping=damping, gravity=(0, 0, -9.81))
    model.set_velocity(handle.nodes[:-1], (1, 0, 0), (1, 2, -1), about=handle.start.position)
    model.set_velocity(handle.end, (2, 3, -1))
    sim = simulation(model, dt, 100 * dt)
    workspace = sim.scheme.workspace
    momentum = workspace.mass @ sim.state.v
    ledger = np.array([record.energy for record in islice(sim.steps(), 15)])
    assert worst_residual(sim, ledger) < 1e-12
    assert ledger[:, [DISSIPATION, VISCOUS]].min() >= 0.0
    fallen = workspace.mass.sum() * sim.state.time * np.array([0, 0, -9.81])
    assert workspace.mass @ sim.state.v == pytest.approx(
        momentum + fallen, abs=1e-11 * (1 + np.abs(fallen).max())
    )
