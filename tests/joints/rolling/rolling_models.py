"""Rolling disks and balls for the tests of rolling."""

import numpy as np

from fem_mbd.base.arrays import Array
from fem_mbd.core.model.model import Model
from fem_mbd.core.model.time_functions import Polynomial
from fem_mbd.core.rotations import triad_with_third
from fem_mbd.elements import RigidBody
from fem_mbd.joints import DrivenRevolute, RollingBall, RollingDisk
from fem_mbd.joints.rolling import RollingHandle

G = 9.81  # m/s^2
MASS, RADIUS = 2.0, 0.3  # kg, m
DISK = np.array([0.25, 0.25, 0.5]) * MASS * RADIUS**2  # uniform: about two diameters and the axis, kg m^2
HOOP = 2.0 * DISK
BALL = 0.4 * MASS * RADIUS**2


def disk(
    lean: float = 0.5 * np.pi, inertia: Array = DISK, gravity: Array | None = None
) -> tuple[Model, RollingHandle]:
    """A disk on the plane z = 0; ``lean`` is the angle (rad) between its axis and the vertical.

    Its contact is at the origin and its axis in the plane of y and z, so that it would roll along x. Body axes: e1
    along x, e3 the disk's axis.
    """
    model = Model(np.array([0.0, 0.0, -G]) if gravity is None else gravity)
    e3 = np.array([0.0, -np.sin(lean), np.cos(lean)])
    e1 = np.array([1.0, 0.0, 0.0])
    frame = np.column_stack([e1, np.cross(e3, e1), e3])
    body = model.add(RigidBody(MASS, tuple(inertia), RADIUS * frame[:, 1], rotation=frame, name="disk"))
    rolls = model.add(RollingDisk(model.ground, body, RADIUS, direction=(0, 0, 1), name="wheel", axis=e3))
    return model, rolls


def ball_on_table(spin: float) -> tuple[Model, RollingHandle]:
    """A uniform ball on a table that rotates about the global z axis with ``spin`` (rad/s)."""
    model = Model((0, 0, -G))
    table = model.add(RigidBody(1.0, (1, 1, 1), (0, 0, 0), name="table"))
    model.add(
        DrivenRevolute(model.ground, table, at=(0, 0, 0), axis=(0, 0, 1), angle=Polynomial((0.0, spin)))
    )
    model.set_velocity(table, omega=(0, 0, spin))
    ball = model.add(RigidBody(MASS, (BALL, BALL, BALL), (0.5, 0, RADIUS), name="ball"))
    return model, model.add(RollingBall(table, ball, RADIUS, direction=(0, 0, 1), name="ball rolls"))


def general_pair(ball: bool) -> Model:
    """Both bodies free, points off the mass centres, no axis along another."""
    model = Model((0.3, -1.0, -9.0))
    normal = np.array([0.2, -0.1, 1.0]) / np.linalg.norm([0.2, -0.1, 1.0])
    frames = triad_with_third((0.3, 0.5, 0.7)), triad_with_third((-0.4, 0.6, 0.2))
    plate = model.add(RigidBody(1.7, (0.3, 0.4, 0.5), (0.1, 0.2, -0.1), rotation=frames[0], name="plate"))
    at = np.array([0.3, -0.2, 0.1])
    axis = np.array([0.7, 0.6, 0.4]) / np.linalg.norm([0.7, 0.6, 0.4])
    height = RADIUS * (1.0 if ball else np.sqrt(1.0 - (axis @ normal) ** 2))
    centre = at + height * normal + 0.2 * np.cross(normal, axis)
    body = model.add(
        RigidBody(1.1, (0.02, 0.03, 0.04), centre + (0.01, 0.02, -0.03), rotation=frames[1], name="body")
    )
    ends = plate.node.at_global(at), body.node.at_global(centre)
    model.add(
        RollingBall(*ends, RADIUS, direction=normal, name="roll")
        if ball
        else RollingDisk(*ends, RADIUS, direction=normal, name="roll", axis=axis)
    )
    return model
