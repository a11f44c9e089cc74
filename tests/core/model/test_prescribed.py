"""Tests of prescribed motion of nodes: followed exactly, with exact work, and order of the attached parts."""

import numpy as np
import pytest

from fem_mbd import InputError, Model, PrescribedMotion, Simulation
from fem_mbd.base.arrays import Array
from fem_mbd.core.model.prescription import check_rotation_in_step
from fem_mbd.core.model.time_functions import Harmonic, Polynomial, Table
from fem_mbd.core.rotations import rotation_about
from fem_mbd.elements import Beam, RigidBody, Straight
from fem_mbd.joints import Spherical
from tests.core.scheme_tools import column, orders, run, simulation, worst_residual
from tests.elements.beam.beam_models import section

AXIS = (0.48, -0.6, 0.64)
SWING = Harmonic(-0.8, 2.5, np.pi / 2, 0.8)  # 0.8 (1 - cos): starts from rest
SHIFT = np.array([0.3, 0.1, -0.2]) * Polynomial((0, 0, 1.0))


def shaken(order: int = 3, scale: float = 100.0) -> Simulation:
    """A beam on a base that moves and turns, its mass centre off its line, gravity on."""
    model = Model(gravity=(0, 0, -9.81))
    beam = model.add(
        Beam(section(scale), line=Straight((0.5, 0, 0), (1.5, 0.3, 0.2)), elements=2, order=order)
    )
    model.add(PrescribedMotion(beam.start, SHIFT, axis=AXIS, angle=SWING))
    return simulation(model, 0.01)


def test_more_than_the_cayley_map_can_turn_in_a_step_is_refused() -> None:
    with pytest.raises(InputError, match=r"a prescribed rotation of 3\.00 rad in one step is too large"):
        check_rotation_in_step(3.0)


def test_node_follows() -> None:
    sim = shaken()
    start = sim.state.copy()
    for record in sim.steps():
        turn = rotation_about(AXIS, float(SWING.value(record.time)))
        place = sim.outputs()["position"][1]
        assert sim.state.r[1] == pytest.approx(turn @ start.r[1], abs=1e-13)
        assert place == pytest.approx(np.array([0.5, 0, 0]) + SHIFT.value(record.time), abs=1e-13)
        spin = sim.state.r[1] @ sim.state.omega[1]
        assert spin == pytest.approx(SWING.rate(record.time) * np.array(AXIS), abs=1e-13)
        assert sim.outputs()["velocity"][1] == pytest.approx(SHIFT.rate(record.time), abs=1e-13)


@pytest.mark.parametrize("dt", [0.01, 0.1, 0.5])
@pytest.mark.parametrize("order", [2, 4])
def test_energy_balance_closes(order: int, dt: float) -> None:
    model = shaken(order).system.model
    sim = simulation(model, dt, 30 * dt)
    ledger = run(sim)
    assert np.abs(column(ledger, "work_drivers")).sum() > 1.0
    assert worst_residual(sim, ledger) < 1e-12


@pytest.mark.out_of_range("strain, elements")
def test_order() -> None:
    """A soft beam, whose highest mode the steps resolve: gravity and the base start at once."""

    def solve(count: int) -> tuple[Array, ...]:
        sim = simulation(shaken(scale=5.0).system.model, 0.5 / count, 0.5)
        run(sim)
        return sim.state.u, sim.state.r, sim.state.v, sim.state.omega

    assert orders(solve, (80, 113, 160, 226), 1600) == pytest.approx([3] * 4, abs=0.2)


def test_work_of_throwing_a_body() -> None:
    """A rigid body moved and turned as given has the kinetic energy and the height that its driver gave it."""
    model = Model(gravity=(0, 0, -9.81))
    inertia = np.diag([0.3, 0.4, 0.5])
    body = model.add(
        RigidBody(2.0, inertia, (1, 0, 0), rotation=rotation_about((1, 2, 0), 0.4), centre=(0, 0.1, 0.2))
    ).node
    model.add(PrescribedMotion(body, SHIFT, axis=AXIS, angle=SWING))
    sim = simulation(model, 0.1, 1.2)
    height = sim.state.u[1, 2]
    ledger = run(sim)
    state = sim.state
    kinetic = 0.5 * 2.0 * state.v[1] @ state.v[1] + 0.5 * state.omega[1] @ inertia @ state.omega[1]
    expected = kinetic + 2.0 * 9.81 * (state.u[1, 2] - height)
    given_work = column(ledger, "work_drivers").sum() - column(ledger, "dissipation_scheme").sum()
    assert given_work == pytest.approx(expected, rel=1e-11)


def test_support_force_is_that_of_the_motion() -> None:
    """Constant acceleration and constant spin about an axis through the mass centre: exact at any step."""
    model = Model(gravity=(0, 0, -9.81))
    body = model.add(RigidBody(2.0, (0.3, 0.4, 0.5), (1, 0, 0))).node
    model.add(
        PrescribedMotion(
            body, np.array([0, 0, 1.0]) * Polynomial((0, 0, 1.5)), axis=(0, 0, 1), angle=Polynomial((0, 2))
        )
    )
    sim = simulation(model, 0.3, 1.5)
    run(sim)
    assert sim.outputs()["support"][0] == pytest.approx((0, 0, 2.0 * (9.81 + 3.0), 0, 0, 0), abs=1e-11)


def test_joint_to_a_prescribed_node() -> None:
    """A pendulum whose hinge is shaken: what drives it and what the joint carries are in the energy balance."""
    model = Model(gravity=(0, 0, -9.81))
    hinge = model.node((0, 0, 0), name="hinge")
    model.add(PrescribedMotion(hinge, np.array([1.0, 0, 0]) * Harmonic(-0.2, 5.0, np.pi / 2, 0.2)))
    bob = model.add(RigidBody(1.0, (0.1, 0.1, 0.1), (0.3, 0, -1))).node
    model.add(Spherical(hinge, bob, at=(0, 0, 0)))
    sim = simulation(model, 0.02, 2.0)
    ledger = run(sim)
    assert np.abs(column(ledger, "work_drivers")).sum() > 1.0
    assert worst_residual(sim, ledger) < 1e-12
    assert sim.state.u[1] == pytest.approx((0.2 - 0.2 * np.cos(10.0), 0, 0), abs=1e-13)


def test_kinks_fall_on_ends_of_steps() -> None:
    model = Model()
    body = model.add(RigidBody(1.0, (1, 1, 1), (0, 0, 0))).node
    slide = np.array([1.0, 0, 0]) * Table((0, 0.33, 0.61, 2), (0, 0, 0.5, -0.2), kind="linear")
    model.add(PrescribedMotion(body, slide))
    sim = simulation(model, 0.1)
    times = [record.time for record in sim.steps()]
    assert {0.33, 0.61} <= set(times)


def test_axis_and_angle_belong_together() -> None:
    model = Model()
    body = model.add(RigidBody(1.0, (1, 1, 1), (0, 0, 0))).node
    with pytest.raises(InputError, match=r"shaker: give axis and angle together"):
        model.add(PrescribedMotion(body, axis=(0, 0, 1), name="shaker"))
    with pytest.raises(InputError, match=r"shaker: axis is the zero vector"):
        model.add(PrescribedMotion(body, axis=(0, 0, 0), angle=1.0, name="shaker"))


def test_a_motion_that_jumps_is_refused_and_one_with_a_kink_is_not() -> None:
    model = Model()
    body = model.add(RigidBody(1.0, (1, 1, 1), position=(0, 0, 0)))
    for jump in ({"angle": Table([0, 1, 2], [0, 1, 2], kind="step"), "axis": AXIS}, {"displacement": STEP}):
        with pytest.raises(InputError, match=r"jumps by 1 at t = 1 s"):
            model.add(PrescribedMotion(body.node, **jump))
    model.add(PrescribedMotion(body.node, axis=AXIS, angle=Table([0, 1, 2], [0, 1, 1])))


STEP = np.array([0.0, 1.0, 0.0]) * Table([0, 1, 2], [0, 1, 2], kind="step")
