"""Order of elimination and its work, against elimination by hand (sets of neighbours) and closed forms."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import coo_matrix

from fem_mbd.arrays import Array, Indices
from fem_mbd.scheme.matrix.elimination import elimination_order


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
