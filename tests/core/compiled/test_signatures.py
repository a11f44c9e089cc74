"""Tests of kernels' types: notation, accepted Python values, argument table, results, entries by type."""

from typing import Annotated, Any, NamedTuple

import numpy as np
import pytest

from fem_mbd.core.compiled import kernel
from fem_mbd.core.compiled.entries import entry_at
from fem_mbd.core.compiled.signatures import (
    Argument,
    Number,
    boolean,
    complex128,
    float64,
    group,
    int64,
    matrix,
    record,
    several,
    vector,
    void,
)

LAW = np.dtype([("kind", "i8"), ("p", "f8", (2,))], align=True)


class Pair(NamedTuple):
    """A group."""

    x: Annotated[Any, vector]
    k: Annotated[Any, int64]


class Nested(NamedTuple):
    """With another one in it."""

    pair: Annotated[Any, Pair]
    out: Annotated[Any, vector]


def law(kind: int = 3) -> Any:
    """A record, as it lies in an array of them."""
    found: Any = np.zeros(2, LAW)
    found["kind"], found["p"] = kind, (0.5, 2.0)
    return found[1]


@pytest.mark.parametrize(
    ("kind", "takes", "refuses"),
    [
        (float64, (1.0, 1, np.float64(1), np.int64(1)), (1j, "1", None, np.ones(1))),
        (complex128, (1j, 1.0, 1, np.complex128(1)), ("1", None)),
        (int64, (1, np.int32(1), True), (1.0, np.float64(1))),
        (boolean, (True, np.bool_(False)), (1.0, None)),
        (record(LAW), (law(),), (law().tolist(), 1.0)),
        (
            vector,
            (np.ones(2), np.ones((3, 2))[1]),
            (np.ones((3, 2))[:, 1], np.ones((2, 2)), np.ones(2, "f4")),
        ),
        (float64[:], (np.ones((3, 2))[:, 1], np.ones(3)[::-1]), (np.ones(2, int), [1.0])),
        (matrix, (np.ones((2, 2)),), (np.ones((2, 3)).T, np.ones(2))),
        (record(LAW)[::1], (np.zeros(2, LAW),), (np.zeros(2), np.zeros(4, LAW)[::2])),
        (
            group(Pair),
            (Pair(np.ones(2), 1), Pair(np.ones(2), np.int64(2))),
            (Pair(1.0, 1), (np.ones(2), 1), np.ones(2)),
        ),
    ],
)
def test_what_a_type_takes(kind: Argument, takes: tuple[Any, ...], refuses: tuple[Any, ...]) -> None:
    assert all(void(kind).table([one]) for one in takes)
    assert not any(void(kind).table([one]) for one in refuses)


def test_fields_of_groups_have_types() -> None:
    class Untyped(NamedTuple):
        x: Any

    with pytest.raises(
        TypeError, match=r"Untyped.x is to be annotated with its type, Annotated\[Any, vector\]"
    ):
        void(Untyped)


@kernel(several(float64, int64, boolean, complex128)(record(LAW), float64[:], complex128, int64, boolean))
def mixed(law, x, c, n, b):
    """Some of everything."""
    return law.p[1] * x[0], law.kind + n, not b, c * law["p"][0]


@kernel(float64(float64, float64), complex128(complex128, float64))
def scaled(x, factor=3.0):
    """x times a factor."""
    if x.real < 0.0:
        raise ValueError("x is negative")
    return factor * x


def test_results_are_numbers_of_python() -> None:
    x = np.array([2.0, 0.0, 5.0])[::-2]
    found = mixed(law(), x, 4j, 4, False)
    assert found == (10.0, 7, True, 2j) == mixed.in_python(law(), x, 4j, 4, False)
    assert [type(one) for one in found] == [float, int, bool, complex]


def test_the_entry_is_that_of_the_types_and_defaults_are_known() -> None:
    assert (scaled(2.0), scaled(2), scaled(2j), scaled(np.float64(2.0), 0.5)) == (6.0, 6.0, 6j, 1.0)
    real, other = scaled.prepared([1.0]).entry, scaled.prepared([1j]).entry
    assert (str(real.signature), str(other.signature)) == tuple(map(str, scaled.signatures))
    assert real.address != other.address and entry_at(other.address) is other


def test_other_types_run_as_python() -> None:
    """Records have attributes there, too."""
    assert scaled(np.array(2.0)) == 6.0
    assert mixed(law(), [2.0], 0j, 1, True)[:2] == (4.0, 4)
    with pytest.raises(TypeError, match="positional argument"):
        scaled(1.0, 2.0, 3.0)


def test_a_call_of_no_entry_says_what_is_declared() -> None:
    name = (
        rf"^{__name__.replace('.', '[.]')}[.]scaled has no entry for \(float64 array of 2 dimensions, str\)"
    )
    with pytest.raises(
        TypeError, match=name + r"; it declares\n    float64\(.*\n    complex128\(complex128, f"
    ):
        scaled.prepared([np.ones((1, 1)), "a"])
    with pytest.raises(TypeError, match=r"has no entry for \(float\); it declares nothing"):
        kernel(scaled.function).prepared([1.0])


def test_what_compiled_code_raises_comes_out_with_its_text() -> None:
    for x in (-1.0, -1 + 0j):
        with pytest.raises(ValueError, match="x is negative"):
            scaled(x)


@kernel(void(vector, vector))
def double(x, out):
    for k in range(x.shape[0]):
        out[k] = 2.0 * x[k]


@kernel(void(float64, Nested))
def multiply(factor, given):
    """out = k factor x, in a group."""
    x, k = given.pair
    for i in range(x.shape[0]):
        given.out[i] = k * factor * x[i]


def test_kernels_take_groups() -> None:
    x, out = np.arange(3.0), np.ones(3)
    multiply(2.0, Nested(Pair(x, 3), out))
    assert out.tolist() == [0.0, 6.0, 12.0]
    multiply.in_python(Number(np.array([0.5])), Nested(Pair(x, 3), out))
    assert out.tolist() == [0.0, 1.5, 3.0]
    with pytest.raises(
        TypeError, match=r"entry for \(float, Pair\); it declares\n    void\(float64, Nested\(Pair\("
    ):
        multiply.prepared([2.0, Pair(x, 3)])
    out.setflags(write=False)
    with pytest.raises(ValueError, match=r"multiply writes into given[.]out, a read-only array"):
        multiply(2.0, Nested(Pair(x, 3), out))


def test_read_only_arrays_are_read_only() -> None:
    x, out = np.arange(3.0), np.ones(3)
    x.setflags(write=False)
    double(x, out)
    assert out.tolist() == [0.0, 2.0, 4.0]
    out.setflags(write=False)
    with pytest.raises(ValueError, match="double writes into out, a read-only array: give it a copy"):
        double(np.ones(3), out)
    assert out.tolist() == [0.0, 2.0, 4.0]


def test_two_kernels_of_one_name_are_two() -> None:
    """A cell of a notebook that is run again."""

    def again(number: float) -> Any:
        @kernel(void(vector, int64), void(vector, boolean))
        def fill(x, k):
            x[int(k)] = number

        return fill

    first, second, x = again(1.0), again(2.0), np.zeros(2)
    first(x, 0)
    second(x, 1)
    assert x.tolist() == [1.0, 2.0]
    first(x, True)
    assert x.tolist() == [1.0, 1.0]
