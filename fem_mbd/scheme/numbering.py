"""Numbering of the equations so that a factorisation without pivoting is safe and its fill small.

Nodes follow the reverse Cuthill-McKee order of the graph of parts. A constraint comes right behind the later of its
two nodes: by then elimination has filled its zero diagonal with -B K^-1 B^T, which is regular unless constraints are
redundant. (PETSc's own reordering for a nonzero diagonal does not survive every saddle point.)
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import reverse_cuthill_mckee

from fem_mbd.arrays import Flags, Indices


def number_equations(
    free: Flags, part_nodes: Sequence[Indices], constraint_nodes: Indices
) -> tuple[Indices, Indices]:
    """Equation numbers of the node unknowns (n, 12), -1 where held, and of the constraints (m, 2).

    free : (n, 12); part_nodes : node lists (parts, k) of each kind, -1 for none; constraint_nodes : (m, 2)
    """
    active = free.any(axis=1)
    rank = np.full(len(free), -1, dtype=np.int64)
    order = _node_order(active, part_nodes)
    rank[order] = np.arange(len(order))
    behind = (
        rank[constraint_nodes].max(axis=1, initial=-1)
        if len(constraint_nodes)
        else np.zeros(0, dtype=np.int64)
    )
    # one sorted list of (rank, 0 for a node's unknowns or 1 for a constraint)
    unknown_node, unknown = np.nonzero(free)
    keys = np.concatenate([2 * rank[unknown_node], 2 * np.repeat(behind, 2) + 1])
    position = np.empty(len(keys), dtype=np.int64)
    position[np.argsort(keys, kind="stable")] = np.arange(len(keys))
    equation = np.full(free.shape, -1, dtype=np.int64)
    equation[unknown_node, unknown] = position[: len(unknown_node)]
    return equation, position[len(unknown_node) :].reshape(-1, 2)


def _node_order(active: Flags, part_nodes: Sequence[Indices]) -> Indices:
    """Nodes with unknowns, in reverse Cuthill-McKee order of the graph that the parts make between them."""
    rows, cols = [np.zeros(0, dtype=np.int64)], [np.zeros(0, dtype=np.int64)]
    for nodes in part_nodes:
        width = nodes.shape[1]
        rows.append(np.repeat(nodes, width, axis=1).ravel())
        cols.append(np.tile(nodes, (1, width)).ravel())
    r, c = np.concatenate(rows), np.concatenate(cols)
    keep = (r >= 0) & (c >= 0)
    keep[keep] = active[r[keep]] & active[c[keep]]
    n = len(active)
    graph = coo_matrix((np.ones(int(keep.sum())), (r[keep], c[keep])), shape=(n, n)).tocsr()
    order = reverse_cuthill_mckee(graph, symmetric_mode=True).astype(np.int64)
    return order[active[order]]
