"""Tests of functions recorded as straight-line machine code, against NumPy."""

from functools import reduce
from operator import and_
from typing import Any

import numpy as np
import pytest

from fem_mbd.core.compiled import kernel
from fem_mbd.core.compiled.kernels import unrolled
from fem_mbd.core.compiled.signatures import Signature, boolean, float64, int64, matrix, vector, void


@unrolled
def _within(x: Any, at: Any) -> bool:
    return reduce(and_, [x[at + i].between(1e-3, 1e3) for i in range(3)])


@kernel(boolean(vector, int64))
def within(x, at):
    """Whether magnitudes of the three numbers from ``at`` on are between 1e-3 and 1e3."""
    return _within(x, at)


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
