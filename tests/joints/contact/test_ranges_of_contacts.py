"""Ranges of contacts: what a step misses, rotation of the normal in a step, points deeper than their body."""

import numpy as np
import pytest

import fem_mbd as fm
from fem_mbd.core.model.ranges import RangeWarning
from fem_mbd.elements import RigidBody
from fem_mbd.errors import SolverFailure
from fem_mbd.friction import Linear
from fem_mbd.joints import PointOnPlane, SphereOnSphere, SphericalClearance

RADIUS, MASS, SPEED = 0.01, 0.1, 10.0  # m, kg, m/s


def shot(offset: float) -> fm.Model:
    """A ball is shot at another one at rest; ``offset`` (m) of the line of flight from its centre."""
    model = fm.Model()
    inertia = (0.4 * MASS * RADIUS**2,) * 3
    target = model.add(RigidBody(MASS, inertia, position=(0, 0, 0), name="target"))
    bullet = model.add(RigidBody(MASS, inertia, position=(-0.05, offset, 0), name="bullet"))
    model.add(SphereOnSphere(target, bullet, RADIUS, RADIUS, Linear(1e7), name="hit"))
    model.set_velocity(bullet, velocity=(SPEED, 0, 0))
    return model


def test_steps_in_which_balls_would_pass_through_each_other_are_repeated() -> None:
    """0.1 m a step: without a look between the ends the balls are 0.05 m apart before and after it."""
    result = fm.simulate(shot(0.0), 0.02, fm.StepControl.fixed(0.01))
    assert result.of("target").velocity[-1, 0] == pytest.approx(SPEED, rel=1e-6)
    assert result.of("bullet").velocity[-1] == pytest.approx(np.zeros(3), abs=1e-6)
    found = next(one for one in result.summary["ranges"] if "between the ends" in one["range"])
    assert found["value"] <= found["limit"] == pytest.approx(1e-3 * RADIUS)


def test_balls_that_miss_each_other_keep_the_steps() -> None:
    result = fm.simulate(shot(2.01 * RADIUS), 0.02, fm.StepControl.fixed(0.01))
    assert result.steps == 2
    assert result.of("bullet").velocity[-1, 0] == SPEED


@pytest.mark.parametrize(("step", "wide"), [(0.8, True), (0.3, False)])
def test_a_ball_that_whirls_round_its_socket_warns_of_long_steps(step: float, wide: bool) -> None:
    """A ball pressed to its socket by its own motion on the circle: v^2/r = k depth/m."""
    clearance, stiffness = 1e-3, 1e5
    turning = 100.0  # rad/s
    distance = clearance / (1.0 - MASS * turning**2 / stiffness)
    model = fm.Model()
    ball = model.add(RigidBody(MASS, (1e-5,) * 3, position=(distance, 0, 0), name="ball"))
    model.add(SphericalClearance(model.ground, ball, 0.021, 0.02, Linear(stiffness), name="socket"))
    model.set_velocity(ball, velocity=(0, turning * distance, 0))
    control = fm.StepControl.fixed(step / turning)
    if wide:
        with pytest.warns(RangeWarning, match=r"'socket': rotation of a contact's normal in a step 0\.[78]"):
            result = fm.simulate(model, 5 * step / turning, control)
    else:
        result = fm.simulate(model, 5 * step / turning, control)
    found = next(one for one in result.summary["ranges"] if "normal" in one["range"])
    assert found["value"] == pytest.approx(step, rel=0.1)


def test_a_corner_deeper_than_its_body_stops_the_run() -> None:
    """A block of 0.2 m with the law of a cushion: its corner would be 1.2 m deep."""
    model = fm.Model(gravity=(0, 0, -9.81))
    block = model.add(RigidBody(1.0, (0.01,) * 3, position=(0, 0, 0.1), name="block"))
    model.add(PointOnPlane(model.ground, block.node.at((0, 0, -0.1)), Linear(16.0), name="corner"))
    with pytest.raises(SolverFailure, match=r"'corner': penetration .* m .*, beyond 0\.1 m"):
        fm.simulate(model, 2.0, fm.StepControl.fixed(0.01))
