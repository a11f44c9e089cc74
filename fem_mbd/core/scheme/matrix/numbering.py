"""Numbering of the equations for a factorisation without pivoting and with little fill.

Nodes are in the order of `elimination` in the graph of parts. A constraint comes directly after the later of its two
nodes: by then elimination has filled its zero diagonal with -B K^-1 B^T, which is regular unless constraints are
redundant. (PETSc's own reordering for a nonzero diagonal fails for some saddle points.)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from fem_mbd.base.arrays import Array, Flags, Indices
from fem_mbd.core.scheme.matrix.elimination import elimination_order, from_both_ends, narrow_order


@dataclass(frozen=True, eq=False)
class Numbering:
    """Equation numbers and the work of a factorisation in their order.

    Attributes
    ----------
    equation : (n, 12) of the node unknowns, -1 where fixed
    constraint_equation : (m, 2)
    work : multiplications of an LU
    halves : the first equation after each of two sets that are not coupled with each other; zeros for none
    """

    equation: Indices
    constraint_equation: Indices
    work: float
    halves: tuple[int, int]


def number_equations(
    free: Flags, part_nodes: Sequence[Indices], constraint_nodes: Indices, halved: bool = False
) -> Numbering:
    """The numbering of a model's equations.

    free : (n, 12); part_nodes : node lists (parts, k) of each kind, -1 for none; constraint_nodes : (m, k)
    halved : two halves first, which two threads can eliminate, then the nodes that separate them
    """
    active = free.any(axis=1)
    rank = np.full(len(free), -1, dtype=np.int64)
    order, work, halves = _node_order(free, active, part_nodes, constraint_nodes, halved)
    rank[order] = np.arange(len(order))
    later = (
        rank[constraint_nodes].max(axis=1, initial=-1)
        if len(constraint_nodes)
        else np.zeros(0, dtype=np.int64)
    )
    # one sorted list of (rank, 0 for a node's unknowns or 1 for a constraint)
    unknown_node, unknown = np.nonzero(free)
    keys = np.concatenate([2 * rank[unknown_node], 2 * np.repeat(later, 2) + 1])
    position = np.empty(len(keys), dtype=np.int64)
    position[np.argsort(keys, kind="stable")] = np.arange(len(keys))
    equation = np.full(free.shape, -1, dtype=np.int64)
    equation[unknown_node, unknown] = position[: len(unknown_node)]
    ends = tuple(int((keys < 2 * nodes).sum()) for nodes in halves)
    return Numbering(equation, position[len(unknown_node) :].reshape(-1, 2), work, (ends[0], ends[1]))


def _node_order(
    free: Flags,
    active: Flags,
    part_nodes: Sequence[Indices],
    constraint_nodes: Indices,
    halved: bool,
) -> tuple[Indices, float, tuple[int, int]]:
    """Nodes with unknowns in the order of elimination, its work (see `elimination_order`), and ends of the halves."""
    rows, cols = [np.zeros(0, dtype=np.int64)], [np.zeros(0, dtype=np.int64)]
    for nodes in part_nodes:
        width = nodes.shape[1]
        rows.append(np.repeat(nodes, width, axis=1).ravel())
        cols.append(np.tile(nodes, (1, width)).ravel())
    r, c = np.concatenate(rows), np.concatenate(cols)
    keep = (r >= 0) & (c >= 0)
    keep[keep] = active[r[keep]] & active[c[keep]]
    index, nodes = np.cumsum(active) - 1, np.flatnonzero(active)
    n, unknowns = len(nodes), _unknowns(free, constraint_nodes)[active]
    pairs = np.unique(index[r[keep]] * n + index[c[keep]])
    pointer, neighbour = np.searchsorted(pairs, n * np.arange(n + 1)), pairs % max(n, 1)
    narrow = None if halved else narrow_order(pointer, neighbour, unknowns)
    if narrow is not None:
        return nodes[narrow[0]], narrow[1], (0, 0)
    from scipy.sparse import csr_matrix  # not at the top: small models do not need it

    graph = csr_matrix((np.ones(len(pairs)), neighbour, pointer), shape=(n, n))
    order, work = elimination_order(graph, unknowns)
    halves = (0, 0)
    if halved:
        order, halves = from_both_ends(graph, order)
    return nodes[order], work, halves


def _unknowns(free: Flags, constraint_nodes: Indices) -> Array:
    """Unknowns of each node (n,): its own and one of the two of each of its constraints."""
    count = free.sum(axis=1).astype(float)
    np.add.at(count, constraint_nodes.ravel(), 1.0)
    return count
