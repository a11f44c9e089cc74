"""Closed-form integrals over time of scalar functions, as functions that compiled code evaluates."""

from __future__ import annotations

from functools import singledispatch
from math import pi

import numpy as np

from fem_mbd.core.model.time_functions.base import Constant, Product, Sum, TimeFunction
from fem_mbd.core.model.time_functions.piecewise import Piecewise
from fem_mbd.core.model.time_functions.shapes import Harmonic, Polynomial, Ramp, SmoothStep
from fem_mbd.core.model.time_functions.table import Table, TableIntegral


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
