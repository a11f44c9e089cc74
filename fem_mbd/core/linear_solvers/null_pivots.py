"""Pivots that are zero, where a model leaves a motion undetermined: those unknowns stay as they are.

A point mass on an arm may spin about it, for instance: equations and tangent know nothing of that. MUMPS then finds
null pivots (its ICNTL(24)) and puts a huge number in the place of each. SuperLU says no more than that a pivot was
exactly zero, and to take all pivots out of its factors takes as long as to make those of a small model. So a solution
shows first whether one may be null: pivots of models that determine all motions are at least 1e-6 of their row.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from fem_mbd.base.arrays import Array

SMALL, NULL = 1e-13, 1e-12  # of the largest entry of a row: what is added, and pivots up to which are null
HUGE = 1e20  # the same, what is added where they are


class NullPivots:
    """What looks for them in the factors of one matrix.

    Parameters
    ----------
    transposed : the matrix transposed, CSC, with entries in each column; its values change
    factorise : SuperLU's factors of such a matrix; RuntimeError where a pivot is zero
    """

    def __init__(self, transposed: Any, factorise: Callable[[Any], Any]):
        self._transposed, self._factorise = transposed, factorise
        self._mixed = np.random.default_rng(1).standard_normal(transposed.shape[0])

    def factors(self) -> Any:
        """Factors of the matrix, with huge numbers in the place of null pivots.

        Raises
        ------
        RuntimeError
            When a pivot is zero and no huge number on the diagonal helps.
        """
        size = np.maximum.reduceat(np.abs(self._transposed.data), self._transposed.indptr[:-1])
        size[size == 0.0] = 1.0
        try:
            factors = self._factorise(self._transposed)
        except RuntimeError:
            return self._without(size)
        largest = float(np.abs(factors.solve(size * self._mixed, "T")).max(initial=0.0))
        return factors if largest < 1.0 / NULL else self._without(size, factors)

    def _without(self, size: Array, factors: Any = None) -> Any:
        """Those with huge numbers; ``size`` (n,) the largest entries of rows, ``factors`` those without, if any."""
        from scipy.sparse import diags

        shifted = self._factorise((self._transposed + diags(SMALL * size)).tocsc())
        null = np.abs(shifted.U.diagonal())[shifted.perm_c] <= NULL * size
        if null.any():
            return self._factorise((self._transposed + diags(np.where(null, HUGE * size, 0.0))).tocsc())
        if factors is None:
            raise RuntimeError("no null pivots are found")
        return factors
