"""Tests of the kernels on arrays that loop over nodes: rows of a matrix, with and without missing ones."""

import numpy as np

from fem_mbd.core.scheme.array_kernels import clear_rows, gather_rows

EQUATION = np.array([[3, -1], [-1, -1], [0, 1]])


def test_only_the_given_rows_are_cleared() -> None:
    indptr = np.array([0, 2, 3, 6, 10], dtype=np.int32)
    data = np.arange(1.0, 12.0)
    clear_rows(EQUATION, indptr, data)
    assert data.tolist() == [0.0, 0.0, 0.0, 4.0, 5.0, 6.0, 0.0, 0.0, 0.0, 0.0, 11.0]


def test_entries_are_gathered_to_the_given_rows() -> None:
    places, data, target = np.array([5, 0, 2, 7]), np.arange(10.0, 20.0), np.full(4, -1.0)
    gather_rows(EQUATION, places, data, target)
    assert target.tolist() == [15.0, 10.0, -1.0, 17.0]
