"""Intrinsics of `lanes`: how lanes are read, stored, put in another order, and held by arrays and records."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.datamodel import register_default
from numba.core.datamodel.models import RecordModel
from numba.core.imputils import impl_ret_borrowed
from numba.core.registry import cpu_target
from numba.core.typing import signature
from numba.extending import intrinsic

from fem_mbd.compiled.lanes.numba_types import WORD, Lanes, multiply_add, read, vector, write

__all__ = [
    "as_lanes", "fetch", "load4", "load8", "multiply_add", "numba_type", "record_of_lanes", "same4", "same8", "store4",
    "store8", "transposed",
]  # fmt: skip

FETCH = (
    0,
    2,
    1,
)  # to read, into the second cache (where more requests wait than in front of the first), numbers


def _access(count: int) -> Sequence[Any]:
    """Intrinsics `load`, `store` and `same` of so many lanes."""
    kind = Lanes(count)

    @intrinsic
    def load(context: Any, array: Any, place: Any) -> Any:
        def generate(target: Any, builder: Any, sig: Any, values: Any) -> Any:
            return read(builder, target.make_array(array)(target, builder, values[0]).data, values[1], count)

        return signature(kind, array, types.intp), generate

    @intrinsic
    def store(context: Any, array: Any, place: Any, numbers: Any) -> Any:
        def generate(target: Any, builder: Any, sig: Any, values: Any) -> Any:
            write(builder, target.make_array(array)(target, builder, values[0]).data, *values[1:])
            return target.get_dummy_value()

        return signature(types.void, array, types.intp, kind), generate

    @intrinsic
    def same(context: Any, number: Any) -> Any:
        return signature(kind, kind), lambda target, builder, sig, values: values[0]

    return load, store, same


load4, store4, same4 = _access(4)
load8, store8, same8 = _access(8)


@intrinsic
def fetch(context: Any, array: Any, place: Any) -> Any:
    """See `lanes`."""
    byte = ir.IntType(8).as_pointer()

    def generate(target: Any, builder: Any, sig: Any, values: Any) -> Any:
        given = target.make_array(array)(target, builder, values[0])
        pointer = builder.bitcast(builder.gep(given.data, [values[1]]), byte)
        declared = ir.FunctionType(ir.VoidType(), [byte, WORD, WORD, WORD])
        function = cgutils.get_or_insert_function(builder.module, declared, "llvm.prefetch.p0i8")
        builder.call(function, [pointer, *map(WORD, FETCH)])
        return target.get_dummy_value()

    return signature(types.void, array, types.intp), generate


@intrinsic
def as_lanes(context: Any, array: Any) -> Any:
    """See `lanes`."""
    count = 8
    wanted = types.Array(Lanes(count), array.ndim - 1, "C", aligned=False)

    def generate(target: Any, builder: Any, sig: Any, values: Any) -> Any:
        given = target.make_array(array)(target, builder, values[0])
        made, kept = target.make_array(wanted)(target, builder), array.ndim - 1
        made.data = builder.bitcast(given.data, vector(wanted.dtype.count).as_pointer())
        made.shape = cgutils.pack_array(builder, cgutils.unpack_tuple(builder, given.shape)[:kept])
        made.strides = cgutils.pack_array(builder, cgutils.unpack_tuple(builder, given.strides)[:kept])
        made.itemsize = target.get_constant(types.intp, 8 * count)
        made.nitems = builder.sdiv(given.nitems, target.get_constant(types.intp, count))
        made.meminfo, made.parent = given.meminfo, given.parent
        return impl_ret_borrowed(target, builder, wanted, made._getvalue())

    return signature(wanted, array), generate


@intrinsic
def transposed(context: Any, rows: Any) -> Any:
    """See `lanes`."""
    kind = rows.dtype

    def generate(target: Any, builder: Any, sig: Any, values: Any) -> Any:
        found, apart = cgutils.unpack_tuple(builder, values[0]), 1
        while apart < kind.count:  # change places within blocks of two, four, eight rows
            found = _exchanged(builder, found, apart)
            apart *= 2
        return target.make_tuple(builder, sig.return_type, found)

    return signature(rows, rows), generate


def _exchanged(builder: Any, rows: Sequence[Any], apart: int) -> list[Any]:
    """The off-diagonal quarters of each block of 2 ``apart`` rows and lanes exchanged."""
    count, found = len(rows), list(rows)
    lower = [k for k in range(count) if not k & apart]
    left = [k - apart + count if k & apart else k for k in range(count)]
    right = [k + count if k & apart else k + apart for k in range(count)]
    for k in lower:
        a, b = rows[k], rows[k + apart]
        for place, chosen in ((k, left), (k + apart, right)):
            found[place] = builder.shuffle_vector(a, b, ir.VectorType(WORD, count)(chosen))
    return found


class LaneRecord(types.Record):
    """A record that holds lanes, which numpy has no type for."""

    @property
    def dtype(self) -> Any:
        """Of a record of its size."""
        return np.dtype((np.void, self.size))


register_default(LaneRecord)(RecordModel)


def _with_lanes(record: Any, count: int) -> Any:
    """Type of a record that holds so many lanes of a record's float64, and behind them what else is in the record."""
    fields: list[tuple[str, Any]] = []
    words = record.size // 8
    for name, (kind, offset, _, _) in record.fields.items():
        number = kind.dtype if isinstance(kind, types.NestedArray) else kind
        real = number == types.float64
        shape = kind.shape if isinstance(kind, types.NestedArray) else ()
        number = Lanes(count) if real else number
        place = 8 * count * (offset // 8) if real else 8 * count * words + offset
        told = types.NestedArray(number, shape) if shape else number
        fields.append((name, {"type": told, "offset": place, "alignment": 8, "title": None}))
    return LaneRecord(fields, 8 * words * (count + 1), False)


@intrinsic
def record_of_lanes(context: Any, buffer: Any, records: Any) -> Any:
    """See `lanes`."""
    wanted = _with_lanes(records.dtype, 8)

    def generate(target: Any, builder: Any, sig: Any, values: Any) -> Any:
        given = target.make_array(buffer)(target, builder, values[0])
        return builder.bitcast(given.data, target.get_value_type(wanted))

    return signature(wanted, buffer, records), generate


def numba_type(stands_for: Any) -> Any:
    """What numba knows an intrinsic by."""
    cpu_target.typing_context.refresh()
    cpu_target.target_context.refresh()
    return cpu_target.typing_context.resolve_value_type(stands_for)
