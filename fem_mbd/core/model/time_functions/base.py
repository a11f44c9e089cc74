"""Base class of functions of time, sums and products of them, constants, and functions from Python callables.

`numerical_rate` is the derivative of a user's function of time, by complex step or finite differences.
"""

from __future__ import annotations

import warnings
from abc import ABC, abstractmethod
from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from fem_mbd.base.arrays import Array
from fem_mbd.base.validation import positive
from fem_mbd.core.model.time_functions import kernels
from fem_mbd.core.model.time_functions.values import (
    Quantity,
    Value,
    as_quantity,
    ascending,
    jumps_between,
    plain,
    sided,
    three,
)
from fem_mbd.errors import InputError

# Fourth-order differences: points in units of the spacing, and weights that are exact for polynomials of degree 4.
_CENTRAL = (np.array([-2.0, -1.0, 1.0, 2.0]), np.array([1.0, -8.0, 8.0, -1.0]) / 12.0)
_FORWARD = (np.array([0.0, 1.0, 2.0, 3.0, 4.0]), np.array([-25.0, 48.0, -36.0, 16.0, -3.0]) / 12.0)
_SPACINGS = (
    7  # each a tenth of the last one: functions may vary a million times as fast as the first one resolves
)
_COMPLEX_STEP = 1e-40  # s: its square is negligible, so there is no truncation error
_ACCURATE = 1e-9  # relative: differences that agree so well have no truncation error
_AGREEMENT = 1e-4  # relative; far above the error of the differences, far below that of a wrong complex step


def numerical_rate(
    function: Callable[[float], ArrayLike], t: float, smooth: tuple[float, float], spacing: float
) -> Array:
    """Derivative of `function` at `t` (s), from values inside the open interval `smooth` only.

    The complex step is used where it works and agrees with the finite differences (a function with `abs`, a comparison
    or a table look-up can drop the imaginary part silently); otherwise the differences are used. Where differences with
    a tenth of the spacing are others, the function varies faster, and the spacing is reduced until they agree.
    """
    exact = _complex_step(function, t)
    rates: list[Array] = []
    for k in range(_SPACINGS):
        difference, noise = _difference(function, t, smooth, spacing * 0.1**k)
        if exact is not None and exact.shape == difference.shape and _agree(exact, difference, noise):
            return exact
        if rates and _agree(rates[-1], difference, noise):
            # the finer one has ten times the round-off, and a ten thousandth of the truncation error
            return rates[-1] if _agree(rates[-1], difference, noise, _ACCURATE) else difference
        rates.append(difference)
    return rates[0]  # of a function that is not smooth at any scale: that over the spacing asked for


def _agree(first: Array, second: Array, noise: float, tolerance: float = _AGREEMENT) -> bool:
    scale = np.max(np.abs(first)) + np.max(np.abs(second))
    return bool(np.max(np.abs(first - second)) <= tolerance * scale + noise)


def _difference(
    function: Callable[[float], ArrayLike], t: float, smooth: tuple[float, float], spacing: float
) -> tuple[Array, float]:
    """The difference quotient, and its round-off."""
    before, after = t - smooth[0], smooth[1] - t
    if min(before, after) > 2.0 * spacing:
        (points, weights), step = _CENTRAL, spacing
    else:  # one-sided, in the longer direction, and never beyond its end
        points, weights = _FORWARD
        step = np.copysign(min(spacing, max(before, after) / 5.0), after - before)
    at = t + step * points
    samples = np.array([np.asarray(function(float(x)), dtype=np.float64) for x in at])
    # the times are rounded, too: at large ones a change of the function by that is noise
    round_off = np.finfo(float).eps * (
        np.max(np.abs(samples)) + abs(t / step) * np.max(np.ptp(samples, axis=0))
    )
    return np.tensordot(weights, samples, axes=1) / step, float(8.0 * round_off / abs(step))


def _complex_step(function: Callable[[float], ArrayLike], t: float) -> Array | None:
    """The derivative by a complex step, or None when the function does not accept a complex time.

    Any exception of the user's function counts as that: the differences evaluate it at real times, so an error in it is
    raised there.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            result = np.asarray(function(complex(t, _COMPLEX_STEP)))  # type: ignore[arg-type]
        except Exception:
            return None
    if result.dtype.kind not in "cf" or not np.all(np.isfinite(result)):
        return None
    return np.asarray(np.imag(result) / _COMPLEX_STEP, dtype=np.float64)


TimeFunctionLike: TypeAlias = "TimeFunction | Callable[[float], ArrayLike] | ArrayLike"


class Instruction(NamedTuple):
    """One instruction of a function in compiled code: operation of `kernels` and its numbers."""

    code: int
    numbers: list[float]
    pieces: int = 0


class TimeFunction(ABC):
    """Base of all time functions. A new one needs `value` and `rate`, and `breakpoints` if it has any.

    `f + g`, `f - g`, `-f` and `f * g` are new time functions; numbers and (3,) vectors count as constants, so
    `2.0 * f` scales and `direction * f` is a vector function from a scalar one.
    """

    def __init_subclass__(cls) -> None:
        """A class derived from a shape may change its values: it does not inherit the instructions of the shape."""
        if "instructions" not in vars(cls):
            cls.instructions = TimeFunction.instructions  # type: ignore[method-assign]

    __array_ufunc__ = None  # so that `vector * f` reaches __rmul__ and not numpy's element-wise product

    @abstractmethod
    def value(self, t: float, side: int = 1) -> Value:
        """Value: a float or a (3,) array, the same shape at all times.

        Parameters
        ----------
        t : s
        side : at a breakpoint, +1 for the limit from later times, -1 for that from earlier ones
        """

    @abstractmethod
    def rate(self, t: float, side: int = 1) -> Value:
        """Time derivative, per second, shape of the value.

        Parameters
        ----------
        t : s
        side : as for `value`
        """

    def breakpoints(self) -> tuple[float, ...]:
        """Times (s), ascending, at which the function is not smooth."""
        return ()

    def prepare(self, begin: float, end: float) -> None:
        """Called before a run: functions of the user's in Python look for their jumps here.

        Parameters
        ----------
        begin, end : s, of the run
        """
        return None

    def instructions(self) -> list[Instruction] | None:
        """The function for `kernels`; None when only Python can evaluate it."""
        return None

    def inputs(self) -> tuple[TimeFunction, ...]:
        """The inputs (`fem_mbd.Input`) in the function, and integrals of them."""
        return ()

    @property
    def shape(self) -> tuple[int, ...]:
        """() for a scalar function, (3,) for a vector."""
        return np.shape(self.value(0.0))

    def __add__(self, other: TimeFunctionLike) -> TimeFunction:
        return Sum(self, as_time_function(other))

    def __mul__(self, other: TimeFunctionLike) -> TimeFunction:
        return Product(self, as_time_function(other))

    __radd__ = __add__
    __rmul__ = __mul__

    def __neg__(self) -> TimeFunction:
        return self * -1.0

    def __sub__(self, other: TimeFunctionLike) -> TimeFunction:
        return self + -as_time_function(other)

    def __rsub__(self, other: TimeFunctionLike) -> TimeFunction:
        return -self + other


@dataclass(frozen=True, eq=False)
class _OfTwo(TimeFunction):
    """Base of functions of two others."""

    first: TimeFunction
    second: TimeFunction

    def breakpoints(self) -> tuple[float, ...]:
        return tuple(sorted({*self.first.breakpoints(), *self.second.breakpoints()}))

    def prepare(self, begin: float, end: float) -> None:
        self.first.prepare(begin, end)
        self.second.prepare(begin, end)

    def inputs(self) -> tuple[TimeFunction, ...]:
        return (*self.first.inputs(), *self.second.inputs())


@dataclass(frozen=True, eq=False)
class Sum(_OfTwo):
    """first + second, of equal shape."""

    def __post_init__(self) -> None:
        if self.first.shape != self.second.shape:
            shapes = f"{self.first.shape} and {self.second.shape}"
            raise InputError(f"sum of time functions of unequal shapes {shapes}")

    def value(self, t: float, side: int = 1) -> Value:
        return self.first.value(t, side) + self.second.value(t, side)

    def rate(self, t: float, side: int = 1) -> Value:
        return self.first.rate(t, side) + self.second.rate(t, side)

    def instructions(self) -> list[Instruction] | None:
        return joined((self.first, self.second), Instruction(kernels.SUM, []))


@dataclass(frozen=True, eq=False)
class Product(_OfTwo):
    """first * second, at most one of which is a vector."""

    def __post_init__(self) -> None:
        if self.first.shape and self.second.shape:
            raise InputError("product of two vector time functions: one of them must be a scalar")

    def value(self, t: float, side: int = 1) -> Value:
        return self.first.value(t, side) * self.second.value(t, side)

    def rate(self, t: float, side: int = 1) -> Value:
        growth = self.first.rate(t, side) * self.second.value(t, side)
        return growth + self.first.value(t, side) * self.second.rate(t, side)

    def instructions(self) -> list[Instruction] | None:
        return joined((self.first, self.second), Instruction(kernels.PRODUCT, []))


@dataclass(frozen=True, eq=False)
class Constant(TimeFunction):
    """The same value at all times.

    Parameters
    ----------
    quantity : a number or (3,)
    """

    quantity: Quantity

    def __post_init__(self) -> None:
        object.__setattr__(self, "quantity", as_quantity(self.quantity, "Constant"))

    def value(self, t: float, side: int = 1) -> Value:
        return self.quantity

    def rate(self, t: float, side: int = 1) -> Value:
        return 0.0 * self.quantity

    def instructions(self) -> list[Instruction] | None:
        return [Instruction(kernels.CONSTANT, three(self.quantity))]


@dataclass(frozen=True, eq=False)
class FromCallable(TimeFunction):
    """A Python function of the user's. It may be called at any time, also before 0.

    Steps end at its ``kinks``. Without them jumps are looked for before a run, among a thousand samples: a pulse that
    is shorter than a thousandth of the run may be missed, by these samples and by the steps: give its times.

    Without ``function_rate`` the rate is computed numerically: by the complex step, exact to round-off, where
    ``function`` consists of analytic operations and accepts a complex time; else by fourth-order differences, accurate
    to about 1e-10 of (largest value) / (1 s) if the function varies over times well above ``spacing``.

    Parameters
    ----------
    function : of the time in s; returns a number or (3,)
    function_rate : its derivative, per second
    kinks : s, ascending times of kinks and jumps: no difference is taken across them, and steps end there
    spacing : s, step of the differences
    name : shown in messages
    """

    function: Callable[[float], ArrayLike]
    function_rate: Callable[[float], ArrayLike] | None = None
    kinks: Sequence[float] = ()
    spacing: float = 1e-5
    name: str = "function of time"
    _jumps: list[float] = field(
        init=False, repr=False, default_factory=list
    )  # s, ascending, found before a run

    def __post_init__(self) -> None:
        if not callable(self.function) or not (self.function_rate is None or callable(self.function_rate)):
            raise InputError(f"{self.name}: function and function_rate must be callables f(t)")
        object.__setattr__(self, "kinks", ascending(self.kinks, f"{self.name}: kinks"))
        positive(self.spacing, f"{self.name}: spacing")
        shape = np.shape(self._evaluate(self.function, 0.0))
        if self.function_rate is not None and np.shape(self._evaluate(self.function_rate, 0.0)) != shape:
            raise InputError(f"{self.name}: its rate must have the shape of its value, {shape}")

    def value(self, t: float, side: int = 1) -> Value:
        return self._evaluate(self.function, sided(t, self.breakpoints(), side))

    def rate(self, t: float, side: int = 1) -> Value:
        points = self.breakpoints()
        at = sided(t, points, side)
        if self.function_rate is not None:
            return self._evaluate(self.function_rate, at)
        edges = (-np.inf, *points, np.inf)
        k = bisect_right(points, at)
        try:
            rate = numerical_rate(self.function, at, (edges[k], edges[k + 1]), self.spacing)
        except Exception as error:
            raise InputError(self._message(error, at)) from error
        if not np.all(np.isfinite(rate)):
            raise InputError(f"{self.name}: its rate at t = {at:g} s is not finite")
        return plain(rate)

    def breakpoints(self) -> tuple[float, ...]:
        return tuple(self.kinks) or tuple(self._jumps)

    def prepare(self, begin: float, end: float) -> None:
        if self.kinks:
            return
        try:
            jumps = jumps_between(lambda t: self._evaluate(self.function, t), begin, end)
        except InputError:
            return  # it has no value at some time: the run says so when it comes there
        self._jumps[:] = sorted({*self._jumps, *jumps})

    def _evaluate(self, function: Callable[[float], ArrayLike], t: float) -> Value:
        try:
            quantity = function(t)
        except Exception as error:
            raise InputError(self._message(error, t)) from error
        return as_quantity(quantity, f"{self.name} at t = {t:g} s")

    def _message(self, error: Exception, t: float) -> str:
        return f"{self.name}: the given function fails at t = {t:g} s ({type(error).__name__}: {error})"


def as_time_function(
    obj: TimeFunctionLike, shape: tuple[int, ...] | None = None, what: str = "time function"
) -> TimeFunction:
    """A time function from a number, a (3,) sequence or a callable ``f(t)``; time functions are returned unchanged.

    Parameters
    ----------
    obj : any of these
    shape : () or (3,), checked when given
    what : part and parameter, for the message

    Raises
    ------
    InputError
        For anything else, and for another shape.
    """
    if isinstance(obj, TimeFunction):
        function: TimeFunction = obj
    elif callable(obj):
        function = FromCallable(obj, name=what)
    else:
        if shape == () and np.ndim(obj) > 0:
            raise InputError(
                f"{what} is {obj!r}: give one number or a function of time with values that are numbers"
            )
        function = Constant(as_quantity(obj, what))
    if shape is not None and function.shape != tuple(shape):
        expected = "a scalar" if shape == () else f"an array of shape {tuple(shape)}"
        raise InputError(f"{what} has values of shape {function.shape}: it must be {expected}")
    return function


def joined(parts: Sequence[TimeFunction], last: Instruction) -> list[Instruction] | None:
    """Instructions of all parts and then the last one; None when one of the parts has no instructions."""
    programs = [part.instructions() for part in parts]
    compiled = [program for program in programs if program is not None]
    return [*(i for program in compiled for i in program), last] if len(compiled) == len(programs) else None
