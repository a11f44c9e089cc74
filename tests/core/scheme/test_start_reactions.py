"""Reactions before the first step: those of statics in equilibrium, of Newton's and Euler's laws in motion."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import fem_mbd as fm
from fem_mbd.elements import Beam, PointMass, RigidBody, Section, SpringDamper
from fem_mbd.friction import Linear, TanhRegularised
from fem_mbd.joints import DrivenPrismatic, DrivenRevolute, PointOnPlane, Revolute, Spherical

G = 9.81


def _first(model: fm.Model, part: str, **options: Any) -> np.ndarray:
    """(6,) reaction of a joint before the first step of a run."""
    result = fm.simulate(model, 1e-3, fm.StepControl.fixed(1e-3), **options)
    reaction = result.from_start.of(part).reaction
    assert len(reaction.force) == 2
    assert result.initial["reaction"].shape[1] == 18
    return np.concatenate([reaction.force[0], reaction.moment[0]])


HELD: dict[str, Callable[[fm.Model, Any], Any]] = {
    "driven revolute": lambda m, b: DrivenRevolute(
        m.ground, b, at=(0, 0, 0), axis=(0, 1, 0), angle=0.0, name="j"
    ),
    "driven prismatic": lambda m, b: DrivenPrismatic(
        m.ground, b, at=(0, 0, 0), axis=(0, 0, 1), displacement=0.0, name="j"
    ),
}


@pytest.mark.parametrize("kind", HELD)
def test_a_held_body_starts_with_its_weight(kind: str) -> None:
    model = fm.Model(gravity=(0, 0, -G))
    body = model.add(RigidBody(2.0, (0.1, 0.1, 0.1), (0.3, 0, 0.4), name="b"))
    model.add(HELD[kind](model, body))
    assert _first(model, "j") == pytest.approx([0, 0, 2 * G, 0, -2 * G * 0.3, 0], abs=1e-9)


def test_a_pendulum_released_from_the_horizontal() -> None:
    """m g (1 - m l^2/(J + m l^2)) at the hinge: the rest of the weight accelerates the bob."""
    model = fm.Model(gravity=(0, 0, -G))
    arm = model.add(RigidBody(1.0, (0.01, 0.01, 0.01), (1.0, 0, 0), name="arm"))
    model.add(Revolute(model.ground, arm, at=(0, 0, 0), axis=(0, 1, 0), name="j"))
    assert _first(model, "j") == pytest.approx([0, 0, G * 0.01 / 1.01, 0, 0, 0], abs=1e-9)


def test_a_spinning_body_starts_with_its_centripetal_force() -> None:
    model = fm.Model()
    arm = model.add(RigidBody(1.5, (0.01, 0.02, 0.03), (0.4, 0, 0), name="arm"))
    model.add(Spherical(model.ground, arm, at=(0, 0, 0), name="j"))
    model.set_velocity(arm, (0, 0, 0), (0, 0, 7.0), about=(0, 0, 0))
    assert _first(model, "j") == pytest.approx([-1.5 * 49.0 * 0.4, 0, 0, 0, 0, 0], abs=1e-7)


def test_supports_contacts_and_springs_in_equilibrium() -> None:
    model = fm.Model(gravity=(0, 0, -G))
    ball = model.add(PointMass(1.0, (0, 3.0, -G / 1e4), name="ball"))
    model.fix(ball, translation=(True, True, False), rotation=True)
    model.add(PointOnPlane(model.ground, ball, Linear(1e4), name="floor"))
    hung = model.add(PointMass(1.0, (0, 4.0, 0), name="hung"))
    model.fix(hung, translation=(True, True, False), rotation=True)
    model.add(SpringDamper(model.ground.at((0, 4, 1)), hung, G / 0.1, length=0.9, name="s"))
    section = Section(np.diag([1e7, 4e6, 4e6, 800.0, 1000.0, 1000.0]), 2.0, np.diag([2e-3, 1e-3, 1e-3]))
    beam = model.add(Beam(section, (0, 0, 0), (1, 0, 0), up=(0, 0, 1), name="beam"))
    model.fix(beam.start)
    start = fm.find_equilibrium(model)
    result = fm.simulate(model, 1e-3, fm.StepControl.fixed(1e-3), initial=start.state)
    first = result.from_start
    assert first.of("floor").normal_force[0] == pytest.approx(G, rel=1e-9)
    assert first.of("s").force[0] == pytest.approx(G, rel=1e-9)
    exact = start.of(beam.start).support
    support = first.of(beam.start).support
    assert support.force[0] == pytest.approx(exact.force, abs=1e-8)
    assert support.moment[0] == pytest.approx(exact.moment, abs=1e-8)
    assert exact.force == pytest.approx([0, 0, 2 * G], abs=1e-7)  # round-off of EA = 1e7 N


def test_a_moving_contact_starts_with_its_own_gap_and_force() -> None:
    """2 m/s into a plane of 1e8 N/m, 1 um deep, and 3 m/s along it: 100 N, and mu times that against the slip."""
    model = fm.Model()
    ball = model.add(PointMass(1.0, (0, 0, -1e-6), name="ball"))
    law = TanhRegularised(0.25, 1e3)
    model.add(PointOnPlane(model.ground, ball, Linear(1e8), law, name="floor"))
    model.set_velocity(ball, (3.0, 0, -2.0))
    first = fm.simulate(model, 1e-6, fm.StepControl.fixed(1e-6)).from_start.of("floor")
    assert first.gap[0] == pytest.approx(-1e-6, abs=1e-20)
    assert first.normal_force[0] == pytest.approx(100.0, rel=1e-9)
    assert first.friction_force[0] == pytest.approx((-25.0, 0, 0), rel=1e-9)
    assert first.slip_velocity[0] == pytest.approx((3.0, 0, 0), rel=1e-9)


def test_redundant_joints_share_the_load() -> None:
    """Two spherical joints of one body: together its weight, by symmetry half each."""
    model = fm.Model(gravity=(0, 0, -G), allow_redundant=True)
    body = model.add(RigidBody(2.0, (0.1, 0.1, 0.1), (0, 0, 0), name="b"))
    for x, name in ((-0.5, "left"), (0.5, "right")):
        model.add(Spherical(model.ground, body, at=(x, 0, 0), name=name))
    result = fm.simulate(model, 1e-3, fm.StepControl.fixed(1e-3))
    force = [result.from_start.of(name).reaction.force[0] for name in ("left", "right")]
    assert force[0] + force[1] == pytest.approx([0, 0, 2 * G], abs=1e-8)
    assert force[0] == pytest.approx(force[1], abs=1e-8)


def test_values_of_linear_outputs_are_those_of_equilibrium() -> None:
    model = fm.Model(gravity=(0, 0, -G))
    body = model.add(RigidBody(2.0, (0.1, 0.1, 0.1), (0.3, 0, 0.4), name="b"))
    model.add(DrivenRevolute(model.ground, body, at=(0, 0, 0), axis=(0, 1, 0), angle=0.0, name="d"))
    outputs = ["d.force[z]", "d.reaction.moment[y]", "d.angle"]
    space = fm.state_space(model, ["b.force[x]"], outputs)
    assert space.output_values == pytest.approx([2 * G, -2 * G * 0.3, 0.0], abs=1e-9)
