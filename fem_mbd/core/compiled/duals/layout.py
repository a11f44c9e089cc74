"""Memory layout of dual numbers in place of float64, shared by the builder and the callers of kernels.

Each float64 becomes `WIDTH` words in a row, the first of them its value. A record's float64 lie in this way in
the order that they had, and what is no float64 behind them, in a copy of the record as it was; a record of nothing but
float64 has no such copy.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from fem_mbd.core.compiled.duals.number import WIDTH

FLOAT = np.dtype("f8")


def holds_numbers(dtype: np.dtype[Any]) -> bool:
    """Whether a type is float64 or a record that holds some."""
    return dtype == FLOAT or (
        dtype.fields is not None and any(holds_numbers(one.base) for one, *_ in dtype.fields.values())
    )


def only_numbers(dtype: np.dtype[Any]) -> bool:
    """Whether a type is float64 or a record of nothing else, without gaps."""
    if dtype.fields is None:
        return dtype == FLOAT
    fields = [one for one, *_ in dtype.fields.values()]
    return all(one.base == FLOAT for one in fields) and sum(one.itemsize for one in fields) == dtype.itemsize


def bytes_of(dtype: np.dtype[Any]) -> int:
    """Of an entry of this type with such numbers."""
    return dtype.itemsize * (WIDTH if only_numbers(dtype) else WIDTH + 1)


def offset_of(dtype: np.dtype[Any], offset: int, base: np.dtype[Any]) -> int:
    """Where a field of type ``base`` lies, from where it was in a record."""
    return WIDTH * offset if base == FLOAT else WIDTH * dtype.itemsize + offset
