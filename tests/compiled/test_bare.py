"""Kernels that do not count who holds their arrays: the same numbers, arrays live on, and none can be made."""

from __future__ import annotations

import sys

import numpy as np
import pytest
from numba.core.errors import NumbaError

from tests.compiled import bare_example as example


def test_arrays_that_are_handed_on_live_and_are_freed_as_ever() -> None:
    a = np.random.default_rng(0).normal(size=(5, 7))
    held = sys.getrefcount(a)
    assert example.many_sums(1000, a) == pytest.approx(1000 * a.sum(), rel=1e-12)
    out = np.empty(5)
    example.sums_of_rows(a, out)
    assert out == pytest.approx(a.sum(axis=1), rel=1e-14)
    assert sys.getrefcount(a) == held


def test_a_bare_kernel_that_makes_an_array_is_refused_when_it_is_compiled() -> None:
    with pytest.raises(NumbaError, match="Only accept returning of array passed into the function"):
        example.makes_an_array(np.ones(1))
