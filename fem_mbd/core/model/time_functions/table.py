"""Tabulated function of time: linear, cubic or step interpolation."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
import scipy

from fem_mbd.base.arrays import Array
from fem_mbd.core.model.time_functions import kernels
from fem_mbd.core.model.time_functions.base import Instruction, TimeFunction
from fem_mbd.core.model.time_functions.values import Value, as_rows, ascending, sided, three
from fem_mbd.errors import InputError


@dataclass(frozen=True, eq=False)
class Table(TimeFunction):
    """Interpolation of values at given times; constant before the first and after the last time.

    Parameters
    ----------
    times : (k,) s, ascending
    values : (k,) or (k, 3)
    kind : "linear"; "cubic", the spline with continuous acceleration (not-a-knot ends); or "step", each value constant
        from its time until the next
    """

    times: Any
    values: Any
    kind: Literal["linear", "cubic", "step"] = "linear"
    _instants: list[float] = field(init=False, repr=False)  # the times as plain numbers, for faster look-up
    _pieces: list[Any] = field(init=False, repr=False)  # coefficients of k + 1 cubics, highest power first

    def __post_init__(self) -> None:
        if self.kind not in ("linear", "cubic", "step"):
            raise InputError(f"Table kind is {self.kind!r}: choose 'linear', 'cubic' or 'step'")
        times, values = as_rows(self.times, "Table times"), as_rows(self.values, "Table values")
        if times.ndim != 1 or len(times) < 2 or len(times) != len(values):
            raise InputError(
                f"Table has times of shape {times.shape} and values of shape {values.shape}: "
                "give one value per time, and at least two"
            )
        ascending(times, "Table times")
        object.__setattr__(self, "times", times)
        object.__setattr__(self, "values", values)
        object.__setattr__(self, "_instants", times.tolist())
        cubics = np.moveaxis(_cubics(times, values, self.kind), 1, 0)
        object.__setattr__(
            self, "_pieces", cubics.tolist() if values.ndim == 1 else [tuple(c) for c in cubics]
        )

    def value(self, t: float, side: int = 1) -> Value:
        a, b, c, d, s = self._piece(t, side)
        return ((a * s + b) * s + c) * s + d

    def rate(self, t: float, side: int = 1) -> Value:
        a, b, c, _, s = self._piece(t, side)
        return (3.0 * a * s + 2.0 * b) * s + c

    def breakpoints(self) -> tuple[float, ...]:
        times: list[float] = self.times.tolist()
        return (times[0], times[-1]) if self.kind == "cubic" else tuple(times)

    def instructions(self) -> list[Instruction] | None:
        cubics = [x for piece in self._pieces for c in piece for x in three(c)]
        return [Instruction(kernels.TABLE, [*self._instants, *cubics], len(self._instants))]

    def _piece(self, t: float, side: int) -> tuple[Any, Any, Any, Any, float]:
        """Coefficients of the cubic at `t`, highest power first, and the time since its start."""
        nearest = bisect_left(self._instants, t)
        at = sided(t, self._instants[max(nearest - 1, 0) : nearest + 1], side)
        k = bisect_right(self._instants, at)
        return *self._pieces[k], (at - self._instants[k - 1] if k else 0.0)


def _cubics(times: Array, values: Array, kind: str) -> Array:
    """Coefficients of each piece of the table, of the time before it (first) and the time after it (last)."""
    cubics = np.zeros((4, len(times) + 1, *values.shape[1:]))
    cubics[3, 0] = values[0]
    cubics[3, 1:] = values
    if kind == "linear":
        durations = np.diff(times).reshape(-1, *(1,) * (values.ndim - 1))
        cubics[2, 1:-1] = np.diff(values, axis=0) / durations
    elif kind == "cubic":
        cubics[:, 1:-1] = scipy.interpolate.CubicSpline(times, values).c
    return cubics
