"""Checks of numerical input and of memory for a mesh, with messages that name the part and the parameter.

Each function returns the value as plain float or float64 array, so that a part checks and converts in one line.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from math import isfinite
from numbers import Real

import numpy as np
from numpy.typing import ArrayLike

from fem_mbd.base.arrays import Array
from fem_mbd.errors import InputError

# Lower bound per node: matrix values with their factors in place, the scheme's arrays, the node itself.
# Measured on chains of 20,000 elements of two nodes: 12.3 kB, and 17.5 kB with factors stored separately.
BYTES_PER_NODE = 12_000.0


def finite(value: object, what: str) -> float:
    """`value` as float; InputError unless it is one finite real number. `what` names part and parameter."""
    if type(value) is float:
        number = value
    else:
        if isinstance(value, np.ndarray) and value.ndim == 0:
            value = value[()]
        if isinstance(value, (bool, np.bool_)) or not isinstance(value, Real):
            raise InputError(f"{what} is {value!r}: give one number")
        try:
            number = float(value)
        except OverflowError as error:
            raise InputError(f"{what} is a number of more than 308 digits: give a smaller one") from error
    if not isfinite(number):
        raise InputError(f"{what} is {number}: give a finite number")
    return number


def positive(value: object, what: str) -> float:
    """`value` as float; InputError unless it is finite and above zero."""
    number = finite(value, what)
    if number <= 0.0:
        raise InputError(f"{what} is {number:g}: it must be above zero")
    return number


def not_negative(value: object, what: str) -> float:
    """`value` as float; InputError unless it is finite and zero or above."""
    number = finite(value, what)
    if number < 0.0:
        raise InputError(f"{what} is {number:g}: it must not be negative")
    return number


def positive_or_infinite(value: object, what: str) -> float:
    """As `positive`, but infinity (no limit) is allowed."""
    if isinstance(value, Real) and float(value) == np.inf:
        return float(np.inf)
    return positive(value, what)


def whole_number(value: object, what: str, least: int = 1, most: int | None = None) -> int:
    """`value` as int; InputError unless it is a whole number from `least` to `most`."""
    if (
        not isinstance(value, (int, np.integer))
        or isinstance(value, bool)
        or value < least
        or (most is not None and value > most)
    ):
        end = "" if most is None else f" to {most}"
        raise InputError(f"{what} is {value!r}: give a whole number from {least}{end}")
    return int(value)


def array(value: ArrayLike, shape: Sequence[int], what: str) -> Array:
    """`value` as a new read-only float64 array; InputError unless it has `shape` and only finite entries."""
    try:
        result = np.array(value, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InputError(f"{what} is not an array of numbers ({error}): give shape {tuple(shape)}") from error
    if result.shape != tuple(shape):
        raise InputError(f"{what} has shape {result.shape}: give shape {tuple(shape)}")
    if not np.isfinite(result).all():
        raise InputError(f"{what} has entries that are not finite: {result.tolist()}")
    result.setflags(write=False)
    return result


def three_numbers(value: ArrayLike, what: str) -> Array:
    """`value` as a new float64 array (3,); InputError unless it is three finite numbers."""
    try:
        v = np.array(value, dtype=float)
    except (TypeError, ValueError) as error:
        raise InputError(f"{what}: expected three numbers, got {value!r}") from error
    if v.shape != (3,) or not np.isfinite(v).all():
        raise InputError(f"{what}: expected three finite numbers, got {value!r}")
    return v


def check_kind(value: object, kind: type, what: str, example: str) -> None:
    """InputError unless `value` is None or of type `kind`; `example` shows how to create one."""
    if value is not None and not isinstance(value, kind):
        raise InputError(f"{what} is {value!r}: give a {kind.__name__}, e.g. {example}")


def check_memory(nodes: int, what: str) -> None:
    """InputError when ``nodes`` nodes, requested by ``what``, certainly need more than the installed memory."""
    needed, installed = BYTES_PER_NODE * nodes, installed_memory()
    if needed > installed:
        raise InputError(
            f"{what} asks for about {nodes:.3g} nodes, which need about {needed / 1e9:.3g} GB of memory; "
            f"this machine has {installed / 1e9:.3g} GB: use fewer elements"
        )


def installed_memory() -> float:
    """Installed memory in bytes; infinite where the system does not report it."""
    try:
        return float(os.sysconf("SC_PAGE_SIZE")) * float(os.sysconf("SC_PHYS_PAGES"))
    except (AttributeError, OSError, ValueError):
        return float("inf")
