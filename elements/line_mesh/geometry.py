"""Geometry of line meshes: curves through the points of a line, traversal of connected lines, rigid joints at ends."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Any

import numpy as np

from fem_mbd.base.arrays import Array, Indices
from fem_mbd.core.model.model import Model
from fem_mbd.core.model.node import Node
from fem_mbd.core.rotations import unit_vector
from fem_mbd.core.scheme.constraints.constraint_kind import ConstraintKind, Constraints
from fem_mbd.core.scheme.constraints.forms import Form, axis, point
from fem_mbd.elements.curve import Curve, ReferenceLine, Straight
from fem_mbd.elements.quadrature import lagrange
from fem_mbd.errors import InputError

ON_CHORD = 1e-9  # of the chord: tolerance of inner points for a straight line with equal spacing
PARALLEL = 1e-6  # smallest sine of the angle between `up` and the line


def line_of(points: Array, up: Any, what: str) -> ReferenceLine:
    """The curve through ``points`` (2 to 4, 3), equally spaced in its parameter; section axis 3 towards ``up``.

    Raises
    ------
    InputError
        Naming ``what``, for a line that reverses or is parallel to ``up``.
    """
    chord = points[-1] - points[0]
    equal = points[0] + np.linspace(0, 1, len(points))[:, None] * chord
    try:
        if np.abs(points - equal).max() <= ON_CHORD * np.linalg.norm(chord):
            return Straight(points[0], points[-1], up=up)
        return Curve(_polynomial(points, _up(up, chord)))
    except InputError as error:
        raise InputError(f"{what}: {error}") from error


def _up(up: Any, chord: Array) -> Array:
    """Direction of section axis 3; the default is that of `Straight` for the line's chord."""
    if up is not None:
        return unit_vector(up, "up")
    steep = np.hypot(chord[0], chord[1]) < np.sin(np.radians(1.0)) * np.linalg.norm(chord)
    return np.array([1.0, 0.0, 0.0] if steep else [0.0, 0.0, 1.0])


def _polynomial(points: Array, up: Array) -> Any:
    at = np.linspace(-1, 1, len(points))

    def frame(p: float) -> tuple[Array, Array]:
        values, slopes = lagrange(at, 2 * p - 1)
        tangent = slopes @ points
        size = float(np.linalg.norm(tangent))
        if size == 0.0:
            raise InputError("its derivative vanishes: place the inner points closer to equal distances")
        one = tangent / size
        two = np.cross(up, one)
        if np.linalg.norm(two) < PARALLEL:
            raise InputError("up is along the line: give a direction across it")
        two /= np.linalg.norm(two)
        return values @ points, np.column_stack([one, two, np.cross(one, two)])

    return frame


def connected_order(cells: Sequence[Indices]) -> list[int]:
    """Order of lines: each, except the first of a connected part, shares an end with an earlier one."""
    at: dict[int, list[int]] = defaultdict(list)
    for k, cell in enumerate(cells):
        at[int(cell[0])].append(k)
        at[int(cell[-1])].append(k)
    order: list[int] = []
    done = [False] * len(cells)
    for first in range(len(cells)):
        queue = [] if done[first] else [first]
        while queue:
            k = queue.pop(0)
            if done[k]:
                continue
            done[k] = True
            order.append(k)
            queue += [n for end in (cells[k][0], cells[k][-1]) for n in at[int(end)] if not done[n]]
    return order


def join_rigidly(model: Model, k: Node, l: Node, name: str) -> None:
    """Connect two nodes at the same position rigidly: the six conditions of a clamp."""

    def conditions(x_k: Array, x_l: Array) -> list[tuple[int, Form]]:
        gap = point(1, x_l) - point(0, x_k)
        together = [(i, gap.component(np.eye(3)[i])) for i in range(3)]
        pairs = ((0, 1), (1, 2), (2, 0))
        # rows of a rotation are the global axes in node axes
        turns = [
            (3 + n, axis(0, k.rotation[a]).dot(axis(1, l.rotation[b]))) for n, (a, b) in enumerate(pairs)
        ]
        return together + turns

    label = model.registry.unique_name(name)
    model.registry.add(ConstraintKind, Constraints(label, "clamp", k.point, l.point, conditions))
