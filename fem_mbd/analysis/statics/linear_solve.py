"""Sparse LU solution of the static equations, plain and bordered by a row and a column; correct digits of results.

The correct digits of frequencies and critical loads are limited by the round-off of the stiffness matrix. Entries of K
have a relative error u = 2^-53. A stiffness of 1e12 due to stretch and shear therefore hides one of 12 due to bending;
no solver can recover it. With x of unit modal mass and independent errors of the entries, x^T K x is uncertain by u
(sum_ij K_ij^2 x_i^2 x_j^2)^(1/2). Compared with exact frequencies of clamped beams the errors are 0.1 to 8 times that.
A critical load at which phi buckles is x^T K x divided by that of the geometric stiffness, which does not contain the
large entries, for x = phi.

This cannot be repaired after K is formed. Scaling by congruence leaves the relative errors of the entries unchanged;
inverse iteration, refined with residuals B^T C B x computed from strains, needs a factorised K with a relative error
below one, and so has the same limit. A remedy would be K in factored form, [[-C^-1, B], [B^T, -mu M]] with the stresses
as unknowns, for which every kind of part would have to provide its strains as a matrix B.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import bmat, csc_matrix, csr_matrix
from scipy.sparse.csgraph import connected_components
from scipy.sparse.linalg import splu

from fem_mbd.base.arrays import Array
from fem_mbd.errors import FemMbdWarning

UNIT_ROUND_OFF = 2.0**-53
SAFETY_FACTOR = 8.0
WARNING_LEVEL = 1e-4  # relative uncertainty from which a warning is issued
ADVICE = (
    "stiffnesses differ so much that round-off hides the smaller ones. Choose smaller EA and GA (1e6 EI/L^2 act "
    "like rigid ones), fewer elements, or RigidBody for parts that do not deform"
)


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
    exact = np.random.default_rng(20).standard_normal(matrix.shape[0])
    computed = factors.solve(matrix @ exact)
    size = float(np.abs(exact[:n]).max(initial=0.0))
    return float(np.abs(computed[:n] - exact[:n]).max(initial=0.0)) / size if size > 0 else 0.0


def bordered(matrix: csr_matrix, column: Array, row: Array) -> csr_matrix:
    """The matrix [[matrix, column], [row, 0]], regular at limit points of the load, where ``matrix`` is singular."""
    return csr_matrix(bmat([[matrix, column[:, None]], [row[None, :], None]]))


def _parity(order: NDArray[np.int32]) -> float:
    """Sign of a permutation, from its number of cycles."""
    n = len(order)
    cycles, _ = connected_components(csr_matrix((np.ones(n), order, np.arange(n + 1)), shape=(n, n)))
    return -1.0 if (n - cycles) % 2 else 1.0


class PrecisionWarning(FemMbdWarning):
    """Round-off leaves few correct digits of a requested result."""


def uncertainty(stiffness: csr_matrix, vectors: Array) -> Array:
    """(k,) uncertainty of x^H K x due to round-off in K for each of the vectors (n, k), (rad/s)^2 at unit modal
    mass.
    """
    size = np.abs(vectors) ** 2
    products = np.asarray(np.einsum("ij,ij->j", size, abs(stiffness).power(2) @ size))
    return SAFETY_FACTOR * UNIT_ROUND_OFF * np.sqrt(products)


def digits(relative: float) -> int:
    """Number of correct digits at a relative uncertainty."""
    return int(-np.log10(min(relative, 1.0)))
