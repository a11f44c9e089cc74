"""Tests of the elimination order and its work, against elimination on sets of neighbours and closed forms."""

import numpy as np
import pytest
from scipy.sparse import coo_matrix, csr_matrix
from scipy.sparse.csgraph import reverse_cuthill_mckee

from fem_mbd.base.arrays import Array, Indices
from fem_mbd.core.scheme.matrix_structure import (
    MAX_BAND_NODES,
    elimination_order,
    filled_work,
    least_fill_order,
    narrow_order,
    small_band_order,
)


def graph_of(edges: list[tuple[int, int]], n: int) -> coo_matrix:
    pairs = np.array([*edges, *((b, a) for a, b in edges), *((k, k) for k in range(n))])
    return coo_matrix((np.ones(len(pairs)), (pairs[:, 0], pairs[:, 1])), shape=(n, n)).tocsr()


def lattice(k: int) -> list[tuple[int, int]]:
    """Edges of k times k nodes."""
    along = [(k * i + j, k * i + j + 1) for i in range(k) for j in range(k - 1)]
    return along + [(k * i + j, k * i + j + k) for i in range(k - 1) for j in range(k)]


def work_by_hand(edges: list[tuple[int, int]], order: Indices, unknowns: Array) -> float:
    """Eliminate node by node: the neighbours that are left become neighbours of each other."""
    near: dict[int, set[int]] = {int(k): set() for k in order}
    for a, b in edges:
        near[a].add(b)
        near[b].add(a)
    work = 0.0
    for node in order.tolist():
        left = near.pop(node)
        work += unknowns[node] * (unknowns[node] + sum(unknowns[k] for k in left)) ** 2
        for k in left:
            near[k] |= left - {k}
            near[k].discard(node)
    return work


def test_beams_end_to_end_keep_a_band() -> None:
    n = 40
    order, work = elimination_order(graph_of([(k, k + 1) for k in range(n - 1)], n), np.full(n, 12.0))
    assert np.abs(np.diff(order)).max() == 1
    assert work == pytest.approx(12 * 24**2 * (n - 1) + 12 * 12**2)


@pytest.mark.parametrize("k", [12, 25])
def test_a_lattice_is_eliminated_with_less_work_than_a_band(k: int) -> None:
    n, edges = k * k, lattice(k)
    unknowns = np.full(n, 12.0)
    unknowns[::7] += 2.0
    order, work = elimination_order(graph_of(edges, n), unknowns)
    assert sorted(order.tolist()) == list(range(n))
    assert work == pytest.approx(work_by_hand(edges, order, unknowns))
    assert work < work_by_hand(edges, np.arange(n), unknowns)  # line by line: a band of k nodes


def test_a_wheel_of_many_spokes() -> None:
    """A hub with forty spokes of five nodes: every spoke first, the hub last, is a forest without fill."""
    spokes, length = 40, 5
    edges = [
        (0 if i == 0 else 1 + s * length + i - 1, 1 + s * length + i)
        for s in range(spokes)
        for i in range(length)
    ]
    n = 1 + spokes * length
    unknowns = np.full(n, 12.0)
    order, work = elimination_order(graph_of(edges, n), unknowns)
    assert work == pytest.approx(work_by_hand(edges, order, unknowns))
    assert work == pytest.approx(12 * 24**2 * spokes * length + 12 * 12**2)


def test_nothing_to_eliminate() -> None:
    order, work = elimination_order(coo_matrix((0, 0)).tocsr(), np.zeros(0))
    assert len(order) == 0 and work == 0.0


def random_graph(seed: int) -> csr_matrix:
    """Some tens of nodes with few or many edges, many of them with the same degree, often in pieces."""
    draw = np.random.default_rng(seed)
    n = int(draw.integers(1, 60))
    matrix = draw.random((n, n)) < draw.choice([0.02, 0.05, 0.1, 0.3])
    matrix |= matrix.T
    np.fill_diagonal(matrix, draw.random(n) < draw.choice([0.0, 0.5, 1.0]))
    return csr_matrix(matrix.astype(float))


@pytest.mark.parametrize("seed", range(300))
def test_a_small_graph_is_ordered_as_scipy_orders_it(seed: int) -> None:
    graph = random_graph(seed)
    expected = reverse_cuthill_mckee(graph, symmetric_mode=True)
    assert small_band_order(graph.indptr, graph.indices).tolist() == expected.tolist()


@pytest.mark.parametrize("n", [2, 40, MAX_BAND_NODES, MAX_BAND_NODES + 1])
def test_a_small_narrow_graph_needs_no_scipy(n: int) -> None:
    graph, unknowns = graph_of([(k, k + 1) for k in range(n - 1)], n), np.full(n, 12.0)
    found, (order, work) = (
        narrow_order(graph.indptr, graph.indices, unknowns),
        elimination_order(graph, unknowns),
    )
    assert (found is None) == (n > MAX_BAND_NODES)
    assert found is None or (found[0].tolist() == order.tolist() and found[1] == work)


def test_few_nodes_are_ordered_as_well_as_superlu_orders_them() -> None:
    """Work over that of SuperLU's order, of graphs without a narrow band."""
    ratios = []
    for seed in range(300):
        graph = random_graph(seed)
        unknowns = np.random.default_rng(seed).choice([12.0, 60.0, 200.0], graph.shape[0])
        expected, work = elimination_order(graph, unknowns)
        assert filled_work(graph.indptr, graph.indices, expected, unknowns) <= work * (1 + 1e-12)
        order, own = least_fill_order(graph.indptr, graph.indices, unknowns)
        assert sorted(order.tolist()) == list(range(graph.shape[0]))
        assert filled_work(graph.indptr, graph.indices, order, unknowns) == pytest.approx(own, rel=1e-12)
        ratios.append(own / work)
    assert np.mean(ratios) < 0.9 and max(ratios) < 1.3


def test_a_wide_graph_is_left_to_others() -> None:
    graph = graph_of(lattice(14), 196)
    assert narrow_order(graph.indptr, graph.indices, np.full(196, 12.0)) is None
