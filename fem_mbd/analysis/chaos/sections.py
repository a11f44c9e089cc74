"""Poincaré sections and recurrence times computed from stored histories."""

from __future__ import annotations

from math import pi

import numpy as np
from numpy.typing import ArrayLike

from fem_mbd.base.arrays import Array
from fem_mbd.base.validation import positive
from fem_mbd.errors import InputError


def poincare_section(
    phase: ArrayLike, quantities: ArrayLike, at: float = 0.0, period: float = 2 * pi
) -> Array:
    """Values of quantities whenever an increasing phase, such as a crank angle, passes ``at`` plus whole periods.

    Parameters
    ----------
    phase : (k,) rad, non-decreasing, such as the unwrapped angle of a driven crank
    quantities : (k, m) at the same times; linearly interpolated between them
    at : rad, of the section
    period : rad

    Returns
    -------
    array
        (n, m), one row for every passage, in order of time.

    Raises
    ------
    InputError
        For a decreasing phase, or arrays of inconsistent shapes.
    """
    angle, values = np.asarray(phase, dtype=float), np.asarray(quantities, dtype=float)
    values = values[:, None] if values.ndim == 1 else values
    positive(period, "poincare_section: period")
    if angle.ndim != 1 or len(angle) != len(values) or len(angle) < 2:
        raise InputError("poincare_section: give phase (k,) and quantities (k, m) at the same times")
    if np.any(np.diff(angle) < 0.0):
        raise InputError("poincare_section: the phase decreases; give one that only increases (numpy.unwrap)")
    first = np.ceil((angle[0] - at) / period)
    passages = at + period * np.arange(first, np.floor((angle[-1] - at) / period) + 1)
    return np.column_stack([np.interp(passages, angle, column) for column in values.T])


def surface_section(signal: ArrayLike, quantities: ArrayLike, direction: int = 1) -> Array:
    """Values of quantities whenever a signal passes zero: the section of a motion without a driving phase.

    Parameters
    ----------
    signal : (k,) for instance a swinging crank's angle minus that of the section
    quantities : (k, m) at the same times; signal and quantities are linearly interpolated between them
    direction : 1: where the signal rises through zero, -1: where it falls, 0: both

    Returns
    -------
    array
        (n, m), one row for every passage, in order of time; touching zero is not a passage.

    Raises
    ------
    InputError
        For arrays of inconsistent shapes, or an invalid direction.
    """
    g, values = np.asarray(signal, dtype=float), np.asarray(quantities, dtype=float)
    values = values[:, None] if values.ndim == 1 else values
    if g.ndim != 1 or len(g) != len(values) or len(g) < 2:
        raise InputError("surface_section: give signal (k,) and quantities (k, m) at the same times")
    if direction not in (-1, 0, 1):
        raise InputError(f"surface_section: direction is {direction!r}: give 1, -1 or 0")
    rows = np.flatnonzero(g)  # zeros belong to the passage between their neighbours
    first, last = rows[:-1], rows[1:]
    turned = np.sign(g[last]) - np.sign(g[first])
    passed = (turned != 0.0) & ((direction == 0) | (np.sign(turned) == direction))
    first, last = first[passed], last[passed]
    share = (g[first] / (g[first] - g[last]))[:, None]
    return np.asarray((1.0 - share) * values[first] + share * values[last])


def recurrence_times(points: ArrayLike, centre: ArrayLike, radius: float) -> Array:
    """Numbers of rows between visits to a ball: for ergodic motions their mean is one over the share of visits (Kac).

    Parameters
    ----------
    points : (n, d), for instance of a section
    centre : (d,)
    radius : in the units of the points; points on the ball's surface do not count

    Returns
    -------
    array
        (visits - 1,) whole numbers.

    Raises
    ------
    InputError
        For a ball that is visited less than twice.
    """
    x = np.asarray(points, dtype=float)
    x = x[:, None] if x.ndim == 1 else x
    visits = np.flatnonzero(
        np.linalg.norm(x - np.asarray(centre), axis=1) < positive(radius, "recurrence_times: radius")
    )
    if len(visits) < 2:
        raise InputError(
            f"recurrence_times: {len(visits)} visits to the ball: give a larger radius or more points"
        )
    return np.diff(visits)
