"""Loops of joints: singular positions are seen, and trees and positions that are far from singular ones are quiet."""

import itertools
from typing import Any

import numpy as np
import pytest

import fem_mbd as fm
from fem_mbd.core.model.ranges import RangeWarning
from fem_mbd.core.scheme.constraints.loops import NEAR, SHARE, LoopRanges, compare
from fem_mbd.core.scheme.initial import constraint_jacobian
from fem_mbd.core.scheme.state import State, ambient_vectors
from fem_mbd.core.scheme.system import System
from fem_mbd.elements import RigidBody
from fem_mbd.joints import (
    Cylindrical,
    DrivenPrismatic,
    DrivenRevolute,
    GearPair,
    Revolute,
    RollingDisk,
    Spherical,
    Universal,
)

ACROSS = (0, 1, 0)
CRANK, ROD = 0.1, 0.3  # m
STEPS = fm.StepControl.fixed(0.01)


def ring(result: fm.Result, name: str = "change of the distance from a singular position") -> dict:
    return next(one for one in result.summary["ranges"] if one["range"] == name)


def slider_crank(to: float) -> fm.Model:
    """A slider that is driven from a crank angle of 0.93 rad to a place, m; the dead point is at 0.4 m."""
    model, pin = fm.Model(), np.array([0.06, 0, 0.08])
    place = 0.06 + np.sqrt(ROD**2 - 0.08**2)
    end = np.array([place, 0, 0])
    crank = model.add(RigidBody(0.4, (1e-4, 4e-4, 4e-4), position=0.5 * pin, name="crank"))
    rod = model.add(RigidBody(0.6, (1e-4, 4e-3, 4e-3), position=0.5 * (pin + end), name="rod"))
    slider = model.add(RigidBody(1.0, (1e-3,) * 3, position=end, name="slider"))
    model.add(Revolute(model.ground, crank, at=(0, 0, 0), axis=ACROSS, name="main"))
    model.add(Universal(crank, rod, at=pin, axis_k=ACROSS, axis_l=(0.08, 0, place - 0.06), name="pin"))
    model.add(Spherical(rod, slider, at=end, name="gudgeon"))
    way = fm.time_functions.SmoothStep(0, 1, 0, to - place)
    model.add(DrivenPrismatic(model.ground, slider, at=end, axis=(1, 0, 0), displacement=way, name="guide"))
    return model


def test_a_driven_slider_near_the_dead_point_is_warned_of() -> None:
    with pytest.warns(
        RangeWarning, match="'main, pin, gudgeon, guide': change of the distance from a singular .* reactions"
    ):
        result = fm.simulate(slider_crank(0.39999), 1.0, STEPS)
    found = ring(result)
    assert found["beyond"] == ["main, pin, gudgeon, guide"]
    # the force of the guide on the resting crank per unit of the crank's moment goes as 1/sin of the crank's angle to
    # the rod: cosine law of the triangle
    angles = np.arccos((CRANK**2 + ROD**2 - result.of("slider").position[:, 0] ** 2) / (2 * CRANK * ROD))
    arms = CRANK * np.sin(angles) * ROD / result.of("slider").position[:, 0]
    assert found["value"] == pytest.approx(arms[0] / arms.min(), rel=0.5)


def test_a_slider_away_from_it_is_quiet() -> None:
    result = fm.simulate(slider_crank(0.395), 1.0, STEPS)
    assert 1.0 < ring(result)["value"] < 0.1 * NEAR and ring(result)["beyond"] == []
    assert "change of the distance from a singular position" in str(fm.diagnose(result))


def test_a_sine_is_that_between_one_row_and_all_others() -> None:
    """One over the norm of a column of the pseudo-inverse of rows of unit length, and nearly the smallest of them."""
    simulation = fm.Simulation(slider_crank(0.3999), 1.0, STEPS)
    system = simulation.system
    reference = _sines(system, system.reference_state())
    ranges = LoopRanges(
        system.constrained, system.fixed, ambient_vectors(system.reference_state()), system.length
    )
    compared = 0
    for record in simulation.steps():
        if record.index % 20:
            continue
        system.workspace.q_f[:] = ambient_vectors(simulation.state)
        system.workspace.x[:] = 1.0  # far moved
        for task in ranges.tasks("evaluate_measures", system.workspace):
            task()
        ratios = reference[:, None] / _sines(system, simulation.state)
        assert np.abs(np.maximum(ratios, 1 / ratios) / ranges.measures[0, 0] - 1).min() < 1e-9
        nearest = reference.min() / _sines(system, simulation.state).min()
        assert ranges.measures[0, 0] == pytest.approx(max(nearest, 1 / nearest), rel=0.3)
        compared += 1
    assert compared == 5


def test_a_loop_that_leaves_a_singular_position_has_changed_as_one_that_approaches_it() -> None:
    """Sines of 10 and of 60 degrees: reactions change by their ratio either way."""
    small, large = np.sin(np.radians([10.0, 60.0]))
    now, reference = np.array([[small, large], [0, 0]]), np.array([[large, small], [0, 0]])
    moved, measures = np.ones(2), np.zeros((2, 2))
    compare(now, reference, moved, measures)
    np.testing.assert_allclose(measures[0], large / small, rtol=1e-15)
    assert moved[0] == 0.0 and moved[1] == pytest.approx(SHARE * small)


def _sines(system: System, state: State) -> np.ndarray:
    lengths = np.where(np.arange(system.fixed.size) % 6 < 3, 1.0, 1.0 / system.length)
    rows = (constraint_jacobian(system, state).toarray() * lengths)[:, ~system.fixed.ravel()]
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    return np.asarray(1.0 / np.linalg.norm(np.linalg.pinv(rows), axis=0))


def shafts(angle: float) -> fm.Model:
    """A shaft that is held, and one that swivels about the centre of the universal joint between them."""
    model = fm.Model(allow_redundant=True)
    first, housing, second = (
        model.add(RigidBody(1.0, (1e-3,) * 3, position=place, name=name))
        for name, place in (("first", (-0.1, 0, 0)), ("housing", (0.1, 0.1, 0)), ("second", (0.1, 0, 0)))
    )
    model.add(DrivenRevolute(model.ground, first, at=(-0.1, 0, 0), axis=(1, 0, 0), angle=0.0, name="motor"))
    swing = fm.time_functions.SmoothStep(0, 1, 0, angle)
    model.add(DrivenRevolute(model.ground, housing, at=(0, 0, 0), axis=(0, 0, 1), angle=swing, name="swivel"))
    model.add(Cylindrical(housing, second, at=(0.1, 0, 0), axis=(1, 0, 0), name="bearing"))
    model.add(Universal(first, second, at=(0, 0, 0), axis_k=(0, 1, 0), axis_l=(0, 0, 1), name="cross"))
    return model


@pytest.mark.parametrize("angle", [0.8, 1.57])
def test_a_universal_joint_at_a_right_angle_is_singular_between_bearings(angle: float) -> None:
    """It turns the second shaft by cos(angle) of the moment: sines are as cos(angle) near the right angle."""
    if angle < 1.0:
        assert ring(fm.simulate(shafts(angle), 1.0, STEPS))["value"] < 3.0
        return
    with pytest.warns(RangeWarning, match="cross.* reactions are as many times larger"):
        result = fm.simulate(shafts(angle), 1.0, STEPS)
    assert ring(result)["value"] == pytest.approx(1 / np.cos(angle), rel=0.5)


def four_bar(start: float) -> fm.Model:
    """A rhombus of revolute joints, 1 m, at an angle from its flat position; plane: three rows are redundant."""
    model, up = fm.Model(allow_redundant=True), np.array([np.cos(start), 0, np.sin(start)])
    side = np.array([1.0, 0, 0])
    bars = [
        model.add(RigidBody(1.0, (1e-2,) * 3, position=place, name=name))
        for name, place in (("left", 0.5 * up), ("top", up + 0.5 * side), ("right", side + 0.5 * up))
    ]
    ends: list[Any] = [model.ground, *bars, model.ground]
    places = (0 * up, up, up + side, side)
    for (k, l), at, name in zip(itertools.pairwise(ends), places, "ABCD", strict=True):
        model.add(Revolute(k, l, at=at, axis=ACROSS, name=name))
    omega = np.array([0, -1.0, 0])
    for bar, about in ((bars[0], 0 * up), (bars[2], side)):
        model.set_velocity(bar, omega=omega, about=about)
    model.set_velocity(bars[1], velocity=np.cross(omega, up))
    return model


def test_a_rhombus_that_passes_its_flat_position_is_warned_of() -> None:
    with pytest.warns(RangeWarning, match="'A, B, C, D': change of the distance from a singular position"):
        result = fm.simulate(four_bar(-1.0), 1.2, STEPS)
    assert ring(result)["time"] == pytest.approx(1.0, abs=0.03)
    assert ring(result, "independence of redundant constraints")["value"] < 1e-7


def test_constraints_that_were_redundant_in_the_flat_position_hold_the_rhombus_in_others() -> None:
    with pytest.warns(RangeWarning, match="'A, B, C, D': independence of redundant constraints"):
        fm.simulate(four_bar(0.0), 1.0, STEPS)


def test_a_tree_has_no_loops_and_gears_and_wheels_are_in_them() -> None:
    model = slider_crank(0.38)
    arm = model.add(RigidBody(0.1, (1e-4,) * 3, position=(0.6, 0, 0), name="arm"))
    model.add(Spherical(model.nodes[3], arm, at=(0.5, 0, 0), name="tail"))
    system = System(model)
    names = LoopRanges(
        system.constrained, system.fixed, ambient_vectors(system.reference_state()), system.length
    ).part_names()
    assert list(names) == ["main, pin, gudgeon, guide"]  # not the tail
    system = System(geared_wheel())
    names = LoopRanges(
        system.constrained, system.fixed, ambient_vectors(system.reference_state()), system.length
    ).part_names()
    assert sorted(", ".join(names).split(", ")) == ["axle", "bearing", "gears", "wheel"]


def geared_wheel() -> fm.Model:
    """A wheel rolls below a bearing on rails, geared with a disk there."""
    model = fm.Model()
    wheel, disk = (
        model.add(RigidBody(1.0, (1e-2, 2e-2, 1e-2), position=place, name=name))
        for name, place in (("wheel body", (0, 0, 0.2)), ("disk", (0.5, 0, 0.2)))
    )
    model.add(Cylindrical(model.ground, wheel, at=(0, 0, 0.2), axis=ACROSS, name="axle"))
    model.add(Revolute(model.ground, disk, at=(0.5, 0, 0.2), axis=ACROSS, name="bearing"))
    model.add(GearPair(wheel, disk, ACROSS, 0.3, 0.2, name="gears"))
    model.add(RollingDisk(model.ground, wheel, 0.2, direction=(0, 0, 1), axis=ACROSS, name="wheel"))
    return model
