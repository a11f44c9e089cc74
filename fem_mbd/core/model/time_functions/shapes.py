"""Shapes of functions of time: ramps, steps with smooth ends, harmonic functions, polynomials."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import cos, sin
from typing import Any

import numpy as np

from fem_mbd.base.arrays import Array
from fem_mbd.base.validation import finite
from fem_mbd.core.model.time_functions import kernels
from fem_mbd.core.model.time_functions.base import Instruction, TimeFunction
from fem_mbd.core.model.time_functions.values import (
    Quantity,
    Value,
    as_quantity,
    as_rows,
    plain,
    sided,
    three,
)
from fem_mbd.errors import InputError


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
