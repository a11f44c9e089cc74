"""Functions that are noted as machine code: the numbers that NumPy finds."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from fem_mbd.compiled import kernel
from fem_mbd.compiled.signatures import Signature, float64, int64, matrix, vector, void
from tests.compiled import unrolled_example as example


def test_arithmetic_of_lanes_and_of_numbers() -> None:
    x, y = np.random.default_rng(5).uniform(1.0, 2.0, size=9), np.zeros(9)
    example.of_each(x, 2, y)
    part = x[2:7]
    assert y[2:7] == pytest.approx(2 * part**2 - part * x[6] + 1 / part, rel=1e-15, abs=1e-15)
    assert not y[[0, 1, 7, 8]].any()  # nothing beside them is touched


def test_lanes_are_put_in_another_order() -> None:
    x, y = np.arange(8.0), np.full(9, np.nan)
    example.turned(x, y, 4)
    assert y.tolist() == [7, 2, 4, -1.5, 1, -1.5, 3, 6, 4]


@pytest.mark.parametrize("place", [0, 1, 2])
@pytest.mark.parametrize("wrong", [0.0, -1e-4, 1e4, np.inf, np.nan])
def test_numbers_out_of_bounds_are_told(wrong: float, place: int) -> None:
    x = np.array([5.0, 1.0, -2.0, 3.0])
    assert example.within(x, 1)
    x[1 + place] = wrong
    assert not example.within(x, 1)


@pytest.mark.parametrize(
    ("types", "given"),
    [
        (void(matrix, int64), (np.ones((2, 2)), 0)),
        (void(float64[:], int64), (np.ones(8)[::2], 0)),
        (void(vector, float64), (np.ones(4), 0.5)),
    ],
)
def test_other_arguments_are_refused_when_the_kernel_is_compiled(types: Signature, given: Any) -> None:
    other = kernel(types)(example.within.function)
    with pytest.raises(Exception, match=r"takes arrays \(n,\) of float64 and whole numbers, not "):
        other(*given)
