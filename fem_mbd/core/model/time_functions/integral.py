"""Integral over time of a function of time: the angle or displacement of a prescribed speed.

`closed_integral` has those of scalar functions in closed form, as functions that compiled code evaluates; `Integral`
is by quadrature.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, field
from functools import singledispatch
from math import pi
from typing import Any

import numpy as np
import scipy

from fem_mbd.base.validation import positive
from fem_mbd.core.model.time_functions.base import (
    Constant,
    Product,
    Sum,
    TimeFunction,
    TimeFunctionLike,
    as_time_function,
)
from fem_mbd.core.model.time_functions.inputs import Input, InputIntegral
from fem_mbd.core.model.time_functions.shapes import (
    Harmonic,
    Piecewise,
    Polynomial,
    Ramp,
    SmoothStep,
    Table,
    TableIntegral,
)
from fem_mbd.core.model.time_functions.values import Value, jumps_between
from fem_mbd.errors import InputError


def closed_integral(function: TimeFunction) -> TimeFunction | None:
    """The integral of a scalar function, zero at t = 0; None where it is no function of the same kinds."""
    if function.shape or (integral := _integral(function)) is None:
        return None
    start = integral.value(0.0)
    return integral - start if start else integral


def _integral(function: TimeFunction) -> TimeFunction | None:
    """`antiderivative` of exactly these kinds: a class derived from one of them may change its values."""
    return antiderivative(function) if type(function) in antiderivative.registry else None


@singledispatch
def antiderivative(function: TimeFunction) -> TimeFunction | None:
    """A function whose rate is the scalar ``function``; None where there is none of the same kinds."""
    return None


@antiderivative.register
def _(function: Constant) -> TimeFunction:
    return Polynomial((0.0, function.quantity))


@antiderivative.register
def _(function: Polynomial) -> TimeFunction:
    coefficients = function.coefficients
    return Polynomial((0.0, *(coefficients / np.arange(1, len(coefficients) + 1))))


@antiderivative.register
def _(function: Harmonic) -> TimeFunction:
    """-(a/omega) cos(omega t + phase) + offset t."""
    a, omega, phase = function.amplitude, function.omega, function.phase
    if omega == 0.0:
        return Polynomial((0.0, function.value(0.0)))
    return Harmonic(-a / omega, omega, phase + 0.5 * pi) + Polynomial((0.0, function.offset))


@antiderivative.register
def _(function: Ramp) -> TimeFunction:
    return _of_table(Table((function.t0, function.t1), (function.v0, function.v1)))


@antiderivative.register
def _(function: SmoothStep) -> TimeFunction:
    """With s = (t - t0)/T: v0 t + (v1 - v0) T s^4 (s^2 - 3 s + 5/2) in the step, whose mean is (v0 + v1)/2."""
    t0, t1, v0, v1 = function.t0, function.t1, function.v0, function.v1
    duration = t1 - t0
    s = Polynomial((-t0 / duration, 1.0 / duration))
    within = duration * (s * s * s * s * (s * (s - 3.0) + 2.5))
    rise = Piecewise((t0, t1), (0.0, within, Polynomial((0.5 * duration - t1, 1.0))))
    return Polynomial((0.0, v0)) + (v1 - v0) * rise


@antiderivative.register
def _(function: Table) -> TimeFunction | None:
    return None if function.kind == "cubic" else _of_table(function)


@antiderivative.register
def _(function: Sum) -> TimeFunction | None:
    first, second = _integral(function.first), _integral(function.second)
    return None if first is None or second is None else first + second


@antiderivative.register
def _(function: Product) -> TimeFunction | None:
    for factor, other in ((function.first, function.second), (function.second, function.first)):
        if isinstance(factor, Constant):
            integral = _integral(other)
            return None if integral is None else factor * integral
    return None


@antiderivative.register
def _(function: Piecewise) -> TimeFunction | None:
    """The pieces' integrals, each shifted so that the result is continuous."""
    pieces: list[TimeFunction] = []
    for k, piece in enumerate(function.functions):
        integral = _integral(piece)
        if integral is None:
            return None
        switch = function.switches[k - 1] if k else 0.0
        jump = pieces[-1].value(switch, -1) - integral.value(switch) if k else 0.0
        pieces.append(integral + jump if jump else integral)
    return Piecewise(function.switches, pieces)


def _of_table(table: Table) -> TimeFunction:
    return Polynomial((0.0, table.values[0])) + TableIntegral(table)


_ACCURACY = 1e-13  # relative, of a panel's integral
_TOLERATED = (
    1e-10  # relative, of an integral that round-off or a small kink keeps from converging to _ACCURACY
)


@dataclass(frozen=True, eq=False)
class Integral(TimeFunction):
    """start + integral of ``function`` from 0 to t; its rate is the function itself, exactly.

    By adaptive Gauss-Kronrod quadrature (QUADPACK, `scipy.integrate.quad`) over panels that end at the function's
    breakpoints and after every ``panel`` seconds. The panels do not depend on the steps taken, so that a run that is
    resumed sees the same numbers. A function of the user's in Python has breakpoints where it jumps (`FromCallable`);
    further jumps are looked for where the quadrature does not converge.

    Parameters
    ----------
    function : scalar number, callable or TimeFunction, unit/s
    start : value at t = 0
    panel : s, at most a few periods of the function
    """

    function: Any
    start: float = 0.0
    panel: float = 1.0
    _sums: dict[int, float] = field(init=False, repr=False)  # values at the panels' ends, as far as needed

    def __post_init__(self) -> None:
        positive(self.panel, "Integral panel")
        object.__setattr__(self, "function", as_time_function(self.function, (), "Integral: function"))
        object.__setattr__(self, "_sums", {0: float(self.start)})

    def value(self, t: float, side: int = 1) -> Value:
        if t < 0.0:
            return float(self.start) + self._over(0.0, t)
        panels = int(t / self.panel)
        for k in range(len(self._sums), panels + 1):  # two threads may do this, with the same results
            self._sums[k] = self._sums[k - 1] + self._over((k - 1) * self.panel, k * self.panel)
        return self._sums[panels] + self._over(panels * self.panel, t)

    def rate(self, t: float, side: int = 1) -> Value:
        return self.function.value(t, side)

    def breakpoints(self) -> tuple[float, ...]:
        return self.function.breakpoints()

    def prepare(self, begin: float, end: float) -> None:
        self.function.prepare(begin, end)
        self.value(end)  # a function that cannot be integrated is refused before the run

    def _over(self, begin: float, end: float) -> float:
        """Integral from begin to end, as a sum of those between breakpoints."""
        low, high = min(begin, end), max(begin, end)
        points = self.function.breakpoints()
        inside = points[bisect_right(points, low) : bisect_right(points, high)]
        edges = [low, *(p for p in inside if p < high), high]
        total = sum(self._smooth(a, b) for a, b in zip(edges, edges[1:], strict=False) if b > a)
        return total if end >= begin else -total

    def _smooth(self, begin: float, end: float) -> float:
        """Integral over an interval without breakpoints."""

        def function(t: float) -> Value:  # the outermost points may be rounded onto the end
            return self.function.value(t, -1 if t >= end else 1)

        value, error, _, *message = scipy.integrate.quad(
            function, begin, end, epsabs=0.0, epsrel=_ACCURACY, limit=200, full_output=1
        )
        if not message or error <= _TOLERATED * abs(value):
            return float(value)
        jumps = [t for t in jumps_between(function, begin, end) if begin < t < end]
        if not jumps:
            raise InputError(
                f"the integral of a speed from {begin:g} s to {end:g} s does not converge: give the times of its jumps "
                "and kinks, time_functions.FromCallable(function, kinks=(0.1, 0.2)), or use time_functions.Piecewise, "
                "Ramp or Table"
            )
        edges = (begin, *jumps, end)
        return sum(self._smooth(a, b) for a, b in zip(edges, edges[1:], strict=False))


def position_of(
    position: TimeFunctionLike | None, speed: TimeFunctionLike | None, names: tuple[str, str], what: str
) -> TimeFunction:
    """The function of time of a driver: ``position``, or the integral of ``speed``.

    Parameters
    ----------
    names : names of the two, e.g. ("angle", "speed")
    what : the driver, for messages

    Raises
    ------
    InputError
        Unless exactly one of the two is given, a scalar.
    """
    if (position is None) == (speed is None):
        raise InputError(f"{what}: give its {names[0]} or its {names[1]} as a function of time")
    if position is not None:
        return as_time_function(position, (), f"{what}: {names[0]}")
    rate = as_time_function(speed, (), f"{what}: {names[1]}")  # type: ignore[arg-type]
    return integral_of(rate, f"{what}: {names[1]}")


def integral_of(function: TimeFunction, what: str) -> TimeFunction:
    """The integral of a scalar function of time, zero at t = 0; the function may contain inputs.

    Parameters
    ----------
    function : of time, scalar
    what : the integrated quantity, for messages

    Raises
    ------
    InputError
        When an input is multiplied by a function of time: the integral is not available.
    """
    if not function.inputs():
        return closed_integral(function) or Integral(function)
    if isinstance(function, Input):
        return InputIntegral(function)
    if isinstance(function, Sum):
        return integral_of(function.first, what) + integral_of(function.second, what)
    if isinstance(function, Product):
        for factor, other in ((function.first, function.second), (function.second, function.first)):
            if isinstance(factor, Constant):
                return factor * integral_of(other, what)
    raise InputError(f"{what}: an input may be multiplied by numbers and added to other speeds, nothing else")
