"""Tests of array kernels (copy, clear, gather, subtract) for arrays of any length."""

from __future__ import annotations

import numpy as np
import pytest

from fem_mbd.core.scheme.array_kernels import AHEAD, gather


@pytest.mark.parametrize("count", [0, 1, AHEAD, 2 * AHEAD + 1])
def test_entries_are_gathered(count: int) -> None:
    random = np.random.default_rng(count)
    data, places = random.normal(size=50), random.integers(0, 50, size=count)
    found = np.full(count, np.nan)
    gather(data, places, found)
    assert found.tolist() == data[places].tolist()
