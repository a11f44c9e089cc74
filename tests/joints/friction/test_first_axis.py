"""Axes 1 and 2 of joints: given by ``first``, the same for a model that is turned as a whole."""

import numpy as np
import pytest

import fem_mbd as fm
from fem_mbd import friction as laws, joints
from fem_mbd.base.arrays import Array
from fem_mbd.core.rotations import rotation_about, triad_with_third
from fem_mbd.elements import Force, RigidBody
from tests.refusals import refused

PRESS, MU, FACES = 7.0, 0.2, (0.03, 0.05)  # N, m
TURNS = {
    "as it is": np.eye(3),
    "about z by 90 degrees": rotation_about((0, 0, 1), np.pi / 2),
    "about z by 45 degrees": rotation_about((0, 0, 1), np.pi / 4),
    "the axis along x": rotation_about((0, 1, 0), np.pi / 2),
    "the axis along (1, 1, 1)": triad_with_third((1, 1, 1)),
    "generally": rotation_about((1.2, -0.7, 2.0), 2.4),
}


def pressed_guide(turn: Array, nudge: Array | None = None) -> fm.Result:
    """A block slides along axis 3 of its guide, pressed along axis 1."""
    model = fm.Model()
    axis = turn[:, 2] + (0.0 if nudge is None else nudge)
    block = model.add(RigidBody(2.0, (0.1, 0.1, 0.1), (0, 0, 0), rotation=turn))
    rub = joints.JointFriction(law=laws.Coulomb(MU, 1e-6), faces=FACES, loads=("reaction_force",))
    guide = joints.Prismatic(model.ground, block, axis=axis, first=turn[:, 0], friction=rub, name="guide")
    model.add(guide)
    model.add(Force(block, PRESS * turn[:, 0]))
    model.set_velocity(block, velocity=axis)
    return fm.simulate(model, 2e-3, fm.StepControl.fixed(1e-3))


@pytest.mark.parametrize("turn", TURNS)
def test_flat_faces_belong_to_the_guide(turn: str) -> None:
    """Friction mu F at 0.03 m along axis 1, whatever the orientation of the model, to its last digits."""
    for nudge in (None, 1e-12 * np.array([1.0, -1.0, 1.0])):
        friction = pressed_guide(TURNS[turn], nudge).of("guide").friction
        assert friction.force[-1] == pytest.approx((0, 0, -MU * PRESS), abs=1e-9)
        assert np.abs(friction.torque[-1]) == pytest.approx((0, MU * PRESS * FACES[0], 0), abs=1e-9)


@pytest.mark.parametrize("normal", [(0, 0, 1), (1e-3, 2e-3, 1), (2e-3, 1e-3, 1)])
def test_friction_with_a_direction_is_along_axis_1(normal: tuple[float, float, float]) -> None:
    """0.3 along axis 1, 0.12 across it; the axis of the law is (1, 0, 0) in the joint's axes."""
    triad = triad_with_third(normal, first=(1, 0, 0))
    for axis, expected in ((triad[:, 0], 0.3), (triad[:, 1], 0.12)):
        model = fm.Model()
        block = model.add(RigidBody(1.0, (0.1, 0.1, 0.1), (0, 0, 0)))
        law = laws.Anisotropic(laws.Coulomb(0.3, 1e-6), ratio=0.4, axis=(1, 0, 0))
        rub = joints.JointFriction(law=law, friction_arm=0.01, loads=("reaction_force",))
        table = joints.Planar(model.ground, block, direction=normal, first=(1, 0, 0), friction=rub)
        handle = model.add(table)
        model.add(Force(block, -10.0 * triad[:, 2]))
        model.set_velocity(block, velocity=axis)
        force = fm.simulate(model, 2e-3, fm.StepControl.fixed(1e-3)).of(handle).friction.force[-1]
        assert np.linalg.norm(force) == pytest.approx(10.0 * expected, rel=1e-4)


def test_axes_of_a_planar_joint_along_z_are_x_and_y() -> None:
    model = fm.Model()
    block = model.add(RigidBody(1.0, (0.1, 0.1, 0.1), (0, 0, 0), rotation=rotation_about((1, 2, 3), 0.7)))
    handle = model.add(joints.Planar(model.ground, block, direction=(0, 0, 1)))
    model.set_velocity(block, velocity=(2.0, 1.0, 0))
    joint = fm.simulate(model, 0.01, fm.StepControl.fixed(0.01)).of(handle)
    assert joint.axes == pytest.approx(np.eye(3), abs=1e-15)
    assert joint.displacement[-1] == pytest.approx((0.02, 0.01, 0), abs=1e-12)


def test_axes_are_those_given() -> None:
    model = fm.Model()
    body = model.add(RigidBody(1.0, (0.1, 0.1, 0.1), (0, 0, 0), rotation=rotation_about((1, 2, 3), 0.7)))
    handle = model.add(joints.Revolute(body, model.ground, at=(0, 0, 0), axis=(0, 3, 0), first=(1, 5, 1)))
    joint = fm.simulate(model, 0.01, fm.StepControl.fixed(0.01)).of(handle)
    assert joint.axes[:, 0] == pytest.approx((np.sqrt(0.5), 0, np.sqrt(0.5)), abs=1e-12)
    assert joint.axes[:, 2] == pytest.approx((0, 1, 0), abs=1e-12)


def test_without_a_direction_it_is_asked_for() -> None:
    model = fm.Model()
    block = model.add(RigidBody(1.0, (1, 1, 1), (0, 0, 0)))
    faces = joints.JointFriction(law=laws.Coulomb(0.2, 1e-3), faces=FACES, loads=("reaction_force",))
    refused(
        r"friction of prismatic joint 'prismatic': give first=\(x, y, z\)", model.add,
        joints.Prismatic(model.ground, block, axis=(0, 0, 1), friction=faces),
    )  # fmt: skip
    law = laws.Anisotropic(laws.Coulomb(0.3, 1e-6), ratio=0.4, axis=(1, 0, 0))
    directed = joints.JointFriction(law=law, friction_arm=0.01, loads=("reaction_force",))
    refused(
        r"friction of planar joint 'planar': give first=\(x, y, z\)", model.add,
        joints.Planar(model.ground, block, direction=(0, 0, 1), friction=directed),
    )  # fmt: skip
    refused(
        r"first of axis of revolute joint 'revolute': it is along the axis", joints.Revolute,
        model.ground, block, axis=(0, 0, 1), first=(0, 0, -2),
    )  # fmt: skip
