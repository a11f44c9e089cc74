"""Points `node.at(offset)` wherever a node can be given: masses, bodies, velocities, supports, prescribed motion."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import fem_mbd as fm
from fem_mbd.base.arrays import Array
from fem_mbd.core.rotations import rotation_about
from fem_mbd.elements import (
    Force,
    Moment,
    PointMass,
    RigidBody,
    RotationalSpringDamper,
    Shape,
    Sphere,
    SpringDamper,
)
from tests.refusals import refused

TURN = rotation_about((1, -2, 3), 0.9)  # of the body's axes
ARM = np.array([2.0, 0.0, 0.0])  # m, global axes: from the body's node to the point


def body(model: fm.Model, mass: float = 1.0) -> fm.Node:
    """A body with axes of its own, equal moments of inertia of 1 kg m^2."""
    return model.add(RigidBody(mass, (1.0, 1.0, 1.0), (0, 0, 0), rotation=TURN, name="body")).node


def at(node: fm.Node) -> fm.Point:
    return node.at(TURN.T @ ARM)


MASSES: dict[str, Callable[[fm.Point], Any]] = {
    "point mass": lambda p: PointMass(0.5, node=p),
    "body": lambda p: RigidBody(0.5, (0, 0, 0), node=p),
    "body with a centre of its own": lambda p: RigidBody(
        0.5, (0, 0, 0), node=p.node.at(p.offset / 2), centre=p.offset / 2
    ),
    "body with a centre in global axes": lambda p: RigidBody(
        0.5, (0, 0, 0), node=p.node.at(p.offset / 2), centre=ARM / 2, axes="global"
    ),
}


@pytest.mark.parametrize("name", MASSES)
def test_a_mass_on_a_point_is_there(name: str) -> None:
    """1 N m s about z on 1 kg m^2 and a mass of 0.5 kg, 2 m away: spin 1/(1 + m M/(m + M) a^2) about the centre."""
    model = fm.Model()
    node = body(model)
    model.add(MASSES[name](at(node)))
    model.add(Moment(node, (0, 0, 1.0)))
    result = fm.simulate(model, 1.0, fm.StepControl.fixed(0.02))
    spin = 1.0 / (1.0 + 0.5 / 1.5 * 4.0)
    assert result.of(node).angular_velocity[-1] == pytest.approx((0, 0, spin), abs=1e-10)


def test_the_shape_of_a_body_on_a_point_is_drawn_there() -> None:
    model = fm.Model()
    point = at(body(model))
    shape: Shape = Sphere(0.1, at=(0, 0, 0.5))
    model.add(RigidBody(1.0, (1, 1, 1), node=point, name="ball", shape=shape))
    assert model.shapes["ball"]["centre"] == pytest.approx(point.offset + (0, 0, 0.5))


def test_the_initial_velocity_is_that_of_the_point() -> None:
    model = fm.Model()
    node = body(model)
    model.set_velocity(at(node), velocity=(0, 1.0, 0), omega=(0, 0, 1.0))
    result = fm.simulate(model, 1e-3, fm.StepControl.fixed(1e-3))
    assert result.of(node).velocity[-1] == pytest.approx((0, -1.0, 0), abs=1e-12)
    assert result.of(at(node)).velocity[-1] == pytest.approx((0, 1.0, 0), abs=2e-3)


def pendulum(time: float) -> Array:
    """Angle (rad, down) and rate of 1 kg, 1 kg m^2 on an arm of 2 m released from horizontal."""
    found = solve_ivp(
        lambda t, y: (y[1], 9.81 * 2.0 * np.cos(y[0]) / 5.0), (0, time), (0.0, 0.0), rtol=1e-11, atol=1e-12
    )
    return np.asarray(found.y[:, -1])


def pivot_force(time: float) -> Array:
    """On the pendulum (3,), N: along the arm w^2 r + g sin, across it g cos I/(I + m r^2)."""
    angle, rate = pendulum(time)
    inwards, across = (
        np.array([np.cos(angle), 0, np.sin(angle)]),
        np.array([np.sin(angle), 0, -np.cos(angle)]),
    )
    return np.asarray(inwards * (rate**2 * 2.0 + 9.81 * np.sin(angle)) - across * 9.81 * np.cos(angle) / 5.0)


def test_a_fixed_point_is_a_pivot() -> None:
    model = fm.Model(gravity=(0, 0, -9.81))
    node = body(model)
    model.fix(at(node), rotation=False)
    result = fm.simulate(model, 0.4, fm.StepControl.fixed(2e-3))
    angle, _ = pendulum(0.4)
    expected = ARM + 2.0 * np.array([-np.cos(angle), 0, -np.sin(angle)])
    assert result.of(node).position[-1] == pytest.approx(expected, abs=1e-6)
    assert result.of(at(node)).position[-1] == pytest.approx(ARM, abs=1e-12)
    # the mean of a step is the force at its middle plus dt^2/24 of its second derivative, which is below 300 N/s^2
    support = result.of("support of body.node")
    assert support.reaction.force[-1] == pytest.approx(pivot_force(0.4 - 1e-3), abs=2e-4)
    assert support.reaction_at_end.force[-1] == pytest.approx(pivot_force(0.4), abs=2e-3)


def test_a_fixed_node_with_its_mass_centre_elsewhere_is_a_pivot_too() -> None:
    model = fm.Model(gravity=(0, 0, -9.81))
    node = model.add(RigidBody(1.0, (1, 1, 1), ARM, centre=-ARM, name="wheel")).node
    model.fix(node, rotation=False)
    result = fm.simulate(model, 0.4, fm.StepControl.fixed(2e-3))
    angle, _ = pendulum(0.4)
    assert result.of(node).position[-1] == pytest.approx(ARM, abs=1e-12)
    assert result.of(node).rotation_matrix[-1][:, 0] == pytest.approx(
        (np.cos(angle), 0, np.sin(angle)), abs=1e-6
    )


def test_a_point_fixed_in_one_direction_slides_in_the_others() -> None:
    """Two such points of a body under gravity, in z: it turns about neither, and slides along y without resistance."""
    model = fm.Model(gravity=(0, 0, -9.81))
    node = body(model)
    for x in (-2.0, 2.0):
        model.fix(node.at(TURN.T @ (x, 0, 0)), translation=(False, False, True), rotation=False)
    model.set_velocity(node, velocity=(0, 1.0, 0))
    result = fm.simulate(model, 0.2, fm.StepControl.fixed(0.01))
    assert result.of(node).position[-1] == pytest.approx((0, 0.2, 0), abs=1e-12)
    for name in ("support of body.node", "support of body.node-2"):
        assert result.of(name).reaction.force[-1] == pytest.approx((0, 0, 0.5 * 9.81), abs=1e-9)


def test_a_prescribed_rotation_is_about_the_point() -> None:
    model = fm.Model()
    node = body(model)
    model.add(fm.PrescribedMotion(at(node), axis=(0, 0, 1), angle=lambda t: 0.5 * t))
    model.set_velocity(at(node), omega=(0, 0, 0.5))
    result = fm.simulate(model, 1.0, fm.StepControl.fixed(0.02))
    assert result.of(at(node)).position[-1] == pytest.approx(ARM, abs=1e-13)
    centre = ARM - 2.0 * np.array([np.cos(0.5), np.sin(0.5), 0])
    assert result.of(node).position[-1] == pytest.approx(centre, abs=1e-13)
    assert result.of(node).velocity[-1] == pytest.approx(np.cross((0, 0, 0.5), centre - ARM), abs=1e-12)


def test_a_drive_from_rest_may_begin_with_the_round_off_of_its_speed() -> None:
    """At t = 0 the energy is 1e-36 J, the rate of the driver's angle squared: no measure for the first step."""
    model = fm.Model()
    node = model.add(RigidBody(1.0, (1, 1, 1), (0.3, 0, 0))).node
    model.add(fm.PrescribedMotion(node, axis=(0, 0, 1), angle=lambda t: 1e-18 * t + 0.5 * t * t))
    result = fm.simulate(model, 0.1, fm.StepControl.fixed(0.01))
    assert result.of(node).angular_velocity[-1] == pytest.approx((0, 0, 0.1), rel=1e-9)
    assert result.of(node).support.moment[-1] == pytest.approx((0, 0, 1.0), rel=1e-6)


LOST: dict[str, Callable[[fm.Point, fm.Model], Any]] = {
    "force 'f'": lambda p, m: Force(p, (0, 0, 1), name="f"),
    "moment 'f'": lambda p, m: Moment(p.node, (0, 0, 1), name="f"),
    "spring 'f'": lambda p, m: SpringDamper(m.ground, p, stiffness=1.0, name="f"),
    "torsion spring 'f'": lambda p, m: RotationalSpringDamper(
        m.ground, p.node, axis=(0, 0, 1), stiffness=1.0, name="f"
    ),
    "point mass 'f'": lambda p, m: PointMass(1.0, node=p, name="f"),
    "body 'f'": lambda p, m: RigidBody(1.0, (1, 1, 1), node=p, name="f"),
}


@pytest.mark.parametrize("what", LOST)
def test_a_moment_on_a_point_mass_is_refused(what: str) -> None:
    """It has no rotation: the moment would be lost."""
    model = fm.Model()
    mass = model.add(PointMass(1.0, position=(0, 0, 1), name="bob"))
    part = LOST[what](mass.node.at((1, 0, 0)), model)
    refused(
        f"{what}: node 'bob.node' belongs to a point mass, which has no rotation: give a RigidBody",
        model.add,
        part,
    )


def test_handles_and_nodes_are_shown_by_name_and_place() -> None:
    """As the last line of a cell of a notebook prints them."""
    model = fm.Model()
    handle = model.add(RigidBody(2.0, np.eye(3), position=(1, 0, 0.5), name="block"))
    assert (repr(handle), repr(handle.node)) == ("<Body 'block'>", "<Node 'block.node' at (1, 0, 0.5) m>")
