"""Ranges of the nodes: how far they rotate in a step."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import numpy as np

from fem_mbd.base.arrays import Array, Indices
from fem_mbd.core.compiled import kernel
from fem_mbd.core.compiled.calls import Call, Task
from fem_mbd.core.compiled.signatures import matrix, void
from fem_mbd.core.model.ranges import SHORTEN, Range
from fem_mbd.core.model.workspace import Workspace

ROTATION, TURN = range(2)


@kernel(void(matrix, matrix))
def rotations(x, measures):
    """measures (2, n) = rotation (rad) of every node in the step, from its unknowns x (n, 12)."""
    for k in range(x.shape[0]):
        b0, b1, b2 = x[k, 3], x[k, 4], x[k, 5]
        measures[ROTATION, k] = measures[TURN, k] = np.sqrt(b0 * b0 + b1 * b1 + b2 * b2)


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
            "a linear function of time differs from the sine by 2 % of the amplitude over 1 rad",
        ),
        Range(
            "half turns in a step", "rad", 0.999 * np.pi,
            "turns are lost", "use shorter steps", "a rotation is known up to whole turns", SHORTEN,
        ),
    )  # fmt: skip

    def __init__(self, names: Sequence[str]):
        self._names = names
        self.measures = np.zeros((len(self.ranges), len(names)))

    def tasks(self, phase: str, work: Workspace) -> Sequence[Task]:
        """The call that fills ``measures``."""
        return [Call(rotations, work.x, self.measures)]

    def range_limits(self) -> Array:
        """(2, n) rad."""
        return np.repeat([[one.limit] for one in self.ranges], len(self._names), axis=1)

    def measured_parts(self) -> Indices:
        """(n,) the nodes."""
        return np.arange(len(self._names))

    def part_names(self) -> Sequence[str]:
        """Names of the nodes."""
        return self._names
