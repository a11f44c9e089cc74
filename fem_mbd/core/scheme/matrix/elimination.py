"""Elimination order of the nodes, and the work of the factorisation in this order.

Both follow from the graph of the parts alone, before any numbers are known. With w the unknowns of a node and c those
of the rows below it in its column of the factor (its own included) the work is about sum w c^2 multiplications.

Reverse Cuthill-McKee gives a narrow band for long models. For lattices, minimum degree gives less fill; SuperLU
computes both the order and the factor's pattern. It is used only when the band is not narrow and the nodes are not few,
and SciPy for the band only when the model is large: their imports take longer than a small model's first hundred steps.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from fem_mbd.base.arrays import Array, Indices
from fem_mbd.core.scheme.matrix.band_order import envelope_work, small_band_order
from fem_mbd.core.scheme.matrix.fill_order import filled_work, least_fill_order

NARROW_BAND_WORK = 4000.0  # multiplications per unknown; a chain of two-node elements takes 576
MAX_BAND_NODES = 1000  # nodes of a graph whose band is computed without SciPy
MAX_FILL_NODES = 60  # nodes of a graph whose fill is computed without SciPy
MAX_WORK_RATIO = 0.8  # fraction of the band's work: another order is used only if its work is not larger


def narrow_order(pointer: Indices, neighbour: Indices, unknowns: Array) -> tuple[Indices, float] | None:
    """The order of `elimination_order` for a small graph with a narrow band or few nodes, else None.

    pointer, neighbour : (n + 1,), (m,) of the graph, as in CSR, sorted
    """
    if len(unknowns) > MAX_BAND_NODES:
        return None
    band = small_band_order(pointer, neighbour)
    work = envelope_work(pointer, neighbour, band, unknowns)
    if _is_narrow(work, unknowns):
        return band, work
    if len(unknowns) > MAX_FILL_NODES:
        return None
    work = filled_work(pointer, neighbour, band, unknowns)
    order, other_work = least_fill_order(pointer, neighbour, unknowns)
    return (order, other_work) if other_work <= MAX_WORK_RATIO * work else (band, work)


def elimination_order(graph: Any, unknowns: Array) -> tuple[Indices, float]:
    """The nodes in the order of elimination (n,), and the multiplications of a factorisation.

    graph : (n, n) sparse, symmetric, an entry for every two nodes that share a part
    unknowns : (n,) of each node, with its share of the constraints
    """
    if graph.shape[0] == 0:
        return np.zeros(0, dtype=np.int64), 0.0
    from scipy.sparse.csgraph import reverse_cuthill_mckee

    band = reverse_cuthill_mckee(graph, symmetric_mode=True).astype(np.int64)
    work = envelope_work(graph.indptr, graph.indices, band, unknowns)
    if _is_narrow(work, unknowns):
        return band, work
    work = _work(_factor(graph[band][:, band].tocsr(), "NATURAL"), unknowns[band])
    factor = _factor(graph, "MMD_AT_PLUS_A")
    order = np.argsort(factor.perm_c).astype(np.int64)
    other_work = _work(factor, unknowns[order])
    return (order, other_work) if other_work <= MAX_WORK_RATIO * work else (band, work)


def _is_narrow(work: float, unknowns: Array) -> bool:
    return bool(work <= NARROW_BAND_WORK * max(unknowns.sum(), 1.0))


def from_both_ends(graph: Any, order: Indices) -> tuple[Indices, tuple[int, int]]:
    """The same order up to its middle, then backwards from its end, and last the nodes that separate the two parts.

    Returns the order and the starts of its second part and of the last nodes. In a chain there is no more fill than
    before; nodes of the first part are not coupled with those of the second.
    """
    half = len(order) // 2
    first = np.zeros(len(order), dtype=bool)
    first[order[:half]] = True
    separator = (graph @ first.astype(float) > 0.0) & ~first
    rest = order[half:]
    second = rest[~separator[rest]][::-1]
    return np.concatenate([order[:half], second, rest[separator[rest]]]), (half, half + len(second))


def _factor(graph: Any, order: str) -> Any:
    """SuperLU's factor of a positive definite matrix with the graph's pattern."""
    from scipy.sparse import diags  # not at the top: few models need this
    from scipy.sparse.linalg import splu

    pattern = graph.copy()
    pattern.data[:] = -1.0
    pattern.setdiag(0.0)
    pattern.eliminate_zeros()
    degree = -np.asarray(pattern.sum(axis=1)).ravel()
    matrix = (pattern + diags(degree + 1.0)).tocsc()
    return splu(matrix, permc_spec=order, diag_pivot_thresh=0.0, options={"SymmetricMode": True})


def _work(factor: Any, unknowns: Array) -> float:
    lower = factor.L.tocsc()
    column = np.add.reduceat(unknowns[lower.indices], lower.indptr[:-1])
    return float(unknowns @ column**2)
