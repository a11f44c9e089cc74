"""Warning for beams that touch at a node without being connected: often a node that was meant to be shared."""

from __future__ import annotations

import warnings
from collections.abc import Sequence

import numpy as np
import scipy

from fem_mbd.base.arrays import Array, Indices
from fem_mbd.core.model.model import Model
from fem_mbd.errors import FemMbdWarning

GAP_RATIO = 1e-4  # largest gap, as a fraction of the shorter beam's length between its ends
MIN_TREE_DISTANCES = 100_000  # distances from which on a k-d tree is faster, its import included


class UnconnectedNodeWarning(FemMbdWarning):
    """Two beams touch at a node but are not connected."""


def warn_of_unconnected_nodes(model: Model, joined: Sequence[Indices], held: Sequence[int]) -> None:
    """A `UnconnectedNodeWarning` for each end of a beam that is next to a node of another beam and not joined to it.

    Parameters
    ----------
    joined : (n_parts, k) nodes of each part, -1 where it has fewer
    held : fixed nodes, which count as the ground
    """
    if len(model.lines) < 2:
        return
    owners: dict[int, list[int]] = {}
    for line, (_, nodes) in enumerate(model.lines):
        for node in nodes:
            owners.setdefault(node.index, []).append(line)
    members = np.array(sorted(owners))
    positions = np.array([model.nodes[k].position for k in members])
    spans = np.array([np.linalg.norm(nodes[-1].position - nodes[0].position) for _, nodes in model.lines])
    ends = [(line, end) for line, (_, nodes) in enumerate(model.lines) for end in (nodes[0], nodes[-1])]
    near = _near(positions, np.array([end.position for _, end in ends]), GAP_RATIO * np.repeat(spans, 2))
    touching = [
        (line, end, model.nodes[members[k]])
        for (line, end), neighbours in zip(ends, near, strict=True)
        for k in neighbours
        if members[k] != end.index
    ]
    # a beam shorter than a gap joins its ends
    short = [
        [node.index for node in nodes]
        for (_, nodes), span in zip(model.lines, spans, strict=True)
        if span <= GAP_RATIO * spans.max()
    ]
    group = _groups(len(model.nodes), model, joined, held, short) if touching else []
    warned: set[tuple[int, int]] = set()
    for line, end, other in touching:
        pair = (min(end.index, other.index), max(end.index, other.index))
        if group[end.index] == group[other.index] or pair in warned:
            continue
        for second in owners[other.index]:
            distance = float(np.linalg.norm(end.position - other.position))
            if line not in owners[other.index] and distance <= GAP_RATIO * spans[second]:
                warned.add(pair)
                _warn(model.lines[line][0], model.lines[second][0], end.name, other.name, distance)
                break


def _near(positions: Array, ends: Array, radii: Array) -> Sequence[Sequence[int]]:
    """Indices of the positions within the radius of each end."""
    if len(positions) * len(ends) > MIN_TREE_DISTANCES:
        return list(scipy.spatial.KDTree(positions).query_ball_point(ends, radii))
    distances = np.linalg.norm(ends[:, None] - positions, axis=2)
    return [np.flatnonzero(row).tolist() for row in distances <= radii[:, None]]


def _groups(
    count: int, model: Model, joined: Sequence[Indices], held: Sequence[int], short: Sequence[Sequence[int]]
) -> list[int]:
    """A number per node, equal for nodes that are connected by parts other than beams, or by ``short`` beams."""
    lines_of: list[set[int]] = [set() for _ in range(count)]
    for line, (_, members) in enumerate(model.lines):
        for node in members:
            lines_of[node.index].add(line)
    before = list(range(count))  # union-find: another node of the same group, or the node itself

    def first(node: int) -> int:
        while before[node] != node:
            before[node] = node = before[before[node]]
        return node

    for fixed in held:
        before[first(fixed)] = first(0)
    for nodes in short:
        for k in nodes[1:]:
            before[first(k)] = first(nodes[0])
    for parts in joined:
        for row in parts.tolist():
            nodes_of_part = [k for k in row if k >= 0]
            if not nodes_of_part or set.intersection(*(lines_of[k] for k in nodes_of_part)):
                continue  # of one beam
            for k in nodes_of_part[1:]:
                before[first(k)] = first(nodes_of_part[0])
    return [first(k) for k in range(count)]


def _warn(first: str, second: str, node: str, other: str, distance: float) -> None:
    warnings.warn(
        f"beams '{first}' and '{second}' meet (node '{node}' is {distance:.3g} m from '{other}') but nothing joins "
        f"them: share the node, e.g. start={first}.end, or add a joint",
        UnconnectedNodeWarning,
        stacklevel=5,
    )
