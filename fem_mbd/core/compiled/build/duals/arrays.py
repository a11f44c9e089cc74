"""Arrays of dual numbers: their making, and operators between them and numbers."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np
from numba import types
from numba.extending import overload

from fem_mbd.core.compiled.build.duals.number import Dual, is_missing
from fem_mbd.core.compiled.duals.number import kind


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
        for i, one in np.ndenumerate(a):
            out[i] = function(one, b[i])
        return out

    def _of_array_and_number(a: Any, b: Any) -> Any:
        out = np.empty(a.shape, kind())
        for i, one in np.ndenumerate(a):
            out[i] = function(one, b)
        return out

    def _of_number_and_array(a: Any, b: Any) -> Any:
        out = np.empty(b.shape, kind())
        for i, one in np.ndenumerate(b):
            out[i] = function(a, one)
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
            found = np.empty(shape, kind())
            found[:] = number
            return found

        return filled
    return lambda shape, number: np.full(shape, number)
