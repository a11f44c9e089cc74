"""The axis of a blade: arc length, directions, both rules for the sections, bad input."""

import numpy as np
import pytest

from fem_mbd.elements.blades import BladeAxis
from fem_mbd.errors import InputError

STRAIGHT = np.column_stack([np.zeros(4), np.zeros(4), [0.0, 1.0, 3.0, 4.0]])


def arc(n: int = 60, angle: float = 0.6, radius: float = 50.0) -> BladeAxis:
    """Bends towards -x (upwind) in the plane of x and z."""
    phi = np.linspace(0, angle, n)
    points = radius * np.column_stack([np.cos(phi) - 1, np.zeros(n), np.sin(phi)])
    return BladeAxis(points, np.zeros(n))


def test_arc() -> None:
    """A natural spline has no curvature at the ends of an arc: the error lives in the last pieces."""
    line = arc()
    assert line.length == pytest.approx(0.6 * 50.0, rel=1e-6)
    position, rotation = line.at(0.5)
    assert position == pytest.approx(50 * np.array([np.cos(0.3) - 1, 0, np.sin(0.3)]), abs=1e-4)
    assert rotation[:, 0] == pytest.approx([-np.sin(0.3), 0, np.cos(0.3)], abs=1e-6)
    assert rotation[:, 1] == pytest.approx([np.cos(0.3), 0, np.sin(0.3)], abs=1e-6)
    assert rotation[:, 2] == pytest.approx([0, 1, 0], abs=1e-14)


def test_fraction_is_of_arc_length() -> None:
    rng = np.random.default_rng(3)
    points = np.cumsum(rng.uniform(0.2, 1.0, (12, 3)), axis=0)
    line = BladeAxis(points, rng.normal(size=12))
    for s in rng.uniform(0, 1, 5):
        step = 1e-6
        moved = line.at(s + step)[0] - line.at(s)[0]
        assert np.linalg.norm(moved) == pytest.approx(step * line.length, rel=1e-5)
        assert moved / np.linalg.norm(moved) == pytest.approx(line.at(s)[1][:, 0], abs=1e-5)
    assert line.at(float(line.bounds[4]))[0] == pytest.approx(points[4], abs=1e-10)


@pytest.mark.parametrize("rule", ["beamdyn", "hawc2"])
def test_rules_agree_on_a_straight_blade(rule) -> None:
    """x' = (cos, sin, 0) of the angle about +z; axes right-handed."""
    _, rotation = BladeAxis(STRAIGHT, np.full(4, 0.4), rule).at(0.3)
    assert rotation[:, 0] == pytest.approx([0, 0, 1], abs=1e-15)
    assert rotation[:, 1] == pytest.approx([np.cos(0.4), np.sin(0.4), 0], abs=1e-15)
    assert rotation[:, 2] == pytest.approx([-np.sin(0.4), np.cos(0.4), 0], abs=1e-15)


def test_rules_on_an_oblique_blade() -> None:
    points, angle = np.outer([0.0, 1.0, 2.0], [0.2, -0.3, 1.0]), np.full(3, 0.7)
    beamdyn, hawc2 = (BladeAxis(points, angle, rule).at(0.5)[1] for rule in ("beamdyn", "hawc2"))
    untwisted = BladeAxis(points, 0 * angle).at(0.5)[1]
    for rotation in (beamdyn, hawc2):
        assert rotation.T @ rotation == pytest.approx(np.eye(3), abs=1e-14)
        assert np.linalg.det(rotation) == pytest.approx(1.0)
    # BeamDyn: without twist x' has no part along y; the twist is then a turn by the angle about the tangent
    assert untwisted[1, 1] == 0.0
    relative = untwisted.T @ beamdyn
    assert relative[1:, 1] == pytest.approx([np.cos(0.7), np.sin(0.7)], abs=1e-14)
    # HAWC2: its local x axis, -y', seen along z, makes the angle with the body's x axis, -y
    assert np.arctan2(hawc2[0, 2], hawc2[1, 2]) == pytest.approx(-0.7)


@pytest.mark.parametrize(
    ("points", "angles", "message"),
    [
        (STRAIGHT[:1], [0], "two key points"),
        (STRAIGHT[[0, 2, 1, 3]], np.zeros(4), "key point 3 at z = 1 m does not lie beyond key point 2"),
        (STRAIGHT, np.zeros(3), "angles has shape"),
    ],
)
def test_bad_axes(points, angles, message: str) -> None:
    with pytest.raises(InputError, match=message):
        BladeAxis(points, angles)


def test_unknown_rule() -> None:
    with pytest.raises(InputError, match="give 'beamdyn' or 'hawc2'"):
        BladeAxis(STRAIGHT, np.zeros(4), "adams")  # type: ignore[arg-type]
