"""Angular momentum of groups of bodies on which nothing acts from outside, in every step (compiled).

About its mass centre the angular momentum of such a group is constant; weight does not change it. The scheme dissipates
energy of motions that a step does not resolve, and with it angular momentum: a body that nutates by y rad a step loses
1 - |R(i y)| of its nutation, with R(z) = (1 + z/3)/(1 - 2 z/3 + z^2/6) of the linear oscillator (theory.md, section 6):

    |R(i y)|^2 = (1 + y^2/9) / (1 + y^2/9 + y^4/36),        1 - |R| = y^4/72 + O(y^6).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from fem_mbd.base.arrays import Flags, Indices
from fem_mbd.core.compiled import kernel
from fem_mbd.core.compiled.calls import Call, Task
from fem_mbd.core.compiled.signatures import indices, matrix, void
from fem_mbd.core.compiled.vectors import cross, length
from fem_mbd.core.model.ranges import NamedRanges, Range
from fem_mbd.core.model.workspace import Configuration, Masses, Workspace
from fem_mbd.core.scheme.matrix_structure import connected_rows

if TYPE_CHECKING:
    from fem_mbd.core.model.part_kind import PartKind

LOSS = 1e-4  # of the angular momentum in a step
NAMED = 3  # nodes in the name of a group
SPEED_ROUND_OFF = 1e-10  # of the speed: far above the round-off of speeds relative to the mass centre


@kernel
def _add_momentum(place, speed, r, speeds, mass, inertia, total):
    """total (3,) += m place x speed + R J spin, spin = speeds[3:]; returns the sum of the lengths of both."""
    orbit = cross(place, speed)
    spin_momentum = np.empty(3)
    for i in range(3):
        spin_momentum[i] = 0.0
        for a in range(3):
            for b in range(3):
                spin_momentum[i] += r[i, a] * inertia[a, b] * speeds[3 + b]
        total[i] += mass * orbit[i] + spin_momentum[i]
    return mass * length(orbit) + length(spin_momentum)


@kernel
def _centre(q, speeds, mass, members, centre):
    """Fill centre (2, 3) with place and speed of the mass centre; q (n, 4, 3), speeds (n, 6)."""
    whole = 0.0
    centre[:] = 0.0
    for k in members:
        whole += mass[k]
        for i in range(3):
            centre[0, i] += mass[k] * q[k, 0, i]
            centre[1, i] += mass[k] * speeds[k, i]
    for s in range(2):
        for i in range(3):
            centre[s, i] /= whole


@kernel
def _momentum(q, r, speeds, masses, members, total):
    """Fill total (3,) with the angular momentum of the members about their mass centre; returns the sum of its parts.

    The sum has the round-off of speeds, which are relative to the mass centre's.
    """
    centre, place, speed, size = np.empty((2, 3)), np.empty(3), np.empty(3), 0.0
    _centre(q, speeds, masses.mass, members, centre)
    total[:] = 0.0
    drift = length(centre[1])
    for k in members:
        for i in range(3):
            place[i], speed[i] = q[k, 0, i] - centre[0, i], speeds[k, i] - centre[1, i]
        size += _add_momentum(place, speed, r[k], speeds[k], masses.mass[k], masses.inertia[k], total)
        size += SPEED_ROUND_OFF * masses.mass[k] * length(place) * drift
    return size


@kernel(void(indices, indices, Configuration, matrix, matrix, Masses, matrix))
def losses(groups, members, configuration, x_i, x_f, masses, out):
    """out (1, n): change of the angular momentum of each group in the step, over the sum of its parts' own.

    groups (n + 1,): first of the ``members`` of each group, and their number; x_i (nodes, 6) = dt (v_i, Omega_i), and
    x_f, which is filled, likewise at the end.
    """
    x, r_i, q_i, r_f, q_f = configuration
    before, after = np.empty(3), np.empty(3)
    for k in members:
        for i in range(6):
            x_f[k, i] = x[k, i] + x[k, 6 + i]
    for g in range(groups.shape[0] - 1):
        nodes = members[groups[g] : groups[g + 1]]
        size = _momentum(q_i, r_i, x_i, masses, nodes, before)
        size = max(size, _momentum(q_f, r_f, x_f, masses, nodes, after))
        for i in range(3):
            after[i] -= before[i]
        out[0, g] = length(after) / size if size > 0.0 else 0.0


class MomentumRanges(NamedRanges):
    """The range of all groups of bodies on which nothing acts from outside, for `fem_mbd.core.model.ranges.Ranges`.

    Parameters
    ----------
    kinds : of all parts
    fixed : (n, 6) fixed unknowns of the nodes
    points : nodes that are point masses, whose fixed rotation holds nothing
    names : of the nodes
    """

    label: ClassVar[str] = "free bodies"
    ranges: ClassVar[tuple[Range, ...]] = (
        Range(
            "angular momentum lost in a step", "1", LOSS,
            "nothing acts from outside, so that it is constant: in a hundred steps, 1 % is lost", "use shorter steps",
            "the scheme's dissipation: a nutation by y rad in a step loses y^4/72 of itself",
        ),
    )  # fmt: skip

    def __init__(self, kinds: Sequence[PartKind], fixed: Flags, points: Iterable[int], names: Sequence[str]):
        groups = _free_groups(kinds, fixed, points)
        self.measures = np.zeros((1, len(groups)))
        self._members = np.concatenate([np.zeros(0, dtype=np.int64), *groups])
        self._groups = np.cumsum([0, *map(len, groups)])
        self._x_f = np.zeros(fixed.shape if groups else (0, 6))
        more = [["…"] if len(group) > NAMED else [] for group in groups]
        self.names = [
            ", ".join([*(names[k] for k in group[:NAMED]), *rest])
            for group, rest in zip(groups, more, strict=True)
        ]

    def tasks(self, phase: str, workspace: Workspace) -> Sequence[Task]:
        """The call that fills ``measures``."""
        if not self.names:
            return []
        return [
            Call(
                losses, self._groups, self._members, workspace.configuration, workspace.x_i, self._x_f,
                workspace.masses, self.measures
            )
        ]  # fmt: skip


def _free_groups(kinds: Sequence[PartKind], fixed: Flags, points: Iterable[int]) -> list[Indices]:
    """Nodes of the groups that parts connect with each other only, and on which no load acts."""
    count = len(fixed)
    counted = fixed.copy()
    counted[list(points), 3:] = False
    bound = counted.any(axis=1)
    if bound.all():
        return []
    row, column, rows = [np.arange(count)], [np.arange(count)], count  # every node is in one group
    for kind in kinds:
        nodes = kind.nodes_read()
        part, place = np.nonzero(nodes >= 0)
        row.append(rows + part)
        column.append(nodes[part, place])
        rows += len(nodes)
        if kind.applied:
            bound[nodes[nodes >= 0]] = True
    group = connected_rows(np.concatenate(row), np.concatenate(column), rows, count)[:count]
    bound[group[bound]] = True  # the first of its group
    return [np.flatnonzero(group == g) for g in np.unique(group[~bound[group]])]
