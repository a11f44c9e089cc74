"""Tests of `SimdVector`: operations on several numbers at a time, against numpy."""

import numpy as np
import pytest

from fem_mbd.core.compiled import kernel
from fem_mbd.core.compiled.signatures import boolean, float64, int64, matrix, vector
from fem_mbd.core.compiled.simd import as_simd, fetch


@kernel(boolean(matrix, float64))
def _differs(a, number):
    return as_simd(a)[0] != number


@pytest.mark.parametrize(
    ("lane", "value", "differs"), [(0, 0.0, False), (5, 1e-300, True), (7, np.nan, True)]
)
def test_lanes_differ_from_a_number_when_one_of_them_does(lane: int, value: float, differs: bool) -> None:
    a = np.zeros((1, 8))
    a[0, lane] = value
    assert _differs(a, 0.0) is differs


@kernel(float64(vector, int64))
def _sum_with_fetches(a, ahead):
    total = 0.0
    for k in range(a.shape[0]):
        fetch(a, k + ahead)
        total += a[k]
    return total


@pytest.mark.parametrize("ahead", [-(1 << 40), -3, 0, 5, 1 << 40])
def test_memory_may_be_asked_for_anywhere(ahead: int) -> None:
    """Also where there is none: nothing is read, and the numbers stay as they are."""
    a = np.arange(9.0)
    assert _sum_with_fetches(a, ahead) == 36.0
    assert a.tolist() == list(range(9))
