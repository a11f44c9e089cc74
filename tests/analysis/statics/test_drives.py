"""Equilibria of driven joints: turns are counted, mechanisms stay on their branch, springs are wound up."""

from typing import Any

import numpy as np
import pytest

import fem_mbd as fm
from fem_mbd.elements import Moment, RigidBody, RotationalSpringDamper, SpringDamper
from fem_mbd.joints import DrivenRevolute, Prismatic, Revolute, Spherical


def to(angle: float) -> fm.time_functions.SmoothStep:
    return fm.time_functions.SmoothStep(0.0, 1.0, 0.0, angle)


@pytest.mark.parametrize("angle", [1.6, 3.0, 3.2, 50.0])
@pytest.mark.parametrize("place", [0.0, 0.1])
def test_a_spring_beside_a_drive_is_wound_up(angle: float, place: float) -> None:
    model = fm.Model()
    body = model.add(RigidBody(1, (1e-2,) * 3, position=(place, 0, 0), name="body"))
    model.add(DrivenRevolute(model.ground, body, at=(0, 0, 0), axis=(0, 0, 1), angle=to(angle), name="drive"))
    model.add(RotationalSpringDamper(model.ground, body, axis=(0, 0, 1), stiffness=2.0, name="spring"))
    found = fm.find_equilibrium(model, time=1.0)
    assert found.of("spring").angle == pytest.approx(angle, rel=1e-12)
    assert found.of("drive").angle == pytest.approx(angle, rel=1e-12)
    assert found.of("drive").moment[2] == pytest.approx(2.0 * angle, rel=1e-12)
    assert found.of(body.node).position == pytest.approx(
        place * np.array([np.cos(angle), np.sin(angle), 0]), abs=1e-12
    )
    result = fm.simulate(model, 1.5, fm.StepControl.fixed(1e-2), initial=found.state)
    assert result.of("spring").angle[-1] == pytest.approx(angle, rel=1e-12)


def slider_crank(angle: float, gravity: float, rod: float = 0.3) -> tuple[fm.Model, Any]:
    """Crank 0.1 m along x, rod and slider behind it."""
    model = fm.Model(gravity=(0, 0, -gravity), allow_redundant=True)
    inertia = (1e-3,) * 3
    crank = model.add(RigidBody(1, inertia, position=(0.1, 0, 0), name="crank"))
    middle = model.add(RigidBody(1, inertia, position=(0.1 + 0.5 * rod, 0, 0), name="rod"))
    slider = model.add(RigidBody(1, inertia, position=(0.1 + rod, 0, 0), name="slider"))
    model.add(DrivenRevolute(model.ground, crank, at=(0, 0, 0), axis=(0, 1, 0), angle=to(angle)))
    model.add(Revolute(crank, middle, at=(0.1, 0, 0), axis=(0, 1, 0)))
    model.add(Spherical(middle, slider, at=(0.1 + rod, 0, 0)))
    model.add(Prismatic(model.ground, slider, at=(0.1 + rod, 0, 0), axis=(1, 0, 0)))
    return model, slider


@pytest.mark.parametrize("load", ["spring", "gravity"])
@pytest.mark.parametrize("angle", [1.0, 2.5, 2.5 + 2 * np.pi])
def test_a_slider_crank_keeps_its_branch(angle: float, load: str) -> None:
    """Without the spring nothing but the joints holds it."""
    model, slider = slider_crank(angle, 9.81 if load == "gravity" else 0.0)
    if load == "spring":
        model.add(SpringDamper(model.ground, slider, 100.0))
    place = fm.find_equilibrium(model, time=1.0).of(slider.node).position[0]
    assert place == pytest.approx(0.1 * np.cos(angle) + np.sqrt(0.09 - 0.01 * np.sin(angle) ** 2), rel=1e-10)


def test_a_hanging_part_of_a_driven_mechanism() -> None:
    """An arm of 0.5 m turns by 2 rad, and a pendulum at its end, which only gravity holds, hangs."""
    model = fm.Model(gravity=(0, 0, -9.81))
    arm = model.add(RigidBody(1, (1e-2,) * 3, position=(0.25, 0, 0), name="arm"))
    bob = model.add(RigidBody(1, (1e-2,) * 3, position=(0.5, 0, -0.2), name="bob"))
    model.add(DrivenRevolute(model.ground, arm, at=(0, 0, 0), axis=(0, -1, 0), angle=to(2.0)))
    model.add(Revolute(arm, bob, at=(0.5, 0, 0), axis=(0, 1, 0)))
    end = 0.5 * np.array([np.cos(2.0), 0, np.sin(2.0)])
    assert fm.find_equilibrium(model, time=1.0).of(bob.node).position == pytest.approx(
        end - (0, 0, 0.2), abs=1e-9
    )


def test_a_moment_winds_a_spring_up() -> None:
    model = fm.Model()
    body = model.add(RigidBody(1, (1e-2,) * 3, position=(0, 0, 0), name="body"))
    model.add(Revolute(model.ground, body, at=(0, 0, 0), axis=(0, 0, 1)))
    model.add(RotationalSpringDamper(model.ground, body, axis=(0, 0, 1), stiffness=2.0, name="spring"))
    model.add(Moment(body.node, (0, 0, 24.0)))
    assert fm.find_equilibrium(model).of("spring").angle == pytest.approx(12.0, rel=1e-10)


@pytest.mark.parametrize("load", ["spring", "gravity"])
def test_a_position_that_cannot_be_reached_is_named(load: str) -> None:
    """The rod is too short for the crank."""
    model, slider = slider_crank(2.0, 9.81 if load == "gravity" else 0.0, rod=0.05)
    if load == "spring":
        model.add(SpringDamper(model.ground, slider, 100.0))
    with pytest.raises(
        fm.SolverFailure, match="the drives prescribe a position that the mechanism cannot reach"
    ):
        fm.find_equilibrium(model, time=1.0)
