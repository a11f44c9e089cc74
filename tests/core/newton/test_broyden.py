"""Tests of Broyden's updates of kept factors: against the same updates of a full matrix, and how fast they converge."""

import numpy as np
import pytest

from fem_mbd.base.arrays import Array
from fem_mbd.core.newton.jacobian_reuse import MAX_UPDATES, Broyden

UNIT, LENGTH = np.array([0, 0, 1, 1, 2]), 2.0
START = np.array([0.9, -0.4, 1.3, 0.6, -0.8])
WEIGHT = np.array([0.25, 0.25, 1.0, 1.0, 0.0])  # 1 / length^2, one radian, none of multipliers


def equations(y: Array) -> Array:
    """Smooth equations, linear in the last unknown."""
    coupled = np.roll(y[:4], 1)
    motion = 3.0 * y[:4] + 0.4 * np.sin(coupled) + 0.2 * y[:4] * coupled + 0.3 * y[4] - 1.0
    return np.append(motion, 0.5 * y[:4].sum() + 2.0 * y[4] - 0.1)


def tangent(y: Array) -> Array:
    """Derivative by complex step."""
    h = 1e-30
    columns = [equations(y + 1j * h * unit).imag / h for unit in np.eye(len(y))]
    return np.array(columns).T


def solve(y: Array, iterations: int, improved: bool) -> list[Array]:
    """Updates with the tangent at y kept."""
    kept, broyden, updates = tangent(y), Broyden(UNIT, LENGTH), []
    for _ in range(iterations):
        update = np.linalg.solve(kept, equations(y))
        if improved:
            broyden.improve(update)
        updates.append(update)
        y = y - update
    return updates


def test_updates_are_those_of_a_matrix_updated_by_rank_one() -> None:
    """B + (change of the equations - B s) s^T W / s^T W s after each motion s, as Broyden (1965) has it."""
    y = START
    matrix = tangent(y)
    for update in solve(y, 5, improved=True):
        assert np.abs(update).max() > 1e-9  # clear of round-off
        assert update == pytest.approx(np.linalg.solve(matrix, equations(y)), rel=1e-6, abs=1e-14)
        motion = -update
        change = equations(y + motion) - equations(y)
        matrix = matrix + np.outer(change - matrix @ motion, WEIGHT * motion) / (motion @ (WEIGHT * motion))
        y = y + motion


def test_fewer_iterations_than_with_the_factors_alone() -> None:
    sizes = {
        improved: [float(np.abs(update).max()) for update in solve(START, 14, improved)]
        for improved in (False, True)
    }
    needed = {improved: int(np.argmax(np.array(found) < 1e-10)) for improved, found in sizes.items()}
    assert 0 < needed[True] < needed[False]


def test_history_is_discarded_where_updates_do_not_decrease() -> None:
    broyden = Broyden(UNIT, LENGTH)
    first = np.array([1.0, 0.0, 0.0, 0.0, 0.0])
    broyden.improve(first.copy())
    second = first.copy()
    broyden.improve(second)  # would be divided by zero
    assert np.array_equal(second, first)
    third = 0.25 * first
    broyden.improve(third)
    assert third == pytest.approx(first / 3)  # 0.25 / (1 - 0.25): only the second is remembered


def test_more_updates_than_are_kept() -> None:
    broyden, random = Broyden(UNIT, LENGTH), np.random.default_rng(2)
    for k in range(MAX_UPDATES + 3):
        update = 0.1**k * random.normal(size=5)
        broyden.improve(update)
        assert np.isfinite(update).all()


def test_multipliers_alone_are_left_as_they_are() -> None:
    broyden, update = Broyden(UNIT, LENGTH), np.array([0.0, 0.0, 0.0, 0.0, 3.0])
    for _ in range(2):
        broyden.improve(update)
    assert update.tolist() == [0.0, 0.0, 0.0, 0.0, 3.0]
