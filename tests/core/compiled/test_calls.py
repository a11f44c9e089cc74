"""Tests of calls of kernels by address: results as from Python, errors of kernels, of Python and of libraries."""

import ctypes
from typing import Annotated, Any, NamedTuple

import numpy as np
import pytest

from fem_mbd.core.compiled import entries, kernel
from fem_mbd.core.compiled.calls import (
    OF_NODES,
    Call,
    CallList,
    ForeignCall,
    ForeignError,
    Number,
    Split,
    run_calls,
)
from fem_mbd.core.compiled.signatures import FUNCTION, array3, float64, int64, matrix, record, vector, void
from fem_mbd.core.model.workspace import StateArrays
from fem_mbd.core.scheme.nodes.node_kernels import finish_step

POINT = np.dtype([("place", "f8", (3,)), ("mass", "f8")], align=True)


@kernel(void(record(POINT)[::1], float64, float64, int64, matrix))
def add_moments(points, factor, shift, count, out):
    """A kernel with every kind of argument."""
    for k in range(count):
        for i in range(3):
            out[k, i] += factor * points[k].mass * points[k]["place"][i] + shift


@kernel(void(float64[:, :], float64[:, :], float64[:], vector, float64[:, :, :], vector))
def add_pairs(first, second, third, fourth, fifth, out):
    """More arguments than fit into registers."""
    out[0] += first[0, 0] + second[1, 1] + third[0] + fourth[2] + fifth[1, 0, 1]


@kernel(void(vector))
def refuse(values):
    """Raises."""
    if values[0] > 0.0:
        raise ValueError("a positive number")


def points() -> Any:
    """Two with unequal numbers."""
    found: Any = np.zeros(2, dtype=POINT)
    found["mass"], found["place"] = [2.0, 3.0], np.arange(6.0).reshape(2, 3)
    return found


def test_by_address_as_from_python() -> None:
    numbers, out = np.array([0.5, 7.0]), np.zeros((2, 3))
    call = Call(add_moments, points(), Number(numbers, 1), Number(numbers), 2, out)
    call.kernel.in_python(*call.arguments)
    expected = out.copy()
    assert expected[1].tolist() == [0.5 + 7.0 * 3.0 * k for k in (3, 4, 5)]
    listed = CallList([call, call])
    out[:] = 0.0
    listed()
    np.testing.assert_array_equal(out, 2.0 * expected)


def test_numbers_are_those_of_the_moment() -> None:
    numbers, out = np.array([0.0]), np.zeros((2, 3))
    listed = CallList([Call(add_moments, points(), Number(np.zeros(1)), Number(numbers), 1, out)])
    for shift in (2.0, 3.0):
        numbers[0] = shift
        listed()
    assert out.tolist() == [[5.0] * 3, [0.0] * 3]


def test_many_arguments_and_views() -> None:
    base = np.arange(48.0).reshape(4, 3, 4)
    given = (base[:2, :2, 0], base[1:3, :2, 1], points()["mass"], base[0, 0], base[:, ::-1])
    python_sum, by_address = np.zeros(1), np.zeros(1)
    add_pairs.in_python(*given, python_sum)
    CallList([Call(add_pairs, *given, by_address)])()
    assert by_address[0] == python_sum[0] != 0.0


class Scaling(NamedTuple):
    """Factors."""

    factor: Annotated[Any, float64]
    count: Annotated[Any, int64]


class Target(NamedTuple):
    """With a group in it."""

    scaling: Annotated[Any, Scaling]
    out: Annotated[Any, matrix]


@kernel(void(record(POINT)[::1], Target))
def add_scaled(points, target):
    """Moments of points, in a group."""
    factor, count = target.scaling
    add_moments(points, factor, 0.0, count, target.out)


def test_members_of_groups_by_address() -> None:
    """Numbers among them are those of the moment."""
    numbers, out, expected = np.array([0.0, 0.5]), np.zeros((2, 3)), np.zeros((2, 3))
    call = Call(add_scaled, points(), Target(Scaling(Number(numbers, 1), 2), out))
    listed = CallList([call])
    numbers[1] = 2.5
    listed()
    add_moments.in_python(points(), 2.5, 0.0, 2, expected)
    assert (out == expected).all() and out.any()
    call.kernel.in_python(*call.arguments)
    assert (out == 2.0 * expected).all()


def test_python_functions_in_the_place_of_entries_get_groups() -> None:
    """As compiled code calls them where numba is missing."""
    out, signature = np.zeros((2, 3)), add_scaled.signatures[0]
    address = entries.address_of(add_scaled.in_python, signature, lambda *_: None)
    table, _ = signature.table([points(), Target(Scaling(2.0, 1), out)])
    assert FUNCTION(address)(table.buffer_info()[0]) == 0
    assert out.tolist() == [[0.0, 4.0, 8.0], [0.0] * 3]


@kernel(void(matrix, array3, float64, StateArrays))
def finish(x, q, dt, state):
    """Calls an entry of a library."""
    finish_step(x, q, state.r, dt, state, q, state.r)


def test_entries_of_libraries_take_groups_from_kernels() -> None:
    random, found = np.random.default_rng(3), []
    given = random.normal(size=(2, 12)), random.normal(size=(2, 4, 3)), random.normal(size=(2, 3, 3))
    for run in (finish, finish.in_python):
        x, q, r = (one.copy() for one in given)
        state = StateArrays(np.zeros((2, 3)), r, np.zeros((2, 3)), np.zeros((2, 3)), np.zeros((2, 6)))
        run(x, q, 0.5, state)
        found.append(np.concatenate([one.ravel() for one in state]))
    assert (found[0] == found[1]).all()
    assert (found[0] != 0.0).all()


def test_rows_of_a_call() -> None:
    """Of arrays, of all arrays of a group, and of one of them."""
    state = StateArrays(*(np.arange(12.0).reshape(6, 2) + k for k in range(5)))
    split = Split((0, 1, (2, "v")), OF_NODES, 2)
    assert split.count([np.zeros(12), state, state]) == 6
    assert Split(((0, "u"),)).count([state]) == Split((0,)).count([state]) == 6
    array, whole, one = split.cut([np.arange(12), state, state], 1, 2)
    assert array.tolist() == [2, 3]
    assert all((a == b[2:4]).all() for a, b in zip(whole, state, strict=True))
    assert (one.v == state.v[2:4]).all() and one.u is state.u and type(one) is StateArrays


def test_what_cannot_be_handed_over_is_refused() -> None:
    with pytest.raises(
        TypeError, match=r"test_calls.refuse has no entry for \(tuple\); it declares\n    void"
    ):
        CallList([Call(refuse, (1.0,))])
    with pytest.raises(TypeError, match="has 9 words: at most 8"):
        CallList([ForeignCall(1, *range(9))])


def test_a_kernel_that_raises_ends_the_list() -> None:
    out = np.zeros((2, 3))
    after = Call(add_moments, points(), Number(np.ones(1)), Number(np.ones(1)), 2, out)
    listed = CallList([Call(refuse, np.ones(1)), after])
    with pytest.raises(ValueError, match="a positive number"):
        listed()
    assert not out.any()


def test_a_python_function_among_the_calls_raises_its_own() -> None:
    seen, values = [], np.zeros(1)

    def look() -> None:
        seen.append(values[0])
        if len(seen) == 2:
            raise KeyError("the second time")

    listed = CallList([Call(refuse, values), look])
    listed()
    with pytest.raises(KeyError, match="the second time") as raised:
        listed()
    assert raised.traceback[-1].name == "look"
    listed()
    assert len(seen) == 3


def test_a_list_within_a_list() -> None:
    inner = CallList([Call(refuse, np.ones(1))])
    CallList([Call(run_calls, inner.table)])()
    with pytest.raises(ValueError, match="a positive number"):
        inner.raise_error()
    inner.raise_error()  # nothing is left


def test_functions_of_a_library() -> None:
    compare = ctypes.cast(ctypes.CDLL(None).memcmp, ctypes.c_void_p).value or 0
    left, right = np.ones(2), np.ones(2)
    listed = CallList([ForeignCall(compare, left.ctypes.data, right.ctypes.data, left.nbytes)])
    listed()
    right[1] = 2.0
    with pytest.raises(ForeignError):
        listed()
