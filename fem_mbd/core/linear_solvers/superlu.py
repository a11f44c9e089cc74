"""LU with pivoting by SciPy's SuperLU, detection of null pivots, and the choice of the direct solver without PETSc.

`NullPivots` factorises for models with undetermined motions: the updates of these unknowns are set to zero. For
instance, a point mass on an arm may spin about it: this rotation does not occur in equations and tangent. MUMPS then
detects null pivots (its ICNTL(24)) and replaces each by a huge number. SuperLU reports only that a pivot is exactly
zero, and to extract all pivots from its factors takes as long as the factorisation of a small model. So a solve first
shows whether a pivot may be null: pivots of models that determine all motions are at least 1e-6 of their row.

`SuperLU` factorises the transposed matrix, whose columns are the rows of the tangent, and solves with the transposed
factors: nothing is copied. Equations are numbered for a factorisation without pivoting (`matrix_structure`), so the
diagonal entry is taken as the pivot unless it is small compared with its row; zeros on the diagonal, of multipliers,
are filled by then.

`ScipySolver` chooses: block LU in place, or SuperLU where elimination causes fill; it recovers from failures.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fem_mbd.base.arrays import Array
from fem_mbd.core.compiled.calls import Task
from fem_mbd.core.linear_solvers.petsc import reason_without_petsc
from fem_mbd.core.scheme.matrix_pattern import Pattern
from fem_mbd.core.scheme.matrix_structure import MIN_SPARSE_WORK
from fem_mbd.errors import InputError, SolverFailure

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


THRESHOLD = 0.01  # of the largest entry, above which the diagonal one is the pivot, as in MUMPS
# Multiplications per unknown from which on SuperLU's minimum degree order, of the graph of the unknowns, is used: for
# chains of bodies and beams our numbering has less fill and takes a third less time, for grids twice as much time.
FILLED = 4000.0
BYTES = 12  # of an entry: its value and its column


class SuperLU:
    """SuperLU's factorisation and solve as lists of calls.

    Parameters
    ----------
    indptr, indices, values : of the matrix, CSR; the values are read in place
    multiplications : of a factorisation in the order of the equations

    Attributes
    ----------
    failed : (1,) int, 1 after a failed factorisation or solve; the caller clears it
    factors : of the last factorisation, None without one
    releases_gil, releases_gil_later : whether other threads may run Python meanwhile, from the start or after a
        factorisation: no
    """

    releases_gil = releases_gil_later = False

    def __init__(
        self, indptr: NDArray[np.int32], indices: NDArray[np.int32], values: Array, multiplications: float
    ):
        from scipy.sparse import csc_matrix  # not at the top: runs with PETSc do not need it

        size = len(indptr) - 1
        self.failed = np.zeros(1, dtype=np.int32)
        self._transposed = csc_matrix((values, indices, indptr), shape=(size, size))
        order = "MMD_AT_PLUS_A" if multiplications > FILLED * size else "NATURAL"
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


PETSC_ONLY = {
    "lu": "PETSc's own LU",
    "mumps": "MUMPS through PETSc",
    "options": "set by PETSc options",
}
FILLS = (
    "NewtonOptions linear_solver is 'block', but elimination causes too much fill in the matrix of this model (more "
    f"than {MIN_SPARSE_WORK:,.0f} multiplications per unknown): give 'auto'"
)


class ScipySolver:
    """The LU to use; a failure changes it for the rest of the run.

    Parameters
    ----------
    choice : the user's, `NewtonOptions.linear_solver`
    pattern : of the matrix by blocks; without it `BlockLU` is not used

    Attributes
    ----------
    package : name of the library
    in_place : whether Newton's compiled iteration uses `BlockLU` instead

    Raises
    ------
    InputError
        For solvers that only PETSc has, and for "block" where elimination causes too much fill.
    """

    package = "superlu"

    def __init__(self, choice: str, pattern: Pattern | None = None):
        _check_no_petsc(choice)
        self.in_place = choice in ("auto", "block") and pattern is not None and pattern.fills_nothing
        if choice == "block" and not self.in_place:
            raise InputError(FILLS)

    def options(self) -> dict[str, str]:
        """PETSc options: none."""
        return {}

    def recover(self, solver: Any = None) -> bool:
        """After a failed factorisation use SuperLU, which pivots; False when it was in use already."""
        before, self.in_place = self.in_place, False
        return before

    def failure_message(self, solver: Any = None) -> str:
        """Message on the reason why the linear equations could not be solved."""
        return "the linear solver failed: the tangent is singular"


def _check_no_petsc(choice: str) -> None:
    """InputError for a linear solver or options that need PETSc."""
    if choice in PETSC_ONLY:
        raise InputError(
            f"NewtonOptions linear_solver is {choice!r}, {PETSC_ONLY[choice]}, but {reason_without_petsc()}: "
            "give 'auto'"
        )
    options = [word for word in os.environ.get("PETSC_OPTIONS", "").split() if word.startswith("-fem_mbd_")]
    if options:
        why = "NewtonOptions linear_solver is 'scipy'" if choice == "scipy" else reason_without_petsc()
        raise InputError(f"PETSc option {options[0]} is given, but {why}: leave it out, or run with PETSc")
