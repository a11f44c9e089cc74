"""Minimum degree order for graphs of few nodes, without SuperLU, whose import takes longer than a small run.

The node whose neighbours have the fewest unknowns is the next one; they become neighbours of each other. Source:
A. George and J. Liu, Computer Solution of Large Sparse Positive Definite Systems (1981), section 5.3.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from fem_mbd.base.arrays import Array, Indices


def least_fill_order(pointer: Indices, neighbour: Indices, unknowns: Array) -> tuple[Indices, float]:
    """The nodes of a symmetric graph (n,) in the order of elimination, and its work as in `elimination`.

    pointer, neighbour : (n + 1,), (m,) as in CSR; unknowns : (n,) of each node
    """
    graph = _Filling(pointer, neighbour, unknowns)
    order: list[int] = []
    work = 0.0
    while graph.near:
        node = min(graph.near, key=graph.degree)
        order.append(node)
        work += graph.eliminate(node)
    return np.array(order, dtype=np.int64), work


def filled_work(pointer: Indices, neighbour: Indices, order: Iterable[int], unknowns: Array) -> float:
    """The work of an elimination in an order."""
    graph = _Filling(pointer, neighbour, unknowns)
    return sum(graph.eliminate(int(node)) for node in order)


class _Filling:
    """A graph while its nodes are eliminated."""

    def __init__(self, pointer: Indices, neighbour: Indices, unknowns: Array):
        ends = zip(pointer[:-1], pointer[1:], strict=True)
        self.near = {k: {*neighbour[a:b].tolist()} - {k} for k, (a, b) in enumerate(ends)}
        self._unknowns = unknowns.tolist()

    def degree(self, node: int) -> float:
        """Unknowns of its neighbours."""
        return float(sum(self._unknowns[other] for other in self.near[node]))

    def eliminate(self, node: int) -> float:
        """Eliminate a node; return the work."""
        work = self._unknowns[node] * (self._unknowns[node] + self.degree(node)) ** 2
        others = self.near.pop(node)
        for other in others:
            self.near[other] |= others
            self.near[other] -= {node, other}
        return float(work)
