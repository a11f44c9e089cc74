"""Matrix structure from the couplings of parts: elimination order, equation numbers, indices of entries; cached.

The nodes' elimination order and the work of the factorisation follow from the graph of the parts alone, before any
numbers are known. With w the unknowns of a node and c those of the rows below it in its column of the factor (its own
included) the work is about sum w c^2 multiplications.

Two orders are computed here, for small graphs, without SciPy and its SuperLU:

* `least_fill_order`, minimum degree: the node whose neighbours have the fewest unknowns is the next one; they become
  neighbours of each other. Source: A. George and J. Liu, Computer Solution of Large Sparse Positive Definite Systems
  (1981), section 5.3.
* `small_band_order`, reverse Cuthill-McKee: the order is that of `scipy.sparse.csgraph.reverse_cuthill_mckee`, node for
  node, so that the numbering of a model's equations does not depend on which of the two is used. Source: E. Cuthill and
  J. McKee, Proc. 24th National Conference of the ACM (1969) 157-172; George and Liu (1981), section 4.2.

`elimination_order` chooses. Reverse Cuthill-McKee gives a narrow band for long models. For lattices, minimum degree
gives less fill; SuperLU computes both the order and the factor's pattern. It is used only when the band is not narrow
and the nodes are not few, and SciPy for the band only when the model is large: their imports take longer than a small
model's first hundred steps.

`number_equations` numbers them for a factorisation without pivoting and with little fill. Nodes are in the order of
elimination. A constraint comes directly after the later of its two nodes: by then elimination has filled its zero
diagonal with -B K^-1 B^T, which is regular unless constraints are redundant. (PETSc's own reordering for a nonzero
diagonal fails for some saddle points.)

Sweeps and fits build many models that differ in numbers only. So `structure_of` caches the structures of the last small
models, with the indices they were computed from as keys; computing one takes longer than a step.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fem_mbd.base.arrays import Array, Flags, Indices
from fem_mbd.core.model.part_kind import PartKind
from fem_mbd.core.scheme.matrix_pattern import Pattern


def least_fill_order(pointer: Indices, neighbour: Indices, unknowns: Array) -> tuple[Indices, float]:
    """The nodes of a symmetric graph (n,) in the order of elimination, and its multiplications.

    pointer, neighbour : (n + 1,), (m,) as in CSR; unknowns : (n,) of each node
    """
    graph = _Filling(pointer, neighbour, unknowns)
    order: list[int] = []
    multiplications = 0.0
    while graph.near:
        node = min(graph.near, key=graph.degree)
        order.append(node)
        multiplications += graph.eliminate(node)
    return np.array(order, dtype=np.int64), multiplications


def filled_work(pointer: Indices, neighbour: Indices, order: Iterable[int], unknowns: Array) -> float:
    """The multiplications of an elimination in an order."""
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
        """Eliminate a node; return the number of multiplications."""
        multiplications = self._unknowns[node] * (self._unknowns[node] + self.degree(node)) ** 2
        others = self.near.pop(node)
        for other in others:
            self.near[other] |= others
            self.near[other] -= {node, other}
        return float(multiplications)


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


NARROW_BAND_WORK = 4000.0  # multiplications per unknown; a chain of two-node elements takes 576
MAX_BAND_NODES = 1000  # nodes of a graph whose band is computed without SciPy
MAX_FILL_NODES = 60  # nodes of a graph whose fill is computed without SciPy
MAX_WORK_RATIO = 0.8  # fraction of the band's multiplications: another order is used only if it has no more


def narrow_order(pointer: Indices, neighbour: Indices, unknowns: Array) -> tuple[Indices, float] | None:
    """The order of `elimination_order` for a small graph with a narrow band or few nodes, else None.

    pointer, neighbour : (n + 1,), (m,) of the graph, as in CSR, sorted
    """
    if len(unknowns) > MAX_BAND_NODES:
        return None
    band = small_band_order(pointer, neighbour)
    multiplications = envelope_work(pointer, neighbour, band, unknowns)
    if _is_narrow(multiplications, unknowns):
        return band, multiplications
    if len(unknowns) > MAX_FILL_NODES:
        return None
    multiplications = filled_work(pointer, neighbour, band, unknowns)
    order, other_multiplications = least_fill_order(pointer, neighbour, unknowns)
    if other_multiplications <= MAX_WORK_RATIO * multiplications:
        return order, other_multiplications
    return band, multiplications


def elimination_order(graph: Any, unknowns: Array) -> tuple[Indices, float]:
    """The nodes in the order of elimination (n,), and the multiplications of a factorisation.

    graph : (n, n) sparse, symmetric, an entry for every two nodes that share a part
    unknowns : (n,) of each node, with its share of the constraints
    """
    if graph.shape[0] == 0:
        return np.zeros(0, dtype=np.int64), 0.0
    from scipy.sparse.csgraph import reverse_cuthill_mckee

    band = reverse_cuthill_mckee(graph, symmetric_mode=True).astype(np.int64)
    multiplications = envelope_work(graph.indptr, graph.indices, band, unknowns)
    if _is_narrow(multiplications, unknowns):
        return band, multiplications
    multiplications = _work(_factor(graph[band][:, band].tocsr(), "NATURAL"), unknowns[band])
    factor = _factor(graph, "MMD_AT_PLUS_A")
    order = np.argsort(factor.perm_c).astype(np.int64)
    other_multiplications = _work(factor, unknowns[order])
    if other_multiplications <= MAX_WORK_RATIO * multiplications:
        return order, other_multiplications
    return band, multiplications


def _is_narrow(multiplications: float, unknowns: Array) -> bool:
    return bool(multiplications <= NARROW_BAND_WORK * max(unknowns.sum(), 1.0))


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


@dataclass(frozen=True, eq=False)
class Numbering:
    """Equation numbers and the multiplications of a factorisation in their order.

    Attributes
    ----------
    equation : (n, 12) of the node unknowns, -1 where fixed
    constraint_equation : (m, 2)
    multiplications : of an LU
    halves : the first equation after each of two sets that are not coupled with each other; zeros for none
    """

    equation: Indices
    constraint_equation: Indices
    multiplications: float
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
    order, multiplications, halves = _node_order(free, active, part_nodes, constraint_nodes, halved)
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
    return Numbering(
        equation, position[len(unknown_node) :].reshape(-1, 2), multiplications, (ends[0], ends[1])
    )


def _node_order(
    free: Flags,
    active: Flags,
    part_nodes: Sequence[Indices],
    constraint_nodes: Indices,
    halved: bool,
) -> tuple[Indices, float, tuple[int, int]]:
    """Nodes with unknowns in the order of elimination, its multiplications (`elimination_order`), ends of halves."""
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
    order, multiplications = elimination_order(graph, unknowns)
    halves = (0, 0)
    if halved:
        order, halves = from_both_ends(graph, order)
    return nodes[order], multiplications, halves


def _unknowns(free: Flags, constraint_nodes: Indices) -> Array:
    """Unknowns of each node (n,): its own and one of the two of each of its constraints."""
    count = free.sum(axis=1).astype(float)
    np.add.at(count, constraint_nodes.ravel(), 1.0)
    return count


# unknown of a node (a, b, c, e) -> component of motion: translations 0-2, rotations 3-5
COMPONENT = np.array([0, 1, 2, 3, 4, 5, 0, 1, 2, 3, 4, 5])
# Multiplications per unknown from which on the pattern is without fill: block LU takes about 0.05 ns for each, which is
# half the time of MUMPS there. MUMPS has an order with less fill, and finds the pattern of the factors in less time.
# `python -m benchmarks linear_solvers` measures all solvers.
MIN_SPARSE_WORK = 50_000.0
CACHED_STRUCTURES, MAX_CACHED_EQUATIONS = 8, 2000  # number of structures, and equations of the largest


class Coupled(NamedTuple):
    """The parts of a kind.

    Attributes
    ----------
    nodes : (n_parts, k) of each part, -1 where it has fewer
    multipliers : (n_parts,) constraints of each
    first_row : (n_parts,) the first of them
    read_rows : (n_parts, r) constraints of other kinds that a part reads, -1 where it has fewer; None for no such kind
    by_row : whether its indices in the matrix values are stored by rows
    """

    nodes: Indices
    multipliers: Indices
    first_row: Indices
    read_rows: Indices | None
    by_row: bool

    @classmethod
    def of(cls, kind: PartKind) -> Coupled:
        """The couplings of a kind whose constraints are numbered."""
        return cls(kind.nodes, kind.multipliers, kind.first_row, kind.read_rows, kind.slots_by_row)

    def blocks(self, nodes: int) -> Indices:
        """(n_parts, w) nodes of each part, then its constraints and those that it reads, numbered after ``nodes``."""
        number = np.arange(int(self.multipliers.max(initial=0)))
        rows = np.where(number < self.multipliers[:, None], self.first_row[:, None] + number, -1)
        if self.read_rows is not None:
            rows = np.concatenate([rows, self.read_rows], axis=1)
        return np.concatenate([self.nodes, np.where(rows >= 0, nodes + rows, -1)], axis=1)


class Structure:
    """The matrix structure of a system. Several systems may share its arrays: they must not be written to.

    Parameters
    ----------
    fixed : (n, 6) components of the nodes that are fixed or prescribed
    kinds : of parts
    halved : two halves are numbered first, which two threads can eliminate
    filled : the pattern includes the fill of an elimination with at most `MIN_SPARSE_WORK` multiplications per unknown

    Attributes
    ----------
    equation : (n, 12) equation number of each node unknown, -1 where it is fixed
    constraint_equation : (m, 2) those of the constraints and their multipliers (mean and jump)
    elimination_work : multiplications of a factorisation in this numbering
    unit : (size,) 0 for lengths, 1 for angles, 2 for multipliers
    pattern : of the matrix, by blocks
    slots : for each kind, the indices of its parts' entries in the matrix values
    node_slots : (n, 12, 1) those of the nodes, by row
    """

    def __init__(self, fixed: Flags, kinds: Sequence[Coupled], halved: bool, filled: bool):
        n = len(fixed)
        free = ~fixed[:, COMPONENT]
        numbering = number_equations(free, [k.nodes for k in kinds], _constraint_nodes(kinds), halved)
        self.equation, self.constraint_equation = numbering.equation, numbering.constraint_equation
        self.elimination_work = numbering.multiplications
        self.unit = np.full(int(free.sum()) + self.constraint_equation.size, 2, dtype=np.int64)
        self.unit[self.equation[free]] = np.tile(np.where(COMPONENT < 3, 0, 1), (n, 1))[free]
        blocks = [kind.blocks(n) for kind in kinds]
        filled = filled and numbering.multiplications <= MIN_SPARSE_WORK * len(self.unit)
        self.pattern = Pattern(self.equation, self.constraint_equation, blocks, numbering.halves, filled)
        self.slots: list[NDArray[np.int32]] = [
            self.pattern.row_slots(kind.nodes)
            if kind.by_row
            else self.pattern.slots(members, kind.nodes.shape[1])
            for kind, members in zip(kinds, blocks, strict=True)
        ]
        self.node_slots = self.pattern.row_slots(np.arange(n)[:, None])


def structure_of(fixed: Flags, kinds: Sequence[Coupled], halved: bool, filled: bool) -> Structure:
    """The `Structure` for these arguments, from the cache if it is there."""
    if len(fixed) * COMPONENT.size > MAX_CACHED_EQUATIONS:
        return Structure(fixed, kinds, halved, filled)
    key = (_key_part(fixed), *(tuple(map(_key_part, kind)) for kind in kinds), halved, filled)
    structure = _cache.pop(key, None) or Structure(fixed, kinds, halved, filled)
    _cache[key] = structure  # the last used are last
    while len(_cache) > CACHED_STRUCTURES:
        _cache.popitem(last=False)
    return structure


_cache: OrderedDict[Any, Structure] = OrderedDict()


def _key_part(member: Any) -> Any:
    """An array's type, shape and bytes, as part of a key; other values unchanged."""
    return (member.dtype.str, member.shape, member.tobytes()) if isinstance(member, np.ndarray) else member


def _constraint_nodes(kinds: Sequence[Coupled]) -> Indices:
    """(m, k) nodes of each constraint; those with fewer repeat their first one."""
    lists = [np.repeat(kind.nodes, kind.multipliers, axis=0) for kind in kinds if kind.multipliers.any()]
    width = max((nodes.shape[1] for nodes in lists), default=2)
    padded = [np.pad(nodes, ((0, 0), (0, width - nodes.shape[1])), constant_values=-1) for nodes in lists]
    all_nodes = np.concatenate(padded) if padded else np.zeros((0, 2), dtype=np.int64)
    return np.where(all_nodes >= 0, all_nodes, all_nodes[:, :1])


def connected_rows(row: Indices, column: Indices, rows: int, columns: int) -> Indices:
    """The first of the rows that each row is connected with by columns, (rows,); entries are at ``row``, ``column``.

    Every row points to an earlier one that it is connected with, or itself; the ends of these paths are connected until
    nothing changes, as in the algorithm of Shiloach and Vishkin (Journal of Algorithms 3 (1982) 57-67). SciPy's
    function would be as good, but its import takes a third of a start.
    """
    first = np.arange(rows)
    while True:
        lowest = np.full(columns, rows)
        np.minimum.at(lowest, column, first[row])
        linked = first.copy()
        np.minimum.at(linked, first[row], lowest[column])
        np.minimum.at(linked, row, lowest[column])
        linked = linked[linked]
        if np.array_equal(linked, first):
            return first
        first = linked
