"""Sparse null-space basis of a constraint Jacobian, computed by groups of constraints that share unknowns."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import svd
from scipy.sparse import csr_matrix, eye, hstack
from scipy.sparse.csgraph import connected_components

from fem_mbd.base.arrays import Array

RANK_TOLERANCE = 1e-9  # fraction of the largest singular value: smaller ones belong to redundant constraints


def null_space(jacobian: csr_matrix) -> csr_matrix:
    """Z (n, r) with jacobian (m, n) @ Z = 0; orthonormal, an identity where no constraint acts.

    Redundant constraints are permitted and counted once.
    """
    n = jacobian.shape[1]
    if jacobian.shape[0] == 0 or jacobian.nnz == 0:
        return csr_matrix(eye(n))
    _, group = connected_components(abs(jacobian) @ abs(jacobian).T, directed=False)
    constrained = np.zeros(n, dtype=bool)
    columns = []
    for g in range(group.max() + 1):
        block = jacobian[np.flatnonzero(group == g)]
        used = np.unique(block.indices[block.data != 0])
        if not len(used):
            continue
        constrained[used] = True
        columns.append(_sparse_columns(_dense_null_space(block[:, used].toarray()), used, n))
    free = np.flatnonzero(~constrained)
    columns.append(csr_matrix((np.ones(len(free)), (free, np.arange(len(free)))), shape=(n, len(free))))
    return csr_matrix(hstack(columns))


def _dense_null_space(rows: Array) -> Array:
    # a joint combines lengths and angles: with rows of norm one the rank depends on the geometry only
    size = np.linalg.norm(rows, axis=1, keepdims=True)
    _, values, vectors = svd(rows / np.where(size > 0, size, 1.0))
    rank = int((values > RANK_TOLERANCE * values.max(initial=0.0)).sum())
    return np.asarray(vectors[rank:].T)


def _sparse_columns(block: Array, rows: NDArray[np.intp], n: int) -> csr_matrix:
    at = np.repeat(rows, block.shape[1]), np.tile(np.arange(block.shape[1]), len(rows))
    return csr_matrix((block.ravel(), at), shape=(n, block.shape[1]))
