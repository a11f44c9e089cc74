"""Tests of Poincaré sections, recurrence times and Lyapunov exponents against maps with known values."""

from math import log, pi, sqrt

import numpy as np
import pytest

from fem_mbd.analysis.chaos import (
    exponent_of_points,
    exponent_of_two,
    poincare_section,
    recurrence_times,
    surface_section,
)
from fem_mbd.base.arrays import Array
from tests.refusals import refused

HENON = 0.4192  # Sprott, Chaos and Time-Series Analysis (2003), a = 1.4, b = 0.3; Wolf et al. 1985 give 0.603 bits
GOLDEN = 0.5 * (sqrt(5.0) - 1.0)


def logistic(n: int, start: float = 0.3) -> Array:
    x = np.empty(n)
    x[0] = start
    for k in range(n - 1):
        x[k + 1] = 4.0 * x[k] * (1.0 - x[k])
    return x


def henon(n: int) -> Array:
    x = np.zeros((n + 100, 2))
    for k in range(n + 99):
        x[k + 1] = 1.0 - 1.4 * x[k, 0] ** 2 + x[k, 1], 0.3 * x[k, 0]
    return x[100:]


def test_exponent_of_the_logistic_map() -> None:
    """ln 2 at r = 4; Rosenstein et al., table 2, find it to a few per cent with fewer points."""
    found = exponent_of_points(logistic(4000))
    assert found.value == pytest.approx(log(2.0), rel=0.02)
    assert 0.0 < found.uncertainty < 0.05


def test_exponent_of_the_henon_map() -> None:
    found = exponent_of_points(henon(4000))
    assert found.value == pytest.approx(HENON, rel=0.06)  # neighbours first align with the growing direction


def test_exponent_of_a_regular_motion_is_zero() -> None:
    angle = 2 * pi * GOLDEN * np.arange(1000)
    found = exponent_of_points(np.column_stack([np.cos(angle), np.sin(angle)]))
    assert abs(found.value) < 1e-9


def test_exponent_of_two_neighbouring_motions() -> None:
    """A distance that grows as exp(1.5 t), then saturates."""
    t = np.linspace(0.0, 10.0, 500)
    first = np.column_stack([np.sin(t), np.cos(t)])
    second = first + 1e-6 * np.exp(1.5 * t)[:, None]
    found = exponent_of_two(t, first, second)
    assert found.value == pytest.approx(1.5, rel=1e-6) and found.points < 500
    refused("the runs are identical", exponent_of_two, t, first, first)


def test_uncertainty_of_two_motions_is_half_the_difference_of_both_halves() -> None:
    """The distance grows as exp(t) in the first half of the time and as exp(2 t) in the second."""
    t = np.linspace(0.0, 10.0, 501)[:500]
    first = np.column_stack([np.sin(t), np.cos(t)])
    distance = 1e-9 * np.exp(np.where(t < 5.0, t, 2.0 * t - 5.0))
    found = exponent_of_two(t, first, first + distance[:, None])
    assert found.points == 500
    assert found.uncertainty == pytest.approx(0.5, rel=1e-4)


def test_two_logistic_motions() -> None:
    """Mean of several pairs, each with the exponent of its own part of the motion."""
    found = []
    for start in np.linspace(0.1, 0.45, 20):
        a, b = logistic(60, start), logistic(60, start + 1e-12)
        found.append(exponent_of_two(np.arange(60.0), a, b).value)
    assert np.mean(found) == pytest.approx(log(2.0), abs=3 * float(np.std(found)) / sqrt(20))


def test_poincare_section_of_a_known_motion() -> None:
    """A motion with a third of the crank's frequency repeats after three revolutions."""
    angle = np.linspace(0.0, 12 * pi, 6001)
    found = poincare_section(angle, np.column_stack([np.sin(angle / 3), angle]), at=0.5 * pi)
    assert found[:, 1] == pytest.approx(0.5 * pi + 2 * pi * np.arange(6))
    assert found[:3, 0] == pytest.approx(np.sin((0.5 * pi + 2 * pi * np.arange(3)) / 3), abs=1e-6)
    assert found[3:, 0] == pytest.approx(found[:3, 0], abs=1e-6)


def test_surface_section_of_a_pendulum() -> None:
    """cos t passes zero falling at pi/2, rising at 3 pi/2, and so on; its speed there is -1 and 1."""
    t = np.linspace(0.0, 6 * pi, 6001)
    rising = surface_section(np.cos(t), np.column_stack([t, -np.sin(t)]))
    assert rising == pytest.approx(np.column_stack([(1.5 + 2 * np.arange(3)) * pi, np.ones(3)]), abs=1e-5)
    falling = surface_section(np.cos(t), t, direction=-1)
    assert falling[:, 0] == pytest.approx((0.5 + 2 * np.arange(3)) * pi, abs=1e-5)
    assert len(surface_section(np.cos(t), t, direction=0)) == 6


def test_surface_section_through_instants_at_zero() -> None:
    """A signal that is zero at a sample crosses zero there, one that reverses there does not."""
    assert surface_section([-1.0, 0.0, 1.0], [0.0, 1.0, 2.0]) == pytest.approx(np.array([[1.0]]))
    assert len(surface_section([1.0, 0.0, 1.0], [0.0, 1.0, 2.0], direction=0)) == 0


def test_recurrence_times_of_a_rotation() -> None:
    """Rotation of a circle by the golden mean: at most three different times, the longest the sum of the others; the
    mean by Kac's lemma.
    """
    points = (GOLDEN * np.arange(20000)) % 1.0
    times = recurrence_times(points, [0.5], 0.05)
    kinds = np.unique(times)
    assert len(kinds) <= 3 and kinds[-1] in (kinds[0] + kinds[1], kinds[1])
    assert times.mean() == pytest.approx(1.0 / 0.1, rel=1e-3)


def test_bad_input() -> None:
    refused("the phase decreases", lambda: poincare_section([0.0, 2.0, 1.0], np.zeros(3)))
    refused("at the same times", lambda: poincare_section([0.0, 2.0], np.zeros(3)))
    refused("surface_section: give signal", lambda: surface_section([0.0, 2.0], np.zeros(3)))
    refused("direction is 2", lambda: surface_section([-1.0, 2.0], np.zeros(2), direction=2))
    refused("1 visits to the ball", recurrence_times, [0.0, 1.0, 2.0], [0.0], 0.5)
    refused("too few", exponent_of_points, [0.0, 1.0, 0.5, 0.2])
