"""Rolling against closed forms: inclines, Routh's steady circle, the upright disk's wobble, a ball on a turntable.

Sources: E. J. Routh, Advanced Part of a Treatise on the Dynamics of a System of Rigid Bodies (1905), motion of a disc
on a rough plane; Neimark and Fufaev, Dynamics of Nonholonomic Systems (1972), chapter 3, section 2; the turntable: W.
Weckesser, A ball rolling on a freely spinning turntable, Am. J. Phys. 65 (1997) 736. Derivations in rolling.md.
"""

import numpy as np
import pytest

import fem_mbd as fm
from fem_mbd.base.arrays import Array
from fem_mbd.core.model.model import Model
from fem_mbd.elements import RigidBody, SpringDamper
from fem_mbd.joints import RollingBall
from tests.joints.rolling.rolling_models import BALL, DISK, HOOP, MASS, RADIUS, G, ball_on_table, disk

SLOPE = 0.35  # rad


@pytest.mark.parametrize("inertia", [DISK, HOOP])
def test_down_an_incline(inertia: Array) -> None:
    """a = g sin/(1 + k^2/r^2); the plane gives m g cos and holds back by m g sin k^2/(r^2 + k^2)."""
    gravity = G * np.array([np.sin(SLOPE), 0, -np.cos(SLOPE)])
    model, rolls = disk(inertia=inertia, gravity=gravity)
    result = fm.simulate(model, 1.0, fm.StepControl.fixed(0.02))
    ratio = inertia[2] / (MASS * RADIUS**2)
    acceleration = G * np.sin(SLOPE) / (1 + ratio)
    body, contact, t = result.of("disk"), result.of(rolls), result.time
    assert body.position[:, 0] == pytest.approx(0.5 * acceleration * t**2, abs=1e-11)
    assert body.velocity[:, 0] == pytest.approx(acceleration * t, abs=1e-11)
    assert contact.normal_force[1:] == pytest.approx(MASS * G * np.cos(SLOPE), rel=1e-10)
    back = [-MASS * G * np.sin(SLOPE) * ratio / (1 + ratio), 0, 0]
    assert contact.friction_force[1:] == pytest.approx(np.tile(back, (len(t) - 1, 1)), abs=1e-9)
    assert contact.contact_point[:, 0] == pytest.approx(body.position[:, 0], abs=1e-12)


def test_ball_down_an_incline() -> None:
    model = Model((0, 0, -G))
    normal = np.array([-np.sin(SLOPE), 0, np.cos(SLOPE)])
    ball = model.add(RigidBody(MASS, (BALL,) * 3, RADIUS * normal, name="ball"))
    model.add(RollingBall(model.ground, ball, RADIUS, direction=normal))
    result = fm.simulate(model, 1.0, fm.StepControl.fixed(0.02))
    down = np.array([-np.cos(SLOPE), 0, -np.sin(SLOPE)])
    assert result.of("ball").velocity[-1] == pytest.approx(5 / 7 * G * np.sin(SLOPE) * down, abs=1e-10)


def steady_spin(lean: float, turning: float, inertia: Array) -> float:
    """Spin about the axis (rad/s) of a disk in steady rolling on a circle, with ``turning`` about the vertical.

    Routh: (C + m r^2) omega_3 Omega sin(lean) - A Omega^2 sin(lean) cos(lean) + m g r cos(lean) = 0.
    """
    a, c = inertia[0], inertia[2]
    s, k = np.sin(lean), np.cos(lean)
    return float((a * turning**2 * s * k - MASS * G * RADIUS * k) / ((c + MASS * RADIUS**2) * turning * s))


@pytest.mark.parametrize(("lean", "turning"), [(1.2, 1.5), (0.9, 3.0), (0.35, 7.0)])
def test_steady_circle(lean: float, turning: float) -> None:
    """Routh's relation; the centre's circle has the radius |omega_3| r/Omega, and the rim is pushed inwards."""
    model, rolls = disk(lean)
    e2, e3 = np.array([0, np.cos(lean), np.sin(lean)]), np.array([0, -np.sin(lean), np.cos(lean)])
    spin = steady_spin(lean, turning, DISK)
    model.set_velocity(model.nodes[1], omega=turning * np.sin(lean) * e2 + spin * e3, about=(0, 0, 0))
    period = 2 * np.pi / turning
    result = fm.simulate(model, period, fm.StepControl.fixed(period / 800))
    place = result.of("disk").position
    assert place[:, 2] == pytest.approx(RADIUS * np.sin(lean), abs=2e-6)
    assert place[-1] == pytest.approx(RADIUS * e2, abs=3e-4 * RADIUS)
    middle = 0.5 * (place.max(axis=0) + place.min(axis=0))
    radius = abs(spin) * RADIUS / turning
    assert np.hypot(*(place - middle)[:, :2].T) == pytest.approx(radius, rel=1e-4)
    contact = result.of(rolls)
    assert contact.normal_force[1:] == pytest.approx(MASS * G, rel=1e-4)
    inwards = np.linalg.norm(contact.friction_force[1:], axis=1)
    assert inwards == pytest.approx(MASS * radius * turning**2, rel=1e-3)


@pytest.mark.parametrize("inertia", [DISK, HOOP])
def test_wobble_of_an_upright_disk(inertia: Array) -> None:
    """Small lean of a disk that rolls on with the spin n: A (A + m r^2) x'' + [C (C + m r^2) n^2 - A m g r] x = 0."""
    a, c = inertia[0], inertia[2]
    critical = np.sqrt(a * MASS * G * RADIUS / (c * (c + MASS * RADIUS**2)))
    spin = 2.0 * critical
    frequency = np.sqrt(
        (c * (c + MASS * RADIUS**2) * spin**2 - a * MASS * G * RADIUS) / (a * (a + MASS * RADIUS**2))
    )
    model, _ = disk(inertia=inertia)
    model.set_velocity(model.nodes[1], omega=(1e-5, -spin, 0), about=(0, 0, 0))
    period = 2 * np.pi / frequency
    result = fm.simulate(model, 3 * period, fm.StepControl.fixed(period / 200))
    lean = result.of("disk").rotation_matrix[:, 2, 2]
    crossings = np.flatnonzero(np.diff(np.sign(lean[1:]))) + 1
    t = result.time
    at = t[crossings] - lean[crossings] * (t[crossings + 1] - t[crossings]) / (
        lean[crossings + 1] - lean[crossings]
    )
    assert 2 * np.diff(at).mean() == pytest.approx(period, rel=1e-5)


def test_ball_on_a_turntable() -> None:
    """A uniform ball circles at 2/7 of the table's speed, wherever it was put and however it was pushed."""
    spin = 3.0
    model, _ = ball_on_table(spin)
    ball = model.bodies["ball"]
    velocity = np.array([0.2, 0.35, 0.0])
    table_speed = np.array([0.0, spin * 0.5, 0.0])
    # the point of the ball at the contact moves with the table
    model.set_velocity(ball, velocity, np.cross((0, 0, 1), velocity - table_speed) / RADIUS)
    turn = 2 * np.pi / (2 / 7 * spin)
    result = fm.simulate(model, turn, fm.StepControl.fixed(turn / 400))
    place = result.of("ball").position[:, :2]
    centre = 0.5 * (place.max(axis=0) + place.min(axis=0))
    assert np.hypot(*(place - centre).T) == pytest.approx(np.linalg.norm(velocity) * 3.5 / spin, rel=3e-5)
    assert place[-1] == pytest.approx([0.5, 0.0], abs=1e-4)
    assert result.summary["energy"]["relative"] < 1e-12


def test_forces_are_means_of_the_step() -> None:
    """On a turning plane and a leaning disk, in steps of 0.15 rad: force times dt is the change of momentum."""
    table, on_table = ball_on_table(3.0)
    ball = table.bodies["ball"]
    table.set_velocity(ball, (0.2, 0.35, 0.0), np.cross((0, 0, 1), (0.2, 0.35 - 1.5, 0.0)) / RADIUS)
    leaning, on_ground = disk(0.9)
    e2, e3 = np.array([0, np.cos(0.9), np.sin(0.9)]), np.array([0, -np.sin(0.9), np.cos(0.9)])
    spin = steady_spin(0.9, 3.0, DISK)
    leaning.set_velocity(leaning.nodes[1], omega=3.0 * np.sin(0.9) * e2 + spin * e3, about=(0, 0, 0))
    for model, contact, body in ((table, on_table, "ball"), (leaning, on_ground, "disk")):
        result = fm.simulate(model, 1.0, fm.StepControl.fixed(0.05))
        view = result.of(contact)
        change = MASS * np.diff(result.of(body).velocity, axis=0) / 0.05
        force = view.friction_force[1:] + np.outer(view.normal_force[1:] - MASS * G, (0, 0, 1))
        assert np.abs(force[:, :2]).max() > 0.5
        assert force == pytest.approx(change, abs=1e-9 * MASS * G)


def test_ball_held_by_a_spring() -> None:
    """Modes: a ball rolls to and fro with (k/(7 m/5))^(1/2); across the spring and about its normal it is free."""
    model = Model((0, 0, -G))
    ball = model.add(RigidBody(MASS, (BALL,) * 3, (0, 0, RADIUS), name="ball"))
    model.add(RollingBall(model.ground, ball, RADIUS, direction=(0, 0, 1)))
    model.add(SpringDamper(model.ground.at_global((-1, 0, RADIUS)), ball, stiffness=50.0))
    found = 2 * np.pi * fm.modes(model, 3).frequencies_hz
    assert found == pytest.approx([0.0, 0.0, np.sqrt(50.0 / (1.4 * MASS))], rel=1e-9, abs=1e-5)
