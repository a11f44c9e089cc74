"""What numba has to know of `lanes`: their type, their arithmetic, and how arrays and records hold them."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.datamodel import PrimitiveModel, register_default
from numba.core.datamodel.models import RecordModel
from numba.core.imputils import impl_ret_borrowed, lower_builtin, lower_cast
from numba.core.registry import cpu_target
from numba.core.typeconv import Conversion
from numba.core.typing import signature
from numba.core.typing.templates import AbstractTemplate, infer_global
from numba.extending import intrinsic

_word = ir.IntType(32)
_plain = (types.Float, types.Integer)


class Lanes(types.Type):
    """So many numbers of type float64, calculated with together."""

    def __init__(self, count: int) -> None:
        self.count, self.bitwidth = count, 64 * count
        super().__init__(name=f"Lanes({count})")

    def can_convert_from(self, context: Any, other: Any) -> Any:
        """A plain number becomes the same one in all lanes."""
        return Conversion.promote if isinstance(other, _plain) else None


def _vector(kind: Any) -> Any:
    return ir.VectorType(ir.DoubleType(), kind.count)


@register_default(Lanes)
class _Model(PrimitiveModel):
    """A vector of LLVM."""

    def __init__(self, manager: Any, kind: Any):
        super().__init__(manager, kind, _vector(kind))


@lower_cast(types.Float, Lanes)
@lower_cast(types.Integer, Lanes)
def _same_in_all(context: Any, builder: Any, given: Any, wanted: Any, value: Any) -> Any:
    number, nothing = context.cast(builder, value, given, types.float64), _vector(wanted)(ir.Undefined)
    first = builder.insert_element(nothing, number, _word(0))
    return builder.shuffle_vector(first, nothing, ir.VectorType(_word, wanted.count)([0] * wanted.count))


def _operator(function: Any, result: Any, generate: Callable[[Any, Any, Any, Any], Any]) -> None:
    """Tell numba of an operator between lanes, and between lanes and plain numbers; result None: lanes."""

    @infer_global(function)
    class _Typed(AbstractTemplate):  # type: ignore[misc]
        def generic(self, args: Any, kws: Any) -> Any:
            found = {one for one in args if isinstance(one, Lanes)}
            if (
                len(args) != 2
                or len(found) != 1
                or not all(isinstance(one, (Lanes, *_plain)) for one in args)
            ):
                return None
            (kind,) = found
            return signature(result or kind, kind, kind)

    @lower_builtin(function, Lanes, Lanes)
    def _lowered(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return generate(builder, sig.args[0].count, *args)


def _any_unlike(builder: Any, count: int, a: Any, b: Any) -> Any:
    bits = builder.bitcast(builder.fcmp_unordered("!=", a, b), ir.IntType(count))
    return builder.icmp_unsigned("!=", bits, ir.IntType(count)(0))


for _functions, _name in (
    ((operator.add, operator.iadd), "fadd"),
    ((operator.sub, operator.isub), "fsub"),
    ((operator.mul, operator.imul), "fmul"),
    ((operator.truediv, operator.itruediv), "fdiv"),
):
    for _function in _functions:
        _operator(_function, None, lambda builder, count, a, b, name=_name: getattr(builder, name)(a, b))
_operator(operator.ne, types.boolean, _any_unlike)


@infer_global(operator.neg)
class _Negative(AbstractTemplate):  # type: ignore[misc]
    def generic(self, args: Any, kws: Any) -> Any:
        return signature(args[0], args[0]) if len(args) == 1 and isinstance(args[0], Lanes) else None


@lower_builtin(operator.neg, Lanes)
def _negative(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    return builder.fneg(args[0])


@intrinsic
def multiply_add(context: Any, a: Any, b: Any, c: Any) -> Any:
    """See `lanes`."""
    kind = next(one for one in (a, b, c) if isinstance(one, Lanes))

    def generate(target: Any, builder: Any, sig: Any, values: Any) -> Any:
        vector = _vector(kind)
        function = cgutils.get_or_insert_function(
            builder.module, ir.FunctionType(vector, [vector] * 3), f"llvm.fmuladd.v{kind.count}f64"
        )
        return builder.call(function, values)

    return signature(kind, kind, kind, kind), generate


def _pointer(target: Any, builder: Any, array: Any, value: Any, place: Any, kind: Any) -> Any:
    """To lanes that begin at a place of an array (n,)."""
    given = target.make_array(array)(target, builder, value)
    return builder.bitcast(builder.gep(given.data, [place]), _vector(kind).as_pointer())


def _access(count: int) -> Sequence[Any]:
    """Intrinsics `load`, `store` and `same` of so many lanes."""
    kind = Lanes(count)

    @intrinsic
    def load(context: Any, array: Any, place: Any) -> Any:
        def generate(target: Any, builder: Any, sig: Any, values: Any) -> Any:
            return builder.load(_pointer(target, builder, array, *values, kind), align=8)

        return signature(kind, array, types.intp), generate

    @intrinsic
    def store(context: Any, array: Any, place: Any, numbers: Any) -> Any:
        def generate(target: Any, builder: Any, sig: Any, values: Any) -> Any:
            builder.store(values[2], _pointer(target, builder, array, *values[:2], kind), align=8)
            return target.get_dummy_value()

        return signature(types.void, array, types.intp, kind), generate

    @intrinsic
    def same(context: Any, number: Any) -> Any:
        return signature(kind, kind), lambda target, builder, sig, values: values[0]

    return load, store, same


load4, store4, same4 = _access(4)
load8, store8, same8 = _access(8)


@intrinsic
def as_lanes(context: Any, array: Any) -> Any:
    """See `lanes`."""
    count = 8
    wanted = types.Array(Lanes(count), array.ndim - 1, "C", aligned=False)

    def generate(target: Any, builder: Any, sig: Any, values: Any) -> Any:
        given = target.make_array(array)(target, builder, values[0])
        made, kept = target.make_array(wanted)(target, builder), array.ndim - 1
        made.data = builder.bitcast(given.data, _vector(wanted.dtype).as_pointer())
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
            found[place] = builder.shuffle_vector(a, b, ir.VectorType(_word, count)(chosen))
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
    fields, words = [], record.size // 8
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
