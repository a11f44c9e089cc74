"""Friction inside joints that carries a load at the equilibrium: it changes with the joints' reactions.

With F = d(friction)/d(lambda) the equations are

    M x'' + D x' + K x + (B^T + F) lambda = 0,        B x = 0

Motions remain x = Z y with B Z = 0, but the reactions are eliminated by

    W^T = Z^T - Z^T F G B,        G = (B (B^T + F))^-1,        W^T (B^T + F) = 0

and W^T M Z is not symmetric. Multiplied by T = (Z^T M Z) (W^T M Z)^-1 it is Z^T M Z again. With the few columns of F in
U = Z^T F and V = G B M Z (Z^T M Z)^-1, T = I + U (I - V U)^-1 V.
"""

from __future__ import annotations

import numpy as np
from scipy.linalg import lstsq, pinv
from scipy.sparse import csr_matrix

from fem_mbd.base.arrays import Array


def left_basis(
    basis: csr_matrix, mass: csr_matrix, constraints: csr_matrix, friction: csr_matrix
) -> csr_matrix:
    """W T^T (n, r), onto which the equations are projected; the basis where friction carries no load.

    Parameters
    ----------
    basis : (n, r) Z
    mass : (n, n)
    constraints : (m, n) B
    friction : (n, m) F
    """
    loaded = np.unique(friction.indices[friction.data != 0.0])
    if not len(loaded):
        return basis
    reactions = constraints @ (constraints.T + friction)
    inverse = pinv(reactions.toarray())[loaded]
    by_force = csr_matrix(inverse) @ constraints  # G B, rows of the loaded joints
    u = np.asarray((basis.T @ friction.tocsc()[:, loaded]).todense())
    own = csr_matrix(basis.T @ mass @ basis).toarray()
    v = _right_solve(np.asarray((by_force @ mass @ basis).todense()), own)
    projection = csr_matrix(basis.T) - csr_matrix(u) @ by_force
    gain = u @ np.linalg.solve(np.eye(len(loaded)) - v @ u, v)
    return csr_matrix((projection + csr_matrix(gain) @ projection).T)


def _right_solve(rows: Array, matrix: Array) -> Array:
    """rows matrix^-1 for a symmetric matrix, which is singular where motions have no mass."""
    return np.asarray(lstsq(matrix, rows.T, lapack_driver="gelsy")[0]).T
