"""Derivatives of many parameters from few models: closed forms, and how many models are made."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pytest

from fem_mbd.analysis.sensitivity.setup import by_parameter
from fem_mbd.base.arrays import Array, Indices
from fem_mbd.errors import InputError

STEP = 5e-4


def _made(
    function: Callable[[Array], Array], at: Array
) -> tuple[list[str], Array, Callable[..., Array], list[int]]:
    names, count = [f"p{k}" for k in range(len(at))], [0]

    def moved(steps: Mapping[str, float]) -> Array:
        count[0] += 1
        return function(at + STEP * np.array([steps.get(name, 0.0) for name in names]))

    return names, function(at), moved, count


def _jacobian(found: Mapping[str, tuple[Indices, Array]], size: int) -> Array:
    whole = np.zeros((size, len(found)))
    for k, (places, slopes) in enumerate(found.values()):
        whole[places, k] = slopes / STEP
    return whole


@pytest.mark.parametrize(("count", "models"), [(1, 2), (2, 3), (3, 4), (4, 3), (12, 3), (1000, 3)])
def test_numbers_of_one_parameter_each_that_are_linear(count: int, models: int) -> None:
    slopes, at = np.random.default_rng(1).normal(size=2 * count), np.linspace(1.0, 2.0, count)
    names, middle, moved, made = _made(lambda p: slopes * np.tile(p, 2), at)
    found = _jacobian(by_parameter(names, middle, moved), 2 * count)
    expected = np.concatenate([np.diag(slopes[:count]), np.diag(slopes[count:])])
    assert found == pytest.approx(expected, abs=1e-11)
    assert made[0] == models


@pytest.mark.parametrize("function", [np.sin, np.exp, lambda p: p**3])
def test_functions_are_not_taken_for_linear(function: Callable[[Any], Any]) -> None:
    """About zero too, where the sine and the cube are odd."""
    at = np.array([0.0, 0.7, 1.0])
    names, middle, moved, made = _made(function, at)
    found = _jacobian(by_parameter(names, middle, moved), 3)
    exact = np.imag(function(at + 1e-30j)) / 1e-30
    assert found == pytest.approx(np.diag(exact), abs=1e-11)
    assert made[0] == 3 + 3


def test_parameters_that_share_numbers() -> None:
    """Their sum and their product, beside numbers of other parameters."""
    at = np.linspace(1.0, 2.0, 12)
    names, middle, moved, made = _made(lambda p: np.array([p[1] + p[4], p[1] * p[4], *p**2, 7.0]), at)
    found = _jacobian(by_parameter(names, middle, moved), 15)
    expected = np.zeros((15, 12))
    expected[0, [1, 4]] = 1.0
    expected[1, [1, 4]] = at[[4, 1]]
    expected[2:14] = np.diag(2.0 * at)
    assert found == pytest.approx(expected, abs=1e-11)
    assert made[0] < 4 * 12


def test_many_parameters_of_one_number() -> None:
    """Masses on one node: each is moved once, and all together show that their sum is linear."""
    at = np.linspace(1.0, 2.0, 50)
    names, middle, moved, made = _made(lambda p: np.array([p.sum(), 3.0]), at)
    found = _jacobian(by_parameter(names, middle, moved), 2)
    assert found == pytest.approx(np.array([np.ones(50), np.zeros(50)]), abs=1e-10)
    assert made[0] < 70


def test_numbers_that_change_by_round_off_are_not_ascribed_to_another_parameter() -> None:
    """Far below the resolution of a large constant, beside numbers that tell their parameters."""
    at = np.linspace(1.0, 2.0, 40)
    large = 1e9
    names, middle, moved, _ = _made(lambda p: np.concatenate([p, large + p[::-1]]), at)
    found = _jacobian(by_parameter(names, middle, moved), 80)
    assert found[:40] == pytest.approx(np.eye(40), abs=1e-11)
    assert found[40:] == pytest.approx(np.eye(40)[::-1], abs=2e-3)


def test_errors_name_the_parameter() -> None:
    """Where parameters are moved together another one may be named: it is asked for alone."""
    names, middle, moved, _ = _made(lambda p: p, np.ones(4))

    def refused(steps: Mapping[str, float]) -> Array:
        if "p2" in steps:
            raise InputError(f"refused: {', '.join(steps)}")
        return moved(steps)

    with pytest.raises(InputError, match=r"refused: p2$"):
        by_parameter(names, middle, refused)
