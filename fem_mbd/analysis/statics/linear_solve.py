"""Sparse LU solution of the static equations, plain and bordered by a row and a column; signs of determinants."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import bmat, csc_matrix, csr_matrix
from scipy.sparse.linalg import splu

from fem_mbd.base.arrays import Array


class Singular(Exception):
    """The matrix has no inverse."""


class Factorised:
    """LU factors of a matrix; ``sign`` is that of its determinant.

    Raises
    ------
    Singular
        When a pivot is zero.
    """

    def __init__(self, matrix: csr_matrix):
        try:
            self._lu: Any = splu(csc_matrix(matrix), permc_spec="MMD_AT_PLUS_A")
        except RuntimeError as error:
            raise Singular(str(error)) from error
        pivots = np.sign(self._lu.U.diagonal())
        self.sign = float(np.prod(pivots) * _parity(self._lu.perm_r) * _parity(self._lu.perm_c))

    def solve(self, right: Array) -> Array:
        """x with matrix x = right."""
        return np.asarray(self._lu.solve(right))


def solution_error(matrix: csr_matrix, factors: Factorised, n: int) -> float:
    """Relative error of the first n entries of a solution with a known exact result: of order one for a singular
    matrix.
    """
    known = np.random.default_rng(20).standard_normal(matrix.shape[0])
    found = factors.solve(matrix @ known)
    size = float(np.abs(known[:n]).max(initial=0.0))
    return float(np.abs(found[:n] - known[:n]).max(initial=0.0)) / size if size > 0 else 0.0


def bordered(matrix: csr_matrix, column: Array, row: Array) -> csr_matrix:
    """The matrix [[matrix, column], [row, 0]], regular at limit points of the load, where ``matrix`` is singular."""
    return csr_matrix(bmat([[matrix, column[:, None]], [row[None, :], None]]))


def _parity(order: NDArray[np.int32]) -> float:
    """Sign of a permutation, from its number of cycles."""
    seen = np.zeros(len(order), dtype=bool)
    cycles = 0
    for first in range(len(order)):
        if not seen[first]:
            cycles += 1
            k = first
            while not seen[k]:
                seen[k] = True
                k = int(order[k])
    return -1.0 if (len(order) - cycles) % 2 else 1.0
