"""Motion of springs against closed forms and independent integration: order of convergence, damped oscillations, turns.

The references are written here: harmonic motion, and the equations of a mass on a spring and of a gyrostat (Hughes,
Spacecraft Attitude Dynamics, section 6.3: a body that carries an axisymmetric rotor) integrated by scipy.
"""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from fem_mbd.base.arrays import Array
from fem_mbd.core.model.model import Model
from fem_mbd.core.rotations import rotation_about
from fem_mbd.elements import PointMass, RigidBody, RotationalSpringDamper, SpringDamper
from fem_mbd.joints import Cylindrical, Revolute
from tests.core.scheme_tools import order, run
from tests.elements.springs.spring_models import AXIS, simulation


def _swinging_mass(dt: float, k: float, rest: float, c: float, cubic: float) -> Array:
    """Position and velocity at t = 1."""
    model = Model(gravity=(0, 0, -9.81))
    mass = model.add(PointMass(1.5, position=(0.8, 0.1, -0.5)))
    model.add(SpringDamper(model.ground, mass.node, k, c, length=rest, cubic=cubic))
    model.set_velocity(mass.node, (0.3, 1.5, -0.4))
    sim = simulation(model, dt, 1.0)
    run(sim)
    return np.concatenate([sim.state.u[1], sim.state.v[1]])


@pytest.mark.parametrize(
    "k, rest, c, cubic", [(400, 0.9, 0, 0), (400, 0.9, 4, 0), (20, 0, 0, 0), (0, 1, 3, 0), (50, 0.7, 0, 800)]
)
def test_swinging_mass_converges_with_order_three(k: float, rest: float, c: float, cubic: float) -> None:
    def rate(_t: float, s: Array) -> Array:
        length = np.linalg.norm(s[:3])
        n, e = s[:3] / length, length - rest
        return np.concatenate([s[3:], (-k * e - cubic * e**3 - c * n @ s[3:]) * n / 1.5 + (0, 0, -9.81)])

    start = np.array([0.8, 0.1, -0.5, 0.3, 1.5, -0.4])
    exact = solve_ivp(rate, (0, 1), start, method="DOP853", rtol=1e-12, atol=1e-13).y[:, -1]
    errors = [np.abs(_swinging_mass(dt, k, rest, c, cubic) - exact) for dt in STEPS]
    for part in (slice(0, 3), slice(3, 6)):
        assert order([e[part].max() for e in errors], STEPS) == pytest.approx(3, abs=0.2)


STEPS = [1 / n for n in (40, 57, 80, 113)]
CARRIER, ROTOR = np.diag([0.5, 0.8, 0.9]), np.diag([0.1, 0.1, 0.2])
STIFFNESS, DAMPING, ANGLE = 15.0, 0.1, 0.5


def _gyrostat(dt: float) -> Array:
    """Two free bodies on a common axis: Omega of the carrier, and angle and rate of the rotor, at t = 1."""
    model = Model()
    r = rotation_about((1, 2, -1), 0.8)
    carrier = model.add(RigidBody(1.0, CARRIER, position=(0, 0, 0), rotation=r)).node
    rotor = model.add(RigidBody(1.0, ROTOR, (0, 0, 0), rotation=r @ rotation_about((0, 0, 1), 0.4))).node
    model.add(Revolute(carrier, rotor, at=(0, 0, 0), axis=r[:, 2]))
    model.add(RotationalSpringDamper(carrier, rotor, r[:, 2], STIFFNESS, DAMPING, angle=ANGLE))
    model.set_velocity(carrier, omega=r @ (1.0, 0.5, -2.0))
    model.set_velocity(rotor, omega=r @ (1.0, 0.5, 6.0))
    sim = simulation(model, dt, 1.0)
    run(sim)
    return np.concatenate([sim.state.omega[1], sim.outputs()["spring"][0, :2]])


def _gyrostat_rates(_t: float, s: Array) -> Array:
    w, phi, spin, axial = s[:3], s[3], s[4], ROTOR[2, 2]
    torque = STIFFNESS * (phi - ANGLE) + DAMPING * spin
    inertia = CARRIER + ROTOR
    h = inertia @ w + axial * spin * np.eye(3)[2]
    # rotor about its axis: C (spin' + w3') = -torque; both together: h' + w x h = 0
    matrix = np.block([[inertia, axial * np.eye(3)[:, 2:]], [axial * np.eye(3)[2:], np.array([[axial]])]])
    change = np.linalg.solve(matrix, np.append(-np.cross(w, h), -torque))
    return np.array([*change[:3], spin, change[3]])


def test_torsion_spring_between_free_bodies_converges_with_order_three() -> None:
    start = np.array([1.0, 0.5, -2.0, 0.0, 8.0])
    exact = solve_ivp(_gyrostat_rates, (0, 1), start, method="DOP853", rtol=1e-12, atol=1e-13).y[:, -1]
    errors = [np.abs(_gyrostat(dt) - exact) for dt in STEPS]
    for part in (slice(0, 3), slice(3, 4), slice(4, 5)):
        assert order([e[part].max() for e in errors], STEPS) == pytest.approx(3, abs=0.2)


def _damped(t: Array | float, mass: float, c: float, k: float, x0: float, v0: float) -> Array:
    decay = c / (2 * mass)
    w = np.sqrt(k / mass - decay**2)
    return np.exp(-decay * t) * (x0 * np.cos(w * t) + (v0 + decay * x0) / w * np.sin(w * t))


@pytest.mark.parametrize("c", [0.0, 0.6])
def test_mass_on_a_spring_is_the_damped_oscillator(c: float) -> None:
    model = Model()
    mass = model.add(PointMass(2.0, position=(1.2, 0, 0)))
    model.add(SpringDamper(model.ground, mass.node, 50.0, c, length=1.0))
    model.set_velocity(mass.node, (0.5, 0, 0))
    sim = simulation(model, 2e-3, 4.0)
    for record in sim.steps():
        length, rate, tension = sim.outputs()["spring"][0]
        assert length == pytest.approx(1.0 + _damped(record.time, 2.0, c, 50.0, 0.2, 0.5), abs=2e-7)
        assert tension == pytest.approx(50.0 * (length - 1.0) + c * rate, abs=1e-12)
        assert rate == pytest.approx(sim.state.v[1, 0], abs=1e-12)


def test_spring_without_length_draws_ellipses() -> None:
    model = Model()
    mass = model.add(PointMass(1.0, position=(1.0, 0, 0)))
    model.add(SpringDamper(model.ground, mass.node, 4.0, length=0.0))
    model.set_velocity(mass.node, (0, 0.2, 0))
    sim = simulation(model, 2e-3, 6.0)
    for record in sim.steps():
        expected = (np.cos(2 * record.time), 0.1 * np.sin(2 * record.time), 0)
        assert sim.state.u[1] == pytest.approx(expected, abs=2e-6)


@pytest.mark.parametrize("joint", [Revolute, Cylindrical])
@pytest.mark.parametrize("c", [0.0, 0.02])
def test_torsion_pendulum_through_several_revolutions(
    joint: type[Revolute] | type[Cylindrical], c: float
) -> None:
    model, k, inertia, speed = Model(), 0.5, 0.1, 50.0
    disk = model.add(RigidBody(1.0, (0.06, 0.06, inertia), (0.4, 0, 0), rotation=_frame_along(AXIS))).node
    model.add(joint(model.ground, disk, at=(0.4, 0, 0), axis=AXIS))
    model.add(RotationalSpringDamper(model.ground, disk, AXIS, k, c))
    model.set_velocity(disk, omega=speed * AXIS)
    sim = simulation(model, 2e-3, 4.0)
    angles = []
    for record in sim.steps():
        angle, rate, torque = sim.outputs()["spring"][0]
        angles.append(angle)
        assert angle == pytest.approx(_damped(record.time, inertia, c, k, 0.0, speed), abs=1e-4)
        assert torque == pytest.approx(k * angle + c * rate, abs=1e-11)
    assert max(angles) > 5 * np.pi and min(angles) < -4 * np.pi


def _frame_along(axis: Array) -> Array:
    return rotation_about(np.cross((0, 0, 1), axis), float(np.arccos(axis[2])))


@pytest.mark.out_of_range("rotation in a step")
def test_more_than_half_a_revolution_in_one_step() -> None:
    model = Model()
    a, b = (model.add(RigidBody(1.0, (1, 1, 1), position=(0, 0, 0))).node for _ in range(2))
    model.add(Revolute(a, b, at=(0, 0, 0), axis=AXIS))
    model.add(RotationalSpringDamper(a, b, AXIS, 1e-9))
    model.set_velocity(a, omega=-AXIS)
    model.set_velocity(b, omega=AXIS)
    sim = simulation(model, 2.0, 20.0)
    last = 0.0
    for _ in sim.steps():
        angle = sim.outputs()["spring"][0, 0]
        assert np.pi < angle - last < 2 * np.pi
        last = angle
