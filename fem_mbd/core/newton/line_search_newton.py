"""Newton's method with full updates or backtracking in Python: a replacement of PETSc's SNES of type newtonls."""

from __future__ import annotations

from typing import Any

import numpy as np

from fem_mbd.base.arrays import Array
from fem_mbd.core.linear_solvers.superlu import SuperLU
from fem_mbd.core.newton import line_search, newton_result
from fem_mbd.core.newton.snes_callbacks import SnesCallbacks


class Vector:
    """An array with the attributes of a PETSc vector that the callbacks use."""

    def __init__(self, array: Array):
        self.array_r = self.array_w = array


class Matrix:
    """A matrix in CSR form with the methods of a PETSc matrix that the callbacks use.

    Parameters
    ----------
    indptr, indices, values : the values are read in place
    """

    def __init__(self, indptr: Any, indices: Any, values: Array):
        from scipy.sparse import csr_matrix

        self.rows = csr_matrix((values, indices, indptr), shape=(len(indptr) - 1,) * 2)

    def assemble(self) -> None:
        """Do nothing: values are read in place."""

    def getDiagonal(self) -> Vector:  # PETSc's name
        """Diagonal (size,)."""
        return Vector(self.rows.diagonal())


class LineSearchNewton:
    """The iteration of one Newton solver.

    Parameters
    ----------
    callbacks : equations, tangent, convergence test
    y : (size,) the iterate, changed in place
    f : the equations there
    lu : factorises the matrix
    backtracking : whether updates may be shortened
    max_iterations : limit
    """

    def __init__(
        self,
        callbacks: SnesCallbacks,
        y: Array,
        f: Vector,
        matrix: Matrix,
        lu: SuperLU,
        backtracking: bool,
        max_iterations: int,
    ):
        self._callbacks, self._matrix, self._lu = callbacks, matrix, lu
        self._y, self._f, self._step = y, f, np.zeros(len(y))
        self._backtracking, self._max_iterations = backtracking, max_iterations
        self._search: Any = np.zeros(1, dtype=line_search.SEARCH)
        self._factorise = lu.factorise()
        self._solve = lu.solve(f.array_r, self._step)

    def solve(self) -> tuple[int, int]:
        """Iterate from the predictor in y; return the SNESConvergedReason and the number of iterations."""
        norm = self._evaluate(self._y)
        reason = self._test(0, norm)
        for iteration in range(1, self._max_iterations + 1):
            if reason != newton_result.ITERATING:
                return reason, iteration - 1
            if not self._update():
                return newton_result.LINEAR_FAILURE, iteration - 1
            self._callbacks._petsc_update(None, Vector(self._step))
            new_norm = self._backtrack(norm) if self._backtracking else self._take(1.0)
            if new_norm is None:
                return newton_result.LINE_SEARCH, iteration - 1
            norm = new_norm
            reason = self._test(iteration, norm)
        return (reason or newton_result.TOO_MANY_ITERATIONS), self._max_iterations

    def _evaluate(self, y: Array) -> float:
        """Evaluate the equations at y into f; return their norm."""
        self._callbacks._petsc_function(None, Vector(y), self._f)
        return float(np.linalg.norm(self._f.array_r))

    def _test(self, iteration: int, norm: float) -> int:
        return int(self._callbacks._petsc_converged(None, iteration, (0.0, 0.0, norm)))

    def _update(self) -> bool:
        """Compute Newton's update, with a fresh factorisation if requested; False when that fails."""
        before = self._callbacks.factorisations
        self._callbacks._petsc_jacobian(None, None, self._matrix, self._matrix)
        self._lu.failed[0] = 0
        for task in [*(self._factorise if self._callbacks.factorisations > before else []), *self._solve]:
            if self._lu.failed[0] == 0:
                task()
        return bool(self._lu.failed[0] == 0)

    def _take(self, fraction: float) -> float:
        """Take that fraction of the update; return the norm of the equations."""
        self._y -= fraction * self._step
        return self._evaluate(self._y)

    def _backtrack(self, norm: float) -> float | None:
        """Take a fraction of the update (`line_search`); return the norm of the equations, None when it fails."""
        start = self._y.copy()
        line_search.begin(self._search, norm**2)
        while True:
            self._y[:] = start
            now = self._take(float(self._search["fraction"][0]))
            outcome = line_search.check(self._search, now**2)
            if outcome == line_search.TAKE:
                return now
            if outcome == line_search.FAIL:
                self._y[:] = start
                return None
