"""Friction in joints: exact tangents, an exact energy balance, no effect of a common motion, action and reaction."""

import numpy as np
import pytest

from fem_mbd import friction
from fem_mbd.core.solver.simulation import Simulation
from fem_mbd.joints.friction.kind import JointFrictionKind
from tests.core.scheme_tools import (
    column,
    random_step,
    rigid_step,
    run,
    simulation,
    tangent_error,
    worst_residual,
)
from tests.joints.friction.friction_joints import LAW, NAMES, joint_with_friction

SMALL = 2e-4  # of the differences: their error is h^4 times a fifth derivative, which the Stribeck curve makes large


def friction_of(sim: Simulation) -> JointFrictionKind:
    return next(kind for kind in sim.system.kinds if isinstance(kind, JointFrictionKind))


def with_history(name: str, law: friction.FrictionLaw = LAW) -> tuple[Simulation, np.ndarray]:
    """A step at random unknowns, from deflected bristles and a loaded joint."""
    sim, y = random_step(joint_with_friction(name, law), 0.3, 0.3, 1)
    kind = friction_of(sim)
    kind.history["bristles"] = 0.005 * np.random.default_rng(2).normal(size=kind.z_f.shape)
    kind.history["normal_force"] = 2.0
    sim.scheme.residual(y, np.empty_like(y))
    return sim, y


@pytest.mark.parametrize("name", NAMES)
def test_tangent(name: str) -> None:
    sim, y = with_history(name)
    error = tangent_error(sim, y, SMALL)
    assert friction_of(sim).part_results[:, 0].min() > 0.01 and error < 1e-9


@pytest.mark.parametrize("name", NAMES)
def test_exact_energy_balance_and_dissipation(name: str) -> None:
    sim = simulation(joint_with_friction(name), 0.02, 0.6)
    ledger = run(sim)
    assert worst_residual(sim, ledger) < 1e-13
    stored = column(ledger, "bristle")[-1]
    assert column(ledger, "dissipation_friction").sum() + stored > 1e-3


@pytest.mark.parametrize(
    "law",
    [
        friction.DryCoulomb(0.2, 1e-3),
        friction.TanhRegularised(0.2, 3.0),
        friction.GeneralKinetic(0.3, 0.2, 0.5, 1.0),
        friction.ClassicalDahl(0.2, 30.0),
        friction.ClassicalLuGre(sigma_0=30.0, sigma_1=0.2, sigma_2=0.15, mu_s=0.3, mu_k=0.2, v_s=0.3),
    ],
)
def test_other_laws(law: object) -> None:
    sim = simulation(joint_with_friction("cylindrical", law), 0.02, 0.3)  # type: ignore[arg-type]
    ledger = run(sim)
    assert worst_residual(sim, ledger) < 1e-13
    assert column(ledger, "dissipation_friction").sum() > 0.01


@pytest.mark.parametrize("name", NAMES)
def test_a_common_motion_is_no_slip(name: str) -> None:
    sim, _ = random_step(joint_with_friction(name), 0.3, 0.3, 1)
    rigid_step(sim, np.random.default_rng(3))
    kind, workspace = friction_of(sim), sim.scheme.workspace
    kind.residual(workspace)
    assert np.abs(kind.part_results[:, 1:4]).max() < 1e-14


@pytest.mark.parametrize("name", NAMES)
def test_forces_balance(name: str) -> None:
    """Opposite forces on K and L: no work in a common motion for any reaction and any bristles."""
    sim, _ = with_history(name)
    workspace, kind = sim.scheme.workspace, friction_of(sim)
    rigid_step(sim, np.random.default_rng(3))
    workspace.rows[:] = 0.0
    kind.residual(workspace)
    terms = workspace.rows * workspace.x
    assert np.abs(terms).sum() > 0.01
    assert abs(terms.sum()) < 1e-14 * np.abs(terms).sum() + 1e-17


def test_laws_of_joints_with_several_states() -> None:
    law = friction.ElastoPlastic(sigma_0=30.0, sigma_1=0.2, sigma_2=0.15, mu_s=0.3, mu_k=0.2, v_s=0.3)
    sims = [simulation(joint_with_friction("universal", one), 0.02, 0.1) for one in (law, LAW)]
    for sim in sims:
        assert worst_residual(sim, run(sim)) < 1e-13
