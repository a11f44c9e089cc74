"""Tests of `SimdVector`: operations on several numbers at a time, against numpy."""

from typing import Any

import numpy as np
import pytest

from fem_mbd.core.compiled import kernel
from fem_mbd.core.compiled.signatures import (
    array3,
    boolean,
    float64,
    int64,
    matrix,
    record,
    vector,
    void,
)
from fem_mbd.core.compiled.simd import (
    as_simd,
    fetch,
    load4,
    load8,
    multiply_add,
    same4,
    same8,
    simd_record,
    store4,
    store8,
    transposed,
)

RECORD = np.dtype(
    [("nodes", "i8", (2,)), ("shape", "f8", (3, 2)), ("weight", "f8"), ("kind", "i8"), ("law", "f8", (2, 2))],
    align=True,
)


@pytest.fixture
def random() -> np.random.Generator:
    return np.random.default_rng(7)


@kernel(float64(vector, vector))
def _formula(a, b):
    """For numbers and for lanes."""
    total = 0.0
    for k in range(a.shape[0]):
        total += 2 * a[k] / b[k] - (1 - a[k])
    total *= 0.5
    total -= a[0]
    total /= 3
    return -total


@kernel(void(array3, array3, matrix))
def _formulas(a, b, out):
    x, y, z = as_simd(a), as_simd(b), as_simd(out)
    for i in range(x.shape[0]):
        z[i] = _formula(x[i], y[i])
    z[0] += 1.0


def test_a_kernel_serves_numbers_and_lanes(random: np.random.Generator) -> None:
    a, b = random.random((2, 3, 4, 8)) + 0.5
    out = np.empty((3, 8))
    _formulas(a, b, out)
    total = (0.5 * (2 * a / b - (1 - a)).sum(axis=1) - a[:, 0]) / 3
    expected = -total
    expected[0] += 1.0
    assert out == pytest.approx(expected, rel=1e-14)
    # the same operations in the same order: the same bits
    each = [[_formula(a[i, :, l].copy(), b[i, :, l].copy()) for l in range(8)] for i in (1, 2)]
    assert (out[1:] == each).all()


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


@kernel(void(vector, vector))
def _from_places(a, b):
    store4(a, 3, multiply_add(2.0, load4(a, 3), load4(b, 1)))
    store8(b, 8, multiply_add(load8(b, 8), same8(3.0), 1))
    store4(b, 0, same4(-1.0))


def test_lanes_are_read_and_written_at_any_place() -> None:
    a, b = np.arange(9.0), np.arange(17.0) ** 2
    x, y = a.copy(), b.copy()
    _from_places(a, b)
    x[3:7] = 2 * x[3:7] + y[1:5]
    y[8:16] = 3 * y[8:16] + 1
    y[:4] = -1
    assert a.tolist() == x.tolist()
    assert b.tolist() == y.tolist()


@kernel(void(vector, matrix))
def _transpose(a, out):
    first = load8(a, 0), load8(a, 8), load8(a, 16), load8(a, 24)
    rows = transposed((*first, load8(a, 32), load8(a, 40), load8(a, 48), load8(a, 56)))
    lanes = as_simd(out)
    for k in range(8):
        lanes[k] = rows[k]


def test_eight_lanes_are_transposed() -> None:
    a, out = np.arange(64.0), np.empty((8, 8))
    _transpose(a, out)
    assert (out == a.reshape(8, 8).T).all()


@kernel
def _of_record(record, g):
    total = 0.0
    for m in range(record.nodes.shape[0]):
        total += record["shape"][g, m] * record.weight * record.nodes[m]
    law = record["law"][1]
    if record.kind:
        total += law[0]
    return total


@kernel(void(record(RECORD)[::1], matrix, matrix))
def _of_records(records, numbers, out):
    words = numbers.shape[1]
    buffer = np.empty(8 * (2 * words + 1))
    buffer = buffer[(64 - buffer.ctypes.data % 64) % 64 // 8 :]
    for l in range(8):
        for w in range(words):
            buffer[8 * w + l] = numbers[l, w]
    record, lanes = simd_record(buffer, records), as_simd(out)
    record.nodes[0], record.nodes[1], record.kind = 3, 4, 1
    for g in range(3):
        lanes[g] = _of_record(record, g)


def test_a_record_of_lanes_is_read_like_a_record(random: np.random.Generator) -> None:
    """Numbers are lanes; integers are those that the kernel puts there."""
    records: Any = np.zeros(8, RECORD)
    for name in ("shape", "weight", "law"):
        records[name] = random.random(records[name].shape)
    records["nodes"], records["kind"] = 77, 77
    out = np.empty((3, 8))
    _of_records(records, records.view(np.float64).reshape(8, -1), out)
    expected = (records["shape"] @ [3.0, 4.0]) * records["weight"][:, None] + records["law"][:, 1, :1]
    assert out.T == pytest.approx(expected, rel=1e-14)


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
