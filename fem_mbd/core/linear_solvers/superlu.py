"""LU by SciPy's SuperLU, which pivots: where PETSc is not used and elimination fills the matrix.

SuperLU is given the transposed matrix, whose columns are the rows that a step fills in, and solves with the transposed
factors: nothing is copied. Equations are numbered for a factorisation without pivoting (`numbering`), so that the
diagonal entry is taken as the pivot unless it is small against its row; zeros of multipliers have been filled by then.
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

THRESHOLD = 0.01  # of the largest entry, above which the diagonal one is the pivot: that of MUMPS
# Multiplications per unknown from which on minimum degree is asked again, in the graph of the unknowns: for chains of
# bodies and beams our numbering fills less and takes a third less time, for grids twice as much time.
FILLED = 4000.0
BYTES = 12  # of an entry: its value and its column


class SuperLU:
    """The calls that factorise and solve, for lists of calls.

    Parameters
    ----------
    indptr, indices, values : of the matrix, CSR; the values are read in place
    work : multiplications of a factorisation in the order of the equations

    Attributes
    ----------
    failed : (1,) int, 1 after a factorisation or a solution that has failed; whoever makes the calls clears it
    free, free_later : whether other threads may run Python meanwhile, from the start or after a factorisation: no
    """

    free = free_later = False

    def __init__(self, indptr: NDArray[np.int32], indices: NDArray[np.int32], values: Array, work: float):
        from scipy.sparse import csc_matrix  # not at the top: runs with PETSc do without

        size = len(indptr) - 1
        self.failed = np.zeros(1, dtype=np.int32)
        self._transposed = csc_matrix((values, indices, indptr), shape=(size, size))
        order = "MMD_AT_PLUS_A" if work > FILLED * size else "NATURAL"
        self._pivots = NullPivots(self._transposed, partial(_factors, order))
        self._factors: Any = None

    def factorise(self) -> list[Task]:
        """Make factors of the values as they are then."""
        return [self._factorise]

    def solve(self, f: Array, y: Array) -> list[Task]:
        """Solve for the right side f (size,), the solution to y (size,)."""

        def solve() -> None:
            if self._factors is None:  # those that were to be kept have failed
                self._factorise()
            if self.failed[0] == 0:
                y[:] = self._factors.solve(f, "T")
                self.failed[0] = 0 if np.isfinite(y).all() else 1

        return [solve]

    def _factorise(self) -> None:
        self._factors = None  # not two at a time
        try:
            self._factors = self._pivots.factors()
        except RuntimeError:  # pivots are zero
            self.failed[0] = 1
        except MemoryError as error:
            raise SolverFailure(
                "SciPy's SuperLU has no memory for the factors of the matrix, which takes "
                f"{BYTES * self._transposed.nnz / 1e6:.3g} MB itself and whose factors take more: use fewer elements, "
                "or a machine with more"
            ) from error

    def forget(self) -> None:
        """Give back the memory of the factors."""
        self._factors = None


def _factors(order: str, transposed: Any) -> Any:
    """Factors of a matrix with that transposed, in SuperLU's order of that name."""
    from scipy.sparse.linalg import splu

    options = {"SymmetricMode": True}
    return splu(transposed, permc_spec=order, diag_pivot_thresh=THRESHOLD, options=options)
