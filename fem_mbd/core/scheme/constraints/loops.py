"""How close loops of joints are to singular positions: dependence of their constraints, in every step (compiled).

The rows of the Jacobian of all constraint rates are independent in a chain or a tree of bodies, whatever its position:
the last body's joint alone moves its unknowns. Taking such bodies away until none is left leaves the loops (the 2-core
of the graph of bodies and joints; fixed nodes are one body that is never taken away). In a loop constraints become
dependent in singular positions: a driven slider at the dead point of its crank, a universal joint between bearings at
the right angle, a four-bar of equal lengths that is folded. There reactions grow without bound and the motion can go on
in another branch.

With rows of unit length (velocities, and angular velocities times the model's length) the Cholesky factorisation of
their Gram matrix with the largest pivots first gives the squares of sines: of the angle between each row and the space
of the rows before it (Golub and Van Loan, Matrix Computations, 4th ed., section 4.2.8). The smallest sine of the rows
that were independent in the reference configuration is compared with its value there, as it depends on the lengths of
the parts too. Constraints that were redundant there have the sine zero; where it is not, they have become independent.

Sines are computed again when the bodies have moved by half the smallest of them, so that in short steps they cost
nothing and no singular position is passed unseen.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, ClassVar, NamedTuple

import numpy as np

from fem_mbd.base.arrays import Array, Flags, Indices
from fem_mbd.core.compiled import kernel
from fem_mbd.core.compiled.calls import Call, CallList, Task, run_calls
from fem_mbd.core.compiled.signatures import array3, float64, index_rows, indices, matrix, vector, void
from fem_mbd.core.compiled.vectors import dot
from fem_mbd.core.model.ranges import NamedRanges, Range
from fem_mbd.core.model.workspace import Workspace

if TYPE_CHECKING:
    from fem_mbd.core.model.part_kind import PartKind

MOST_ROWS = 60  # of a loop: a factorisation of more takes longer than a hundredth of a step
MOST_JOINTS = 10_000  # of a model that is searched for loops
NAMED = 4  # joints in the name of a loop
NEAR = 50.0  # one over the sine of 1.1 degrees
REDUNDANT = 1e-6  # sine in the reference configuration: round-off of the squares is 1e-14
INDEPENDENT = 1e-4  # sine of constraints that were redundant: far above errors of closure
SHARE = 0.5  # rad over a sine: motion of the bodies after which it is computed again
SMALLEST = 1e-30  # square of a sine: below its round-off

SINGULAR, LOST = range(2)


@kernel(void(array3, index_rows, indices, index_rows, float64, matrix))
def place_rows(jacobian, nodes, places, columns, length, rows):
    """Fill ``rows`` (all rows of loops, most columns of a loop), of unit length, with those of one kind.

    jacobian (m, k, 6) on (v, Omega) of nodes (m, k), -1 for none; places (m,) in ``rows``, -1 for none; columns (n, 6)
    of the nodes' unknowns within their loop, -1 for none; length (m) of angular velocities.
    """
    for r in range(places.shape[0]):
        if places[r] < 0:
            continue
        row, square = rows[places[r]], 0.0
        row[:] = 0.0
        for s in range(nodes.shape[1]):
            for i in range(6):
                if nodes[r, s] >= 0 and columns[nodes[r, s], i] >= 0:
                    value = jacobian[r, s, i] / (1.0 if i < 3 else length)
                    row[columns[nodes[r, s], i]] = value
                    square += value * value
        scale = 1.0 / np.sqrt(square) if square > 0.0 else 0.0
        for j in range(row.shape[0]):
            row[j] *= scale


@kernel
def _factorise(rows, start, end, width, gram, pivots):
    """Fill ``pivots`` with those of the Gram matrix of rows[start:end, :width], descending; gram is scratch."""
    count = end - start
    for i in range(count):
        for j in range(i + 1):
            total = 0.0
            for c in range(width):
                total += rows[start + i, c] * rows[start + j, c]
            gram[i, j] = gram[j, i] = total
    for k in range(count):
        best = k
        for i in range(k + 1, count):
            if gram[i, i] > gram[best, best]:
                best = i
        if best != k:
            for j in range(count):
                gram[k, j], gram[best, j] = gram[best, j], gram[k, j]
            for j in range(count):
                gram[j, k], gram[j, best] = gram[j, best], gram[j, k]
        pivots[k] = max(gram[k, k], SMALLEST)
        for i in range(k + 1, count):
            factor = gram[i, k] / pivots[k]
            for j in range(k + 1, i + 1):
                gram[i, j] -= factor * gram[j, k]
                gram[j, i] = gram[i, j]


@kernel(void(matrix, index_rows, matrix, matrix))
def sines(rows, loops, gram, out):
    """out (2, n): smallest sine of the independent rows of each loop, and the largest one of its redundant rows.

    loops (n, 4): first row, end, number of columns, number of redundant rows; gram (most rows + 1, most rows) scratch.
    """
    pivots = gram[gram.shape[0] - 1]
    for l in range(loops.shape[0]):
        start, end, redundant = loops[l, 0], loops[l, 1], loops[l, 3]
        _factorise(rows, start, end, loops[l, 2], gram, pivots)
        count = end - start - redundant
        out[0, l] = np.sqrt(pivots[count - 1]) if count > 0 else 1.0
        out[1, l] = np.sqrt(pivots[count]) if redundant > 0 else 0.0


@kernel(void(matrix, matrix, vector, matrix))
def compare(now, reference, moved, measures):
    """measures (2, n) from `sines` now and in the reference configuration; moved[1] as of `evaluate`."""
    moved[0], moved[1] = 0.0, np.inf
    for l in range(now.shape[1]):
        moved[1] = min(moved[1], SHARE * now[0, l])
        ratio = reference[0, l] / now[0, l]
        measures[SINGULAR, l] = max(ratio, 1.0 / ratio)
        measures[LOST, l] = now[1, l]


@kernel(void(matrix, indices, float64, vector, index_rows))
def evaluate(x, nodes, length, moved, table):
    """Run a list of calls when the nodes have moved far enough since the last time.

    x (n, 12) unknowns of the step, of which those of ``nodes`` count: rotation, and path over a length (m). moved (2,):
    motion since the last time, and that at which the calls are made again.
    """
    largest = 0.0
    for k in nodes:
        path, turn = dot(x[k, 0:3], x[k, 0:3]), dot(x[k, 3:6], x[k, 3:6])
        largest = max(largest, np.sqrt(path) / length + np.sqrt(turn))
    moved[0] += largest
    if moved[0] >= moved[1]:
        run_calls(table)


class _Joint(NamedTuple):
    """A part with constraints: number of its kind, name, its constraints within the kind, nodes that can move."""

    kind: int
    name: str
    rows: slice
    nodes: dict[int, int]  # and which of the part's nodes each is


def _joints(kinds: Sequence[PartKind], fixed: Flags) -> Iterator[_Joint]:
    moves = ~fixed.all(axis=1)
    for k, kind in enumerate(kinds):
        first, names = 0, kind.part_names()
        for name, nodes, rows in zip(names, kind.nodes.tolist(), kind.multipliers.tolist(), strict=True):
            moving = {node: place for place, node in enumerate(nodes) if node >= 0 and moves[node]}
            if rows:
                yield _Joint(k, name, slice(first, first + rows), moving)
            first += rows


def _without_ends(joints: list[_Joint], jacobians: list[Array], fixed: Flags) -> list[_Joint]:
    """The joints that are left when bodies with one joint, which moves them in all its directions, are taken away."""
    joints_of: dict[int, set[int]] = {}
    for number, joint in enumerate(joints):
        for node in joint.nodes:
            joints_of.setdefault(node, set()).add(number)
    left, ends = set(range(len(joints))), list(joints_of)
    while ends:
        node = ends.pop()
        if len(joints_of[node]) != 1:
            continue
        (number,) = joints_of[node]
        joint = joints[number]
        jacobian = jacobians[joint.kind][joint.rows, joint.nodes[node]]
        if fixed[node].any() and np.linalg.matrix_rank(jacobian[:, ~fixed[node]]) < len(jacobian):
            continue
        left.discard(number)
        for other in joint.nodes:
            joints_of[other].discard(number)
            ends.append(other)
    return [joints[number] for number in sorted(left)]


def _groups(joints: list[_Joint]) -> list[list[_Joint]]:
    """Joints that have moving nodes in common, directly or through others."""
    groups: list[tuple[set[int], list[_Joint]]] = []
    for joint in joints:
        nodes, members, apart = set(joint.nodes), [joint], []
        for group in groups:
            if group[0] & nodes:
                nodes, members = nodes | group[0], group[1] + members
            else:
                apart.append(group)
        groups = [*apart, (nodes, members)]
    return [members for _, members in groups]


def _search(
    kinds: Sequence[PartKind], jacobians: list[Array], fixed: Flags
) -> tuple[list[str], list[Indices], list[tuple[int, int, int]], Indices]:
    """Names of the loops; places of each kind's constraints in their rows; first row, end and columns; columns."""
    joints = list(_joints(kinds, fixed))
    places = [np.full(len(jacobian), -1) for jacobian in jacobians]
    columns = np.full(fixed.shape, -1)
    names, loops, end = [], [], 0
    groups = _groups(_without_ends(joints, jacobians, fixed)) if len(joints) <= MOST_JOINTS else []
    for members in groups:
        count = sum(joint.rows.stop - joint.rows.start for joint in members)
        if count > MOST_ROWS:
            continue
        start = end
        for joint in members:
            rows = joint.rows.stop - joint.rows.start
            places[joint.kind][joint.rows] = end + np.arange(rows)
            end += rows
        nodes = sorted({node for joint in members for node in joint.nodes})
        free = ~fixed[nodes]
        columns[nodes] = np.where(free, free.cumsum().reshape(free.shape) - 1, -1)
        loops.append((start, end, int(free.sum())))
        more = ["…"] if len(members) > NAMED else []
        names.append(", ".join([*(joint.name for joint in members[:NAMED]), *more]))
    return names, places, loops, columns


class LoopRanges(NamedRanges):
    """The ranges of the loops of joints in a model, for `fem_mbd.core.model.ranges.Ranges`.

    Parameters
    ----------
    kinds : with bilateral constraints, numbered
    fixed : (n, 6) fixed unknowns of the nodes
    q : (n, 4, 3) reference configuration
    length : of the model, m
    """

    label: ClassVar[str] = "loop of joints"
    ranges: ClassVar[tuple[Range, ...]] = (
        Range(
            "change of the distance from a singular position", "1", NEAR,
            "one of its constraints nearly depends on the others: reactions are as many times larger than elsewhere, "
            "and the motion may go on in another branch",
            "guide it across (a spring, a second mechanism), or change a length so that it keeps away",
            "sine of the angle between a row of the constraint Jacobian and the others, over its value at the start: "
            "the reactions to a load grow as its inverse",
        ),
        Range(
            "independence of redundant constraints", "1", INDEPENDENT,
            "constraints that depended on the others at the start hold a motion now that was free",
            "replace a joint by a freer one, such as a revolute joint of a plane loop by a spherical one",
            "sine of the angle between a row of the constraint Jacobian and the others: zero while it is redundant",
        ),
    )  # fmt: skip

    def __init__(self, kinds: Sequence[PartKind], fixed: Flags, q: Array, length: float):
        self._kinds = kinds
        jacobians = [np.ascontiguousarray(kind.velocity_jacobian(q)) for kind in kinds]
        self.names, self._places, loops, columns = _search(kinds, jacobians, fixed)
        self.measures = np.zeros((len(self.ranges), len(loops)))
        self._length, self._moved = length, np.zeros(2)
        if not loops:
            return
        widths = [width for _, _, width in loops]
        self._rows = np.zeros((loops[-1][1], max(widths)))
        most = max(end - start for start, end, _ in loops)
        self._gram, self._sines = np.zeros((most + 1, most)), np.zeros((2, len(loops)))
        self._loops = np.array([(*loop, 0) for loop in loops])
        self._columns, self._jacobians = columns, jacobians
        self._nodes = [np.repeat(kind.nodes, kind.multipliers, axis=0) for kind in self._kinds]
        for call in self._calls():
            call()
        for loop in self._loops:
            start, end, width, _ = loop
            values = np.linalg.svd(self._rows[start:end, :width], compute_uv=False)
            loop[3] = end - start - (values > REDUNDANT).sum()
        sines(self._rows, self._loops, self._gram, self._sines)
        self._reference = self._sines.copy()

    def _calls(self) -> Iterator[Call]:
        """Calls that fill the rows from the Jacobians."""
        for jacobian, nodes, places in zip(self._jacobians, self._nodes, self._places, strict=True):
            yield Call(place_rows, jacobian, nodes, places, self._columns, self._length, self._rows)

    def tasks(self, phase: str, workspace: Workspace) -> Sequence[Task]:
        """The calls that fill ``measures``."""
        if not self.names:
            return []
        fill = [
            task
            for kind, jacobian in zip(self._kinds, self._jacobians, strict=True)
            for task in kind.jacobian_tasks(workspace.q_f, jacobian)
        ]
        self._list = CallList([
            *fill, *self._calls(),
            Call(sines, self._rows, self._loops, self._gram, self._sines),
            Call(compare, self._sines, self._reference, self._moved, self.measures),
        ])  # fmt: skip
        nodes = np.flatnonzero((self._columns >= 0).any(axis=1))
        return [Call(evaluate, workspace.x, nodes, self._length, self._moved, self._list.table)]
