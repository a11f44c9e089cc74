"""Newton's method with full updates or backtracking in Python: what PETSc's SNES of type newtonls does.

Backtracking is that of Dennis and Schnabel, Numerical Methods for Unconstrained Optimization and Nonlinear Equations
(1983), section 6.3.2: of an update as much is taken as makes the sum of squares g = |f|^2 / 2 of the equations less by
a share of what its slope promises; the minimum of a parabola, then of cubics, says what to try next.
"""

from __future__ import annotations

from math import isfinite, sqrt
from typing import Any

import numpy as np

from fem_mbd.base.arrays import Array
from fem_mbd.core.linear_solvers.superlu import SuperLU
from fem_mbd.core.newton import failures
from fem_mbd.core.newton.snes_callbacks import SnesCallbacks

DECREASE = 1e-4  # share of the promised decrease that is enough
SHORTEST, MOST_TRIED = 1e-12, 40  # share of an update, and shares tried
LEAST, LARGEST = 0.1, 0.5  # of a share, what the next one may be


class Vector:
    """An array as callbacks take it: with PETSc's names for reading and writing."""

    def __init__(self, array: Array):
        self.array_r = self.array_w = array


class Matrix:
    """A matrix in CSR form as callbacks take it.

    Parameters
    ----------
    indptr, indices, values : the values are read in place
    """

    def __init__(self, indptr: Any, indices: Any, values: Array):
        from scipy.sparse import csr_matrix

        self.rows = csr_matrix((values, indices, indptr), shape=(len(indptr) - 1,) * 2)

    def assemble(self) -> None:
        """Nothing is left to do, for values are read in place."""

    def getDiagonal(self) -> Vector:  # PETSc's name
        """Its diagonal (size,)."""
        return Vector(self.rows.diagonal())


class LineSearchNewton:
    """The iteration of one Newton solver.

    Parameters
    ----------
    callbacks : equations, tangent, test of convergence
    y : (size,) the iterate, changed in place
    f : the equations there
    lu : factorises the matrix
    backtracking : whether updates may be shortened
    most : iterations
    """

    def __init__(
        self,
        callbacks: SnesCallbacks,
        y: Array,
        f: Vector,
        matrix: Matrix,
        lu: SuperLU,
        backtracking: bool,
        most: int,
    ):
        self._callbacks, self._matrix, self._lu = callbacks, matrix, lu
        self._y, self._f, self._step = y, f, np.zeros(len(y))
        self._backtracking, self._most = backtracking, most
        self._factorise = lu.factorise()
        self._solve = lu.solve(f.array_r, self._step)

    def solve(self) -> tuple[int, int]:
        """Iterate from the predictor in y: the reason why it ended, numbered as those of SNES, and iterations."""
        size = self._evaluate(self._y)
        reason = self._judge(0, size)
        for iteration in range(1, self._most + 1):
            if reason != failures.ITERATING:
                return reason, iteration - 1
            if not self._update():
                return failures.LINEAR_FAILURE, iteration - 1
            self._callbacks._petsc_update(None, Vector(self._step))
            taken = self._backtrack(size) if self._backtracking else self._take(1.0)
            if taken is None:
                return failures.LINE_SEARCH, iteration - 1
            size = taken
            reason = self._judge(iteration, size)
        return (reason or failures.TOO_MANY_ITERATIONS), self._most

    def _evaluate(self, y: Array) -> float:
        """The norm of the equations at y, which stand in f then."""
        self._callbacks._petsc_function(None, Vector(y), self._f)
        return float(np.linalg.norm(self._f.array_r))

    def _judge(self, iteration: int, size: float) -> int:
        return int(self._callbacks._petsc_converged(None, iteration, (0.0, 0.0, size)))

    def _update(self) -> bool:
        """Newton's update, with a fresh factorisation where one is due; False when that fails."""
        before = self._callbacks.factorisations
        self._callbacks._petsc_jacobian(None, None, self._matrix, self._matrix)
        self._lu.failed[0] = 0
        for task in [*(self._factorise if self._callbacks.factorisations > before else []), *self._solve]:
            if self._lu.failed[0] == 0:
                task()
        return bool(self._lu.failed[0] == 0)

    def _take(self, share: float) -> float:
        """Take that share of the update; the norm of the equations then."""
        self._y -= share * self._step
        return self._evaluate(self._y)

    def _backtrack(self, size: float) -> float | None:
        """Take the share that backtracking finds; the norm of the equations then, None when it finds none."""
        start, before = self._y.copy(), 0.5 * size**2
        slope = -abs(float(self._f.array_r @ (self._matrix.rows @ self._step))) or -1.0
        tried: list[tuple[float, float]] = []  # shares, and g there
        share = 1.0
        for _ in range(MOST_TRIED):
            self._y[:] = start
            now = self._take(share)
            if not isfinite(now):
                break
            if 0.5 * now**2 <= before + DECREASE * share * slope:
                return now
            tried.append((share, 0.5 * now**2))
            share = min(max(_minimum(before, slope, tried), LEAST * share), LARGEST * share)
            if share <= SHORTEST:
                break
        self._y[:] = start
        return None


def _minimum(before: float, slope: float, tried: list[tuple[float, float]]) -> float:
    """Where the parabola, or the cubic, through g and its slope at zero and the last values tried is least."""
    share, there = tried[-1]
    if len(tried) == 1:
        return -slope * share**2 / (2.0 * (there - before - slope * share))
    earlier, value = tried[-2]
    t = (there - before - slope * share) / share**2
    u = (value - before - slope * earlier) / earlier**2
    a, b = (t - u) / (share - earlier), (share * u - earlier * t) / (share - earlier)
    if a == 0.0:
        return -slope / (2.0 * b)
    return (-b + sqrt(max(b**2 - 3.0 * a * slope, 0.0))) / (3.0 * a)
