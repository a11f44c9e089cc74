"""Geometry of a disk in a cylinder: deepest point against a search and closed forms."""

import numpy as np
import pytest

from fem_mbd.base.arrays import Array
from fem_mbd.core.rotations import rotation_from_vector
from fem_mbd.joints.contact import disk_in_cylinder as geometry

RADIUS_K, RADIUS_L = 1.01, 1.0


def placed(rng: np.random.Generator, number: int) -> tuple[Array, Array]:
    """Centre and axis of a disk: sizes over eight decades, and now and then centred, aligned or symmetric."""
    y = rng.normal(size=3) * 10.0 ** rng.uniform(-8, 0)
    e = rotation_from_vector(rng.normal(size=3) * 10.0 ** rng.uniform(-6, -0.3))[:, 2]
    tilted = np.hypot(e[0], e[1])
    if number % 5 == 0:
        y[:2] = 0.0
    if number % 7 == 0:
        e = np.array([0.0, 0.0, 1.0])
    elif number % 3 == 0:
        y[:2] = e[:2] / tilted * np.linalg.norm(y) * rng.choice([-1, 1])
    elif number % 3 == 1:
        y[:2] = np.array([-e[1], e[0]]) / tilted * np.linalg.norm(y)
    return y, e


def rim_distance(y: Array, e: Array, count: int = 4000) -> float:
    """Largest distance of a point of the disk's rim from the cylinder's axis, by a search over the rim."""
    across = np.linalg.svd(e[None, :])[2][1:]
    turns = np.linspace(0, 2 * np.pi, count, endpoint=False)
    rim = y[:, None] + RADIUS_L * (np.outer(across[0], np.cos(turns)) + np.outer(across[1], np.sin(turns)))
    return float(np.hypot(rim[0], rim[1]).max())


def gap(y: Array, e: Array) -> tuple[float, Array]:
    place = np.array(geometry.contact_direction(y, e, RADIUS_L))
    return geometry.gap_at(y, e, *place, RADIUS_K, RADIUS_L), place


def test_contact_is_the_rim_point_farthest_from_the_axis() -> None:
    """Round-off of the position at a flat minimum; the error of the search over 4000 rim points is 1e-6."""
    rng = np.random.default_rng(1)
    for number in range(400):
        y, e = placed(rng, number)
        q, (c, s) = gap(y, e)
        assert c * c + s * s == pytest.approx(1.0, abs=1e-14)
        found = RADIUS_K - rim_distance(y, e)
        assert found - 3e-6 < q < found + 1e-14
        # eq. 12 holds: the gap towards the tangent plane is stationary
        g, ge = e[0] * c + e[1] * s, e[1] * c - e[0] * s
        assert RADIUS_L * g / np.sqrt(1 - g * g) * ge - (y[1] * c - y[0] * s) == pytest.approx(0, abs=1e-14)


def test_known_gaps() -> None:
    tilt = 0.3
    e = np.array([np.sin(tilt), 0.0, np.cos(tilt)])
    centred, (_, s) = gap(np.zeros(3), e)
    assert centred == pytest.approx(RADIUS_K - RADIUS_L, abs=1e-15)
    assert abs(s) == pytest.approx(1.0, abs=1e-15)  # at the ends of the ellipse's long axis
    aligned, place = gap(np.array([0.003, -0.004, 7.0]), np.array([0.0, 0.0, 1.0]))
    assert aligned == pytest.approx(RADIUS_K - RADIUS_L - 0.005, abs=1e-15)
    assert place == pytest.approx((0.6, -0.8), abs=1e-15)
    # far along the short axis its end is deepest, near the centre the two symmetric points are
    far = gap(np.array([0.5, 0.0, 0.0]), e)
    assert far[0] == pytest.approx(RADIUS_K - 0.5 - RADIUS_L * np.cos(tilt), abs=1e-15)
    assert abs(gap(np.array([1e-4, 0.0, 0.0]), e)[1][0]) < 0.01


def test_in_the_plane_the_weight_is_that_of_the_planar_joint() -> None:
    e = np.array([0.0, 0.0, 1.0])
    y, y_f = np.array([0.3, 0.4, 0.0]), np.array([-0.6, 0.8, 0.0])
    place, place_f = gap(y, e)[1], gap(y_f, e)[1]
    assert geometry.start_weight(y, e, *place, y_f, e, *place_f, RADIUS_L) == pytest.approx(
        0.5 / 1.5, abs=1e-15
    )


def test_a_disk_with_large_tilt_has_two_deepest_points() -> None:
    """Pressed to the side that it leans to: a shift of 1e-15 across that side decides. The gap is that of both."""
    tilt = 0.49
    e = np.array([np.sin(tilt), 0.0, np.cos(tilt)])
    for share, jumps in ((0.99, True), (1.01, False)):
        lean = share * RADIUS_L * np.sin(tilt) ** 2 / np.cos(tilt)
        (q_left, left), (q_right, right) = (gap(np.array([lean, side, 0.0]), e) for side in (-1e-15, 1e-15))
        assert q_left == pytest.approx(q_right, abs=1e-14)
        assert (np.linalg.norm(left - right) > 0.2) == jumps
