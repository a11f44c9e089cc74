"""Tests of kinematic analysis: driven mechanisms against closed forms, singular positions, bad input."""

from math import pi
from typing import Any

import numpy as np
import pytest

from fem_mbd import (
    InputError,
    Model,
    PrescribedMotion,
    SolverFailure,
    StepControl,
    kinematic_analysis,
    simulate,
)
from fem_mbd.base.arrays import Array
from fem_mbd.core.model.time_functions import Polynomial, Table
from fem_mbd.elements import BodyHandle, RigidBody
from fem_mbd.joints import DrivenPrismatic, DrivenRevolute, Prismatic, Revolute, Spherical, Universal

R, L = 0.1, 0.25  # m, crank and rod
SPEED, GAIN = 3.0, 8.0  # rad/s, rad/s^2 of the crank
TIMES = np.linspace(0.0, 2.0, 41)


def bar(model: Model, name: str, start: Array, end: Array) -> BodyHandle:
    return model.add(RigidBody(1.0, (1e-2,) * 3, 0.5 * (np.asarray(start) + end), name=name))


def slider_crank(driven: bool = True) -> Model:
    """Slider-crank in the plane of x and y, crank along x at the start; with spherical and universal joints nothing is
    redundant.
    """
    model = Model(name="slider-crank")
    o, a, b = np.zeros(3), np.array([R, 0, 0]), np.array([R + L, 0, 0])
    crank, rod = bar(model, "crank", o, a), bar(model, "rod", a, b)
    slider = model.add(RigidBody(1.0, (1e-3,) * 3, b, centre=(0, 0.02, 0), name="slider"))
    if driven:
        angle = Polynomial((0.0, SPEED, 0.5 * GAIN))
        model.add(DrivenRevolute(model.ground, crank, at=o, axis=(0, 0, 1), angle=angle, name="motor"))
    else:
        model.add(Revolute(model.ground, crank, at=o, axis=(0, 0, 1)))
    model.add(Spherical(crank, rod, at=a))
    model.add(Universal(rod, slider, at=b, axis_k=(0, 1, 0), axis_l=(0, 0, 1)))
    model.add(Prismatic(model.ground, slider, at=b, axis=(1, 0, 0)))
    return model


def closed_form(angle: Array, rate: Array, bend: float) -> tuple[Array, Array, Array]:
    """Position, speed and acceleration of the slider (any textbook on mechanisms)."""
    s, c = np.sin(angle), np.cos(angle)
    root = np.sqrt(L**2 - (R * s) ** 2)
    place = R * c + root
    first = -R * s - R**2 * s * c / root
    second = -R * c - R**2 * (c**2 - s**2) / root - (R**2 * s * c) ** 2 / root**3
    return place, first * rate, second * rate**2 + first * bend


def test_slider_crank_in_closed_form() -> None:
    found = kinematic_analysis(slider_crank(), TIMES)
    angle, rate = SPEED * TIMES + 0.5 * GAIN * TIMES**2, SPEED + GAIN * TIMES
    place, speed, acceleration = closed_form(angle, rate, GAIN)
    slider, crank = found.of("slider"), found.of("crank")
    assert slider.position[:, 0] == pytest.approx(place, abs=1e-12)
    assert slider.velocity[:, 0] == pytest.approx(speed, abs=1e-11)
    assert slider.acceleration[:, 0] == pytest.approx(acceleration, abs=1e-9)
    assert np.abs(slider.position[:, 1:]).max() < 1e-12 and np.abs(slider.omega).max() < 1e-10
    assert crank.omega[:, 2] == pytest.approx(rate, abs=1e-10)
    assert crank.angular_acceleration[:, 2] == pytest.approx(np.full(41, GAIN), abs=1e-8)
    towards = -np.einsum("k,ki->ki", rate**2, crank.position) + GAIN * np.cross((0, 0, 1), crank.position)
    assert crank.acceleration == pytest.approx(towards, abs=1e-9)
    assert found.singular == ()


def four_bar(lengths: tuple[float, float, float, float], crank_angle: float) -> tuple[Model, Array, Array]:
    """Ground, crank, coupler and rocker; the crank rotates with SPEED. Also both ends of the coupler at the start."""
    ground, r, coupler, _ = lengths
    model = Model(name="four-bar")
    o, d = np.zeros(3), np.array([ground, 0, 0])
    a = r * np.array([np.cos(crank_angle), np.sin(crank_angle), 0])
    b = rocker_end(a, lengths)
    one, two, three = bar(model, "crank", o, a), bar(model, "coupler", a, b), bar(model, "rocker", d, b)
    model.add(DrivenRevolute(model.ground, one, at=o, axis=(0, 0, 1), angle=Polynomial((0.0, SPEED))))
    model.add(Spherical(one, two, at=a))
    along = (b - a) / coupler
    across = np.cross((0, 0, 1), along)
    model.add(Universal(two, three, at=b, axis_k=across, axis_l=(0, 0, 1)))
    model.add(Revolute(model.ground, three, at=d, axis=(0, 0, 1)))
    return model, a, b


def rocker_end(a: Array, lengths: tuple[float, float, float, float]) -> Array:
    """Intersection of the circles of coupler and rocker, above the line between their centres; a (..., 3)."""
    ground, _, coupler, rocker = lengths
    line = np.array([ground, 0, 0]) - a
    distance = np.linalg.norm(line, axis=-1, keepdims=True)
    along = (coupler**2 - rocker**2 + distance**2) / (2 * distance)
    height = np.sqrt(coupler**2 - along**2)
    unit = line / distance
    return np.asarray(a + along * unit + height * np.cross((0, 0, 1), unit))


def test_four_bar_in_closed_form() -> None:
    """A crank-rocker through two revolutions: the rocker's end as intersection of two circles, its rates by
    differences.
    """
    lengths, begin = (0.4, 0.1, 0.35, 0.25), 0.7
    model, _, _ = four_bar(lengths, begin)
    times = np.linspace(0.0, 4 * pi / SPEED, 60)
    found = kinematic_analysis(model, times)

    def middle(t: Array) -> Array:
        angle = begin + SPEED * t
        a = 0.1 * np.stack([np.cos(angle), np.sin(angle), 0 * angle], axis=-1)
        return np.asarray(0.5 * (rocker_end(a, lengths) + np.array([0.4, 0, 0])))

    rocker, h = found.of("rocker"), 1e-3
    assert rocker.position == pytest.approx(middle(times), abs=1e-12)
    before2, before, here, after, after2 = (middle(times + k * h) for k in (-2, -1, 0, 1, 2))
    assert rocker.velocity == pytest.approx((8 * (after - before) - (after2 - before2)) / (12 * h), abs=1e-8)
    second = (16 * (after + before) - (after2 + before2) - 30 * here) / (12 * h**2)
    assert rocker.acceleration == pytest.approx(second, abs=1e-6)
    assert found.singular == ()


def test_redundant_constraints_agree() -> None:
    """The same four-bar with revolute joints only, three redundant constraints."""
    lengths = (0.4, 0.1, 0.35, 0.25)
    model, a, b = four_bar(lengths, 0.7)
    expected = kinematic_analysis(model, TIMES).of("coupler")
    model = Model(allow_redundant=True)
    d = np.array([0.4, 0, 0])
    bars = [bar(model, "crank", np.zeros(3), a), bar(model, "coupler", a, b), bar(model, "rocker", d, b)]
    model.add(
        DrivenRevolute(model.ground, bars[0], at=(0, 0, 0), axis=(0, 0, 1), angle=Polynomial((0.0, SPEED)))
    )
    for k, l, at in ((bars[0], bars[1], a), (bars[1], bars[2], b), (model.ground, bars[2], d)):
        model.add(Revolute(k, l, at=at, axis=(0, 0, 1)))
    found = kinematic_analysis(model, TIMES).of("coupler")
    assert found.position == pytest.approx(expected.position, abs=1e-12)
    assert found.acceleration == pytest.approx(expected.acceleration, abs=1e-8)


def test_change_point_of_a_parallelogram_is_passed_and_named() -> None:
    """All bars are in line a quarter revolution after the start: coupler and rocker could separate there."""
    lengths, begin = (0.4, 0.1, 0.4, 0.1), 0.5 * pi
    model, _, _ = four_bar(lengths, begin)
    found = kinematic_analysis(model, np.linspace(0.0, 0.8 * pi / SPEED, 30))
    (position,) = found.singular
    assert position.time == pytest.approx(0.5 * pi / SPEED, abs=2e-3)
    assert position.body == "rocker"
    assert found.of("rocker").omega[-1, 2] == pytest.approx(SPEED, abs=1e-9)


def test_slider_that_is_driven_beyond_its_dead_centre() -> None:
    model = Model(name="engine")
    o, a, b = np.zeros(3), np.array([0, R, 0]), np.array([np.sqrt(L**2 - R**2), 0, 0])
    crank, rod = bar(model, "crank", o, a), bar(model, "rod", a, b)
    slider = model.add(RigidBody(1.0, (1e-3,) * 3, b, name="slider"))
    model.add(Revolute(model.ground, crank, at=o, axis=(0, 0, 1)))
    model.add(Spherical(crank, rod, at=a))
    across = np.cross((0, 0, 1), (b - a) / L)
    model.add(Universal(rod, slider, at=b, axis_k=across, axis_l=(0, 0, 1)))
    model.add(DrivenPrismatic(model.ground, slider, at=b, axis=(1, 0, 0), speed=0.1))
    reach = (R + L - b[0]) / 0.1  # s
    found = kinematic_analysis(model, [0.9 * reach])
    assert found.of("slider").velocity[0, 0] == pytest.approx(0.1, abs=1e-12)
    with pytest.raises(
        SolverFailure, match=r"cannot reach.* body 'crank' is at the end of its range"
    ) as failure:
        kinematic_analysis(model, [0.9 * reach, 1.1 * reach])
    told = float(str(failure.value).partition("after t = ")[2].partition(" s")[0])
    assert told == pytest.approx(reach, rel=1e-4)


def test_bad_input() -> None:
    with pytest.raises(InputError, match="has 1 degrees of freedom without a driver"):
        kinematic_analysis(slider_crank(driven=False), [0.0, 1.0])
    for times in ([], [1.0, 0.5], [-1.0, 0.0], [np.nan]):
        with pytest.raises(InputError, match="times must be ascending"):
            kinematic_analysis(slider_crank(), times)
    with pytest.raises(InputError, match="there is no body 'slide'; did you mean"):
        kinematic_analysis(slider_crank(), [0.0]).of("slide")
    model = slider_crank()
    body = model.add(RigidBody(1.0, (1, 1, 1), (0, 0, 0), name="free"))
    model.add(PrescribedMotion(body, displacement=lambda t: (t, 0 * t, 0 * t)))
    with pytest.raises(InputError, match="drive joints"):
        kinematic_analysis(model, [0.0])


@pytest.mark.filterwarnings("ignore:the scheme has dissipated")  # a jump of the speed is an impact
def test_at_kinks_of_a_driver_rates_are_those_before_them_as_in_a_run() -> None:
    """Also at the last time of a table, behind which nothing moves; at the start those behind it."""
    tables: dict[str, Any] = {
        "displacement": (Table([0.0, 1.0, 2.0], [0.0, 1.0, 3.0]), [1, 1, 1, 2, 2], [0, 0, 0, 0, 0]),
        "speed": (Table([0.0, 1.0, 2.0], [0.0, 1.0, 3.0]), [0, 0.5, 1, 2, 3], [1, 1, 1, 2, 2]),
    }
    times = np.array([0.0, 0.5, 1.0, 1.5, 2.0])
    for how, (table, speed, acceleration) in tables.items():
        model = Model()
        body = model.add(RigidBody(1.0, (1, 1, 1), (0, 0, 0), name="body"))
        model.add(DrivenPrismatic(model.ground, body, at=(0, 0, 0), axis=(1, 0, 0), **{how: table}))
        found = kinematic_analysis(model, times).of("body")
        assert found.velocity[:, 0] == pytest.approx(speed, abs=1e-12), how
        assert found.acceleration[:, 0] == pytest.approx(acceleration, abs=1e-9), how
        model.set_velocity(body, (speed[0], 0, 0))
        run = simulate(model, 2.0, StepControl.fixed(0.1)).of("body")
        at = np.searchsorted(run.time, times[1:] - 1e-9)
        assert run.velocity[at, 0] == pytest.approx(speed[1:], abs=1e-9), how
