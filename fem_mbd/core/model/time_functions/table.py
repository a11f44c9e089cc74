"""Piecewise cubic functions of time, and tables: linear, cubic or step interpolation."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import scipy

from fem_mbd.base.arrays import Array
from fem_mbd.core.model.time_functions import kernels
from fem_mbd.core.model.time_functions.base import Instruction, TimeFunction
from fem_mbd.core.model.time_functions.values import Value, as_rows, ascending, sided, three
from fem_mbd.errors import InputError


class _Cubics(TimeFunction):
    """A cubic polynomial in each interval, of the time since its beginning; constant before the first one."""

    _instants: list[float]  # s, as plain numbers, for faster look-up
    # coefficients before the first instant, of each interval, after the last; highest power first
    _pieces: list[Any]

    def _prepare(self, times: Array, cubics: Array) -> None:
        """times (k,); cubics (4, k + 1), or (4, k + 1, 3) for vectors."""
        rows = np.moveaxis(cubics, 1, 0)
        object.__setattr__(self, "_instants", times.tolist())
        object.__setattr__(self, "_pieces", rows.tolist() if cubics.ndim == 2 else [tuple(c) for c in rows])

    def value(self, t: float, side: int = 1) -> Value:
        a, b, c, d, s = self._piece(t, side)
        return ((a * s + b) * s + c) * s + d

    def rate(self, t: float, side: int = 1) -> Value:
        a, b, c, _, s = self._piece(t, side)
        return (3.0 * a * s + 2.0 * b) * s + c

    def breakpoints(self) -> tuple[float, ...]:
        return tuple(self._instants)

    def instructions(self) -> list[Instruction] | None:
        cubics = [x for piece in self._pieces for c in piece for x in three(c)]
        return [Instruction(kernels.TABLE, [*self._instants, *cubics], len(self._instants))]

    def _piece(self, t: float, side: int) -> tuple[Any, Any, Any, Any, float]:
        """Coefficients of the cubic at `t`, highest power first, and the time since its start."""
        nearest = bisect_left(self._instants, t)
        at = sided(t, self._instants[max(nearest - 1, 0) : nearest + 1], side)
        k = bisect_right(self._instants, at)
        return *self._pieces[k], (t - self._instants[k - 1] if k else 0.0)


@dataclass(frozen=True, eq=False)
class Table(_Cubics):
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
        self._prepare(times, _cubics(times, values, self.kind))

    def breakpoints(self) -> tuple[float, ...]:
        times = self._instants
        return (times[0], times[-1]) if self.kind == "cubic" else tuple(times)

    def instructions(self) -> list[Instruction] | None:
        return super().instructions()


@dataclass(frozen=True, eq=False)
class TableIntegral(_Cubics):
    """The integral of a scalar table with linear or step interpolation, minus that of its first value.

    Zero until the table's first time.

    Parameters
    ----------
    table : linear or step
    """

    table: Table

    def __post_init__(self) -> None:
        table = self.table
        if table.kind == "cubic" or table.shape:
            raise InputError("TableIntegral: give a scalar table, linear or step")
        linear = _cubics(table.times, table.values - table.values[0], table.kind)
        cubics = np.zeros_like(linear)
        cubics[1], cubics[2] = 0.5 * linear[2], linear[3]
        durations = np.diff(table.times)
        increments = (cubics[1, 1:-1] * durations + cubics[2, 1:-1]) * durations
        cubics[3, 2:] = np.cumsum(increments)
        self._prepare(table.times, cubics)

    def instructions(self) -> list[Instruction] | None:
        return super().instructions()


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
