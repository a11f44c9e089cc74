"""The output "support": force and moment at the position of a held node with an eccentric mass centre, by hand."""

import numpy as np
import pytest

import fem_mbd
from fem_mbd.core.rotations import rotation_from_vector
from fem_mbd.elements import Beam, RigidBody, Section
from fem_mbd.joints import Clamp
from tests.core.scheme_tools import order


def test_support_of_a_clamped_body_by_statics() -> None:
    turn, centre, weight = (
        rotation_from_vector((0.3, -0.2, 0.5)),
        (0.1, 0.2, 0.3),
        np.array([0, 0, -2 * 9.81]),
    )
    model = fem_mbd.Model(gravity=(0.0, 0.0, -9.81))
    body = model.add(RigidBody(2.0, (0.1, 0.1, 0.1), position=(1, 2, 3), rotation=turn, centre=centre))
    model.add(Clamp(model.ground, body.node))
    result = fem_mbd.simulate(model, 0.1, fem_mbd.StepControl.fixed(0.1))
    moment = -np.cross(turn @ np.array(centre), weight)
    assert np.allclose(result.outputs["support"][-1, 0], [*-weight, *moment], atol=1e-12)


@pytest.mark.parametrize("turn", [0.3, 0.1])
def test_an_unbalanced_body_turned_steadily_needs_no_torque(turn: float) -> None:
    """100 rad/s about z, 1 kg at 0.1 m from the axis and 0.2 m above the node: m w^2 c inwards, mean of a step."""
    speed, mass, centre = 100.0, 1.0, np.array([0.1, 0.0, 0.2])
    dt = turn / speed
    model = fem_mbd.Model()
    body = model.add(RigidBody(mass, (0.01, 0.01, 0.02), position=(0, 0, 0), centre=centre))
    model.add(fem_mbd.PrescribedMotion(body, axis=(0, 0, 1), angle=lambda t: speed * t))
    result = fem_mbd.simulate(model, 30 * dt, fem_mbd.StepControl.fixed(dt))
    support = result.of(body).support
    for k in (4, 29):
        phi = speed * (k + 0.5) * dt
        inward = -np.array([np.cos(phi), np.sin(phi), 0.0]) * np.sinc(turn / 2.0 / np.pi)
        force = mass * speed**2 * 0.1 * inward
        moment = np.cross((0.0, 0.0, 0.2), force)
        assert support.force[k] == pytest.approx(force, abs=1e-8)  # of 1000 N
        assert support.moment[k] == pytest.approx(moment, abs=200.0 * turn**4 / 1000.0)


def _general_motion_error(dt: float) -> float:
    """Largest error of the mean moment of the last step of a prescribed screw motion, against Newton and Euler."""
    axis = np.array([1.0, 2.0, -0.5]) / np.sqrt(5.25)
    start, centre, mass = rotation_from_vector((0.4, -1.1, 0.7)), np.array([0.1, -0.2, 0.3]), 2.0
    inertia = np.array([[0.1, 0.02, 0.01], [0.02, 0.13, -0.01], [0.01, -0.01, 0.15]])

    def exact(t: float) -> np.ndarray:
        r = rotation_from_vector(axis * (1.5 * t * t - 0.4 * t)) @ start
        w, rate, arm, j = axis * (3 * t - 0.4), 3 * axis, r @ centre, r @ inertia @ r.T
        force = mass * (
            (-1.8 * np.sin(3 * t), 0.2, 0.0) + np.cross(rate, arm) + np.cross(w, np.cross(w, arm))
        )
        return np.concatenate([force, j @ rate + np.cross(w, j @ w) + np.cross(arm, force)])

    model = fem_mbd.Model()
    body = model.add(RigidBody(mass, inertia, position=(1, 2, 3), rotation=start, centre=centre))
    path = fem_mbd.PrescribedMotion(
        body, lambda t: (0.2 * np.sin(3 * t), 0.1 * t * t, 0.3 * t), axis=axis,
        angle=lambda t: 1.5 * t * t - 0.4 * t,
    )  # fmt: skip
    model.add(path)
    result = fem_mbd.simulate(model, 1.0, fem_mbd.StepControl.fixed(dt))
    points, weights = np.polynomial.legendre.leggauss(5)
    mean = sum(0.5 * w * exact(1.0 - 0.5 * dt * (1.0 - p)) for p, w in zip(points, weights, strict=True))
    support = result.of(body).support
    assert support.force[-1] == pytest.approx(mean[:3], abs=1e-10)
    return float(np.abs(support.moment[-1] - mean[3:]).max())


def test_moments_of_a_general_motion_are_of_fourth_order() -> None:
    steps = [0.1, 0.05, 0.025]
    errors = [_general_motion_error(dt) for dt in steps]
    assert order(errors, steps) == pytest.approx(4, abs=0.3)
    assert errors[-1] < 1e-6  # of 1.3 N m


def test_a_blade_on_a_turning_root_needs_the_power_that_is_dissipated() -> None:
    """Moment about the shaft times its speed: the work of the drive, which is the dissipation of the scheme."""
    speed = 30.0
    section = Section(
        np.diag([1e9, 4e8, 4.5e8, 8e5, 1e6, 1.7e6]), 20.0, np.diag([2e-2, 1e-2, 1e-2]), (0.2, 0.0)
    )

    def error(dt: float) -> float:
        model = fem_mbd.Model()
        blade = model.add(Beam(section, (0.2, 0, 0), (1.7, 0, 0), up=(0, 0, 1), elements=3, damping=1e-3))
        root = fem_mbd.PrescribedMotion(
            blade.start, lambda t: (0.2 * np.cos(speed * t) - 0.2, 0.2 * np.sin(speed * t), 0.0 * t),
            axis=(0, 0, 1), angle=lambda t: speed * t,
        )  # fmt: skip
        model.add(root)
        model.set_velocity(blade, (0, 0, 0), (0, 0, speed), about=(0, 0, 0))
        result = fem_mbd.simulate(model, 0.3, fem_mbd.StepControl.fixed(dt))
        support, middle = result.of(blade.start).support, speed * (0.3 - 0.5 * dt)
        root_at = 0.2 * np.array([np.cos(middle), np.sin(middle), 0.0])
        torque = (support.moment[-1] + np.cross(root_at, support.force[-1]))[2]
        return abs(torque - result.energy["work_drivers"][-1] / (speed * dt))

    steps = [5e-3, 2.5e-3, 1.25e-3]
    errors = [error(dt) for dt in steps]
    assert order(errors, steps) > 1.6
    assert errors[0] < 1.0  # N m; the force on the root is 26 kN
