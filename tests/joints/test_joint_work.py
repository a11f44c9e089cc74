"""Joints at any values of the unknowns: tangents, exact energy balance, forces, action and reaction, driver.

Forces and multipliers are those times dt^2, as in the scheme's equations.
"""

import numpy as np
import pytest

from fem_mbd.base.arrays import Array
from fem_mbd.core.rotations import rotation_about
from fem_mbd.core.scheme.array_kernels import pack
from fem_mbd.core.solver.simulation import Simulation
from tests.core.scheme_tools import random_step, rigid_step, simulation, tangent_error
from tests.joints.joint_models import CASES, DRIVEN, PASSIVE, joined


def _work(sim: Simulation) -> tuple[float, float]:
    """Work of the joint's forces over the step, and the sum of the magnitudes of its terms."""
    workspace = sim.scheme.workspace
    terms = np.stack([workspace.force_m * (workspace.q_f - workspace.q_i), workspace.force_f * workspace.p])
    return float(terms.sum()), float(np.abs(terms).sum())


def _residuals(sim: Simulation, start: Array) -> float:
    """The work where the conditions are not satisfied: (lambda_g - dlambda/3) dC + dlambda/3 dt C'."""
    workspace = sim.scheme.workspace
    mean, jump = workspace.multipliers.T
    value, rate = workspace.constraints.T
    return float((mean - jump / 3) @ (value - start) + jump @ rate / 3)


@pytest.mark.parametrize("name", PASSIVE)
@pytest.mark.parametrize("seed", range(5))
def test_work_of_a_joint_is_that_of_its_conditions(name: str, seed: int) -> None:
    rng = np.random.default_rng(seed)
    sim, y = random_step(joined(name), 0.3, 1.0, seed)
    state, workspace = sim.state, sim.scheme.workspace
    # any configuration at t_i as well: the identity does not need the joint to be closed
    state.u[1:] += 0.5 * rng.normal(size=(2, 3))
    state.r[1:] = [rotation_about(rng.normal(size=3), 2.0) @ r for r in state.r[1:]]
    sim.scheme.load_state()
    sim.scheme.begin(0.3)
    sim.scheme.residual(0 * y, np.empty_like(y))
    start = workspace.constraints[:, 0].copy()
    sim.scheme.residual(y, np.empty_like(y))
    found, size = _work(sim)
    assert size > 1.0
    assert found == pytest.approx(_residuals(sim, start), abs=1e-14 * size)


@pytest.mark.parametrize("name", DRIVEN)
@pytest.mark.parametrize("seed", range(5))
def test_work_of_a_driven_joint_is_that_of_its_driver_and_conditions(name: str, seed: int) -> None:
    sim, _ = random_step(joined(name), 0.7, 1.0, seed)
    joints = sim.system.joints
    assert joints is not None
    workspace = sim.scheme.workspace
    workspace.amounts[:] = 0.0
    joints.ledger(workspace)
    driver = float(workspace.ledger["work_drivers"][0]) * workspace.dt**2
    found, size = _work(sim)
    assert abs(driver) > 0.01
    assert found == pytest.approx(_residuals(sim, np.zeros(6)) - driver, abs=1e-14 * size)


@pytest.mark.parametrize("name", PASSIVE)
def test_forces_on_the_two_bodies_do_no_work_in_a_common_motion(name: str) -> None:
    rng = np.random.default_rng(1)
    sim, y = random_step(joined(name), 0.3, 1.0)
    workspace, system = sim.scheme.workspace, sim.system
    rigid_step(sim, rng)
    pack(workspace.x, system.equation, y)
    pack(rng.normal(size=workspace.multipliers.shape), system.constraint_equation, y)
    sim.scheme.residual(y, np.empty_like(y))
    found, size = _work(sim)
    assert size > 1.0
    assert abs(found) < 1e-14 * size
    assert np.abs(workspace.constraints).max() < 1e-13


@pytest.mark.parametrize("name", CASES)
def test_held_body_takes_the_reaction(name: str) -> None:
    free, y = random_step(joined(name), 0.3, 0.5, 2)
    held = simulation(joined(name, ground=True), 0.3)
    held.scheme.begin(0.3)
    full, workspace = free.scheme.workspace, held.scheme.workspace
    full.x[1] = 0.0
    z = np.empty(held.system.size)
    for sim, v in ((free, y), (held, z)):
        system = sim.system
        pack(full.x, system.equation, v)
        pack(full.multipliers, system.constraint_equation, v)
        sim.scheme.residual(v, np.empty_like(v))
    assert workspace.force_m == pytest.approx(full.force_m, abs=1e-14)
    assert workspace.force_f == pytest.approx(full.force_f, abs=1e-14)


@pytest.mark.parametrize("ground", [False, True])
@pytest.mark.parametrize("name", CASES)
def test_tangent(name: str, ground: bool) -> None:
    for scale, seed in ((0.1, 0), (0.7, 1)):
        sim, y = random_step(joined(name, ground=ground), 0.3, scale, seed)
        assert tangent_error(sim, y) < 1e-9
