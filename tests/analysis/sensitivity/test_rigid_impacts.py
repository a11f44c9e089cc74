"""Derivatives through rigid impacts: closed forms of bouncing, a mechanism at a wall, and what has none."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest

import fem_mbd as fm
from fem_mbd.elements import PointMass, RigidBody
from fem_mbd.errors import FemMbdWarning, InputError
from fem_mbd.joints import Revolute, RigidContact

START = {"gravity": 9.81, "height": 1.0, "restitution": 0.8}


def _ball(values: Mapping[str, float], end_time: float = 1.3) -> fm.Simulation:
    """A ball dropped onto a floor; its parabolas are solved exactly by the scheme."""
    model = fm.Model(gravity=(0, 0, -values["gravity"]))
    ball = model.add(PointMass(1.0, position=(0, 0, values["height"]), name="ball"))
    model.add(RigidContact(model.ground, ball, values["restitution"], direction=(0, 0, 1), name="floor"))
    return fm.Simulation(model, end_time, fm.StepControl.fixed(0.03))


def _after_two_bounces(gravity: complex, height: complex, restitution: complex, t: float = 1.3) -> Any:
    """Height, velocity, and the first impulse: it falls for sqrt(2 h/g), and flies 2 e v/g after an impact at v."""
    fall = np.sqrt(2.0 * height / gravity)
    first, second = restitution * gravity * fall, restitution**2 * gravity * fall
    after = t - fall - 2.0 * first / gravity
    impulse = (1.0 + restitution) * gravity * fall
    return np.array([second * after - 0.5 * gravity * after**2, second - gravity * after, impulse])


def test_a_bouncing_ball_has_its_closed_form() -> None:
    """By complex step: through the instants of two impacts, the jumps, and the impulse of the first."""
    of = {
        "height": "final(ball.position[2])", "velocity": "final(ball.velocity[2])", "impulse": "max(floor.impulse)"
    }  # fmt: skip
    found = fm.gradient(_ball, of, START)
    values = np.array(list(START.values()), dtype=complex)
    columns = [_after_two_bounces(*(values + 1e-30j * unit)).imag / 1e-30 for unit in np.eye(3)]
    np.testing.assert_allclose(found.values, _after_two_bounces(*values.real), rtol=1e-9)
    np.testing.assert_allclose(found.jacobian, np.stack(columns, axis=1), rtol=1e-8, atol=1e-9)


def test_a_ball_that_has_come_to_rest_depends_on_nothing() -> None:
    """It closes after a rebound slower than rest_speed, as an ideal joint; its force is its weight."""
    of = {"height": "final(ball.position[2])", "force": "final(floor.normal_force)"}
    values = {"gravity": 9.81, "height": 0.05, "restitution": 0.2}
    with pytest.warns(FemMbdWarning, match="no output depends on height, restitution"):
        found = fm.gradient(lambda v: _ball(v, 0.4), of, values)
    np.testing.assert_allclose(found.jacobian[0], 0.0, atol=1e-9)
    np.testing.assert_allclose(found.jacobian[1], [1.0, 0.0, 0.0], atol=1e-6)


def _hammer(values: Mapping[str, float]) -> fm.Simulation:
    """A double pendulum whose tip hits a wall once."""
    model = fm.Model(gravity=(0, 0, -9.81))
    arm = model.add(RigidBody(1.0, (0.01, 0.01, 0.01), (0.5, 0, 0), name="arm"))
    tip = model.add(RigidBody(values["mass"], (0.02, 0.02, 0.02), (1.5, 0, 0), name="tip"))
    model.add(Revolute(model.ground, arm, at=(0, 0, 0), axis=(0, 1, 0)))
    model.add(Revolute(arm, tip, at=(1.0, 0, 0), axis=(0, 1, 0)))
    wall = model.ground.at((values["wall"], 0, 0))
    model.add(RigidContact(wall, tip, values["restitution"], direction=(1, 0, 0), radius=0.1, name="wall"))
    return fm.Simulation(model, 0.7, fm.StepControl.fixed(2e-3))


def test_a_mechanism_at_a_wall() -> None:
    """Against central differences of runs; other steps keep their ends in the derivatives and move a little in runs:
    that is as small as the scheme's error, of third order in the step.
    """
    of = {"x": "final(tip.position[0])", "rate": "final(tip.omega[1])"}
    values = {"mass": 0.7, "wall": 0.55, "restitution": 0.6}
    found = fm.gradient(_hammer, of, values)
    assert found.result.of("wall").impulse.max() > 0.1
    for name, value in values.items():
        step = 1e-5 * value
        ends = [fm.run(_hammer({**values, name: value + k * step}), progress=False) for k in (1, -1)]
        for output, quantity in (
            ("x", lambda r: r.of("tip").position[-1, 0]),
            ("rate", lambda r: r.of("tip").omega[-1, 1]),
        ):
            difference = (quantity(ends[0]) - quantity(ends[1])) / (2.0 * step)
            assert found.of(output, name) == pytest.approx(difference, rel=1e-4), (output, name)


def test_impacts_at_the_same_time_have_no_derivative() -> None:
    def build(values: Mapping[str, float]) -> fm.Simulation:
        model = fm.Model(gravity=(0, 0, -9.81))
        for x in (0.0, 1.0):
            ball = model.add(PointMass(1.0, position=(x, 0, values["height"]), name=f"ball {x:g}"))
            model.add(RigidContact(model.ground, ball, 0.5, direction=(0, 0, 1), name=f"floor {x:g}"))
        return fm.Simulation(model, 0.6, fm.StepControl.fixed(0.03))

    with pytest.raises(InputError, match=r"'floor 0' and 'floor 1' impact at the same time, t = 0\.451"):
        fm.gradient(build, {"z": "final(ball 0.position[2])"}, {"height": 1.0})
