"""Addresses read from numpy's objects are those that numpy tells."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from fem_mbd.compiled.calling import addresses


class Sub(np.ndarray):
    """A kind of array."""


def arrays() -> Iterator[np.ndarray]:
    """Of all sorts."""
    whole = np.zeros((4, 5, 3))
    yield whole
    yield whole[2:, ::-1, 1]
    yield whole.T
    yield whole[:0]
    yield np.zeros(())
    yield np.zeros(3, dtype=[("a", "f8"), ("b", "i4", (2,))])["b"]
    yield np.frombuffer(b"12345678")
    yield whole.view(Sub)[1]
    yield np.broadcast_to(np.zeros(3), (7, 3))


@pytest.mark.parametrize("array", list(arrays()), ids=range(9))
def test_as_numpy_tells(array: np.ndarray) -> None:
    assert addresses.address_of_array(array) == array.__array_interface__["data"][0]


def test_this_python_is_read() -> None:
    """Else lists of calls take longer to make, on a Python that lays out its objects in another way."""
    assert addresses.address_of_array is addresses._read


def test_another_python_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(addresses.sys.implementation, "name", "other")
    assert not addresses._can_read()
