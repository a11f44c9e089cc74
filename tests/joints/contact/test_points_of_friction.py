"""Slip and friction act at the material points in contact: closed forms for every geometry with a surface."""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest

import fem_mbd as fm
from fem_mbd import friction as laws, joints
from fem_mbd.base.arrays import Array
from fem_mbd.core.rotations import rotation_about, triad_with_third
from fem_mbd.elements import RigidBody

SOFT, SMOOTH = laws.Linear(1e4), laws.Frictionless()
TOUCH = 1e-6  # m, depth of the contacts
RADIUS = 0.1
MOTIONS = [np.eye(6)[k] for k in range(6)]  # velocity of the centre, angular velocity


def disk_on_plane(tilt: float, sense: float) -> tuple[Any, Array, Array]:
    """Part between the ground and a body at a position, and its rim's point from there."""
    axis = np.array([np.sin(tilt), 0, np.cos(tilt)])
    reach = RADIUS * np.hypot(np.sin(tilt), 1e-4 * np.cos(tilt))
    lowest = -RADIUS * np.array([-np.cos(tilt) * np.sin(tilt), 0, np.sin(tilt) ** 2]) / np.sin(tilt)

    def part(ground: fm.Node, body: Any) -> Any:
        return joints.DiskOnPlane(
            ground, body, RADIUS, SOFT, SMOOTH, axis=sense * axis, crown=1e-4 * RADIUS, name="c"
        )

    return part, np.array([0, 0, reach - TOUCH]), lowest


def in_cylinder(tilt: float) -> tuple[Any, Array, Array]:
    """A disk that touches its cylinder at +x."""
    axis, inner = np.array([np.sin(tilt), 0, np.cos(tilt)]), 0.99 * RADIUS

    def part(ground: fm.Node, body: Any) -> Any:
        return joints.SpatialClearance(
            ground, body, RADIUS, inner, SOFT, SMOOTH, axis=(0, 0, 1), disk_axis=axis, name="c"
        )

    out = np.array([np.cos(tilt), 0, -np.sin(tilt)])
    return part, np.array([RADIUS - inner * np.cos(tilt) + TOUCH, 0, 0]), inner * out


def in_socket(kind: Any, **more: Any) -> tuple[Any, Array, Array]:
    inner = 0.99 * RADIUS

    def part(ground: fm.Node, body: Any) -> Any:
        return kind(ground, body, RADIUS, inner, SOFT, SMOOTH, name="c", **more)

    return part, np.array([RADIUS - inner + TOUCH, 0, 0]), np.array([inner, 0, 0])


def ball_on_plane() -> tuple[Any, Array, Array]:
    def part(ground: fm.Node, body: Any) -> Any:
        return joints.SphereOnPlane(ground, body, RADIUS, SOFT, SMOOTH, name="c")

    return part, np.array([0, 0, RADIUS - TOUCH]), np.array([0, 0, -RADIUS])


def ball_on_ball() -> tuple[Any, Array, Array]:
    def part(ground: fm.Node, body: Any) -> Any:
        return joints.SphereOnSphere(ground, body, 0.07, RADIUS, SOFT, SMOOTH, name="c")

    return part, np.array([0.07 + RADIUS - TOUCH, 0, 0]), np.array([-RADIUS, 0, 0])


PLACED: dict[str, Callable[[], tuple[Any, Array, Array]]] = {
    **{
        f"disk on plane, {tilt} degrees, axis times {sense:g}": partial(
            disk_on_plane, np.radians(tilt), sense
        )
        for tilt in (5, 30, 60, 90)
        for sense in (1.0, -1.0)
    },
    "disk in cylinder": lambda: in_cylinder(0.0),
    "tilted disk in cylinder": lambda: in_cylinder(np.radians(3)),
    "ball in socket": lambda: in_socket(joints.SphericalClearance),
    "ball in socket, printed": lambda: in_socket(joints.SphericalClearance, friction_point="printed"),
    "ball on plane": ball_on_plane,
    "ball on ball": ball_on_ball,
}


@pytest.mark.parametrize("name", PLACED)
def test_slip_is_that_of_the_material_point(name: str) -> None:
    """v + omega x p across the normal, for unit velocities, whatever the axes of the body."""
    part, position, point = PLACED[name]()
    for turn in (np.eye(3), rotation_about((1, 2, 3), 0.7)):
        for motion in MOTIONS:
            velocity, omega = motion[:3], motion[3:]
            model = fm.Model()
            body = model.add(RigidBody(1.0, (1.0, 1.0, 1.0), position, rotation=turn))
            model.add(part(model.ground, body))
            model.set_velocity(body, velocity, omega)
            contact = fm.simulate(model, 1e-7, fm.StepControl.fixed(1e-7)).of("c")
            normal = contact.normal[-1]
            expected = velocity + np.cross(omega, point)
            expected = expected - normal * (normal @ expected)
            assert contact.slip_velocity[-1] == pytest.approx(expected, abs=1e-4 * RADIUS)


@pytest.mark.parametrize("name", PLACED)
def test_the_normal_points_along_the_normal_force_on_l(name: str) -> None:
    part, position, point = PLACED[name]()
    model = fm.Model()
    body = model.add(RigidBody(1.0, (1.0, 1.0, 1.0), position))
    model.add(part(model.ground, body))
    result = fm.simulate(model, 1e-4, fm.StepControl.fixed(1e-4))
    contact = result.of("c")
    assert contact.normal_force[-1] == pytest.approx(1e4 * TOUCH, rel=1e-2)
    assert result.of(body).velocity[-1] == pytest.approx(
        1e-4 * contact.normal_force[-1] * contact.normal[-1], rel=1e-6
    )
    assert contact.normal[-1] @ point < 0.0  # from the contact towards L


def test_the_end_of_a_bearing_rubs_on_the_rim_of_a_tilted_journal() -> None:
    tilt, rho, half, crown = np.radians(0.3), 0.0495, 0.049, 5e-6
    axis, out = np.array([np.sin(tilt), 0, np.cos(tilt)]), np.array([-np.cos(tilt), 0, np.sin(tilt)])
    height = (
        0.05 + 1e-7 - ((half - crown) * np.cos(tilt) + np.hypot(rho * np.sin(tilt), crown * np.cos(tilt)))
    )
    for omega in (axis, np.array([1.0, 0, 0])):
        model = fm.Model()
        body = model.add(RigidBody(1.0, (1.0, 1.0, 1.0), (0, 0, height)))
        bearing = joints.RevoluteClearance(
            model.ground, body, 0.05, rho, 0.1, 2 * half, SOFT, axis=(0, 0, 1), journal_axis=axis, crown=crown
        )
        handle = model.add(bearing)
        model.set_velocity(body, omega=omega)
        face = fm.simulate(model, 1e-7, fm.StepControl.fixed(1e-7)).of(handle.faces[1])
        assert face.gap[-1] == pytest.approx(-1e-7, abs=2e-8)
        slip = np.cross(omega, half * axis + rho * out)
        assert face.slip_velocity[-1][:2] == pytest.approx(slip[:2], abs=1e-4)


def test_a_wheel_put_down_spinning_rolls_at_a_third_of_its_rim_speed() -> None:
    """A uniform disk, 20 rad/s: v = w r/3 from t = w r/(3 mu g) = 0.408 s on; it loses a third of its energy."""
    radius, spin, g = 0.3, 20.0, 9.81
    model = fm.Model(gravity=(0, 0, -g))
    inertia = radius**2 * np.array([0.25, 0.25, 0.5])
    axis = np.array([0, 1.0, 0])
    wheel = model.add(RigidBody(1.0, inertia, (0, 0, radius - g / 1e6), rotation=triad_with_third(axis)))
    law = laws.HuntCrossley(laws.Linear(1e6), 0.2)
    model.add(
        joints.DiskOnPlane(model.ground, wheel, radius, law, laws.Coulomb(mu_k=0.5, v_0=1e-3), axis=axis)
    )
    model.set_velocity(wheel, omega=spin * axis)
    result = fm.simulate(model, 0.5, fm.StepControl.fixed(1e-3))
    before = int(np.searchsorted(result.time, 0.39))
    assert result.of(wheel).velocity[before, 0] == pytest.approx(0.5 * g * result.time[before], rel=2e-3)
    assert result.of(wheel).velocity[-1] == pytest.approx((2.0, 0, 0), abs=2e-3)
    assert result.of(wheel).angular_velocity[-1] == pytest.approx((0, 20 / 3, 0), abs=1e-2)
    lost = result.energy["dissipation_friction"].sum()
    assert lost == pytest.approx(0.5 * 0.5 * radius**2 * spin**2 * 2 / 3, rel=2e-3)


def test_euler_s_disk_keeps_its_energy_where_nothing_slips() -> None:
    """At 30 degrees with its mass centre at rest it precesses with sqrt(4 g/(r sin a)) = 28.01 rad/s."""
    g, tilt = 9.81, np.radians(30)
    rate = np.sqrt(4 * g / (RADIUS * np.sin(tilt)))
    axis, down = np.array([np.sin(tilt), 0, np.cos(tilt)]), np.array([np.cos(tilt), 0, -np.sin(tilt)])
    frame = np.column_stack([np.cross((0, 1, 0), axis), (0, 1.0, 0), axis])
    model = fm.Model(gravity=(0, 0, -g))
    inertia = RADIUS**2 * np.array([0.25, 0.25, 0.5])
    height = RADIUS * np.hypot(np.sin(tilt), 1e-3 * np.cos(tilt)) - g / 1e6
    disk = model.add(RigidBody(1.0, inertia, (0, 0, height), rotation=frame))
    contact = laws.HuntCrossley(laws.Linear(1e6), 0.3)
    rubber = laws.LuGre(sigma_0=1e5, sigma_1=300.0, mu_s=2.0, mu_k=2.0, v_s=1e-3)
    model.add(joints.DiskOnPlane(model.ground, disk, RADIUS, contact, rubber, axis=axis))
    model.set_velocity(disk, omega=-rate * np.sin(tilt) * down)
    result = fm.simulate(model, 0.25, fm.StepControl.fixed(2e-4))
    axes = result.of(disk).rotation_matrix[:, :, 2]
    azimuth = np.unwrap(np.arctan2(axes[:, 1], axes[:, 0]))
    assert (azimuth[-1] - azimuth[0]) / (result.time[-1] - result.time[0]) == pytest.approx(rate, rel=1e-2)
    assert result.energy["dissipation_friction"].sum() < 1e-3
