"""Quadrature and shape functions of beam elements: nn Gauss-Lobatto nodes, nn - 1 Gauss points."""

from __future__ import annotations

from functools import cache

import numpy as np

from fem_mbd.base.arrays import Array

LOBATTO_NODES = {
    2: np.array([-1.0, 1.0]),
    3: np.array([-1.0, 0.0, 1.0]),
    4: np.array([-1.0, -1.0 / np.sqrt(5.0), 1.0 / np.sqrt(5.0), 1.0]),
}
LOBATTO_WEIGHTS = {
    2: np.array([1.0, 1.0]),
    3: np.array([1.0, 4.0, 1.0]) / 3.0,
    4: np.array([1.0, 5.0, 5.0, 1.0]) / 6.0,
}


def lagrange(nodes: Array, x: float) -> tuple[Array, Array]:
    """Values and derivatives (n,) of the Lagrange polynomials on ``nodes`` (n,) at x."""
    n = len(nodes)
    values, slopes = np.ones(n), np.zeros(n)
    for i in range(n):
        others = np.delete(nodes, i)
        values[i] = np.prod((x - others) / (nodes[i] - others))
        for k in range(n - 1):
            rest = np.delete(others, k)
            slopes[i] += np.prod((x - rest) / (nodes[i] - rest)) / (nodes[i] - others[k])
    return values, slopes


def lagrange_values(nodes: Array, x: Array) -> Array:
    """(n, k) values of the Lagrange polynomials on ``nodes`` (n,) at x (k,)."""
    ratios = (x - nodes[:, None]) / (nodes[:, None] - nodes + np.eye(len(nodes)))[:, :, None]
    ratios[np.diag_indices(len(nodes))] = 1.0
    return np.asarray(np.prod(ratios, axis=1))


@cache
def gauss_rule(nn: int) -> tuple[Array, Array, Array, Array]:
    """For an element with nn nodes on [-1, 1]: Gauss points (nn-1,), weights, shape functions and slopes (nn-1, nn)."""
    points, weights = np.polynomial.legendre.leggauss(nn - 1)
    pairs = [lagrange(LOBATTO_NODES[nn], x) for x in points]
    return points, weights, np.array([v for v, _ in pairs]), np.array([d for _, d in pairs])
