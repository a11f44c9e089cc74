"""Joints and contacts without a friction law (`family.ELSEWHERE`) between two free bodies: momentum, turned models.

Both bodies turn about the joint as one, so that every condition holds at the start; then inertia moves them. Axis 1 of
driven joints turns with the model: their error of third order depends on it.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from fem_mbd import Model, NewtonOptions, StepControl, joints, simulate
from fem_mbd.base.arrays import Array
from fem_mbd.core.model.time_functions import SmoothStep
from fem_mbd.core.rotations import rotation_about
from tests.core.scheme_tools import momenta, simulation
from tests.joints.contact.two_bodies import PLACE, two_bodies
from tests.joints.family import ELSEWHERE, TILTED, Seat

TURN = rotation_about((3, -1, 2), 2.2)
SPIN = np.array([1.0, -2.0, 1.5])  # rad/s
RISE = SmoothStep(0.0, 0.05, 0.0, 0.1)  # rad or m
RIM = float(0.04 * np.hypot(TILTED[0], TILTED[1]))
PARTS: dict[str, Callable[[Seat], Any]] = {
    "Clamp": lambda s: joints.Clamp(s.k, s.l, at=s.turn @ PLACE),
    "RigidOffset": lambda s: joints.RigidOffset(s.k, s.l),
    "DrivenRevolute": lambda s: joints.DrivenRevolute(
        s.k, s.l, at=s.turn @ PLACE, axis=s.axes[2], first=s.axes[0], angle=RISE
    ),
    "DrivenPrismatic": lambda s: joints.DrivenPrismatic(
        s.k, s.l, at=s.turn @ PLACE, axis=s.axes[2], first=s.axes[0], displacement=RISE
    ),
    "RollingBall": lambda s: joints.RollingBall(s.on_k(), s.on_l(0.13, 0, 0.04), 0.04, direction=s.axes[2]),
    "RollingDisk": lambda s: joints.RollingDisk(
        s.on_k(), s.on_l(0.13, 0, RIM), 0.04, direction=s.axes[2], axis=TILTED @ s.axes
    ),
    "RigidContact": lambda s: joints.RigidContact(
        s.on_k(), s.on_l(0.13, 0, 1e-3), direction=s.axes[2], restitution=0.5
    ),
}


def seated(name: str, turn: Array) -> tuple[Model, Seat]:
    model = Model()
    seat = Seat(*two_bodies(model, turn=turn), turn)
    model.add(PARTS[name](seat))
    spin = turn @ SPIN
    model.set_velocity(seat.k, omega=spin, about=turn @ PLACE)
    towards = -0.5 * seat.axes[2] if name == "RigidContact" else np.zeros(3)
    model.set_velocity(seat.l, towards, omega=spin, about=turn @ PLACE)
    return model, seat


def test_all_are_here() -> None:
    assert set(PARTS) == set(ELSEWHERE)


def _changes(name: str, dt: float) -> tuple[Array, float, float]:
    """Of linear momentum (3,), angular momentum, and the largest velocity, after 20 ms."""
    model, _ = seated(name, np.eye(3))
    sim = simulation(model, dt, 0.02)
    linear, angular = momenta(sim)
    start = sim.state.v.copy()
    for _ in sim.steps():
        pass
    after, angular_after = momenta(sim)
    return (
        after - linear,
        float(np.abs(angular_after - angular).max()),
        float(np.abs(sim.state.v - start).max()),
    )


@pytest.mark.parametrize("name", PARTS)
def test_momentum_is_kept(name: str) -> None:
    """Linear momentum to round-off; angular momentum to the scheme's third order."""
    (linear, coarse, moved), (_, fine, _) = _changes(name, 2e-3), _changes(name, 1e-3)
    assert linear == pytest.approx(np.zeros(3), abs=1e-13)
    assert coarse < 1e-12 or np.log2(coarse / fine) > 2.7
    assert moved > 1e-3  # the joint did something


@pytest.mark.parametrize("name", PARTS)
def test_a_turned_model_does_the_same(name: str) -> None:
    """Velocities differ by Newton's tolerance of a step over its size, 1e-13/1 ms, over twenty steps."""
    found = []
    for turn in (np.eye(3), TURN):
        model, seat = seated(name, turn)
        result = simulate(model, 0.02, StepControl.fixed(1e-3), newton=NewtonOptions(tolerance=1e-13))
        moved = [result.of(node) for node in (seat.k, seat.l)]
        found.append(
            np.stack([of.velocity @ turn for of in moved] + [of.angular_velocity @ turn for of in moved])
        )
    assert found[1] == pytest.approx(found[0], abs=20 * 1e-10 * np.abs(found[0]).max())
