"""Fill of an elimination by blocks: couplings in the factors that the matrix does not have.

Elimination of a block couples the later blocks that it is coupled with among each other. It is enough to add them to
the first of these, which passes them on. Source: A. George and J. Liu, Computer Solution of Large Sparse Positive
Definite Systems (1981), section 5.2.
"""

from __future__ import annotations

import numpy as np

from fem_mbd.base.arrays import Indices


def fills_nothing(row: Indices, column: Indices, count: int) -> bool:
    """Whether the factors of a matrix of ``count`` blocks have the couplings of the matrix.

    row, column : its couplings, in the order of rows and columns, symmetric
    """
    later = column > row
    row, column = row[later], column[later]
    # of the later blocks that a block is coupled with, the first has to be coupled with all others
    first = column[np.searchsorted(row, row)]
    required = first * count + column
    return bool(np.isin(required[first != column], row * count + column).all())


def fill(row: Indices, column: Indices, count: int) -> tuple[Indices, Indices]:
    """Rows and columns of the couplings to be added, both (k,), k even; the arguments are those of `fills_nothing`."""
    later: list[set[int]] = [set() for _ in range(count)]
    for r, c in zip(row.tolist(), column.tolist(), strict=True):
        if c > r:
            later[r].add(c)
    added: list[tuple[int, int]] = []
    for successors in later:
        if len(successors) > 1:
            first = min(successors)
            new = successors - later[first] - {first}
            later[first] |= new
            added += [(first, other) for other in new]
    low, high = np.array(added, dtype=np.int64).reshape(-1, 2).T
    return np.concatenate([low, high]), np.concatenate([high, low])
