"""Functions of NumPy and Python for dual numbers: what kernels call instead when they are compiled for these.

First come arrays of dual numbers: their making, and operators between them and numbers.

At a place where a derivative has no limit (the square root at zero, a kink) the one of the branch is taken that the
value is on, and zero where that is infinite: as a complex step does.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np
from numba import types
from numba.extending import overload, overload_attribute

from fem_mbd.core.compiled.build.duals.number import DUAL, Dual, is_missing
from fem_mbd.core.compiled.dual_numbers import chained, chained2, dual, kind, value


def _holds_dual(kind: Any) -> bool:
    return isinstance(kind, types.Array) and isinstance(kind.dtype, Dual)


def _elementwise(function: Callable[[Any, Any], Any]) -> None:
    """Tell numba of an operator between arrays of the same shape, or an array and a number."""

    def choose(a: Any, b: Any) -> Any:
        if not (_holds_dual(a) or _holds_dual(b)):
            return None
        if isinstance(a, types.Array) and isinstance(b, types.Array):
            return _of_arrays
        return _of_array_and_number if isinstance(a, types.Array) else _of_number_and_array

    def _of_arrays(a: Any, b: Any) -> Any:
        out = np.empty(a.shape, kind())
        for i, element in np.ndenumerate(a):
            out[i] = function(element, b[i])
        return out

    def _of_array_and_number(a: Any, b: Any) -> Any:
        out = np.empty(a.shape, kind())
        for i, element in np.ndenumerate(a):
            out[i] = function(element, b)
        return out

    def _of_number_and_array(a: Any, b: Any) -> Any:
        out = np.empty(b.shape, kind())
        for i, element in np.ndenumerate(b):
            out[i] = function(a, element)
        return out

    overload(function, strict=False)(choose)


for _function in (operator.add, operator.sub, operator.mul, operator.truediv):
    _elementwise(_function)


def empty(shape: Any, dtype: Any = None) -> Any:
    """An array of dual numbers, where no other type is given."""
    raise NotImplementedError("only in compiled code")


def _is_float(dtype: Any) -> bool:
    return is_missing(dtype) or getattr(dtype, "dtype", None) == types.float64


@overload(empty, strict=False)
def _empty(shape: Any, dtype: Any = None) -> Any:
    if _is_float(dtype):
        return lambda shape, dtype=None: np.empty(shape, kind())
    return lambda shape, dtype=None: np.empty(shape, dtype)


def zeros(shape: Any, dtype: Any = None) -> Any:
    """As `empty`, of zeros."""
    raise NotImplementedError("only in compiled code")


@overload(zeros, strict=False)
def _zeros(shape: Any, dtype: Any = None) -> Any:
    if _is_float(dtype):
        return lambda shape, dtype=None: np.zeros(shape, kind())
    return lambda shape, dtype=None: np.zeros(shape, dtype)


def full(shape: Any, number: Any) -> Any:
    """An array of the same number."""
    raise NotImplementedError("only in compiled code")


@overload(full, strict=False)
def _full(shape: Any, number: Any) -> Any:
    if isinstance(number, Dual):

        def filled(shape: Any, number: Any) -> Any:
            out = np.empty(shape, kind())
            out[:] = number
            return out

        return filled
    return lambda shape, number: np.full(shape, number)


REAL = (types.Float, types.Integer)


@overload_attribute(Dual, "real", strict=False)  # type: ignore[call-arg]
def _real(a: Any) -> Any:
    return lambda a: value(a)


@overload_attribute(Dual, "imag", strict=False)  # type: ignore[call-arg]
def _imag(a: Any) -> Any:
    """As of a complex step: not zero, and nothing beside a value."""
    return lambda a: 1e-200


def _of_one(name: str, of_plain: Any, of_dual: Callable[..., Any]) -> Callable[..., Any]:
    """A function of one number: numba's own for plain ones."""

    def mark(a: Any) -> Any:
        raise NotImplementedError("only in compiled code")

    mark.__name__ = mark.__qualname__ = f"dual_{name}"

    @overload(mark, strict=False)
    def choose(a: Any) -> Any:
        return of_dual if isinstance(a, Dual) else lambda a: of_plain(a)

    return mark


def _sqrt(a: Any) -> Any:
    root = np.sqrt(value(a))
    return chained(a, root, 0.5 / root if root > 0.0 else 0.0)


def _exp(a: Any) -> Any:
    f = np.exp(value(a))
    return chained(a, f, f)


def _log(a: Any) -> Any:
    x = value(a)
    return chained(a, np.log(x), 1.0 / x)


def _sin(a: Any) -> Any:
    x = value(a)
    return chained(a, np.sin(x), np.cos(x))


def _cos(a: Any) -> Any:
    x = value(a)
    return chained(a, np.cos(x), -np.sin(x))


def _tan(a: Any) -> Any:
    f = np.tan(value(a))
    return chained(a, f, 1.0 + f * f)


def _tanh(a: Any) -> Any:
    f = np.tanh(value(a))
    return chained(a, f, 1.0 - f * f)


def _sinh(a: Any) -> Any:
    x = value(a)
    return chained(a, np.sinh(x), np.cosh(x))


def _arcsinh(a: Any) -> Any:
    x = value(a)
    return chained(a, np.arcsinh(x), 1.0 / np.sqrt(1.0 + x * x))


def _arctan(a: Any) -> Any:
    x = value(a)
    return chained(a, np.arctan(x), 1.0 / (1.0 + x * x))


def _arccos(a: Any) -> Any:
    x = value(a)
    under = 1.0 - x * x
    return chained(a, np.arccos(x), -1.0 / np.sqrt(under) if under > 0.0 else 0.0)


def _absolute(a: Any) -> Any:
    return -a if value(a) < 0.0 else a


def _floor(a: Any) -> Any:
    return np.floor(value(a))


def _rint(a: Any) -> Any:
    return np.rint(value(a))


def _isfinite(a: Any) -> Any:
    return np.isfinite(value(a))


def _int(a: Any) -> Any:
    return int(value(a))


def atan2(a: Any, b: Any) -> Any:
    """Of dual or plain numbers."""
    raise NotImplementedError("only in compiled code")


@overload(atan2, strict=False)
def _atan2(a: Any, b: Any) -> Any:
    if not isinstance(a, Dual) and not isinstance(b, Dual):
        return lambda a, b: np.arctan2(a, b)

    def of_duals(a: Any, b: Any) -> Any:
        y, x = value(a), value(b)
        size = x * x + y * y
        by_y, by_x = (x / size, -y / size) if size > 0.0 else (0.0, 0.0)
        return chained2(dual(a), dual(b), np.arctan2(y, x), by_y, by_x)

    return of_duals


def nextafter(a: Any, b: Any) -> Any:
    """Of dual or plain numbers."""
    raise NotImplementedError("only in compiled code")


@overload(nextafter, strict=False)
def _nextafter(a: Any, b: Any) -> Any:
    if isinstance(a, Dual):
        return lambda a, b: chained(a, np.nextafter(value(a), value(b)), 1.0)
    return lambda a, b: np.nextafter(a, b)


def larger(a: Any, b: Any, c: Any = None) -> Any:
    """Python's ``max`` of two or three dual or plain numbers."""
    raise NotImplementedError("only in compiled code")


@overload(larger, strict=False)
def _larger(a: Any, b: Any, c: Any = None) -> Any:
    if not is_missing(c):
        return lambda a, b, c=None: larger(larger(a, b), c)
    if isinstance(a, Dual) or isinstance(b, Dual):
        return lambda a, b, c=None: dual(b) if value(b) > value(a) else dual(a)
    return lambda a, b, c=None: max(a, b)


def smaller(a: Any, b: Any, c: Any = None) -> Any:
    """Python's ``min`` of two or three dual or plain numbers."""
    raise NotImplementedError("only in compiled code")


@overload(smaller, strict=False)
def _smaller(a: Any, b: Any, c: Any = None) -> Any:
    if not is_missing(c):
        return lambda a, b, c=None: smaller(smaller(a, b), c)
    if isinstance(a, Dual) or isinstance(b, Dual):
        return lambda a, b, c=None: dual(b) if value(b) < value(a) else dual(a)
    return lambda a, b, c=None: min(a, b)


def _power(a: Any, b: Any) -> Any:
    if isinstance(b, types.Integer) and isinstance(a, Dual):

        def whole(a: Any, b: Any) -> Any:
            x = value(a)
            return chained(a, x**b, b * x ** (b - 1) if b != 0 else 0.0)

        return whole
    if not (isinstance(a, Dual) or isinstance(b, Dual)) or not all(
        isinstance(o, (Dual, *REAL)) for o in (a, b)
    ):
        return None

    def real(a: Any, b: Any) -> Any:
        x, p = value(a), value(b)
        f = x**p
        by_x = p * f / x if x != 0.0 else (1.0 if p == 1.0 else 0.0)
        return chained2(dual(a), dual(b), f, by_x, f * np.log(x) if x > 0.0 else 0.0)

    return real


overload(operator.pow, strict=False)(_power)
overload(operator.ipow, strict=False)(_power)


def _with_complex(function: Callable[[Any, Any], Any]) -> None:
    """Tell numba of an operator with a complex number: one of a complex step inside a kernel, for a slope by itself."""

    def choose(a: Any, b: Any) -> Any:
        if isinstance(a, Dual) and isinstance(b, types.Complex):
            return lambda a, b: function(value(a), b)
        if isinstance(a, types.Complex) and isinstance(b, Dual):
            return lambda a, b: function(a, value(b))
        return None

    overload(function, strict=False)(choose)


for _function in (operator.add, operator.sub, operator.mul, operator.truediv, operator.pow):
    _with_complex(_function)


_NAMES: dict[str, Any] = {
    name: _of_one(name, getattr(np, name), of_dual)
    for name, of_dual in {
        "sqrt": _sqrt, "exp": _exp, "log": _log, "sin": _sin, "cos": _cos, "tan": _tan, "tanh": _tanh, "sinh": _sinh,
        "arcsinh": _arcsinh, "arctan": _arctan, "arccos": _arccos, "abs": _absolute, "floor": _floor, "rint": _rint,
        "isfinite": _isfinite,
    }.items()
}  # fmt: skip
_NAMES |= {
    "int64": _of_one("int64", np.int64, _int), "arctan2": atan2, "nextafter": nextafter, "maximum": larger,
    "minimum": smaller, "empty": empty, "zeros": zeros, "full": full,
}  # fmt: skip
NUMPY = ModuleType("numpy_with_duals")
vars(NUMPY).update({name: member for name, member in vars(np).items() if not name.startswith("__")} | _NAMES)
# what stands in the globals of kernels for Python's own
BUILTINS = {"abs": _NAMES["abs"], "max": larger, "min": smaller, "int": _of_one("int", int, _int)}
__all__ = ["BUILTINS", "DUAL", "NUMPY"]
