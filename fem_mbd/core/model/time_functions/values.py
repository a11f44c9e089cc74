"""Conversion and checks of values and times of functions of time."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from fem_mbd.base.arrays import Array
from fem_mbd.base.validation import array, finite
from fem_mbd.core.model.time_functions.kernels import ROUND_OFF
from fem_mbd.errors import InputError

Value: TypeAlias = "float | Array"
_SAMPLES = 1001  # of an interval in which jumps are looked for, both ends included
_SUSPECT = 5.0  # changes from sample to sample above this multiple of the median change may be jumps
_JUMP = (
    1e-6  # fraction of the largest value: a larger change between neighbouring floating-point times is a jump
)
_MAX_SUSPECTS = 64  # more of them are no jumps but a function that varies from sample to sample

Quantity: TypeAlias = Any  # given as number or (3,) sequence; stored as float or read-only float64 array


def as_quantity(obj: object, what: str) -> Value:
    """`obj` as float or read-only (3,) array; InputError unless it is one of the two and finite."""
    if isinstance(obj, (Sequence, np.ndarray)) and not isinstance(obj, str) and np.shape(obj) != ():
        return array(obj, (3,), what)
    return finite(obj, what)


def plain(result: Array) -> Value:
    """A 0-d result as float, any other unchanged."""
    return float(result) if np.ndim(result) == 0 else result


def three(quantity: Quantity) -> list[float]:
    """Components of a vector, or a number repeated three times."""
    return np.broadcast_to(quantity, 3).tolist()


def as_rows(values: ArrayLike, what: str) -> Array:
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


def ascending(times: Iterable[float], what: str) -> tuple[float, ...]:
    """`times` as floats; InputError unless finite and strictly ascending."""
    result = tuple(finite(t, what) for t in times)
    for earlier, later in zip(result, result[1:], strict=False):
        if later <= earlier:
            raise InputError(f"{what} must ascend: {later:g} s comes after {earlier:g} s")
    return result


def sided(t: float, breakpoints: Iterable[float], side: int) -> float:
    """`t`, or if it is equal to one of `breakpoints`, that time (side >= 0) or the last float before it (side < 0).

    Equal to round-off, as times are sums of many step sizes.
    """
    for instant in breakpoints:
        if is_at(t, instant):
            return float(np.nextafter(instant, -np.inf)) if side < 0 else float(instant)
    return t


def is_at(t: float, instant: float) -> bool:
    """Whether time t (s) is equal to the instant (s) to round-off."""
    return abs(t - instant) <= ROUND_OFF * abs(instant)


def jumps_between(function: Callable[[float], Value], begin: float, end: float) -> tuple[float, ...]:
    """The times (s) in an interval at which a function jumps, each the first with the value after the jump.

    The function is sampled a thousand times, and bisected between samples that differ much. A pulse shorter than a
    thousandth of the interval may be missed.

    Parameters
    ----------
    function : of the time (s)
    begin, end : s
    """
    times = np.linspace(begin, end, _SAMPLES)
    values = np.array([function(t) for t in times.tolist()], dtype=np.float64)
    changes = np.abs(np.diff(values, axis=0)).reshape(_SAMPLES - 1, -1).max(axis=1)
    smallest = _JUMP * float(np.abs(values).max())
    suspects = np.flatnonzero(changes > max(_SUSPECT * float(np.median(changes)), smallest))
    if len(suspects) > _MAX_SUSPECTS:
        return ()
    places = (
        _jump_between(function, times[k], times[k + 1], values[k], values[k + 1], smallest) for k in suspects
    )
    return tuple(place for place in places if place is not None)


def _jump_between(
    function: Callable[[float], Value],
    before: float,
    after: float,
    first: Value,
    last: Value,
    smallest: float,
) -> float | None:
    """The jump in an interval, by bisection towards the larger change; None where the change becomes small."""
    before, after = float(before), float(after)
    while before < (middle := 0.5 * (before + after)) < after:
        value = function(middle)
        if np.abs(np.subtract(value, first)).max() > np.abs(np.subtract(last, value)).max():
            after, last = middle, value
        else:
            before, first = middle, value
        if np.abs(np.subtract(last, first)).max() <= smallest:
            return None
    return after
