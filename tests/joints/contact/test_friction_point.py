"""Point of action of friction, and transport of bristles from one normal to the next; kernels run in Python."""

from typing import Any

import numpy as np
import pytest

import fem_mbd as fm
from fem_mbd.base.arrays import Array
from fem_mbd.core.rotations import rotation_about
from fem_mbd.elements import RigidBody
from fem_mbd.joints.contact import balls, disk_in_cylinder, planes
from fem_mbd.joints.contact.contact_kinematics import (
    BY_SURFACES,
    CONTACT,
    Body,
    new_kinematics,
    transport,
)

TURN = rotation_about((1, 2, 3), 0.8)
NORMAL = TURN @ np.array([0.0, 0.0, 1.0])
ACROSS = TURN @ np.array([1.0, 0.0, 0.0])
DEPTH = 0.02  # m


def levers(kernel: Any, geometry: Any, distance: float) -> tuple[float, Array, Array]:
    """Gap (m), and where friction acts from K's and from L's point (3,), L at ``distance`` along the normal."""
    model = fm.Model()
    points = [
        model.add(RigidBody(1.0, (1, 1, 1), place, rotation=TURN)).node.point
        for place in (np.zeros(3), distance * NORMAL)
    ]
    records: Any = np.zeros(1, CONTACT).view(np.recarray)
    geometry.fill(records[0], *points)
    bodies = []
    for point in points:
        vectors = np.vstack([point.position, TURN.T])
        bodies.append(Body(np.zeros(12), np.zeros(3), vectors, vectors, TURN, TURN))
    found = new_kinematics.in_python(np.zeros((2, 12)), 1)
    if kernel is disk_in_cylinder.find_contact:
        disk_in_cylinder.begin.in_python(records[0], *(body.q_i for body in bodies))
    found.distance_i[:] = found.distance_f[:] = distance * NORMAL
    gap, _ = kernel.in_python(records[0], *bodies, found)
    if records[0].slip_of == BY_SURFACES:
        return gap, found.lever_k, found.lever_l
    return gap, distance * NORMAL + found.lever_l, found.lever_l


@pytest.mark.parametrize(
    ("kernel", "geometry", "distance", "from_k", "from_l"),
    [
        (balls.find_outside, balls.BallOnBall(0.3, 0.2), 0.5 - DEPTH, 0.3 - 0.5 * DEPTH, -0.2 + 0.5 * DEPTH),
        (planes.find_point, planes.BallOnPlane(0.2, NORMAL), 0.2 - DEPTH, -0.5 * DEPTH, -0.2 + 0.5 * DEPTH),
        (
            planes.find_spheroid, planes.SpheroidOnPlane(0.3, 0.05, NORMAL, NORMAL), 0.05 - DEPTH,
            -0.5 * DEPTH, -0.05 + 0.5 * DEPTH,
        ),
        (balls.find_in_socket, balls.BallInSocket(0.3, 0.29), 0.01 + DEPTH, 0.3 + DEPTH, 0.29),
        (balls.find_in_socket, balls.BallInSocket(0.3, 0.29, printed=True), 0.01 + DEPTH, 0.3, 0.29),
        (
            disk_in_cylinder.find_contact, disk_in_cylinder.DiskInCylinder(0.3, 0.29, ACROSS, ACROSS), 0.01 + DEPTH,
            0.3 + DEPTH, 0.29,
        ),
    ],
)  # fmt: skip
def test_point_of_action_of_friction(
    kernel: Any, geometry: Any, distance: float, from_k: float, from_l: float
) -> None:
    gap, lever_k, lever_l = levers(kernel, geometry, distance)
    assert gap == pytest.approx(-DEPTH, abs=1e-14)
    assert lever_k == pytest.approx(from_k * NORMAL, abs=1e-14)
    assert lever_l == pytest.approx(from_l * NORMAL, abs=1e-14)


def test_bristles_of_a_disk_lie_along_the_cylinder_at_mid_step() -> None:
    """Cylinder and disk turn from -0.2 to 0.2 rad about x, along which they touch: at mid-step the cylinder is along
    z again, and so is the frame in which bristles are kept."""
    model = fm.Model()
    points = [model.add(RigidBody(1.0, (1, 1, 1), (x, 0, 0))).node.point for x in (0.0, 0.01)]
    records: Any = np.zeros(1, CONTACT).view(np.recarray)
    axis = np.array([0.0, 0.0, 1.0])
    disk_in_cylinder.DiskInCylinder(0.02, 0.015, axis, axis).fill(records[0], *points)
    turns = [rotation_about((1, 0, 0), angle) for angle in (-0.2, 0.2)]
    ends = [[np.vstack([point.position, turn.T]) for turn in turns] for point in points]
    bodies = [Body(np.zeros(12), np.zeros(3), *own, *turns) for own in ends]
    disk_in_cylinder.begin.in_python(records[0], ends[0][0], ends[1][0])
    found = new_kinematics.in_python(np.zeros((2, 12)), 1)
    found.distance_i[:] = found.distance_f[:] = points[1].position
    gaps = disk_in_cylinder.find_contact.in_python(records[0], *bodies, found)
    assert gaps == pytest.approx((-0.005, -0.005), abs=1e-14)
    assert found.frame == pytest.approx(np.eye(3), abs=1e-14)


@pytest.mark.parametrize("angle", [0.0, 1e-9, 1.0, 3.0])
def test_it_is_the_smallest_rotation(angle: float) -> None:
    rng = np.random.default_rng(1)
    normal, axis, along = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    turn = rotation_about(axis, angle)
    z = np.array([0.3 * axis + 0.4 * along, -along])
    expected = z @ turn.T
    transport(z, normal, turn @ normal)
    assert np.abs(z - expected).max() < 1e-15 / np.cos(0.5 * angle)


@pytest.mark.parametrize("short_of", [1e-4, 1e-6, 1e-8, 0.0])
def test_length_stays_between_normals_that_are_almost_opposite(short_of: float) -> None:
    """As where a ball crosses its socket within a step; the energy of bristles is that of their length."""
    rng = np.random.default_rng(2)
    normal, axis, along = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    z = np.array([0.3 * axis + 0.4 * along])
    transport(z, normal, rotation_about(axis, np.pi - short_of) @ normal)
    assert abs(np.linalg.norm(z[0]) - 0.5) < 1e-15
