"""Newton's method with full updates or backtracking in Python: a replacement of PETSc's SNES of type newtonls.

Backtracking is that of Dennis and Schnabel, Numerical Methods for Unconstrained Optimization and Nonlinear Equations
(1983), section 6.3.2: a fraction of the update is taken with which the sum of squares g = |f|^2 / 2 of the equations
decreases by at least a given part of what its slope predicts; the next fraction is at the minimum of a parabola, then
of cubics, through the known values.
"""

from __future__ import annotations

from math import isfinite, sqrt
from typing import Any

import numpy as np

from fem_mbd.base.arrays import Array
from fem_mbd.core.linear_solvers.superlu import SuperLU
from fem_mbd.core.newton import failures
from fem_mbd.core.newton.snes_callbacks import SnesCallbacks

DECREASE = 1e-4  # fraction of the predicted decrease that is sufficient
SHORTEST, MAX_TRIALS = 1e-12, 40  # fraction of an update, and number of fractions tried
SMALLEST, LARGEST = 0.1, 0.5  # ratios of one fraction to the one before


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
        self._factorise = lu.factorise()
        self._solve = lu.solve(f.array_r, self._step)

    def solve(self) -> tuple[int, int]:
        """Iterate from the predictor in y; return the SNESConvergedReason and the number of iterations."""
        norm = self._evaluate(self._y)
        reason = self._test(0, norm)
        for iteration in range(1, self._max_iterations + 1):
            if reason != failures.ITERATING:
                return reason, iteration - 1
            if not self._update():
                return failures.LINEAR_FAILURE, iteration - 1
            self._callbacks._petsc_update(None, Vector(self._step))
            new_norm = self._backtrack(norm) if self._backtracking else self._take(1.0)
            if new_norm is None:
                return failures.LINE_SEARCH, iteration - 1
            norm = new_norm
            reason = self._test(iteration, norm)
        return (reason or failures.TOO_MANY_ITERATIONS), self._max_iterations

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
        """Take a fraction of the update by backtracking; return the norm of the equations, None when it fails."""
        start, before = self._y.copy(), 0.5 * norm**2
        slope = -abs(float(self._f.array_r @ (self._matrix.rows @ self._step))) or -1.0
        tried: list[tuple[float, float]] = []  # fractions, and g there
        fraction = 1.0
        for _ in range(MAX_TRIALS):
            self._y[:] = start
            now = self._take(fraction)
            if not isfinite(now):
                break
            if 0.5 * now**2 <= before + DECREASE * fraction * slope:
                return now
            tried.append((fraction, 0.5 * now**2))
            fraction = min(max(_minimum(before, slope, tried), SMALLEST * fraction), LARGEST * fraction)
            if fraction <= SHORTEST:
                break
        self._y[:] = start
        return None


def _minimum(before: float, slope: float, tried: list[tuple[float, float]]) -> float:
    """Minimum of the parabola, or the cubic, through g and its slope at zero and the last values tried."""
    last, value = tried[-1]
    if len(tried) == 1:
        return -slope * last**2 / (2.0 * (value - before - slope * last))
    earlier, earlier_value = tried[-2]
    t = (value - before - slope * last) / last**2
    u = (earlier_value - before - slope * earlier) / earlier**2
    a, b = (t - u) / (last - earlier), (last * u - earlier * t) / (last - earlier)
    if a == 0.0:
        return -slope / (2.0 * b)
    return (-b + sqrt(max(b**2 - 3.0 * a * slope, 0.0))) / (3.0 * a)
