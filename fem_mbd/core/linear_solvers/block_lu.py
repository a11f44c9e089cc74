"""Block LU in place: the factors overwrite the matrix values.

The matrix consists of small dense blocks, of nodes and of constraints, and its pattern includes the blocks that
elimination fills (`fem_mbd.core.scheme.matrix.fill`): none in chains and trees. So the factors need no memory of their
own. A factorisation takes a tenth to a third of the time of PETSc's LU, and half that of MUMPS for plane grids of
10,000 beams.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from fem_mbd.base.arrays import Array
from fem_mbd.core.compiled.calls import Call, Task
from fem_mbd.core.compiled.threads import Parallel
from fem_mbd.core.linear_solvers import block_lu_kernels, block_lu_solve, kept_factors
from fem_mbd.core.linear_solvers.block_rows import BlockRows
from fem_mbd.core.scheme.matrix.pattern import Pattern

# bytes of factors from which on kept ones are stored in single precision: the caches near a core hold less
SINGLE_PRECISION_BYTES = 4e6


class BlockLU:
    """Factorisation and solve as lists of calls.

    Parameters
    ----------
    pattern : with the fill of the factors; its halves are processed in parallel
    values : of the matrix, and of its factors
    failed : (1,) int, set to 1 where a pivot is zero; None: a new array
    kept : (1,) int, not zero while factors are made for several iterations, in which an error of their rounding to
        single precision does not matter: those of large models are stored so (`kept_factors`); None: never

    Attributes
    ----------
    blocks : the pattern's blocks, as the kernels take them
    releases_gil, releases_gil_later : whether other threads may run Python meanwhile, from the start or after a
        factorisation
    """

    releases_gil = releases_gil_later = True

    def __init__(self, pattern: Pattern, values: Array, failed: Any = None, kept: Any = None):
        self.failed = np.zeros(1, dtype=np.int32) if failed is None else failed
        *blocks, (first, second) = pattern.merged
        self._values, self.blocks = values, BlockRows(pattern.indptr, *blocks)
        begin, size = blocks[:2]
        lengths = pattern.indptr[begin + 1] - pattern.indptr[begin]
        self._largest = int((size * lengths).max(initial=0))
        self._halves = [(0, first), (first, second)] if first else []
        self._rest = (second, len(begin))
        self._kept = kept if values.nbytes >= SINGLE_PRECISION_BYTES else None
        self._single = values.view(np.float32)
        self._stored = np.zeros(1, dtype=np.int64)  # whether the factors are those of `kept_factors`

    def factorise(self) -> list[Task]:
        """Calls that overwrite the values with the factors."""
        tasks = self._in_parallel(
            lambda a, b: [
                Call(block_lu_kernels.factorise, self._values, self.blocks, self._largest, a, b, self.failed)
            ]
        )
        if self._kept is None:
            return tasks
        kept = self._in_parallel(
            lambda a, b: [
                Call(
                    kept_factors.keep, self._values, self._single, self.blocks, self._largest, a, b, self.failed,
                    self._kept, self._stored,
                )
            ]
        )  # fmt: skip
        return [*tasks, *kept[::-1]]

    def solve(self, f: Array, y: Array) -> list[Task]:
        """Calls that solve for the right side f (size,) and write the solution to y (size,)."""
        double, single, how = (self._values, self.blocks), (self._single, self.blocks), self._stored
        forward = self._in_parallel(
            lambda a, b: [
                Call(block_lu_solve.forward, *double, a, b, f, y, how),
                *([] if self._kept is None else [Call(kept_factors.forward, *single, a, b, f, y, how)]),
            ]
        )
        backward = self._in_parallel(
            lambda a, b: [
                Call(block_lu_solve.backward, *double, a, b, y, how),
                *([] if self._kept is None else [Call(kept_factors.backward, *single, a, b, y, how)]),
            ]
        )
        return [*forward, *backward[::-1]]

    def _in_parallel(self, calls: Callable[[int, int], list[Task]]) -> list[Task]:
        """The calls for each half, in parallel, and those for the rest."""
        halves: list[Task] = [Parallel([[calls(*half) for half in self._halves]], 2)] if self._halves else []
        return [*halves, *calls(*self._rest)]
