"""Chaos from stored histories: largest Lyapunov exponent with its uncertainty, Poincaré sections, recurrence times.

The exponent is the rate at which neighbouring motions diverge. It is computed from one long run, by the neighbours
among its own points (Rosenstein, Collins and De Luca, Physica D 65 (1993) 117), or from two runs that start close to
each other, by the distance between them. Both fit a straight line to the mean logarithm of the distance, up to the
distance at which the divergence saturates.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import pi, sqrt

import numpy as np
from numpy.typing import ArrayLike

from fem_mbd.base.arrays import Array, Indices
from fem_mbd.base.validation import positive
from fem_mbd.errors import InputError

SATURATION = 0.1  # fraction of the motion's size (root mean square) up to which neighbours diverge freely
BLOCKS = 10  # number of groups of reference points, whose slopes give the scatter
MIN_POINTS = 3  # smallest number of points of a line
FOLLOWED_PART = 10  # neighbours are followed over 1/FOLLOWED_PART of the points


@dataclass(frozen=True)
class LyapunovExponent:
    """Estimate of a Lyapunov exponent.

    Attributes
    ----------
    value : per row of the points, or per second
    uncertainty : standard error, from the scatter of parts of the data
    points : of the fitted line
    """

    value: float
    uncertainty: float
    points: int


def exponent_of_points(points: ArrayLike, apart: int = 1) -> LyapunovExponent:
    """The exponent of a long series of points, such as a Poincaré section: per row.

    Parameters
    ----------
    points : (n, d) in comparable units
    apart : smallest distance of neighbours in rows; for samples of a smooth motion more than its mean period

    Returns
    -------
    LyapunovExponent
        Per row: divide by the period for the exponent per second; for sections once per revolution, per revolution.

    Raises
    ------
    InputError
        For too few points to have close neighbours.
    """
    x = np.asarray(points, dtype=float)
    x = x[:, None] if x.ndim == 1 else x
    steps = len(x) // FOLLOWED_PART
    if steps < MIN_POINTS:
        raise InputError(
            f"exponent_of_points: {len(x)} points are too few: give at least {FOLLOWED_PART * MIN_POINTS}"
        )
    logs = _log_distances(x, _neighbours(x[: len(x) - steps], apart), steps)
    mean = np.nanmean(logs, axis=0)
    saturated = np.flatnonzero(mean > np.log(SATURATION * _size(x)))
    last = int(saturated[0]) if len(saturated) else steps
    if last < MIN_POINTS:
        raise InputError(
            f"exponent_of_points: {len(x)} points are too few: neighbours are as far apart as the motion is large"
        )
    slopes = [_slope(np.nanmean(block[:, :last], axis=0)) for block in np.array_split(logs, BLOCKS)]
    return LyapunovExponent(_slope(mean[:last]), float(np.std(slopes, ddof=1)) / sqrt(BLOCKS), last)


def exponent_of_two(time: ArrayLike, first: ArrayLike, second: ArrayLike) -> LyapunovExponent:
    """The exponent from two runs with slightly different initial states: per second.

    The uncertainty is the scatter of the slopes of two halves of the line: one pair of runs covers a small part of the
    motion only, so compare several pairs.

    Parameters
    ----------
    time : (k,) s
    first, second : (k, d) states of the two runs at these times, in comparable units

    Returns
    -------
    LyapunovExponent
        Per second.

    Raises
    ------
    InputError
        For identical runs, or runs that diverge within a few rows.
    """
    t, a, b = (np.asarray(v, dtype=float) for v in (time, first, second))
    a, b = a.reshape(len(t), -1), b.reshape(len(t), -1)
    distance = np.linalg.norm(a - b, axis=1)
    saturated = np.flatnonzero(distance > SATURATION * _size(a))
    last = int(saturated[0]) if len(saturated) else len(t)
    used = np.flatnonzero(distance[:last] > 0.0)
    if len(used) < 2 * MIN_POINTS:
        raise InputError(
            "exponent_of_two: the runs are identical or diverge at once: perturb the initial state of one "
            "of them slightly"
        )
    logs, half = np.log(distance[used]), len(used) // 2
    slopes = [float(np.polyfit(t[part], np.log(distance[part]), 1)[0]) for part in (used[:half], used[half:])]
    return LyapunovExponent(
        float(np.polyfit(t[used], logs, 1)[0]), 0.5 * abs(slopes[1] - slopes[0]), len(used)
    )


def _neighbours(x: Array, apart: int) -> Indices:
    """(n,) index of the nearest other point of each point that is at least ``apart`` rows away."""
    rows, nearest = np.arange(len(x)), np.empty(len(x), dtype=np.int64)
    for i in rows:
        distance = ((x - x[i]) ** 2).sum(axis=1)
        distance[(np.abs(rows - i) < apart) | (distance == 0.0)] = np.inf
        nearest[i] = int(np.argmin(distance))
    return nearest


def _log_distances(x: Array, neighbours: Indices, steps: int) -> Array:
    """(references, steps) logarithm of the distance between each point and its neighbour after so many rows; nan for
    zero.
    """
    rows = np.arange(len(neighbours))
    columns = [np.linalg.norm(x[rows + k] - x[neighbours + k], axis=1) for k in range(steps)]
    distance = np.column_stack(columns)
    return np.log(distance, out=np.full_like(distance, np.nan), where=distance > 0.0)


def _size(x: Array) -> float:
    """Root mean square distance of the points from their mean."""
    return sqrt(float(((x - x.mean(axis=0)) ** 2).sum(axis=1).mean()))


def _slope(values: Array) -> float:
    return float(np.polyfit(np.arange(len(values)), values, 1)[0])


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
    change = np.sign(g[last]) - np.sign(g[first])
    passes = (change != 0.0) & ((direction == 0) | (np.sign(change) == direction))
    first, last = first[passes], last[passes]
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
