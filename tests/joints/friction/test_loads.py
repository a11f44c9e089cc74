"""Friction of joints under loads from statics: bending, torsion, preload, axial and radial force, overlap, signs.

Slip is so much faster than the law's regularisation that the coefficient is mu_k to round-off, so that the joint's
friction is mu_k times the sum of normal forces and lengths; normal forces are those of a rigid body in equilibrium.
"""

from typing import Any

import numpy as np
import pytest

from fem_mbd import joints
from fem_mbd.core.model.model import Model
from fem_mbd.core.model.time_functions import Ramp
from fem_mbd.elements import Force, RigidBody
from fem_mbd.friction import TanhRegularised
from fem_mbd.runs.results.views.part_access import SingleState
from tests.core.scheme_tools import now, run, simulation

MU, MASS = 0.25, 3.0
DT = 1e-6  # s: the mean of a load that turns with the bodies is one up to (angle of the step)^2/12
LAW = TanhRegularised(MU, 1e6)
G = np.array([5.0, -3.0, 7.0])
X, Y, Z = np.eye(3)
TIGHT: dict[str, Any] = {"rel": 1e-10, "abs": 1e-12}


def body(model: Model, centre: Any = (0, 0, 0)) -> Any:
    """A body whose inertia is that of a sphere, its node at the origin."""
    return model.add(RigidBody(MASS, (0.2, 0.2, 0.2), (0, 0, 0), centre=centre)).node


def after_a_step(model: Model, steps: int = 1, dt: float = DT) -> SingleState:
    sim = simulation(model, dt, steps * dt)
    run(sim)
    return now(sim)


@pytest.mark.parametrize("speed", [2.0, -2.0])
@pytest.mark.parametrize("along", [1.0, -1.0])
def test_revolute(speed: float, along: float) -> None:
    model, g = Model(gravity=G * (1, 1, along)), np.hypot(G[0], G[1])
    node = body(model, (0, 0, 0.4))
    friction = joints.JointFriction(
        law=LAW, pin_radius=0.05, friction_arm=0.07, bending_reaction_arm=0.06, torque_preload=0.9
    )
    model.add(joints.DrivenRevolute(model.ground, node, axis=Z, speed=speed, name="pin", friction=friction))
    model.set_velocity(node, omega=(0, 0, speed))
    found = after_a_step(model).of("pin").friction
    normal = [MASS * g, MASS * G[2], 0.4 * MASS * g / 0.06, 0.9 / (MU * 0.05)]
    assert found.normal_force == pytest.approx(normal, **TIGHT)
    torque = MU * (np.array(normal) @ (0.05, 0.07, 0.05, 0.05))
    assert found.torque == pytest.approx([0, 0, -np.sign(speed) * torque], **TIGHT)
    assert found.force == pytest.approx([0, 0, 0], abs=1e-12)


@pytest.mark.parametrize("loads", [("preload",), ("reaction_force", "bending_moment"), ("bending_moment",)])
def test_only_the_loads_asked_for_count(loads: Any) -> None:
    model, g = Model(gravity=G), np.hypot(G[0], G[1])
    node = body(model, (0, 0, 0.4))
    friction = joints.JointFriction(
        law=LAW,
        pin_radius=0.05,
        friction_arm=0.07,
        bending_reaction_arm=0.06,
        torque_preload=0.9,
        loads=loads,
    )
    model.add(joints.DrivenRevolute(model.ground, node, axis=Z, speed=2.0, name="pin", friction=friction))
    model.set_velocity(node, omega=(0, 0, 2.0))
    parts = {
        "preload": 0.9,
        "reaction_force": MU * MASS * (g * 0.05 + G[2] * 0.07),
        "bending_moment": MU * 0.4 * MASS * g / 0.06 * 0.05,
    }
    torque = sum(parts[load] for load in loads)
    assert after_a_step(model).of("pin").friction.torque[2] == pytest.approx(-torque, **TIGHT)


@pytest.mark.parametrize(("delta", "rate"), [("constant", 0), ("increase", 1), ("decrease", -1)])
@pytest.mark.parametrize("speed", [2.0, -2.0])
def test_prismatic(delta: Any, rate: int, speed: float) -> None:
    centre = np.array([0.1, -0.2, 0.3])
    model = Model(gravity=(G[0], G[1], 0))
    node = body(model, centre)
    friction = joints.JointFriction(
        law=LAW, reaction_arm=0.08, initial_overlap=0.5, overlap_delta=delta, force_preload=1.1, viscous=0.2
    )
    model.add(
        joints.DrivenPrismatic(model.ground, node, axis=Z, speed=speed, name="guide", friction=friction)
    )
    model.set_velocity(node, velocity=(0, 0, speed))
    # the triad's axes 1 and 2 may lie anywhere: only sizes enter
    moment = np.cross(centre, MASS * np.array([G[0], G[1], 0]))
    overlap = 0.5 + rate * speed * 2.5 * 0.01  # middle of the third step
    normal = [
        MASS * np.hypot(G[0], G[1]),
        2 * abs(moment[2]) / 0.08,
        2 * np.hypot(moment[0], moment[1]) / overlap,
        1.1 / MU,
    ]
    found = after_a_step(model, 3, 0.01).of("guide").friction
    assert found.normal_force == pytest.approx(normal, **TIGHT)
    force = MU * sum(normal) + 4 * 0.2 * abs(speed)
    assert found.force == pytest.approx([0, 0, -np.sign(speed) * force], **TIGHT)


@pytest.mark.parametrize("slider", ["inner", "outer"])
def test_friction_at_the_faces_of_a_prismatic_joint_has_a_moment(slider: Any) -> None:
    """The reaction's moment balances that of friction: at an inner slider's face below, at an outer one's above."""
    model = Model(gravity=(0, -9.0, 0))
    node = body(model)
    friction = joints.JointFriction(law=LAW, loads=("reaction_force",), faces=(0.02, 0.03), slider=slider)
    guide = joints.DrivenPrismatic(
        model.ground, node, axis=Z, first=(0, 1, 0), speed=1.5, name="guide", friction=friction
    )
    model.add(guide)
    model.set_velocity(node, velocity=(0, 0, 1.5))
    joint = after_a_step(model).of("guide")
    triad, halves = np.array([[0, -1, 0], [1, 0, 0], [0, 0, 1.0]]), 0.02
    force = MU * MASS * 9.0
    assert joint.friction.force[2] == pytest.approx(-force, **TIGHT)
    # friction on the slider points to -z; the guide presses it upwards, from below (inner) or from above (outer)
    side = -halves if slider == "inner" else halves
    of_friction = np.cross([0, side, 0], [0, 0, -force])
    assert joint.reaction.moment == pytest.approx(-of_friction, **TIGHT)
    assert triad @ joint.friction.torque == pytest.approx(of_friction, **TIGHT)


def test_cylindrical() -> None:
    model = Model(gravity=(0, -9.0, 0))
    node = body(model, (0, 0, 0.3))
    friction = joints.JointFriction(
        law=LAW, pin_radius=0.1, initial_overlap=0.5, torque_preload=0.2, force_preload=1.1
    )
    model.add(joints.Cylindrical(model.ground, node, axis=Z, name="rod", friction=friction))
    spin, speed = 4.0, -3.0
    model.set_velocity(node, velocity=(0, 0, speed), omega=(0, 0, spin))
    found = after_a_step(model).of("rod").friction
    normal = [MASS * 9.0, 2 * MASS * 9.0 * 0.3 / 0.5, 1.1 / MU + 0.2 / (MU * 0.1)]
    assert found.normal_force == pytest.approx(normal, **TIGHT)
    # constant deceleration: the slip's direction is that of its mean over the step
    slip = found.slip_velocity[0]
    total = MU * sum(normal)
    direction = slip / np.linalg.norm(slip)
    assert found.force[2] == pytest.approx(-total * direction[1], **TIGHT)
    assert found.torque[2] == pytest.approx(-total * direction[0] * 0.1, **TIGHT)
    assert slip[0] == pytest.approx(0.1 * (spin + 0.5 * DT * found.torque[2] / 0.2), **TIGHT)
    assert slip[1] == pytest.approx(speed + 0.5 * DT * found.force[2] / MASS, **TIGHT)


def test_spherical() -> None:
    model = Model(gravity=G)
    node = body(model)
    friction = joints.JointFriction(law=LAW, ball_radius=0.1, torque_preload=0.3)
    model.add(joints.Spherical(model.ground, node, name="ball", friction=friction))
    spin = np.array([3.0, -1.0, 2.0])
    model.set_velocity(node, omega=spin)
    found = after_a_step(model).of("ball").friction
    torque = MU * MASS * np.linalg.norm(G) * 0.1 + 0.3
    assert found.torque == pytest.approx(-torque * spin / np.linalg.norm(spin), rel=1e-10)


@pytest.mark.parametrize(("yoke", "axis", "other"), [("k", X, Y), ("l", Y, X)])
def test_universal(yoke: Any, axis: np.ndarray, other: np.ndarray) -> None:
    model = Model(gravity=G)
    node = body(model)
    friction = joints.JointFriction(
        law=LAW, pin_radius=0.05, friction_arm=0.07, bending_reaction_arm=0.06, torque_preload=0.9, yoke=yoke
    )
    model.add(joints.Universal(model.ground, node, axis_k=X, axis_l=Y, name="hooke", friction=friction))
    model.set_velocity(node, omega=4.0 * axis)
    found = after_a_step(model).of("hooke").friction
    axial = abs(G @ axis)
    radial = np.sqrt(G @ G - axial**2)
    torque = MU * MASS * (radial * 0.05 + axial * 0.07) + 0.9
    assert found.torque[2 if yoke == "k" else 0] == pytest.approx(-torque, **TIGHT)
    assert np.count_nonzero(np.abs(found.torque) > 1e-12) == 1


def test_planar() -> None:
    model = Model(gravity=(0, 0, -9.0))
    node = body(model)
    friction = joints.JointFriction(law=LAW, friction_arm=0.1, bending_reaction_arm=0.2, force_preload=1.1)
    model.add(joints.Planar(model.ground, node, direction=Z, name="pad", friction=friction))
    model.set_velocity(node, velocity=(2.0, 1.0, 0.0))
    found = after_a_step(model).of("pad").friction
    force = MU * MASS * 9.0 + 1.1
    assert np.linalg.norm(found.force) == pytest.approx(force, **TIGHT)
    assert found.torque[2] == pytest.approx(0.0, abs=1e-12)


@pytest.mark.parametrize("dt", [0.01, 0.25])
def test_a_load_that_grows_within_a_step(dt: float) -> None:
    """A slider pressed by n_0 + r t loses mu (n_0 T + r T^2/2)/m of its speed, at any size of the steps."""
    model, n_0, rate, end = Model(), 5.0, 20.0, 1.0
    node = body(model)
    friction = joints.JointFriction(law=LAW, loads=("reaction_force",))
    model.add(joints.Prismatic(model.ground, node, axis=X, name="guide", friction=friction))
    model.add(Force(node, Ramp(0.0, end, (0, 0, -n_0), (0, 0, -n_0 - rate * end))))
    model.set_velocity(node, velocity=(10.0, 0, 0))
    sim = simulation(model, dt, end)
    run(sim)
    lost = MU * (n_0 * end + 0.5 * rate * end**2) / MASS
    assert 10.0 - sim.state.v[node.index, 0] == pytest.approx(lost, rel=1e-9)
