"""Null pivots in SuperLU factors, for models with undetermined motions: the updates of these unknowns are set to zero.

For instance, a point mass on an arm may spin about it: this rotation does not occur in equations and tangent. MUMPS
then detects null pivots (its ICNTL(24)) and replaces each by a huge number. SuperLU reports only that a pivot is
exactly zero, and to extract all pivots from its factors takes as long as the factorisation of a small model. So a solve
first shows whether a pivot may be null: pivots of models that determine all motions are at least 1e-6 of their row.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from fem_mbd.base.arrays import Array

# of the largest entry of a row: shift of the diagonal, and largest null pivot
DIAGONAL_SHIFT, NULL_PIVOT_RATIO = 1e-13, 1e-12
BLOCKING_RATIO = 1e20  # of the largest entry of a row: addition to the diagonal at null pivots


class NullPivots:
    """Factorisation of one matrix with detection of null pivots.

    Parameters
    ----------
    transposed : the matrix transposed, CSC, with entries in each column; its values change
    factorise : SuperLU's factors of such a matrix; RuntimeError where a pivot is zero
    """

    def __init__(self, transposed: Any, factorise: Callable[[Any], Any]):
        self._transposed, self._factorise = transposed, factorise
        self._mixed = np.random.default_rng(1).standard_normal(transposed.shape[0])

    def factors(self) -> Any:
        """Factors of the matrix, with null pivots replaced by huge numbers.

        Raises
        ------
        RuntimeError
            When a pivot is zero and no null pivots are found.
        """
        size = np.maximum.reduceat(np.abs(self._transposed.data), self._transposed.indptr[:-1])
        size[size == 0.0] = 1.0
        try:
            factors = self._factorise(self._transposed)
        except RuntimeError:
            return self._without_null_pivots(size)
        largest = float(np.abs(factors.solve(size * self._mixed, "T")).max(initial=0.0))
        return factors if largest < 1.0 / NULL_PIVOT_RATIO else self._without_null_pivots(size, factors)

    def _without_null_pivots(self, size: Array, factors: Any = None) -> Any:
        """Factors with huge numbers; ``size`` (n,) largest entries of rows; ``factors`` without them, if any."""
        from scipy.sparse import diags

        shifted = self._factorise((self._transposed + diags(DIAGONAL_SHIFT * size)).tocsc())
        null = np.abs(shifted.U.diagonal())[shifted.perm_c] <= NULL_PIVOT_RATIO * size
        if null.any():
            return self._factorise(
                (self._transposed + diags(np.where(null, BLOCKING_RATIO * size, 0.0))).tocsc()
            )
        if factors is None:
            raise RuntimeError("no null pivots are found")
        return factors
