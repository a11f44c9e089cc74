"""Springs: tangents, energy balance, symmetries, restart, bad input."""

from typing import Any

import numpy as np
import pytest

from fem_mbd import InputError, Model, Simulation
from fem_mbd.core.rotations import rotation_about
from fem_mbd.core.scheme.array_kernels import pack
from fem_mbd.core.scheme.ledger import LEDGER
from fem_mbd.elements import PointMass, RigidBody, RotationalSpringDamper, SpringDamper
from fem_mbd.joints import Revolute
from tests.core.scheme_tools import random_step, rigid_step, run, tangent_error
from tests.elements.springs.spring_models import AXIS, simulation, two_bodies, worst_residual

# -- tangent ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dt, scale", [(0.01, 0.01), (0.3, 0.3)])
@pytest.mark.parametrize("parts", ["l", "u", "c", "g", "t", "d", "jlgt"])
def test_tangent_against_central_differences(parts: str, dt: float, scale: float) -> None:
    sim, y = random_step(two_bodies(parts), dt, scale, 3)
    assert tangent_error(sim, y) < 1e-9


@pytest.mark.out_of_range("angular momentum lost in a step")
@pytest.mark.parametrize("stiffness", [1e3, 1e6, 1e9])
def test_newton_needs_few_iterations_for_stiff_springs(stiffness: float) -> None:
    sim = simulation(two_bodies("u", stiffness=stiffness, gravity=0.0), 0.05, 2.0)
    ledger = run(sim)
    assert sim.counters["rejected"] == 0
    assert sim.counters["newton_iterations"] <= 6 * sim.counters["steps"]
    assert worst_residual(ledger) < 1e-9


# -- energy ----------------------------------------------------------------------------------------------------


@pytest.mark.out_of_range(
    "angular momentum lost in a step", "motion of a spring's ends", "rotation in a step"
)
@pytest.mark.parametrize("dt", [0.02, 0.15])
@pytest.mark.parametrize("parts", ["l", "u", "c", "ug", "t", "jt", "jd", "jlgt"])
def test_energy_balance_closes_to_round_off(parts: str, dt: float) -> None:
    sim = simulation(two_bodies(parts), dt, 200 * dt)
    ledger = run(sim)
    assert worst_residual(ledger) < 1e-11
    for name in ("dissipation_scheme", "dissipation_viscous"):
        assert ledger[:, LEDGER.index(name)].min() >= 0.0


# -- symmetries ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("parts", ["l", "t", "lt", "cd"])
def test_action_and_reaction(parts: str) -> None:
    sim = simulation(two_bodies(parts, gravity=0.0), 0.1, 1.0)
    scheme, workspace = sim.scheme, sim.scheme.workspace
    y = scheme.begin(0.1)
    scheme.residual(y, np.zeros_like(y))
    assert np.abs(workspace.force_m).max() > 1e-3
    assert workspace.force_m[:, 0].sum(axis=0) == pytest.approx(np.zeros(3), abs=1e-15)
    assert workspace.force_f[:, 0].sum(axis=0) == pytest.approx(np.zeros(3), abs=1e-15)
    # standing still and preloaded, so that the force of the step has one configuration to act in
    scheme.residual(np.zeros_like(y), y)
    total = workspace.force_m + workspace.force_f
    assert np.abs(total[:, 1:]).max() > 1e-3
    assert np.cross(workspace.q_f, total).sum(axis=(0, 1)) == pytest.approx(np.zeros(3), abs=1e-15)


@pytest.mark.out_of_range("motion of a spring's ends")
def test_results_do_not_depend_on_the_frame() -> None:
    turn, shift = rotation_about((2, -1, 1), 1.3), np.array([3.0, -2.0, 1.0])
    here, there = (simulation(two_bodies("jlcgtd", *motion), 0.05, 2.0) for motion in ((), (turn, shift)))
    run(here)
    run(there)
    assert there.state.u[1:] == pytest.approx(shift + here.state.u[1:] @ turn.T, abs=1e-9)
    assert there.state.r[1:] == pytest.approx(turn @ here.state.r[1:], abs=1e-9)
    assert there.outputs()["spring"] == pytest.approx(here.outputs()["spring"], abs=1e-8)


def test_rigid_motion_gives_no_force() -> None:
    sim = simulation(two_bodies("ut", gravity=0.0), 0.1, 1.0)
    springs: Any = sim.system.kinds[0]
    springs.records["rest"][1] = 0.0  # no torque at the start, as the line spring has no force
    y, workspace = sim.scheme.begin(0.1), sim.scheme.workspace
    rigid_step(sim, np.random.default_rng(4))
    pack(workspace.x, sim.system.equation, y)
    sim.scheme.residual(y, np.zeros_like(y))
    assert max(np.abs(workspace.force_m).max(), np.abs(workspace.force_f).max()) < 1e-13


# -- use -------------------------------------------------------------------------------------------------------


def test_whole_revolutions_after_a_restart() -> None:
    def pendulum() -> Simulation:
        model = Model()
        disk = model.add(RigidBody(1.0, (1, 1, 1), position=(0, 0, 0))).node
        model.add(Revolute(model.ground, disk, at=(0, 0, 0), axis=AXIS))
        model.add(RotationalSpringDamper(model.ground, disk, AXIS, 0.3, 0.01))
        model.set_velocity(disk, omega=10 * AXIS)
        return simulation(model, 0.02, 4.0)

    whole, resumed = pendulum(), pendulum()
    for record in whole.steps():
        if record.index == 100:
            whole.hooks.solver_reset()
            flat, memory = whole.state.to_flat(), whole.hooks.controller_state()
    resumed.state.fill_from_flat(flat)
    resumed.hooks.resume_from(memory)
    assert resumed.outputs()["spring"][0, 0] > 2 * np.pi
    run(resumed)
    assert np.array_equal(resumed.state.to_flat(), whole.state.to_flat())


def test_rows_and_description_follow_the_order_of_adding() -> None:
    model = Model()
    mass = model.add(PointMass(1.0, position=(0, 0, 2)))
    model.add(SpringDamper(model.ground, mass.node, 10.0, length=1.5))
    model.add(SpringDamper(model.ground.at((0, 1, 2)), mass.node, 20.0, name="side"))
    sim = simulation(model, 0.1, 1.0)
    assert sim.outputs()["spring"] == pytest.approx(np.array([[2.0, 0, 5.0], [1.0, 0, 0.0]]))
    assert [p["name"] for p in sim.system.describe()["parts"]["spring"]] == ["spring", "side"]
    assert sim.scheme.initial_row[LEDGER.index("elastic")] == pytest.approx(1.25)


BAD: dict[str, dict[str, Any]] = {
    "stiffness is -1": dict(stiffness=-1.0),
    "stiffness is nan": dict(stiffness=float("nan")),
    "damping is -2": dict(stiffness=1.0, damping=-2.0),
    "damping is 'x'": dict(stiffness=1.0, damping="x"),
}


@pytest.mark.parametrize("message", BAD)
def test_bad_numbers_are_refused_by_name(message: str) -> None:
    node = Model().ground
    with pytest.raises(InputError, match=f"spring 'S'.*{message}"):
        SpringDamper(node, node, **BAD[message], name="S")
    with pytest.raises(InputError, match=f"torsion spring 'T'.*{message}"):
        RotationalSpringDamper(node, node, (0, 0, 1), **BAD[message], name="T")


def test_impossible_attachments_are_refused_by_name() -> None:
    model = Model()
    body = model.add(PointMass(1.0, position=(0, 0, 0)))
    with pytest.raises(InputError, match=r"spring 'S': its points coincide"):
        model.add(SpringDamper(model.ground, body.node, 1.0, name="S"))
    with pytest.raises(InputError, match=r"spring 'A' joins node 'ground' to itself"):
        model.add(SpringDamper(model.ground, model.ground.at((1, 0, 0)), 1.0, name="A"))
    with pytest.raises(InputError, match=r"torsion spring 'B' joins"):
        model.add(RotationalSpringDamper(body.node, body.node, (0, 0, 1), 1.0, name="B"))
    with pytest.raises(InputError, match=r"spring 'L': length is -0\.1"):
        SpringDamper(model.ground, body.node, 1.0, length=-0.1, name="L")
    with pytest.raises(InputError, match=r"torsion spring 'T': axis is the zero vector"):
        RotationalSpringDamper(model.ground, body.node, (0, 0, 0), 1.0, name="T")
    with pytest.raises(InputError, match=r"torsion spring 'T': angle is inf"):
        RotationalSpringDamper(model.ground, body.node, (0, 0, 1), 1.0, angle=float("inf"), name="T")
