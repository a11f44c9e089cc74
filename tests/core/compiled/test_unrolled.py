"""Tests of functions recorded as straight-line machine code, against NumPy."""

from functools import reduce
from operator import and_
from typing import Any

import numpy as np
import pytest

from fem_mbd.core.compiled import kernel
from fem_mbd.core.compiled.signatures import Signature, boolean, float32, float64, int64, matrix, vector, void
from fem_mbd.core.compiled.unrolled import unrolled


@unrolled
def _of_each(x: Any, at: Any, y: Any) -> None:
    four, one = x.load(at, 4), x[at + 4]
    for place, number in ((at, four), (at + 4, one)):
        y.store(place, number * number * 2.0 - number * one + 1.0 / number)


@kernel(void(vector, int64, vector))
def of_each(x, at, y):
    """y = 2 x² - x x[at + 4] + 1 / x for the five numbers from ``at`` on."""
    _of_each(x, at, y)


@unrolled
def _widened(x: Any, y: Any, at: Any) -> None:
    y.store(at, x.load(at, 8) * 3.0)


@kernel(void(float32[::1], vector, int64))
def widened(x, y, at):
    """y = 3 x in double precision for eight numbers from ``at`` on."""
    _widened(x, y, at)


@unrolled
def _turned(x: Any, y: Any, stride: Any) -> None:
    rows = [x.load(stride * 0 + stride * i, 4) for i in range(2)]
    y.store(stride * 0, rows[0].chosen(rows[1], (7, 2, 4)))
    y.store(stride * 0 + 3, rows[0].chosen(-1.5, (4, 1, 7, 3)))
    y.store(stride + 3, rows[1][2].beside(rows[1][0]))


@kernel(void(vector, vector, int64))
def turned(x, y, stride):
    """Numbers of two rows (4,) of x, ``stride`` = 4 apart, in another order in y (9,)."""
    _turned(x, y, stride)


@unrolled
def _within(x: Any, at: Any) -> bool:
    return reduce(and_, [x[at + i].between(1e-3, 1e3) for i in range(3)])


@kernel(boolean(vector, int64))
def within(x, at):
    """Whether magnitudes of the three numbers from ``at`` on are between 1e-3 and 1e3."""
    return _within(x, at)


def test_arithmetic_of_lanes_and_of_numbers() -> None:
    x, y = np.random.default_rng(5).uniform(1.0, 2.0, size=9), np.zeros(9)
    of_each(x, 2, y)
    part = x[2:7]
    assert y[2:7] == pytest.approx(2 * part**2 - part * x[6] + 1 / part, rel=1e-15, abs=1e-15)
    assert not y[[0, 1, 7, 8]].any()  # nothing beside them is touched


def test_numbers_in_single_precision_become_double() -> None:
    x, y = np.random.default_rng(6).random(11).astype(np.float32), np.zeros(11)
    widened(x, y, 2)
    assert y.tolist() == [0.0, 0.0, *(3.0 * x[2:10].astype(float)), 0.0]


def test_lanes_are_put_in_another_order() -> None:
    x, y = np.arange(8.0), np.full(9, np.nan)
    turned(x, y, 4)
    assert y.tolist() == [7, 2, 4, -1.5, 1, -1.5, 3, 6, 4]


@pytest.mark.parametrize("place", [0, 1, 2])
@pytest.mark.parametrize("wrong", [0.0, -1e-4, 1e4, np.inf, np.nan])
def test_numbers_out_of_bounds_are_told(wrong: float, place: int) -> None:
    x = np.array([5.0, 1.0, -2.0, 3.0])
    assert within(x, 1)
    x[1 + place] = wrong
    assert not within(x, 1)


@pytest.mark.parametrize(
    ("types", "given"),
    [
        (void(matrix, int64), (np.ones((2, 2)), 0)),
        (void(float64[:], int64), (np.ones(8)[::2], 0)),
        (void(vector, float64), (np.ones(4), 0.5)),
    ],
)
def test_other_arguments_are_refused_when_the_kernel_is_compiled(types: Signature, given: Any) -> None:
    other = kernel(types)(within.function)
    with pytest.raises(Exception, match=r"takes arrays \(n,\) of floats and whole numbers, not "):
        other(*given)
