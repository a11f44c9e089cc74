"""Solutions with a step's tangent matrix for several right-hand sides."""

from __future__ import annotations

from typing import Any

import numpy as np

from fem_mbd.base.arrays import Array
from fem_mbd.core.compiled.calls import CallList
from fem_mbd.core.linear_solvers.block_lu import BlockLU
from fem_mbd.core.linear_solvers.superlu import SuperLU
from fem_mbd.core.scheme.system import System
from fem_mbd.errors import SolverFailure


class Factors:
    """Factors of the matrix whose values a scheme's ``tangent`` has left.

    Parameters
    ----------
    system : whose matrix it is
    values : of it, CSR; `BlockLU` puts its factors there
    count : directions
    """

    def __init__(self, system: System, values: Array, count: int):
        self._right, self._left = np.zeros((count, system.size)), np.zeros((count, system.size))
        lu: Any
        if system.pattern.fills_nothing:
            lu = BlockLU(system.pattern, values)
        else:
            lu = SuperLU(system.indptr, system.indices, values, system.elimination_work)
        self._lu = lu
        self._factorise = CallList(lu.factorise())
        pairs = zip(self._right, self._left, strict=True)
        self._solve = CallList([task for f, y in pairs for task in lu.solve(f, y)])

    def make(self) -> None:
        """Factorise the values as they are now.

        Raises
        ------
        SolverFailure
            When the matrix is singular.
        """
        self._factorise()
        self._check()

    def solve(self, right: Array) -> Array:
        """(size, count) solutions for the right sides (size, count); an array that the next call fills anew."""
        self._right[:] = right.T
        self._solve()
        self._check()
        return self._left.T

    def _check(self) -> None:
        if self._lu.failed[0]:
            self._lu.failed[0] = 0
            raise SolverFailure(
                "the matrix of a step is singular: the derivatives of its solution are infinite"
            )
