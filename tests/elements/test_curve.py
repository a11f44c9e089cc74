"""Reference lines: arc length, orthonormal sections, twist, and errors for lines without a direction."""

from collections.abc import Callable

import numpy as np
import pytest
from scipy.special import ellipe

from fem_mbd.elements import Arc, Curve, ReferenceLine, Straight
from fem_mbd.errors import InputError


def _plane_frame(slope_angle: float) -> np.ndarray:
    c, s = np.cos(slope_angle), np.sin(slope_angle)
    return np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])


def _ellipse(p: float):
    """Quarter of an ellipse with half axes 2 and 1, in a parameter that is far from arc length."""
    phi = 0.5 * np.pi * (0.3 * p + 0.7 * p**2)
    x = np.array([2.0 * np.sin(phi), -np.cos(phi), 0.0])
    return x, _plane_frame(float(np.arctan2(np.sin(phi), 2.0 * np.cos(phi))))


def _helix(p: float):
    a = 4 * np.pi * p
    x = np.array([np.cos(a), np.sin(a), 0.5 * a])
    t = np.array([-np.sin(a), np.cos(a), 0.5]) / np.sqrt(1.25)
    n = np.array([-np.cos(a), -np.sin(a), 0.0])
    return x, np.column_stack([t, n, np.cross(t, n)])


LINES: dict[str, ReferenceLine] = {
    "straight": Straight((1, 2, 3), (4, -2, 3.5)),
    "vertical": Straight((0, 0, 0), (0, 0, -7)),
    "with up": Straight((0, 0, 0), (1, 1, 0), up=(1, 0, 0.2)),
    "arc": Arc((1, 0, 0), (0, 2, 0), (0, 0, -3), radius=4.0, angle=1.3),
    "full circle": Arc((0, 0, 0), (1, 1, 0), (-1, 1, 0), radius=0.2, angle=2 * np.pi),
    "ellipse": Curve(_ellipse),
    "helix": Curve(_helix),
    "twisted": Straight((0, 0, 0), (3, 1, 0), twist=((0, 0.2), (0.4, 0.1), (1, -0.9))),
    "twisted arc": Arc((0, 0, 0), (1, 0, 0), (0, 1, 0), 1.0, 1.0, twist=lambda s: 3.0 * s**2),
}


@pytest.mark.parametrize("name", LINES)
def test_rotations_are_orthonormal_to_round_off(name: str) -> None:
    for s in np.linspace(0.0, 1.0, 17):
        r = LINES[name].at(s)[1]
        assert np.max(np.abs(r.T @ r - np.eye(3))) <= 1e-15
        assert np.linalg.det(r) > 0.0


@pytest.mark.parametrize("name", LINES)
def test_s_is_proportional_to_arc_length_and_axis_1_is_the_tangent(name: str) -> None:
    line, h = LINES[name], 1e-5
    for s in np.linspace(h, 1.0 - h, 11):
        velocity = (line.at(s + h)[0] - line.at(s - h)[0]) / (2 * h)
        np.testing.assert_allclose(velocity, line.length * line.at(s)[1][:, 0], atol=3e-8 * line.length)


def test_lengths() -> None:
    assert LINES["straight"].length == pytest.approx(np.sqrt(9 + 16 + 0.25), rel=1e-15)
    assert LINES["arc"].length == pytest.approx(5.2, rel=1e-15)
    assert LINES["helix"].length == pytest.approx(4 * np.pi * np.sqrt(1.25), rel=1e-10)
    assert LINES["ellipse"].length == pytest.approx(2.0 * ellipe(0.75), rel=1e-9)


def test_ends_are_met_exactly() -> None:
    start, end = (0.1, 0.2, 0.3), (0.7, -0.3, 1.1)
    line = Straight(start, end)
    np.testing.assert_array_equal(line.at(0.0)[0], start)
    np.testing.assert_array_equal(line.at(1.0)[0], end)
    np.testing.assert_allclose(LINES["ellipse"].at(1.0)[0], (2.0, 0.0, 0.0), atol=1e-15)
    np.testing.assert_allclose(LINES["full circle"].at(1.0)[0], 0.0, atol=1e-15)


def test_up_is_in_the_plane_of_axes_1_and_3() -> None:
    rotation = LINES["with up"].at(0.5)[1]
    assert rotation[:, 1] @ np.array([1, 0, 0.2]) == pytest.approx(0.0, abs=1e-16)
    assert rotation[:, 2] @ np.array([1, 0, 0.2]) > 0.0
    np.testing.assert_array_equal(Straight((0, 0, 0), (2, 0, 0)).at(0.3)[1], np.eye(3))


def test_arc_turns_towards_its_normal() -> None:
    arc = Arc((0, 0, 0), (1, 0, 0), (0, 1, 0), radius=2.0, angle=np.pi / 2)
    position, rotation = arc.at(1.0)
    np.testing.assert_allclose(position, (2, 2, 0), atol=1e-15)
    np.testing.assert_allclose(rotation, [[0, -1, 0], [1, 0, 0], [0, 0, 1]], atol=1e-15)


def test_twist_rotates_the_section_about_the_line() -> None:
    for s in (0.0, 0.3, 1.0):
        plain, turned = (
            Straight((0, 0, 0), (1, 0, 0)).at(s)[1],
            Straight((0, 0, 0), (1, 0, 0), twist=lambda s: 0.5 * s),
        )
        axis_2 = turned.at(s)[1][:, 1]
        np.testing.assert_allclose(
            axis_2, np.cos(0.5 * s) * plain[:, 1] + np.sin(0.5 * s) * plain[:, 2], atol=1e-16
        )
    table = Straight((0, 0, 0), (1, 0, 0), twist=((0, 0.0), (0.5, 0.3), (1, 0.4)))
    assert np.arctan2(table.at(0.5)[1][2, 1], table.at(0.5)[1][1, 1]) == pytest.approx(0.3)
    between = np.arctan2(table.at(0.25)[1][2, 1], table.at(0.25)[1][1, 1])
    assert 0.0 < between < 0.3


def test_sections_may_be_half_a_degree_off_the_line() -> None:
    off = _plane_frame(np.radians(0.5))
    line = Curve(lambda p: ((3.0 * p, 0.0, 0.0), off))
    np.testing.assert_allclose(line.at(0.7)[1], off, atol=1e-15)
    np.testing.assert_allclose(line.at(0.7)[0], (2.1, 0.0, 0.0), atol=1e-14)


@pytest.mark.parametrize("turns", [20, 60])
def test_a_line_of_many_turns_has_its_length(turns: int) -> None:
    """Coil spring of 40 mm, 5 mm a turn: 2 pi r and the pitch are the sides of a right triangle."""
    radius, pitch = 0.02, 0.005

    def coil(p: float):
        a = 2.0 * np.pi * turns * p
        c, s, slope = np.cos(a), np.sin(a), pitch / (2.0 * np.pi)
        tangent = np.array([-radius * s, radius * c, slope]) / np.hypot(radius, slope)
        inward = np.array([-c, -s, 0.0])
        x = np.array([radius * c, radius * s, pitch * turns * p])
        return x, np.column_stack([tangent, inward, np.cross(tangent, inward)])

    line = Curve(coil)
    assert line.length == pytest.approx(turns * np.hypot(2.0 * np.pi * radius, pitch), rel=1e-9)
    for s in (0.123, 0.5, 0.987):
        np.testing.assert_allclose(line.at(s)[0], coil(s)[0], atol=1e-9)


def test_a_line_that_is_not_smooth_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fem_mbd.elements.curve._MAX_PANELS", 64)
    with pytest.raises(InputError, match=r"with 64 polynomials .* give a smooth function of p"):
        Curve(lambda p: ((p, 1e-4 * np.sin(1e7 * p), 0), EYE))


def test_a_jump_of_the_parameters_speed_does_not_move_points() -> None:
    line = Curve(lambda p: ((0.2 * p if p < 0.55 else 0.11 + (p - 0.55) * 0.89 / 0.45, 0.0, 0.0), np.eye(3)))
    assert line.length == pytest.approx(1.0, rel=1e-9)
    np.testing.assert_allclose(
        [line.at(s)[0][0] for s in np.linspace(0, 1, 11)], np.linspace(0, 1, 11), atol=1e-9
    )


def _corner(p: float):
    if p < 0.3:
        return (p, 0.0, 0.0), EYE
    return (0.3, p - 0.3, 0.0), _plane_frame(np.pi / 2)


EYE = np.eye(3)
BAD: dict[str, Callable[[], object]] = {
    "zero length": lambda: Straight((1, 2, 3), (1, 2, 3)),
    "Straight up is parallel": lambda: Straight((0, 0, 0), (1, 1, 0), up=(-2, -2, 0)),
    "Straight up is the zero vector": lambda: Straight((0, 0, 0), (1, 1, 0), up=(0, 0, 0)),
    "Straight end has shape": lambda: Straight((0, 0, 0), (1, 1)),
    "start has entries that are not finite": lambda: Straight((0, np.nan, 0), (1, 1, 0)),
    "Arc tangent is the zero": lambda: Arc((0, 0, 0), (0, 0, 0), (0, 1, 0), 1.0, 1.0),
    "Arc normal makes 45 degrees": lambda: Arc((0, 0, 0), (1, 0, 0), (1, 1, 0), 1.0, 1.0),
    "Arc radius is -1": lambda: Arc((0, 0, 0), (1, 0, 0), (0, 1, 0), -1.0, 1.0),
    "Arc angle is 0": lambda: Arc((0, 0, 0), (1, 0, 0), (0, 1, 0), 1.0, 0.0),
    "no direction": lambda: Curve(lambda p: ((1, 0, 0), EYE)),
    "axis 1 of the section makes 5 degrees": lambda: Curve(
        lambda p: ((p, 0, 0), _plane_frame(np.radians(5.0)))
    ),
    "corner of 90 degrees at parameter 0.3": lambda: Curve(_corner),
    "jumps at parameter 0.5": lambda: Curve(lambda p: ((p if p < 0.5 else p + 1.0, 0, 0), EYE)),
    "must point along": lambda: Curve(lambda p: ((-p, 0, 0), EYE)),
    "not orthonormal": lambda: Curve(lambda p: ((p, 0, 0), 1.1 * EYE)),
    "right-handed": lambda: Curve(lambda p: ((p, 0, 0), np.diag([1.0, 1.0, -1.0]))),
    "position has shape": lambda: Curve(lambda p: ((p, 0), EYE)),
    "Straight twist: s must ascend": lambda: Straight((0, 0, 0), (1, 0, 0), twist=((0, 0), (0.5, 1))),
    "Straight twist has shape": lambda: Straight((0, 0, 0), (1, 0, 0), twist=(0.0, 1.0)),
    "off the curve": lambda: Straight((0, 0, 0), (1, 0, 0)).at(1.1),
}


@pytest.mark.parametrize("message", BAD)
def test_bad_input_is_refused(message: str) -> None:
    with pytest.raises(InputError, match=message):
        BAD[message]()
