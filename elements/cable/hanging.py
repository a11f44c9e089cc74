"""Shapes at rest of chains of elements that carry tension only, exact for the elements, not for a continuous cable.

The force in element i, counted from the start, has the same horizontal part H in all elements, and the vertical part
V_i = V - (n - i) w, w being the weight of an element: half of it acts at each of its nodes. An element of natural
length L carries T = EA (s^2 - 1) s/2 at the stretch s; it lies along its force. H and V of the last element follow from
the position of the end by Newton's method, from those of the elastic catenary.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from fem_mbd.base.arrays import Array
from fem_mbd.elements.cable.catenary import (
    VERTICAL_TOLERANCE,
    MooringLine,
    solve_shape,
    upper_force,
)
from fem_mbd.errors import InputError

STRETCH_ITERATIONS = 60
CONVERGED = 1e-14  # of a stretch, or of the height: Newton's next step is below round-off


def stretch_under(tension: Any, stiffness: float) -> Array:
    """Stretch s of elements under tensions T (complex for complex steps), N: T = EA (s^2 - 1) s/2.

    Raises
    ------
    InputError
        When none is found, as under a compression of nearly EA/sqrt(27).
    """
    load = tension / stiffness
    # above the root of a convex function: Newton converges from one side
    large = np.real(load) > 1.0
    s = 1.0 + np.where(large, 1.26 * np.where(large, load, 1.0) ** (1 / 3), load)
    for _ in range(STRETCH_ITERATIONS):
        change = (0.5 * (s * s - 1.0) * s - load) / (1.5 * s * s - 0.5)
        s = s - change
        if np.abs(change).max() <= CONVERGED * np.abs(s).max():
            return np.asarray(s)
    raise InputError(
        f"cable: no stretch is found under {np.real(tension).min():.4g} N with EA = {stiffness:.4g} N"
    )


def straight_chain(span: Array, elements: int) -> Array:
    """(elements + 1, 3) nodes on a straight line from the origin to ``span`` (3,)."""
    return np.linspace(0.0, 1.0, elements + 1)[:, None] * span


def hanging_chain(
    name: str, span: Array, length: float, elements: int, stiffness: float, weight: Array
) -> Array:
    """Nodes (elements + 1, 3) of a chain at rest between the origin and ``span``, m.

    Parameters
    ----------
    name : of the cable, for messages
    span : (3,) m from its start to its end
    length : m, natural
    elements : their number
    stiffness : N, EA
    weight : (3,) N/m, per natural length

    Raises
    ------
    InputError
        For a slack cable without weight or with its ends one above the other, and a shape that is not found.
    """
    distance, w = float(np.linalg.norm(span)), float(np.linalg.norm(weight))
    if elements == 1:
        return straight_chain(span, 1)
    if w == 0.0:
        if distance < length:
            raise InputError(
                f"cable '{name}' is {length:g} m long between ends {distance:g} m apart, and has no weight: its "
                "shape is not determined; give the model a gravity before the cable is added, or a shorter length"
            )
        return straight_chain(span, elements)
    up = -weight / w
    z = float(span @ up)
    across = span - z * up
    x = float(np.linalg.norm(across))
    if x <= VERTICAL_TOLERANCE * length:
        along = _vertical_chain(name, z, length, elements, stiffness, w)
        return np.asarray(along[:, None] * span / distance)
    line = MooringLine(name, np.zeros(3), span, length, w, stiffness, bed=False)
    h, v = upper_force(line, x, z)
    piece = length / elements
    chain = partial(_elements, piece, elements, stiffness, w * piece)
    found = solve_shape(
        lambda a, b: chain(a, b).sum(axis=0), (h, v - 0.5 * w * piece), np.array([x, z]), length
    )
    if found is None:
        raise InputError(
            f"cable '{name}': its shape at rest is not found: move one end sideways, or give more elements"
        )
    in_plane = np.vstack([np.zeros(2), np.cumsum(chain(*found), axis=0)])
    return np.asarray(in_plane[:, :1] * (across / x) + in_plane[:, 1:] * up)


def _elements(piece: float, count: int, stiffness: float, weight: float, h: complex, v: complex) -> Array:
    """(count, 2) m, distances and heights that the elements span, under H and the last element's V."""
    vertical = v - weight * np.arange(count - 1, -1, -1)
    tension = np.sqrt(h * h + vertical * vertical)
    scale = piece * stretch_under(tension, stiffness) / tension
    return np.column_stack([h * scale, vertical * scale])


def _vertical_chain(
    name: str, z: float, length: float, elements: int, stiffness: float, weight: float
) -> Array:
    """(elements + 1,) m from the start along the line of a chain whose end is at the height z, none of it slack."""
    piece, height, rises = length / elements, abs(z), z > 0.0
    hung = weight * piece * np.arange(elements)  # below each element, from the lowest inner node on

    def lengths(lowest: complex) -> Array:
        return piece * stretch_under(lowest + hung, stiffness)

    lowest = 0.0
    if lengths(lowest).sum() > height:
        raise InputError(
            f"cable '{name}' is {length:g} m long, its ends are {height:g} m apart, one above the other: it hangs in a "
            "fold, which cannot be its start; move one end sideways"
        )
    for _ in range(STRETCH_ITERATIONS):
        value = lengths(lowest + 1e-30j).sum()
        lowest += (height - value.real) / (value.imag / 1e-30)
        if abs(height - value.real) <= CONVERGED * height:
            break
    else:
        raise InputError(
            f"cable '{name}': its shape at rest is not found: check its length, stiffness and mass"
        )
    upwards = lengths(lowest).real
    return np.concatenate([[0.0], np.cumsum(upwards if rises else upwards[::-1])])
