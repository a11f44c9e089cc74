"""LU with pivoting by SciPy's SuperLU, used without PETSc where elimination causes fill.

SuperLU factorises the transposed matrix, whose columns are the rows of the tangent, and solves with the transposed
factors: nothing is copied. Equations are numbered for a factorisation without pivoting (`numbering`), so the diagonal
entry is taken as the pivot unless it is small compared with its row; zeros on the diagonal, of multipliers, are filled
by then.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fem_mbd.base.arrays import Array
from fem_mbd.core.compiled.calls import Task
from fem_mbd.core.linear_solvers.null_pivots import NullPivots
from fem_mbd.errors import SolverFailure

THRESHOLD = 0.01  # of the largest entry, above which the diagonal one is the pivot, as in MUMPS
# Multiplications per unknown from which on SuperLU's minimum degree order, of the graph of the unknowns, is used: for
# chains of bodies and beams our numbering has less fill and takes a third less time, for grids twice as much time.
FILLED = 4000.0
BYTES = 12  # of an entry: its value and its column


class SuperLU:
    """Factorisation and solve as lists of calls.

    Parameters
    ----------
    indptr, indices, values : of the matrix, CSR; the values are read in place
    work : multiplications of a factorisation in the order of the equations

    Attributes
    ----------
    failed : (1,) int, 1 after a failed factorisation or solve; the caller clears it
    factors : of the last factorisation, None without one
    releases_gil, releases_gil_later : whether other threads may run Python meanwhile, from the start or after a
        factorisation: no
    """

    releases_gil = releases_gil_later = False

    def __init__(self, indptr: NDArray[np.int32], indices: NDArray[np.int32], values: Array, work: float):
        from scipy.sparse import csc_matrix  # not at the top: runs with PETSc do not need it

        size = len(indptr) - 1
        self.failed = np.zeros(1, dtype=np.int32)
        self._transposed = csc_matrix((values, indices, indptr), shape=(size, size))
        order = "MMD_AT_PLUS_A" if work > FILLED * size else "NATURAL"
        self._pivots = NullPivots(self._transposed, partial(_factors, order))
        self.factors: Any = None

    def factorise(self) -> list[Task]:
        """Calls that factorise the present values."""
        return [self._factorise]

    def solve(self, f: Array, y: Array) -> list[Task]:
        """Calls that solve for the right side f (size,) and write the solution to y (size,)."""

        def solve() -> None:
            if self.factors is None:  # the factorisation to be reused has failed
                self._factorise()
            if self.failed[0] == 0:
                y[:] = self.factors.solve(f, "T")
                self.failed[0] = 0 if np.isfinite(y).all() else 1

        return [solve]

    def _factorise(self) -> None:
        self.factors = None  # frees the old factors first
        try:
            self.factors = self._pivots.factors()
        except RuntimeError:  # zero pivots
            self.failed[0] = 1
        except MemoryError as error:
            raise SolverFailure(
                "SciPy's SuperLU has no memory for the factors of the matrix, which takes "
                f"{BYTES * self._transposed.nnz / 1e6:.3g} MB itself and whose factors take more: use fewer elements, "
                "or a machine with more memory"
            ) from error

    def release(self) -> None:
        """Free the memory of the factors."""
        self.factors = None


def _factors(order: str, transposed: Any) -> Any:
    """Factors of the matrix with this transpose; ``order`` is SuperLU's name of a column order."""
    from scipy.sparse.linalg import splu

    options = {"SymmetricMode": True}
    return splu(transposed, permc_spec=order, diag_pivot_thresh=THRESHOLD, options=options)
