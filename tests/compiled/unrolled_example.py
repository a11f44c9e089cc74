"""Unrolled functions for `test_unrolled`, and the kernels that call them."""

from __future__ import annotations

from functools import reduce
from operator import and_
from typing import Any

from fem_mbd.compiled import kernel
from fem_mbd.compiled.signatures import boolean, int64, vector, void
from fem_mbd.compiled.unrolled import unrolled


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
