"""Functions of time for loads, drivers and prescribed motion: shapes, tables, callables, sums and products.

A time function gives its value, a float or a (3,) array, and its rate (per second). Times are in seconds.
At the instants listed by `breakpoints()` the value or one of its low derivatives jumps; step control puts
step ends there, because a kink inside a step costs the scheme its order. At a breakpoint `side=+1` (the
default) gives the limit from later times and `side=-1` the limit from earlier ones: a step that starts
there needs the first, one that ends there the second.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field
from math import cos, sin
from typing import Any, Literal

import numpy as np
import scipy
from numpy.typing import ArrayLike

from fem_mbd.arrays import Array
from fem_mbd.errors import InputError
from fem_mbd.model import time_kernels as kernels
from fem_mbd.model.time_function_base import (
    Constant,
    FromCallable,
    Instruction,
    Quantity,
    TimeFunction,
    TimeFunctionLike,
    Value,
    as_quantity,
    as_time_function,
    ascending,
    joined,
    plain,
    sided,
    three,
)
from fem_mbd.validation import finite

__all__ = [
    "Constant",
    "FromCallable",
    "Harmonic",
    "Piecewise",
    "Polynomial",
    "Ramp",
    "SmoothStep",
    "Table",
    "TimeFunction",
    "TimeFunctionLike",
    "as_time_function",
]


@dataclass(frozen=True, eq=False)
class Ramp(TimeFunction):
    """``v0`` until ``t0``, ``v1`` from ``t1``, straight in between; the rate jumps at both ends.

    Parameters
    ----------
    t0, t1 : s
    v0, v1 : numbers or (3,)
    """

    t0: float
    t1: float
    v0: Quantity = 0.0
    v1: Quantity = 1.0

    def __post_init__(self) -> None:
        name = type(self).__name__
        for key, convert in (("t0", finite), ("t1", finite), ("v0", as_quantity), ("v1", as_quantity)):
            object.__setattr__(self, key, convert(getattr(self, key), f"{name} {key}"))
        if self.t1 <= self.t0:
            raise InputError(f"{name} goes from t0 = {self.t0:g} s to t1 = {self.t1:g} s: t1 must be later")
        if np.shape(self.v0) != np.shape(self.v1):
            raise InputError(f"{name} v0 and v1 have unequal shapes {np.shape(self.v0)}, {np.shape(self.v1)}")

    def value(self, t: float, side: int = 1) -> Value:
        phase = min(max((t - self.t0) / (self.t1 - self.t0), 0.0), 1.0)
        rise = self._transition(phase)
        result: Value = (1.0 - rise) * self.v0 + rise * self.v1
        return result

    def rate(self, t: float, side: int = 1) -> Value:
        phase = (sided(t, self.breakpoints(), side) - self.t0) / (self.t1 - self.t0)
        slope = self._slope(phase) if 0.0 <= phase < 1.0 else 0.0
        result: Value = slope / (self.t1 - self.t0) * (self.v1 - self.v0)
        return result

    def breakpoints(self) -> tuple[float, ...]:
        return (self.t0, self.t1)

    def instructions(self) -> list[Instruction] | None:
        return [Instruction(kernels.RAMP, self._numbers())]

    def _numbers(self) -> list[float]:
        return [self.t0, self.t1, *three(self.v0), *three(self.v1)]

    def _transition(self, s: float) -> float:
        """From 0 to 1 over s in [0, 1]."""
        return s

    def _slope(self, s: float) -> float:
        return 1.0


@dataclass(frozen=True, eq=False)
class SmoothStep(Ramp):
    """As `Ramp` but with continuous rate and acceleration: the quintic 10 s^3 - 15 s^4 + 6 s^5.

    Parameters
    ----------
    t0, t1 : s
    v0, v1 : numbers or (3,)
    """

    def _transition(self, s: float) -> float:
        return s * s * s * (10.0 + s * (6.0 * s - 15.0))

    def _slope(self, s: float) -> float:
        return 30.0 * (s * (1.0 - s)) ** 2

    def instructions(self) -> list[Instruction] | None:
        return [Instruction(kernels.SMOOTH_STEP, self._numbers())]


@dataclass(frozen=True, eq=False)
class Harmonic(TimeFunction):
    """offset + amplitude sin(omega t + phase).

    Parameters
    ----------
    amplitude, offset : numbers or (3,); an offset of 0 goes with either
    omega : rad/s
    phase : rad; pi/2 makes a cosine
    """

    amplitude: Quantity
    omega: float
    phase: float = 0.0
    offset: Quantity = 0.0

    def __post_init__(self) -> None:
        for key in ("amplitude", "offset"):
            object.__setattr__(self, key, as_quantity(getattr(self, key), f"Harmonic {key}"))
        for key in ("omega", "phase"):
            object.__setattr__(self, key, finite(getattr(self, key), f"Harmonic {key}"))
        offset_is_plain_zero = np.ndim(self.offset) == 0 and self.offset == 0.0
        if np.shape(self.amplitude) != np.shape(self.offset) and not offset_is_plain_zero:
            raise InputError("Harmonic amplitude and offset must both be numbers or both be vectors")

    def value(self, t: float, side: int = 1) -> Value:
        result: Value = self.offset + sin(self.omega * t + self.phase) * self.amplitude
        return result

    def rate(self, t: float, side: int = 1) -> Value:
        result: Value = self.omega * cos(self.omega * t + self.phase) * self.amplitude
        return result

    def instructions(self) -> list[Instruction] | None:
        numbers = [*three(self.amplitude), self.omega, self.phase, *three(self.offset)]
        return [Instruction(kernels.HARMONIC, numbers)]


@dataclass(frozen=True, eq=False)
class Polynomial(TimeFunction):
    """coefficients[0] + coefficients[1] t + coefficients[2] t^2 + …

    Parameters
    ----------
    coefficients : (k,), or (k, 3) for a vector
    """

    coefficients: Any
    _slopes: Array = field(init=False, repr=False)

    def __post_init__(self) -> None:
        rows = _rows(self.coefficients, "Polynomial coefficients")
        powers = np.arange(len(rows)).reshape(-1, *(1,) * (rows.ndim - 1))
        slopes = (powers * rows)[1:]
        object.__setattr__(self, "coefficients", rows)
        object.__setattr__(self, "_slopes", slopes if len(slopes) else 0.0 * rows)

    def value(self, t: float, side: int = 1) -> Value:
        return plain(_horner(self.coefficients, t))

    def rate(self, t: float, side: int = 1) -> Value:
        return plain(_horner(self._slopes, t))

    def instructions(self) -> list[Instruction] | None:
        numbers = [x for row in (*self.coefficients, *self._slopes) for x in three(row)]
        return [Instruction(kernels.POLYNOMIAL, numbers, len(self.coefficients))]


@dataclass(frozen=True, eq=False)
class Table(TimeFunction):
    """Values at given times; before the first and after the last time the nearest value holds.

    Parameters
    ----------
    times : (k,) s, ascending
    values : (k,) or (k, 3)
    kind : "linear"; "cubic", the spline with continuous acceleration (not-a-knot ends); or "step", each value
        holding from its time until the next
    """

    times: Any
    values: Any
    kind: Literal["linear", "cubic", "step"] = "linear"
    _instants: list[float] = field(
        init=False, repr=False
    )  # the times as plain numbers, which are faster to look up
    _pieces: list[Any] = field(
        init=False, repr=False
    )  # of k + 1 cubics four coefficients each, highest power first

    def __post_init__(self) -> None:
        if self.kind not in ("linear", "cubic", "step"):
            raise InputError(f"Table kind is {self.kind!r}: choose 'linear', 'cubic' or 'step'")
        times, values = _rows(self.times, "Table times"), _rows(self.values, "Table values")
        if times.ndim != 1 or len(times) < 2 or len(times) != len(values):
            raise InputError(
                f"Table has times of shape {times.shape} and values of shape {values.shape}: "
                "give one value per time, and at least two"
            )
        ascending(times, "Table times")
        object.__setattr__(self, "times", times)
        object.__setattr__(self, "values", values)
        object.__setattr__(self, "_instants", times.tolist())
        cubics = np.moveaxis(_table_cubics(times, values, self.kind), 1, 0)
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
        """Coefficients of the cubic that holds at `t`, highest power first, and the time since it began."""
        nearest = bisect_left(self._instants, t)
        at = sided(t, self._instants[max(nearest - 1, 0) : nearest + 1], side)
        k = bisect_right(self._instants, at)
        return *self._pieces[k], (at - self._instants[k - 1] if k else 0.0)


@dataclass(frozen=True, eq=False)
class Piecewise(TimeFunction):
    """functions[0] until switches[0], functions[1] from there until switches[1], and so on.

    Parameters
    ----------
    switches : s, ascending
    functions : one more than ``switches``; anything that `as_time_function` takes
    """

    switches: Sequence[float]
    functions: Sequence[Any]

    def __post_init__(self) -> None:
        switches = ascending(self.switches, "Piecewise switches")
        if len(self.functions) != len(switches) + 1:
            raise InputError(
                f"Piecewise has {len(switches)} switches and {len(self.functions)} functions: "
                "give one function more than switches"
            )
        names = (f"Piecewise function {k}" for k in range(len(self.functions)))
        functions = tuple(
            as_time_function(f, what=name) for f, name in zip(self.functions, names, strict=True)
        )
        if len({f.shape for f in functions}) > 1:
            raise InputError(f"Piecewise functions have shapes {[f.shape for f in functions]}: not equal")
        object.__setattr__(self, "switches", switches)
        object.__setattr__(self, "functions", functions)

    def value(self, t: float, side: int = 1) -> Value:
        return self._active(t, side).value(t, side)

    def rate(self, t: float, side: int = 1) -> Value:
        return self._active(t, side).rate(t, side)

    def breakpoints(self) -> tuple[float, ...]:
        edges = (-np.inf, *self.switches, np.inf)
        met = set(self.switches)
        for k, f in enumerate(self.functions):
            met.update(b for b in f.breakpoints() if edges[k] < b < edges[k + 1])
        return tuple(sorted(met))

    def instructions(self) -> list[Instruction] | None:
        return joined(self.functions, Instruction(kernels.PIECEWISE, list(self.switches), len(self.switches)))

    def inputs(self) -> tuple[TimeFunction, ...]:
        return tuple(i for f in self.functions for i in f.inputs())

    def _active(self, t: float, side: int) -> TimeFunction:
        chosen: TimeFunction = self.functions[bisect_right(self.switches, sided(t, self.switches, side))]
        return chosen


def _rows(values: ArrayLike, what: str) -> Array:
    """`values` as read-only array of shape (k,) or (k, 3), k >= 1; InputError otherwise."""
    try:
        rows = np.array(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InputError(f"{what} are not an array of numbers: {error}") from error
    if rows.size == 0 or not (rows.ndim == 1 or rows.shape[1:] == (3,)):
        raise InputError(f"{what} have shape {rows.shape}: give (k,) or (k, 3)")
    if not np.all(np.isfinite(rows)):
        first = int(np.argwhere(~np.isfinite(rows))[0][0])
        raise InputError(f"{what} have entries that are not finite, the first in row {first}")
    rows.setflags(write=False)
    return rows


def _horner(coefficients: Array, t: float) -> Array:
    result = coefficients[-1]
    for c in coefficients[-2::-1]:
        result = result * t + c
    return np.asarray(result)


def _table_cubics(times: Array, values: Array, kind: str) -> Array:
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
