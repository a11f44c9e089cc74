"""Reductions of a history to one number: extremes, time averages, integrals, the last value.

Values that are constant over a step (forces of contacts and supports) are weighted with the step's length; those
recorded at the ends of steps are integrated by the trapezoidal rule from the first recorded end.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from fem_mbd.base.arrays import Array


def _mean(t: Array, y: Array, constant: bool) -> float:
    if len(t) < 2:
        return float(y[-1])
    dt = np.diff(t)
    weighted = y[1:] if constant else 0.5 * (y[1:] + y[:-1])
    return float(weighted @ dt / dt.sum())


def _integral(t: Array, y: Array, constant: bool) -> float:
    return _mean(t, y, constant) * float(t[-1] - t[0])


def _rms(t: Array, y: Array, constant: bool) -> float:
    return float(np.sqrt(_mean(t, y**2, constant)))


def _std(t: Array, y: Array, constant: bool) -> float:
    return _rms(t, y - _mean(t, y, constant), constant)


# name: (times (k,) s, values (k,), whether they are constant over a step) to a number
REDUCTIONS: dict[str, Callable[[Array, Array, bool], float]] = {
    "max": lambda t, y, c: float(y.max()),
    "min": lambda t, y, c: float(y.min()),
    "absmax": lambda t, y, c: float(np.abs(y).max()),
    "range": lambda t, y, c: float(np.ptp(y)),
    "final": lambda t, y, c: float(y[-1]),
    "mean": _mean,
    "integral": _integral,
    "rms": _rms,
    "std": _std,
}
