"""What fewer passes of the compiler must not lose: functions within kernels, arrays of arrays, text in variables."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from fem_mbd.compiled import kernel


@kernel
def with_functions_within(x: float) -> float:
    """Sum of doubled numbers, by a function within and a list made of it."""

    def doubled(y: float) -> float:
        return 2.0 * y

    return sum([doubled(y) for y in (x, 1.0)])


@kernel
def with_array_expressions(a: Any, b: Any, out: Any) -> None:
    """Fill out with arrays made of arrays, of operators, functions and constants."""
    out[0] = a + 2.0 * b
    out[1] = -np.sqrt(a) / b
    out[2] = np.array([1.0, 2.0, 3.0])


@kernel
def with_text_in_a_variable(record: Any) -> float:
    """One member of a record, named by a variable."""
    name = "second"
    record[0][name] += 1.0
    return record[0][name] + record[0]["first"]


@kernel
def chosen_by_nothing(x: float, y: Any) -> float:
    """x, or their sum when there is a y: the branch that cannot be typed goes."""
    if y is None:
        return x
    return x + y


def test_functions_within_a_kernel() -> None:
    assert with_functions_within(3.0) == 8.0


def test_arrays_made_of_arrays() -> None:
    a, b, out = np.array([1.0, 4.0, 9.0]), np.array([2.0, 3.0, 4.0]), np.empty((3, 3))
    with_array_expressions(a, b, out)
    assert out.tolist() == [[5.0, 10.0, 17.0], [-0.5, -2.0 / 3.0, -0.75], [1.0, 2.0, 3.0]]


def test_text_in_a_variable() -> None:
    record = np.array([(1.0, 2.0)], dtype=[("first", float), ("second", float)])
    assert with_text_in_a_variable(record) == 4.0 and record["second"][0] == 3.0


@pytest.mark.parametrize(("y", "expected"), [(None, 1.5), (2.0, 3.5)])
def test_branches_that_cannot_be_taken_are_not_typed(y: float | None, expected: float) -> None:
    assert chosen_by_nothing(1.5, y) == expected


@kernel
def product(x: Any, y: Any) -> Any:
    """Of two numbers."""
    return x * y


@pytest.mark.parametrize(("x", "y"), [(2, 3), (2.0, 3), (2.0 + 1.0j, 3.0), (True, 2.5)])
def test_operators_remember_types_apart(x: Any, y: Any) -> None:
    found = product(x, y)
    assert found == x * y and type(found) is type(x * y)
