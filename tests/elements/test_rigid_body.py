"""Rigid bodies: free tops at any step size, orders, momentum, attachment, bad input."""

from itertools import islice
from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from fem_mbd import InputError, Model, Simulation
from fem_mbd.base.arrays import Array
from fem_mbd.core.rotations import rotation_about, skew
from fem_mbd.elements import PointMass, RigidBody
from fem_mbd.joints import Revolute, Spherical
from fem_mbd.joints.pair import Joint
from tests.core.scheme_tools import column, order, run, simulation, worst_residual
from tests.refusals import refused

INERTIA = np.array([[1.0, 0.1, 0.05], [0.1, 2.0, -0.1], [0.05, -0.1, 2.6]])
SPIN = np.array([0.4, 4.0, 0.6])
TURNED = rotation_about((1, 2, 3), 0.7)


def _top(dt: float, end: float, spin: Array = SPIN) -> Simulation:
    model = Model()
    node = model.add(RigidBody(2.0, INERTIA, (1, 2, 3), rotation=TURNED, centre=(0.1, 0.2, -0.1))).node
    model.set_velocity(node, (1, 0.5, -0.3), TURNED @ spin)
    return simulation(model, dt, end)


@pytest.mark.out_of_range("angular momentum lost in a step", "rotation in a step")
@pytest.mark.parametrize("dt", [0.01, 0.1, 0.5, 1.0, 30.0, 1000.0])
def test_energy_balance_of_a_free_top_closes_at_any_step_size(dt: float) -> None:
    sim = _top(dt, 100 * dt)
    mass = sim.scheme.workspace.mass[1]
    velocity = sim.state.v[1].copy()
    ledger = np.array([record.energy for record in islice(sim.steps(), 20)])
    assert worst_residual(sim, ledger) < 1e-11
    assert np.diff(column(ledger, "kinetic")).max() < 1e-11 * sim.energy_scale
    assert column(ledger, "dissipation_scheme").min() >= 0.0
    assert mass * sim.state.v[1] == pytest.approx(mass * velocity, abs=1e-12)
    assert sim.state.r[1].T @ sim.state.r[1] == pytest.approx(np.eye(3), abs=1e-13)


# steps of 1000 s are repeated with less than half a turn: in their thousand turns round-off about the unstable middle
# axis grows to a tumble, as it does in the body
@pytest.mark.out_of_range("rotation in a step")
@pytest.mark.parametrize(
    ("axis", "dt"),
    [(axis, dt) for axis in (0, 1, 2) for dt in (0.1, 1.0, 1000.0) if (axis, dt) != (1, 1000.0)],
)
def test_spin_about_a_principal_axis_loses_nothing(axis: int, dt: float) -> None:
    model = Model()
    node = model.add(RigidBody(1.0, (1.0, 2.0, 2.6), (0, 0, 0), rotation=TURNED)).node
    spin = 3.0 * np.eye(3)[axis]
    model.set_velocity(node, omega=TURNED @ spin)
    sim = simulation(model, dt, 10 * dt)
    ledger = run(sim)
    # the middle axis is unstable: there round-off grows
    assert sim.state.omega[1] == pytest.approx(spin, abs=1e-8 if axis == 1 else 1e-12)
    assert np.abs(column(ledger, "dissipation_scheme")).max() < 1e-18
    assert sim.state.r[1] @ spin == pytest.approx(TURNED @ spin, abs=1e-8)


def test_top_converges_to_euler_and_its_angular_momentum_to_constant() -> None:
    def rates(_t: float, s: Array) -> Array:
        w, r = s[:3], s[3:].reshape(3, 3)
        return np.concatenate([-np.linalg.solve(INERTIA, np.cross(w, INERTIA @ w)), (r @ skew(w)).ravel()])

    start = np.concatenate([SPIN, TURNED.ravel()])
    exact = solve_ivp(rates, (0, 2), start, method="DOP853", rtol=1e-12, atol=1e-13).y[:, -1]

    def errors(count: int) -> tuple[float, float, float]:
        sim = _top(2.0 / count, 2.0)
        run(sim)
        w, r = sim.state.omega[1], sim.state.r[1]
        momentum = r @ INERTIA @ w - TURNED @ INERTIA @ SPIN
        return (
            float(np.abs(w - exact[:3]).max()),
            float(np.abs(r.ravel() - exact[3:]).max()),
            float(np.abs(momentum).max()),
        )

    counts = (50, 71, 100, 141)
    found = [order(e, [2.0 / n for n in counts]) for e in zip(*map(errors, counts), strict=True)]
    assert found[0] == pytest.approx(3, abs=0.2)
    assert min(found[1:]) > 2.8  # the rotation's error is that of order 4 over a few turns


@pytest.mark.parametrize("dt", [0.01, 0.2, 5.0])
def test_free_fall_is_exact(dt: float) -> None:
    model = Model(gravity=(0, 0, -9.81))
    ball = model.add(PointMass(0.7, position=(1, 2, 3)))
    model.set_velocity(ball.node, (3, 0, 4))
    sim = simulation(model, dt, 10 * dt)
    run(sim)
    t = sim.state.time
    fallen = (1 + 3 * t, 2, 3 + 4 * t - 9.81 / 2 * t * t)
    assert sim.state.u[1] == pytest.approx(fallen, rel=1e-13)
    assert sim.state.v[1] == pytest.approx((3, 0, 4 - 9.81 * t), rel=1e-13)


def test_masses_on_one_node_act_as_their_sum() -> None:
    """Two bodies on a node against the one body that they make."""
    first, second = (
        (2.0, np.diag([0.3, 0.4, 0.5]), np.array([0.1, 0, 0])),
        (1.0, INERTIA, np.array([0, -0.2, 0.4])),
    )
    mass = 3.0
    centre = (2.0 * first[2] + second[2]) / mass
    about = sum(j - m * skew(c - centre) @ skew(c - centre) for m, j, c in (first, second))

    def solve(parts: list[tuple[float, Array, Array]]) -> Array:
        model = Model(gravity=(0, 0, -9.81))
        (m, j, c), *more = parts
        node = model.add(RigidBody(m, j, (0, 0, 0), rotation=TURNED, centre=c)).node
        for m, j, c in more:
            model.add(RigidBody(m, j, node=node, centre=c))
        model.add(Spherical(model.ground, node, at=(0.3, 0.1, 0)))
        model.set_velocity(node, omega=(1, 2, 3), about=(0.3, 0.1, 0))
        sim = simulation(model, 0.02, 1.0)
        run(sim)
        return sim.outputs()["position"][1]

    assert solve([first, second]) == pytest.approx(solve([(mass, about, centre)]), abs=1e-11)


def test_outputs_are_those_of_the_node_not_of_the_mass_centre() -> None:
    sim = _top(0.01, 0.3)
    assert sim.outputs()["position"][1] == pytest.approx((1, 2, 3), abs=1e-15)
    assert sim.outputs()["velocity"][1] == pytest.approx((1, 0.5, -0.3), abs=1e-14)
    seen = []
    for _ in sim.steps():
        out = sim.outputs()
        seen.append((out["position"][1].copy(), out["velocity"][1].copy()))
    middle = (seen[-1][0] - seen[-3][0]) / 0.02
    assert seen[-2][1] == pytest.approx(middle, abs=1e-3)


BODIES: dict[str, dict[str, Any]] = {
    "mass is -1.0 kg": dict(mass=-1.0),
    "mass is 0.0 kg": dict(mass=0.0),
    "mass is nan": dict(mass=float("nan")),
    "inertia is not symmetric": dict(inertia=[[1, 0.1, 0], [0, 1, 0], [0, 0, 1]]),
    "inertia has a negative principal moment": dict(inertia=(1, 1, -1)),
    "break the triangle inequality": dict(inertia=(1, 1, 2.1)),
    "inertia has shape": dict(inertia=(1, 1)),
    "centre has shape": dict(centre=(1, 1)),
    "give either a position or an existing node": dict(position=None),
}


@pytest.mark.parametrize("message", BODIES)
def test_impossible_bodies_are_refused_by_name(message: str) -> None:
    numbers: dict[str, Any] = dict(mass=1.0, inertia=(1, 1, 1), position=(0, 0, 0), name="wheel")
    refused(f"body 'wheel'.*{message}", lambda: RigidBody(**(numbers | BODIES[message])))


def test_impossible_point_masses_are_refused_by_name() -> None:
    refused(r"point mass 'bob': mass is -2", PointMass, -2, position=(0, 0, 0), name="bob")
    refused(r"point mass 'bob': give either a position or an existing node", PointMass, 1.0, name="bob")
    with pytest.raises(InputError, match=r"rotation of body 'wheel': not a rotation matrix"):
        Model().add(RigidBody(1.0, (1, 1, 1), (0, 0, 0), rotation=2 * np.eye(3), name="wheel"))


def test_a_free_node_needs_mass_and_rotary_inertia() -> None:
    model = Model()
    model.add(RigidBody(1.0, (1, 1, 1), position=(0, 0, 0)))
    model.node((1, 0, 0), name="joint point")
    refused(r"node 'joint point' can move but has no mass", simulation, model, 0.1)
    model = Model()
    node = model.node((1, 0, 0), name="bead")
    model.add(PointMass(1.0, node=node))
    refused(r"node 'bead' is free to rotate but has no rotary inertia", simulation, model, 0.1)


@pytest.mark.parametrize("joint", [Spherical, Revolute])
def test_a_point_mass_on_an_arm_is_refused_and_a_body_without_inertia_swings(joint: type[Joint]) -> None:
    """A pendulum of one metre released from horizontal; position after one second from the equation of the angle."""
    model = Model(gravity=(0, -9.81, 0))
    mass = model.add(PointMass(1.0, position=(-1, 0, 0)))
    with pytest.raises(InputError, match=r"constrains the rotation of node 'mass\.node'.*RigidBody"):
        model.add(joint(model.ground, mass.node, at=(0, 0, 0), **axis_of(joint)))
    model = Model(gravity=(0, -9.81, 0))
    bob = model.add(RigidBody(1.0, (0, 0, 0), position=(-1, 0, 0)))
    model.add(joint(model.ground, bob.node, at=(0, 0, 0), **axis_of(joint)))
    sim = simulation(model, 1e-3)
    run(sim)
    swing = solve_ivp(
        lambda t, y: (y[1], -9.81 * np.cos(y[0])),
        (0, 1),
        (np.pi, 0.0),
        method="DOP853",
        rtol=1e-12,
        atol=1e-12,
    )
    angle = swing.y[0, -1]
    assert sim.state.u[1] == pytest.approx((np.cos(angle), np.sin(angle), 0), abs=1e-6)


def axis_of(joint: type[Joint]) -> dict[str, Any]:
    return {} if joint is Spherical else {"axis": (0, 0, 1)}


def test_a_point_mass_hangs_on_a_spherical_joint_at_its_position() -> None:
    model = Model()
    mass = model.add(PointMass(1.0, position=(-1, 0, 0)))
    model.add(Spherical(model.ground, mass.node, at=(-1, 0, 0)))
