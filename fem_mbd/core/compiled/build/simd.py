"""SIMD vectors for numba (`fem_mbd.core.compiled.simd`): their type, arithmetic, and arrays and records of them."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import lower_builtin, lower_cast, models, register_model, type_callable

from fem_mbd.core.compiled import simd

INDEX, _SINGLE = ir.IntType(32), ir.FloatType()
PREFETCH = (
    0,
    2,
    1,
)  # to read, into the second cache (where more requests wait than in front of the first), numbers
SCALAR_TYPES = (types.Float, types.Integer)


class SimdVector(types.Type):
    """So many numbers of type float64, calculated with together."""

    def __init__(self, count: int) -> None:
        self.count, self.bitwidth = count, 64 * count
        super().__init__(name=f"SimdVector({count})")

    def can_convert_from(self, context: Any, other: Any) -> Any:
        """A plain number becomes a vector of equal elements, as a short number becomes a long one."""
        return context.can_convert(types.float32, types.float64) if isinstance(other, SCALAR_TYPES) else None


def vector(count: int) -> Any:
    """LLVM's type of so many simd."""
    return ir.VectorType(ir.DoubleType(), count)


def same_in_all(builder: Any, number: Any, count: int) -> Any:
    """A vector of so many equal elements, value of LLVM."""
    nothing = vector(count)(ir.Undefined)
    first = builder.insert_element(nothing, number, INDEX(0))
    return builder.shuffle_vector(first, nothing, ir.VectorType(INDEX, count)([0] * count))


def _pointer(builder: Any, data: Any, place: Any, kind: Any) -> Any:
    return builder.bitcast(builder.gep(data, [place]), kind.as_pointer())


def read(builder: Any, data: Any, place: Any, count: int) -> Any:
    """Vector of so many numbers from a place behind LLVM's pointer to a float64, or to a float32, on."""
    if data.type.pointee == _SINGLE:
        short = builder.load(_pointer(builder, data, place, ir.VectorType(_SINGLE, count)), align=4)
        return builder.fpext(short, vector(count))
    return builder.load(_pointer(builder, data, place, vector(count)), align=8)


def write(builder: Any, data: Any, place: Any, numbers: Any) -> None:
    """Store a vector or a number at a place behind LLVM's pointer to a float64."""
    builder.store(numbers, _pointer(builder, data, place, numbers.type), align=8)


def data_of(context: Any, builder: Any, kind: Any, value: Any) -> Any:
    """LLVM's pointer to an array's first entry."""
    return context.make_array(kind)(context, builder, value).data


@register_model(SimdVector)
class _SimdModel(models.PrimitiveModel):
    """A vector of LLVM."""

    def __init__(self, manager: Any, kind: Any):
        super().__init__(manager, kind, vector(kind.count))


@lower_cast(types.Float, SimdVector)
@lower_cast(types.Integer, SimdVector)
def _same_in_all(context: Any, builder: Any, plain_type: Any, wanted: Any, value: Any) -> Any:
    return same_in_all(builder, context.cast(builder, value, plain_type, types.float64), wanted.count)


def _typed(function: Any) -> Callable[[Callable[..., Any]], None]:
    """Decorator of what finds the type of what a function returns, or its signature, from types of arguments."""

    def tell(typer: Callable[..., Any]) -> None:
        type_callable(function)(lambda context: typer)

    return tell


def _operator(function: Any, result: Any, generate: Callable[[Any, Any, Any, Any], Any]) -> None:
    """Tell numba of an operator between vectors, and between vectors and plain numbers; result None: a vector."""

    @_typed(function)
    def typer(a: Any, b: Any) -> Any:
        kinds = {operand for operand in (a, b) if isinstance(operand, SimdVector)}
        if len(kinds) != 1 or not all(isinstance(operand, (SimdVector, *SCALAR_TYPES)) for operand in (a, b)):
            return None
        (kind,) = kinds
        return (result or kind)(kind, kind)

    @lower_builtin(function, SimdVector, SimdVector)
    def lowered(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return generate(builder, sig.args[0].count, *args)


def _any_unlike(builder: Any, count: int, a: Any, b: Any) -> Any:
    bits = builder.bitcast(builder.fcmp_unordered("!=", a, b), ir.IntType(count))
    return builder.icmp_unsigned("!=", bits, ir.IntType(count)(0))


def _instruction(name: str) -> Callable[[Any, Any, Any, Any], Any]:
    return lambda builder, count, a, b: getattr(builder, name)(a, b)


for _functions, _name in (
    ((operator.add, operator.iadd), "fadd"),
    ((operator.sub, operator.isub), "fsub"),
    ((operator.mul, operator.imul), "fmul"),
    ((operator.truediv, operator.itruediv), "fdiv"),
):
    for _function in _functions:
        _operator(_function, None, _instruction(_name))
_operator(operator.ne, types.boolean, _any_unlike)


@_typed(operator.neg)
def _type_of_negative(a: Any) -> Any:
    return a if isinstance(a, SimdVector) else None


@lower_builtin(operator.neg, SimdVector)
def _negative(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    return builder.fneg(args[0])


@_typed(np.sqrt)
def _type_of_root(a: Any) -> Any:
    return a if isinstance(a, SimdVector) else None


@lower_builtin(np.sqrt, SimdVector)
def _root(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    kind = ir.FunctionType(args[0].type, [args[0].type])
    return builder.call(_declared(builder.module, kind, f"llvm.sqrt.v{sig.return_type.count}f64"), args)


def _declared(module: Any, kind: Any, name: str) -> Any:
    return module.globals.get(name) or ir.Function(module, kind, name=name)


@_typed(simd.multiply_add)
def _type_of_multiply_add(a: Any, b: Any, c: Any) -> Any:
    kind = next((operand for operand in (a, b, c) if isinstance(operand, SimdVector)), None)
    return kind and kind(kind, kind, kind)


@lower_builtin(simd.multiply_add, SimdVector, SimdVector, SimdVector)
def _multiply_add(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    count = sig.return_type.count
    kind = ir.FunctionType(vector(count), [vector(count)] * 3)
    return builder.call(_declared(builder.module, kind, f"llvm.fmuladd.v{count}f64"), args)


def _access(count: int, load: Any, store: Any, same: Any) -> None:
    """Tell numba how vectors of so many elements are read, stored and made."""
    kind = SimdVector(count)

    @_typed(load)
    def type_of_load(array: Any, place: Any) -> Any:
        return kind(array, types.intp) if isinstance(array, types.Array) else None

    @lower_builtin(load, types.Array, types.Integer)
    def lower_load(context: Any, builder: Any, sig: Any, values: Any) -> Any:
        return read(builder, data_of(context, builder, sig.args[0], values[0]), values[1], count)

    @_typed(store)
    def type_of_store(array: Any, place: Any, numbers: Any) -> Any:
        return types.void(array, types.intp, kind) if isinstance(array, types.Array) else None

    @lower_builtin(store, types.Array, types.Integer, SimdVector)
    def lower_store(context: Any, builder: Any, sig: Any, values: Any) -> Any:
        write(builder, data_of(context, builder, sig.args[0], values[0]), *values[1:])
        return context.get_dummy_value()

    @_typed(same)
    def type_of_same(number: Any) -> Any:
        return kind(kind)

    @lower_builtin(same, SimdVector)
    def lower_same(context: Any, builder: Any, sig: Any, values: Any) -> Any:
        return values[0]


_access(4, simd.load4, simd.store4, simd.same4)
_access(8, simd.load8, simd.store8, simd.same8)


@_typed(simd.fetch)
def _type_of_fetch(array: Any, place: Any) -> Any:
    return types.void(array, types.intp)


@lower_builtin(simd.fetch, types.Array, types.Integer)
def _fetch(context: Any, builder: Any, sig: Any, values: Any) -> Any:
    byte = ir.IntType(8).as_pointer()
    pointer = _pointer(builder, data_of(context, builder, sig.args[0], values[0]), values[1], ir.IntType(8))
    kind = ir.FunctionType(ir.VoidType(), [byte, INDEX, INDEX, INDEX])
    builder.call(_declared(builder.module, kind, "llvm.prefetch.p0"), [pointer, *map(INDEX, PREFETCH)])
    return context.get_dummy_value()


@_typed(simd.as_simd)
def _type_of_as_simd(array: Any) -> Any:
    return types.Array(SimdVector(8), array.ndim - 1, "C", aligned=False)


@lower_builtin(simd.as_simd, types.Array)
def _as_simd(context: Any, builder: Any, sig: Any, values: Any) -> Any:
    wanted = sig.return_type
    source = context.make_array(sig.args[0])(context, builder, values[0])
    made, count = context.make_array(wanted)(context, builder), wanted.dtype.count
    made.data = builder.bitcast(source.data, vector(count).as_pointer())
    made.shape, made.strides = (
        _first(builder, whole, wanted.ndim, made_one.type)
        for whole, made_one in ((source.shape, made.shape), (source.strides, made.strides))
    )
    made.itemsize = context.get_constant(types.intp, 8 * count)
    made.nitems = builder.sdiv(source.nitems, context.get_constant(types.intp, count))
    made.meminfo, made.parent = source.meminfo, source.parent
    result = made._getvalue()
    context.nrt.incref(builder, wanted, result)
    return result


def _first(builder: Any, whole: Any, count: int, kind: Any) -> Any:
    """The first members of an array of LLVM."""
    first = kind(ir.Undefined)
    for k in range(count):
        first = builder.insert_value(first, builder.extract_value(whole, k), k)
    return first


@_typed(simd.transposed)
def _type_of_transposed(rows: Any) -> Any:
    return rows


@lower_builtin(simd.transposed, types.UniTuple)
def _transposed(context: Any, builder: Any, sig: Any, values: Any) -> Any:
    count, apart = sig.return_type.dtype.count, 1
    rows = [builder.extract_value(values[0], k) for k in range(count)]
    while apart < count:  # change places within blocks of two, four, eight rows
        rows = _exchanged(builder, rows, apart)
        apart *= 2
    return context.make_tuple(builder, sig.return_type, rows)


def _exchanged(builder: Any, rows: Sequence[Any], apart: int) -> list[Any]:
    """The off-diagonal quarters of each block of 2 ``apart`` rows and columns exchanged."""
    count, exchanged = len(rows), list(rows)
    lower = [k for k in range(count) if not k & apart]
    left = [k - apart + count if k & apart else k for k in range(count)]
    right = [k + count if k & apart else k + apart for k in range(count)]
    for k in lower:
        a, b = rows[k], rows[k + apart]
        for place, chosen in ((k, left), (k + apart, right)):
            exchanged[place] = builder.shuffle_vector(a, b, ir.VectorType(INDEX, count)(chosen))
    return exchanged


class SimdRecord(types.Record):
    """A record of SIMD vectors, for which numpy has no type."""

    @property
    def dtype(self) -> Any:
        """Of a record of its size."""
        return np.dtype((np.void, self.size))


register_model(SimdRecord)(models.RecordModel)


def _with_simd(record: Any, count: int) -> Any:
    """Type of a record with a vector for each float64 of a record, and behind them what else is in the record."""
    fields: list[tuple[str, Any]] = []
    words = record.size // 8
    for name, (kind, offset, _, _) in record.fields.items():
        number = kind.dtype if isinstance(kind, types.NestedArray) else kind
        real = number == types.float64
        shape = kind.shape if isinstance(kind, types.NestedArray) else ()
        number = SimdVector(count) if real else number
        place = 8 * count * (offset // 8) if real else 8 * count * words + offset
        field_type = types.NestedArray(number, shape) if shape else number
        fields.append((name, {"type": field_type, "offset": place, "alignment": 8, "title": None}))
    return SimdRecord(fields, 8 * words * (count + 1), False)


@_typed(simd.simd_record)
def _type_of_record(memory: Any, records: Any) -> Any:
    return _with_simd(records.dtype, 8)


@lower_builtin(simd.simd_record, types.Array, types.Array)
def _simd_record(context: Any, builder: Any, sig: Any, values: Any) -> Any:
    data = data_of(context, builder, sig.args[0], values[0])
    return builder.bitcast(data, context.get_value_type(sig.return_type))
