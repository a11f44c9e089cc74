"""numba's types of kernels' arguments when every float64 is a dual number."""

from __future__ import annotations

from functools import cache
from typing import Any

import numba
import numpy as np
from numba import types
from numba.extending import models, register_model

from fem_mbd.core.compiled.build.duals.number import DUAL
from fem_mbd.core.compiled.duals.layout import FLOAT, bytes_of, holds_numbers, offset_of
from fem_mbd.core.compiled.signatures import Argument, Array, Group, Scalar, Signature

_types: Any = types


class DualRecord(types.Record):
    """A record that holds dual numbers, which numpy has no type for."""

    @property
    def dtype(self) -> Any:
        """Of a record of its size."""
        return np.dtype((np.void, self.size))


register_model(DualRecord)(models.RecordModel)


@cache
def of_dtype(dtype: np.dtype[Any]) -> Any:
    """numba's type of a number or record."""
    if dtype == FLOAT:
        return DUAL
    if dtype.fields is None or not holds_numbers(dtype):
        return numba.from_dtype(dtype)
    fields: list[tuple[str, Any]] = []
    for name in dtype.names or ():
        kind, offset = dtype.fields[name][:2]
        number = of_dtype(kind.base)
        held = types.NestedArray(number, kind.shape) if kind.shape else number
        place = offset_of(dtype, offset, kind.base)
        fields.append((name, {"type": held, "offset": place, "alignment": None, "title": None}))
    return DualRecord(fields, bytes_of(dtype), True)


def of_argument(kind: Argument) -> Any:
    """numba's type of an argument."""
    if isinstance(kind, Group):
        return _types.BaseTuple.from_types(tuple(map(of_argument, kind.members)), kind.of)
    of_one = of_dtype(kind.dtype)
    return of_one if isinstance(kind, Scalar) else _types.Array(of_one, kind.ndim, kind.layout)


def of_result(signature: Signature) -> Any:
    """numba's type of what a kernel returns."""
    found = [of_dtype(one.dtype) for one in signature.returns]
    return types.none if not found else found[0] if len(found) == 1 else types.Tuple(found)


def by_address(kind: Argument) -> bool:
    """Whether an entry finds a number of this type at an address, as an array of one."""
    return isinstance(kind, Scalar) and kind.dtype == FLOAT


def entry_signature(signature: Signature) -> Signature:
    """What the entry for dual numbers takes: members of groups as arguments, numbers as arrays of one.

    What is returned is the last array.
    """
    number = Array(FLOAT, 1, "C")
    arguments = [number if by_address(kind) else kind for kind in signature.flat]
    return Signature((*arguments, *([number] if signature.returns else [])), ())
