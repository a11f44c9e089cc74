"""Matrix structure from the couplings of parts: equation numbers, pattern, indices of the entries of parts; cached.

Sweeps and fits build many models that differ in numbers only. So the structures of the last small models are cached,
with the indices they were computed from as keys; computing one takes longer than a step.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fem_mbd.base.arrays import Flags, Indices
from fem_mbd.core.model.part_kind import PartKind
from fem_mbd.core.scheme.matrix.numbering import number_equations
from fem_mbd.core.scheme.matrix.pattern import Pattern

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
    held : (n, 6) components of the nodes that are fixed or prescribed
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

    def __init__(self, held: Flags, kinds: Sequence[Coupled], halved: bool, filled: bool):
        n = len(held)
        free = ~held[:, COMPONENT]
        numbering = number_equations(free, [k.nodes for k in kinds], _constraint_nodes(kinds), halved)
        self.equation, self.constraint_equation = numbering.equation, numbering.constraint_equation
        self.elimination_work = numbering.work
        self.unit = np.full(int(free.sum()) + self.constraint_equation.size, 2, dtype=np.int64)
        self.unit[self.equation[free]] = np.tile(np.where(COMPONENT < 3, 0, 1), (n, 1))[free]
        blocks = [kind.blocks(n) for kind in kinds]
        filled = filled and numbering.work <= MIN_SPARSE_WORK * len(self.unit)
        self.pattern = Pattern(self.equation, self.constraint_equation, blocks, numbering.halves, filled)
        self.slots: list[NDArray[np.int32]] = [
            self.pattern.row_slots(kind.nodes)
            if kind.by_row
            else self.pattern.slots(members, kind.nodes.shape[1])
            for kind, members in zip(kinds, blocks, strict=True)
        ]
        self.node_slots = self.pattern.row_slots(np.arange(n)[:, None])


def structure_of(held: Flags, kinds: Sequence[Coupled], halved: bool, filled: bool) -> Structure:
    """The `Structure` for these arguments, from the cache if it is there."""
    if len(held) * COMPONENT.size > MAX_CACHED_EQUATIONS:
        return Structure(held, kinds, halved, filled)
    key = (_key_part(held), *(tuple(map(_key_part, kind)) for kind in kinds), halved, filled)
    structure = _cache.pop(key, None) or Structure(held, kinds, halved, filled)
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
    found = np.concatenate(padded) if padded else np.zeros((0, 2), dtype=np.int64)
    return np.where(found >= 0, found, found[:, :1])
