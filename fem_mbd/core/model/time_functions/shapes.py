"""Basic functions of time: ramp, smooth step, harmonic function, polynomial, piecewise function and table.

A `Piecewise` function consists of other functions one after the other. A `Table` has linear, cubic or step
interpolation. It and its integral (`TableIntegral`) are piecewise cubic functions.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field
from math import cos, sin
from typing import Any, Literal

import numpy as np
import scipy

from fem_mbd.base.arrays import Array
from fem_mbd.base.validation import finite
from fem_mbd.core.model.time_functions import kernels
from fem_mbd.core.model.time_functions.base import Instruction, TimeFunction, as_time_function, joined
from fem_mbd.core.model.time_functions.values import (
    Quantity,
    Value,
    as_quantity,
    as_rows,
    ascending,
    plain,
    sided,
    three,
)
from fem_mbd.errors import InputError


@dataclass(frozen=True, eq=False)
class Ramp(TimeFunction):
    """``v0`` until ``t0``, ``v1`` from ``t1``, linear in between; the rate jumps at both ends.

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
        return (1.0 - rise) * self.v0 + rise * self.v1

    def rate(self, t: float, side: int = 1) -> Value:
        phase = (sided(t, self.breakpoints(), side) - self.t0) / (self.t1 - self.t0)
        slope = self._slope(phase) if 0.0 <= phase < 1.0 else 0.0
        return slope / (self.t1 - self.t0) * (self.v1 - self.v0)

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
    amplitude, offset : numbers or (3,); an offset of 0 is allowed with either
    omega : rad/s
    phase : rad; pi/2 for a cosine
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
        return self.offset + sin(self.omega * t + self.phase) * self.amplitude

    def rate(self, t: float, side: int = 1) -> Value:
        return self.omega * cos(self.omega * t + self.phase) * self.amplitude

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
        rows = as_rows(self.coefficients, "Polynomial coefficients")
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


def _horner(coefficients: Array, t: float) -> Array:
    result = coefficients[-1]
    for c in coefficients[-2::-1]:
        result = result * t + c
    return np.asarray(result)


@dataclass(frozen=True, eq=False)
class Piecewise(TimeFunction):
    """functions[0] until switches[0], functions[1] from there until switches[1], and so on.

    Parameters
    ----------
    switches : s, ascending
    functions : one more than ``switches``; anything that `as_time_function` accepts
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
        times = set(self.switches)
        for k, f in enumerate(self.functions):
            times.update(b for b in f.breakpoints() if edges[k] < b < edges[k + 1])
        return tuple(sorted(times))

    def prepare(self, begin: float, end: float) -> None:
        for function in self.functions:
            function.prepare(begin, end)

    def instructions(self) -> list[Instruction] | None:
        return joined(self.functions, Instruction(kernels.PIECEWISE, list(self.switches), len(self.switches)))

    def inputs(self) -> tuple[TimeFunction, ...]:
        return tuple(i for f in self.functions for i in f.inputs())

    def _active(self, t: float, side: int) -> TimeFunction:
        return self.functions[bisect_right(self.switches, sided(t, self.switches, side))]


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
