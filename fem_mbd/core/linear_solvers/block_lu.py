"""LU for chains, trees and whatever else elimination fills nowhere: the factors take the place of the matrix values.

The matrix is one of small dense blocks, of nodes and of constraints. Where every block eliminated is coupled only with
later ones that are coupled with each other already, the factors have the matrix's own pattern. They need no memory of
their own then: 5 kB less for each element of two nodes than with PETSc's LU, which takes five times as long. Where
elimination fills (grids, rings, joints between beams), PETSc or MUMPS serve.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from fem_mbd.base.arrays import Array
from fem_mbd.core.compiled.calls import Call, Task
from fem_mbd.core.compiled.threads import Parallel
from fem_mbd.core.linear_solvers import block_lu_kernels, block_lu_solve
from fem_mbd.core.scheme.matrix.pattern import Pattern


class BlockLU:
    """The calls that factorise and solve, for lists of calls.

    Parameters
    ----------
    pattern : that fills nothing; its halves are done side by side
    values : of the matrix, and of its factors
    failed : (1,) int, set to 1 where a pivot is zero; None: a new one

    Attributes
    ----------
    free, free_later : whether other threads may run Python meanwhile, from the start or after a factorisation
    """

    free = free_later = True

    def __init__(self, pattern: Pattern, values: Array, failed: Any = None):
        self.failed = np.zeros(1, dtype=np.int32) if failed is None else failed
        self._arrays = (
            values, pattern.indptr, pattern.first, pattern.size, pattern.pointer, pattern.itself,
            pattern.coupled, pattern.start,
        )  # fmt: skip
        lengths = pattern.indptr[pattern.first + 1] - pattern.indptr[pattern.first]
        self._largest = int((pattern.size * lengths).max(initial=0))
        first, second = pattern.halves
        self._halves = [(0, first), (first, second)] if first else []
        self._rest = (second, len(pattern.first))

    def factorise(self) -> list[Task]:
        """Put the factors in the place of the values."""
        return self._both(
            lambda a, b: Call(block_lu_kernels.factorise, *self._arrays, self._largest, a, b, self.failed)
        )

    def solve(self, f: Array, y: Array) -> list[Task]:
        """Solve for the right side f (size,), the solution to y (size,)."""
        down = self._both(lambda a, b: Call(block_lu_solve.forward, *self._arrays, a, b, f, y))
        up = self._both(lambda a, b: Call(block_lu_solve.backward, *self._arrays, a, b, y))
        return [*down, *up[::-1]]

    def _both(self, call: Callable[[int, int], Call]) -> list[Task]:
        """A call for each half, at the same time, and one for the rest."""
        halves: list[Task] = [Parallel([[[call(*half)] for half in self._halves]], 2)] if self._halves else []
        return [*halves, call(*self._rest)]
