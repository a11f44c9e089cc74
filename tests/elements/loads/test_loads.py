"""Loads: exact energy balance, tangents, potentials, closed forms, frames, order."""

from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from fem_mbd import InputError, Model, Node
from fem_mbd.base.arrays import Array
from fem_mbd.core.model.time_functions import Harmonic, Polynomial, Ramp
from fem_mbd.core.rotations import rotation_about, skew
from fem_mbd.elements import Beam, Force, JointTorque, LineLoad, Moment, PointMass, RigidBody, Straight
from fem_mbd.joints import Cylindrical, Planar, Revolute, Spherical
from tests.core.scheme_tools import column, order, random_step, run, simulation, tangent_error, worst_residual
from tests.elements.beam.beam_models import section

TURNED = rotation_about((1, 2, 3), 0.7)
INERTIA = np.diag([0.3, 0.4, 0.5])
VARYING = np.array([1.0, -2.0, 3.0]) * Harmonic(1.0, 3.0, 0.4)
LOADS: dict[str, dict[str, Any]] = {
    "dead force": dict(kind=Force, follower=False),
    "follower force": dict(kind=Force, follower=True),
    "dead moment": dict(kind=Moment, follower=False),
    "follower moment": dict(kind=Moment, follower=True),
}


def loaded(name: str, value: Any = VARYING) -> tuple[Model, Node]:
    """A free body with one load at a point off its node and its mass centre."""
    model, choice = Model(), LOADS[name]
    body = model.add(RigidBody(2.0, INERTIA, (0.2, 0.1, 0), rotation=TURNED, centre=(0.1, 0.2, -0.1))).node
    model.add(choice["kind"](body.at((0.3, -0.2, 0.4)), value, follower=choice["follower"]))
    model.set_velocity(body, (1, 2, 3), (2, 1, -3))
    return model, body


@pytest.mark.parametrize("name", LOADS)
def test_tangent(name: str) -> None:
    for scale, seed in ((0.1, 0), (1.0, 1)):
        sim, y = random_step(loaded(name)[0], 0.3, scale, seed)
        assert tangent_error(sim, y) < 1e-9


@pytest.mark.out_of_range("rotation in a step")
@pytest.mark.parametrize("dt", [0.01, 0.1, 0.7])
@pytest.mark.parametrize("name", LOADS)
def test_energy_balance_closes(name: str, dt: float) -> None:
    sim = simulation(loaded(name)[0], dt, 40 * dt)
    ledger = run(sim)
    assert np.abs(column(ledger, "work_loads")).sum() > 1.0
    assert worst_residual(sim, ledger) < 1e-12


@pytest.mark.parametrize("name", LOADS)
def test_motion_converges_to_newton_and_euler(name: str) -> None:
    choice = LOADS[name]
    arm = np.array([0.3, -0.2, 0.4]) - (0.1, 0.2, -0.1)

    def rates(t: float, s: Array) -> Array:
        w, r = s[6:9], s[9:].reshape(3, 3)
        given = np.asarray(VARYING.value(t))
        in_space = r @ given if choice["follower"] else given
        force = in_space if choice["kind"] is Force else np.zeros(3)
        moment = np.cross(arm, r.T @ force) if choice["kind"] is Force else r.T @ in_space
        turning = np.linalg.solve(INERTIA, moment - np.cross(w, INERTIA @ w))
        return np.concatenate([s[3:6], force / 2.0, turning, (r @ skew(w)).ravel()])

    def solve(count: int) -> Array:
        sim = simulation(loaded(name)[0], 1.0 / count)
        start.append(
            np.concatenate([sim.state.u[1], sim.state.v[1], sim.state.omega[1], sim.state.r[1].ravel()])
        )
        run(sim)
        return np.concatenate([sim.state.u[1], sim.state.v[1], sim.state.omega[1], sim.state.r[1].ravel()])

    start: list[Array] = []
    counts = (50, 71, 100, 141)
    found = [solve(n) for n in counts]
    exact = solve_ivp(rates, (0, 1), start[0], method="DOP853", rtol=1e-12, atol=1e-13).y[:, -1]
    assert order([float(np.abs(f - exact).max()) for f in found], [1 / n for n in counts]) > 2.8


@pytest.mark.out_of_range("rotation in a step")
def test_work_of_a_constant_force_is_that_of_its_potential() -> None:
    """At a point of a tumbling body, at steps that do not resolve the tumbling."""
    force = np.array([1.0, -2.0, 3.0])
    model, body = loaded("dead force", force)
    sim = simulation(model, 0.5, 10.0)
    arm = np.array([0.3, -0.2, 0.4]) - (0.1, 0.2, -0.1)

    def height() -> float:
        return float(force @ (sim.state.u[body.index] + sim.state.r[body.index] @ arm))

    before = height()
    ledger = run(sim)
    assert column(ledger, "work_loads").sum() == pytest.approx(height() - before, rel=1e-12)


def test_force_on_a_point_mass_is_integrated_exactly_up_to_quadratic() -> None:
    model = Model()
    mass = model.add(PointMass(2.0, position=(0, 0, 0)))
    model.add(Force(mass.node, np.array([1.0, 0, 0]) * Polynomial((3, 4, 6))))
    sim = simulation(model, 0.7, 2.1)
    run(sim)
    t = 2.1
    assert sim.state.v[1, 0] == pytest.approx((3 * t + 2 * t**2 + 2 * t**3) / 2, rel=1e-13)


@pytest.mark.out_of_range("rotation in a step")
def test_joint_torque_acts_on_both_bodies() -> None:
    model, axis = Model(), np.array([0.6, 0, 0.8])
    frame = rotation_about((0, 1, 0), float(np.arctan2(0.6, 0.8)))
    k = model.add(RigidBody(1.0, (1, 1, 0.5), (0, 0, 0), rotation=frame)).node
    l = model.add(RigidBody(1.0, (1, 1, 0.25), (0, 0, 0), rotation=frame)).node
    model.add(Revolute(k, l, at=(0, 0, 0), axis=axis))
    model.add(JointTorque(k, l, axis, Ramp(0, 1, 0, 2)))
    sim = simulation(model, 0.1, 3.0)
    ledger = run(sim)
    given = 1.0 + 2 * 2.0
    assert frame @ sim.state.omega[1] == pytest.approx(-given / 0.5 * axis, abs=1e-12)
    assert frame @ sim.state.omega[2] == pytest.approx(given / 0.25 * axis, abs=1e-12)
    kept = column(ledger, "work_loads").sum() - column(ledger, "dissipation_scheme").sum()
    assert kept == pytest.approx(0.5 * given**2 * (2 + 4), rel=1e-12)
    assert np.abs(sim.outputs()["reaction"]).max() < 1e-10


def test_torque_against_the_ground_acts_on_the_other_body() -> None:
    model = Model()
    wheel = model.add(RigidBody(1.0, (1, 1, 0.5), (0, 0, 0))).node
    model.add(Revolute(wheel, model.ground, at=(0, 0, 0), axis=(0, 0, 1)))
    model.add(JointTorque(wheel, model.ground, (0, 0, 1), 2.0))
    sim = simulation(model, 0.1, 1.0)
    run(sim)
    assert sim.state.omega[1] == pytest.approx((0, 0, -4), abs=1e-12)


@pytest.mark.parametrize("joint", [Revolute, Cylindrical, Planar])
def test_a_joint_accepts_a_torque_about_its_axis_only(joint: Any) -> None:
    model = Model()
    wheel = model.add(RigidBody(1.0, (1, 1, 0.5), (0.3, 0, 0), rotation=rotation_about((1, 2, 3), 0.4))).node
    with pytest.raises(InputError, match="add the joint before its torque"):
        model.add(JointTorque(model.ground, wheel, (0, 0, 1), 2.0))
    about = {"direction" if joint is Planar else "axis": (0, 0.6, 0.8)}
    model.add(joint(model.ground, wheel, at=(0, 0, 0.1), **about, name="hinge"))
    with pytest.raises(
        InputError, match=r"axis \[0.0, 0.0, 1.0\] is not an axis that .* joint 'hinge' keeps"
    ):
        model.add(JointTorque(model.ground, wheel, (0, 0, 1), 2.0))
    model.add(JointTorque(model.ground, wheel, (0, 0.6, 0.8), 2.0))


def test_a_ball_joint_has_no_axis_for_a_torque() -> None:
    model = Model()
    arm = model.add(RigidBody(1.0, (1, 1, 0.5), (0.3, 0, 0))).node
    model.add(Spherical(model.ground, arm, at=(0, 0, 0)))
    with pytest.raises(InputError, match="is not an axis that spherical joint"):
        model.add(JointTorque(model.ground, arm, (0, 0, 1), 2.0))


@pytest.mark.parametrize("beam_order", [2, 3, 4])
def test_line_load_sums_to_its_integral(beam_order: int) -> None:
    """Gauss-Lobatto quadrature: exact for constant load with two nodes, and to third and fifth degree with more."""
    model = Model()
    beam = model.add(Beam(section(), line=Straight((0, 0, 0), (2, 0, 0)), elements=3, order=beam_order))
    degree = {2: 1, 3: 3, 4: 5}[beam_order]
    model.add(LineLoad(beam, (0, 0, 5.0), profile=lambda s: s**degree))
    sim = simulation(model, 0.01, 0.05)
    run(sim)
    momentum = sim.scheme.workspace.mass @ sim.state.v
    assert momentum == pytest.approx((0, 0, 0.05 * 5.0 * 2.0 / (degree + 1)), rel=1e-9, abs=1e-12)


def test_load_on_a_fixed_node_is_in_the_support_force() -> None:
    model = Model()
    body = model.add(RigidBody(1.0, (1, 1, 1), (0, 0, 0))).node
    model.fix(body)
    model.add(Force(body.at((0, 2, 0)), (0, 0, 3)))
    sim = simulation(model, 0.1, 0.3)
    ledger = run(sim)
    assert sim.outputs()["support"][0] == pytest.approx((0, 0, -3, -6, 0, 0), abs=1e-12)
    assert np.abs(column(ledger, "work_loads")).max() == 0.0
