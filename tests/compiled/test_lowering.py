"""How kernels are said to LLVM: what they compute is what Python computes of the same function."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numba import types
from numba.core.typing import signature

from fem_mbd.compiled import kernel
from fem_mbd.compiled.compiling.indexing import indexing

POINT = np.dtype([("at", float, (2, 3)), ("mass", float)], align=True)


@kernel
def items(a: Any, b: Any, i: Any, j: Any, out: Any) -> None:
    """Fill out with items of a (m, n) and b (m, n, k), of indices that are known and that are not."""
    out[0] = a[i, j] + a[-1, -j - 1]
    out[1] = a[0][j] + a[i][-1]
    out[2] = b[i, j, 1] + b[1, 2, 0] + b[-1][j, i] + b[i][j][1]
    out[-1] = b[1, -1, i]
    b[i, j, 0] = 7
    b[-1, 0, -1] = out[0]
    b[1][0][1] += 1.0


@kernel
def views(a: Any, i: Any) -> Any:
    """Views and copies of a (m, n, k): what they show, and what is known of them."""
    b = a[i]
    c = b[-1]
    c[0] = -1.0
    return a[1:, 0], b, b.T.copy(), c, a[..., 1], (b.size, b.shape, b.strides, c.nbytes)


@kernel
def members(points: Any, n: Any, out: Any) -> None:
    """Fill out with members of records in an array."""
    point = points[n]
    out[0], out[1] = point.at[1, -1], point["mass"]
    points[-1].mass = point.at[0, n]
    for row in point.at:
        out[2] += row[2]


@kernel
def turns(first: Any, stop: Any, step: Any, out: Any) -> int:
    """Counts of the turns of loops, some of which have none, and the last integer."""
    last = 99
    for k in range(stop):
        out[0] += k
    for last in range(first, stop):
        for _ in range(last):
            out[1] += 1
    for k in range(first, stop, step):
        if k == 3:
            continue
        out[2] += k
        for _ in range(0):
            out[3] += 1
    else:
        out[3] += 10
    return last


@kernel
def branches(x: Any, n: Any) -> float:
    """Variables that get values at one place and at several, before loops and within them."""
    first, count = x[0], 0
    while True:
        before = first
        if count > n:
            break
        if x[count % 3] > 0.5:
            step = x[1] - before
            first = first + step * count
        elif count == 2:
            first = -first
        count += 1
        last = before
    return first + 10.0 * before + 100.0 * last + count


@kernel
def powers(x: Any, y: Any, out: Any) -> None:
    """Fill out with products of numbers."""
    out[0], out[1], out[2] = x * y, x * x * y, 3.0 * x
    out[2] *= y


@kernel
def caught(x: Any, i: Any) -> float:
    """A number, or minus one where what gives it raises."""
    try:
        if i > 2:
            raise ValueError
        found = x[i]
    except Exception:  # no other that numba knows
        found = -1.0
    return found


def both(function: Any, *given: Any) -> tuple[Any, Any]:
    """What a kernel and the function in Python return, and what they leave in their arguments."""
    own = [one.copy() if isinstance(one, np.ndarray) else one for one in given]
    return (function(*given), *given), (function._function(*own), *own)


def same(one: Any, other: Any) -> bool:
    """Whether nested tuples of numbers and arrays are the same."""
    if isinstance(one, tuple):
        return len(one) == len(other) and all(map(same, one, other))
    return bool(np.array_equal(one, other))


@pytest.fixture
def numbers() -> np.ndarray:
    return np.random.default_rng(3).random((2, 3, 2))


@pytest.mark.parametrize("kind", [np.int64, np.int32, np.uint8])
def test_items(numbers: np.ndarray, kind: Any) -> None:
    i, j = kind(1), kind(0)
    if kind is np.uint8:  # has no integers below zero
        found, expected = both(items, numbers[0].copy(), numbers, i, int(j), np.zeros(4))
    else:
        found, expected = both(items, numbers[0].copy(), numbers, i, j, np.zeros(4))
    assert same(found, expected)


def test_items_of_arrays_that_are_not_in_rows(numbers: np.ndarray) -> None:
    twice = np.repeat(numbers, 2, axis=2)
    assert same(*both(items, numbers[0].T.copy().T, twice[:, :, ::2], -1, 0, np.zeros(4)))


def test_items_of_complex_numbers(numbers: np.ndarray) -> None:
    numbers = numbers * (1.0 + 2.0j)
    assert same(*both(items, numbers[0].copy(), numbers, 0, -1, np.zeros(4, complex)))


@pytest.mark.parametrize("seed", range(20))
def test_products_of_complex_numbers_are_rounded_as_those_of_python(seed: int) -> None:
    a, b, c, d = (float(one) for one in np.random.default_rng(seed).normal(size=4) * 1e10 ** (seed % 5))
    assert same(*both(powers, complex(a, b), complex(c, 1e-40 * d), np.zeros(3, complex)))


@pytest.mark.parametrize("i", [0, -1])
def test_views_hold_what_they_show(numbers: np.ndarray, i: int) -> None:
    found, expected = both(views, numbers, i)
    assert same(found, expected)
    assert found[0][1].base is not None and np.shares_memory(found[0][1], numbers)


def test_members_of_records() -> None:
    points = np.zeros(2, POINT)
    points["at"], points["mass"] = np.arange(12.0).reshape(2, 2, 3), (5.0, 6.0)
    out, rows = np.zeros(3), points["at"].copy()
    members(points, 1, out)
    assert out.tolist() == [rows[1, 1, 2], 6.0, rows[1, 0, 2] + rows[1, 1, 2]]
    assert points["mass"].tolist() == [5.0, rows[1, 0, 1]]


@pytest.mark.parametrize("given", [(0, 5, 1), (4, 2, 1), (6, -1, -2), (-3, 4, 3), (2, 2, 5)])
def test_loops(given: tuple[int, int, int]) -> None:
    assert same(*both(turns, *given, np.zeros(4)))


def test_a_loop_in_steps_of_nothing_is_told() -> None:
    with pytest.raises(ValueError, match="must not be zero"):
        turns(0, 1, 0, np.zeros(4))


@pytest.mark.parametrize("n", range(6))
def test_variables_of_branches_and_loops(n: int) -> None:
    found, expected = both(branches, np.array([0.25, 0.75, 0.5]), n)
    assert same(found, expected)


@pytest.mark.parametrize(("i", "expected"), [(1, 4.0), (3, -1.0)])
def test_exceptions_within_a_kernel(i: int, expected: float) -> None:
    assert caught(np.array([3.0, 4.0, 5.0]), i) == expected


@pytest.mark.parametrize(("layout", "index", "given", "ours"), [
    ("C", types.intp, types.float64, True),
    ("C", types.UniTuple(types.intp, 2), types.float64, False),
    ("A", types.intp, types.float64, False),
    ("C", types.slice2_type, types.float64, False),
])  # fmt: skip
def test_what_is_left_to_numba(layout: Any, index: Any, given: Any, ours: bool) -> None:
    asked = signature(given, types.Array(types.float64, 1, layout), index)
    assert (indexing("static_getitem", asked) is not None) is ours
    assert indexing("static_getattr", asked) is None
