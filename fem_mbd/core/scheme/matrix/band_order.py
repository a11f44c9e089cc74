"""Reverse Cuthill-McKee order for small graphs without SciPy, whose import takes longer than a small run.

The order is that of `scipy.sparse.csgraph.reverse_cuthill_mckee`, node for node, so that the numbering of a model's
equations does not depend on which of the two is used. Source: E. Cuthill and J. McKee, Proc. 24th National Conference
of the ACM (1969) 157-172; A. George and J. Liu, Computer Solution of Large Sparse Positive Definite Systems (1981),
section 4.2.
"""

from __future__ import annotations

import numpy as np

from fem_mbd.base.arrays import Array, Indices


def small_band_order(pointer: Indices, neighbour: Indices) -> Indices:
    """The nodes of a symmetric graph (n,), neighbours with small degrees first, backwards.

    pointer, neighbour : (n + 1,), (m,) as in CSR, each node one of its own neighbours or not
    """
    neighbours = [neighbour[a:b].tolist() for a, b in zip(pointer[:-1], pointer[1:], strict=True)]
    # a node that is its own neighbour counts twice
    degree = [len(nodes) + (node in nodes) for node, nodes in enumerate(neighbours)]
    order: list[int] = []
    waiting = [True] * len(neighbours)
    # SciPy's type: nodes of the same degree are sorted as numpy does it for that
    for seed in np.argsort(np.array(degree, dtype=np.int32)).tolist():
        if not waiting[seed]:
            continue
        waiting[seed] = False
        at = len(order)
        order.append(seed)
        while at < len(order):
            new = [node for node in neighbours[order[at]] if waiting[node]]
            for node in new:
                waiting[node] = False
            order += sorted(new, key=degree.__getitem__)
            at += 1
    return np.array(order[::-1], dtype=np.int64)


def envelope_work(pointer: Indices, neighbour: Indices, order: Indices, unknowns: Array) -> float:
    """Work of a factorisation with fill everywhere between a row's first entry and its diagonal; an upper bound.

    It is cheap to compute.

    unknowns : (n,) of each node of the graph
    """
    n = len(order)
    position = np.empty(n, dtype=np.int64)
    position[order] = np.arange(n)
    first = np.arange(n)
    np.minimum.at(first, np.repeat(position, np.diff(pointer)), position[neighbour])
    change = np.zeros(n + 1)
    np.add.at(change, first, unknowns[order])
    np.add.at(change, np.arange(n) + 1, -unknowns[order])
    return float(unknowns[order] @ np.cumsum(change)[:n] ** 2)
