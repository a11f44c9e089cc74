"""Ranges of the nodes: how far they rotate in a step."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import numpy as np

from fem_mbd.base.arrays import Array, Indices
from fem_mbd.core.compiled import kernel
from fem_mbd.core.compiled.calls import Call, Task
from fem_mbd.core.compiled.signatures import matrix, vector, void
from fem_mbd.core.model.jumps import MAX_ROTATION
from fem_mbd.core.model.ranges import SHORTEN, Range
from fem_mbd.core.model.workspace import Workspace

ROTATION, TURN = range(2)
# Rotation about a fixed axis is exact. Where the axis moves, torques have an error of a quarter of the square of the
# angle of a step (a gyroscope's: 1.06 % at 0.2 rad), so that steps are shorter by this factor: 0.4 %.
MOVING_AXIS = 1.6
FIXED_AXIS = 1e-9  # of the change of the angular velocity: its part across the axis, of an axis that is fixed


@kernel(void(matrix, matrix, vector))
def rotations(x, measures, largest):
    """measures (2, n) = rotation (rad) of every node in the step, from its unknowns x (n, 12).

    largest (1,) = the largest of them, `MOVING_AXIS` times as large for a node whose axis of rotation moves.
    """
    largest[0] = 0.0
    for k in range(x.shape[0]):
        b0, b1, b2 = x[k, 3], x[k, 4], x[k, 5]
        e0, e1, e2 = x[k, 9], x[k, 10], x[k, 11]
        square = b0 * b0 + b1 * b1 + b2 * b2
        c0, c1, c2 = b1 * e2 - b2 * e1, b2 * e0 - b0 * e2, b0 * e1 - b1 * e0
        measures[ROTATION, k] = measures[TURN, k] = angle = np.sqrt(square)
        if c0 * c0 + c1 * c1 + c2 * c2 > (FIXED_AXIS * square) ** 2:
            angle *= MOVING_AXIS
        largest[0] = max(largest[0], angle)


class NodeRanges:
    """The ranges of all nodes, for `fem_mbd.core.model.ranges.Ranges`.

    Parameters
    ----------
    names : of the nodes
    """

    label: ClassVar[str] = "node"
    ranges: ClassVar[tuple[Range, ...]] = (
        Range(
            "rotation in a step", "rad", 1.0,
            "directions of forces and loads vary by more than linear functions in time can follow",
            "use shorter steps, or the default step control",
            "a linear function of time differs from a sine by up to the square of the angle over 12",
        ),
        Range(
            "half turns in a step", "rad", MAX_ROTATION,
            "turns are lost", "use shorter steps", "a rotation is known up to whole turns", SHORTEN,
        ),
    )  # fmt: skip

    def __init__(self, names: Sequence[str]):
        self._names = names
        self.measures = np.zeros((len(self.ranges), len(names)))

    def tasks(self, phase: str, work: Workspace) -> Sequence[Task]:
        """The call that fills ``measures`` and ``work.rotation``."""
        return [Call(rotations, work.x, self.measures, work.rotation)]

    def range_limits(self) -> Array:
        """(2, n) rad."""
        return np.repeat([[one.limit] for one in self.ranges], len(self._names), axis=1)

    def measured_parts(self) -> Indices:
        """(n,) the nodes."""
        return np.arange(len(self._names))

    def part_names(self) -> Sequence[str]:
        """Names of the nodes."""
        return self._names
