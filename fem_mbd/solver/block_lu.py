"""LU for chains, trees and whatever else elimination fills nowhere: the factors take the place of the matrix values.

The matrix is one of small dense blocks, of nodes and of constraints. Where every block eliminated is coupled only with
later ones that are coupled with each other already, the factors have the matrix's own pattern. They need no memory of
their own then: 5 kB less for each element of two nodes than with PETSc's LU, which takes as long. Where elimination
fills (grids, rings, joints between beams), PETSc or MUMPS serve.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from fem_mbd.arrays import Array
from fem_mbd.compiled.calls import Call
from fem_mbd.scheme.pattern import Pattern
from fem_mbd.solver import block_lu_kernels as kernels


def fills_nothing(pattern: Pattern) -> bool:
    """Whether the factors of a matrix with this pattern have no entry where the matrix has none."""
    count = len(pattern.first)
    row = np.repeat(np.arange(count), np.diff(pattern.pointer))
    later = pattern.coupled > row
    row, coupled = row[later], pattern.coupled[later]
    # of the later blocks that a block is coupled with, the first has to be coupled with all others
    begin = np.searchsorted(row, row)
    keys = row * count + coupled
    wanted = coupled[begin] * count + coupled
    return bool(np.isin(wanted[coupled[begin] != coupled], keys).all())


class BlockLU:
    """The calls that factorise and solve, for lists of calls.

    Parameters
    ----------
    pattern : that `fills_nothing`
    values : of the matrix, and of its factors
    failed : (1,) int, set to 1 where a pivot is zero
    """

    def __init__(self, pattern: Pattern, values: Array, failed: Any):
        self._count, self._failed = len(pattern.first), failed
        row = np.repeat(np.arange(self._count), np.diff(pattern.pointer))
        itself = np.flatnonzero(row == pattern.coupled)
        self._arrays = (
            values, pattern.indptr, pattern.first, pattern.size, pattern.pointer, itself, pattern.coupled,
            pattern.start,
        )  # fmt: skip

    def factorise(self) -> list[Call]:
        """Put the factors in the place of the values."""
        return [Call(kernels.factorise, *self._arrays, 0, self._count, self._failed)]

    def solve(self, f: Array, y: Array) -> list[Call]:
        """Solve for the right side f (size,), the solution to y (size,)."""
        return [
            Call(kernels.forward, *self._arrays, 0, self._count, f, y),
            Call(kernels.backward, *self._arrays, 0, self._count, y),
        ]
