"""Rows of a sparse matrix that have columns in common, directly or through other rows."""

from __future__ import annotations

import numpy as np

from fem_mbd.base.arrays import Indices


def connected_rows(row: Indices, column: Indices, rows: int, columns: int) -> Indices:
    """The first of the rows that each row is connected with by columns, (rows,); entries are at ``row``, ``column``.

    Every row points to an earlier one that it is connected with, or itself; the ends of these paths are connected until
    nothing changes, as in the algorithm of Shiloach and Vishkin (Journal of Algorithms 3 (1982) 57-67). SciPy's
    function would be as good, but its import takes a third of a start.
    """
    first = np.arange(rows)
    while True:
        lowest = np.full(columns, rows)
        np.minimum.at(lowest, column, first[row])
        linked = first.copy()
        np.minimum.at(linked, first[row], lowest[column])
        np.minimum.at(linked, row, lowest[column])
        linked = linked[linked]
        if np.array_equal(linked, first):
            return first
        first = linked
