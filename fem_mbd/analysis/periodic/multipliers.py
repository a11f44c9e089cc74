"""Floquet multipliers from the matrices of segments, without forming their product.

The monodromy matrix is M_m … M_2 M_1. Let E x_1 + F x_{k+1} = 0 relate the disturbances at the start and at the end of
the first k segments. The next segment, x_{k+2} = M x_{k+1}, is included by an orthogonal transformation: from the QR
factorisation of F stacked on M, the rows of Q' that eliminate x_{k+1} give the new E and F. After the last segment,
E x + mu F x = 0 is solved by QZ. No inverse and no product of segment matrices is formed, so that small multipliers
stay accurate beside large ones. Source: A. Bojanczyk, G. Golub, P. Van Dooren, The periodic Schur decomposition, SPIE
1770 (1992); W.-W. Lin, J.-G. Sun, Perturbation analysis for the eigenproblem of periodic matrix pairs, Linear Algebra
and its Applications 337 (2001).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.linalg import eig, qr

from fem_mbd.base.arrays import Array, Complex


def multipliers(blocks: Sequence[Array], vectors: bool = False) -> tuple[Complex, Complex]:
    """Eigenvalues of the product of segments' matrices (k, k), by descending magnitude, and eigenvectors as columns.

    Parameters
    ----------
    blocks : in the order in which the motion goes through them
    vectors : whether eigenvectors are wanted; else an empty array stands for them
    """
    size = blocks[0].shape[1]
    left, right = -blocks[0], np.eye(blocks[0].shape[0])
    for block in blocks[1:]:
        count = right.shape[1]
        q, _ = qr(np.concatenate([right, -block]))
        below = q[:, count:].T
        left, right = below[:, : len(right)] @ left, below[:, len(right) :]
    found = eig(-left, right, right=vectors)
    values, shapes = found if vectors else (found, np.zeros((size, 0)))
    size_of = np.round(
        np.abs(values), 10
    )  # pairs have the same, and the one with positive imaginary part comes first
    order = np.lexsort((-values.imag, -values.real.round(10), -size_of))
    return np.asarray(values[order]), np.asarray(shapes[:, order] if vectors else shapes, dtype=complex)
