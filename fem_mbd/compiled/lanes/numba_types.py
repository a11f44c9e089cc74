"""What numba has to know of `lanes`: their type, their arithmetic, and how arrays and records hold them."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.datamodel import PrimitiveModel, register_default
from numba.core.imputils import lower_builtin, lower_cast
from numba.core.typeconv import Conversion
from numba.core.typing import signature
from numba.core.typing.templates import AbstractTemplate, infer_global
from numba.extending import intrinsic

WORD = ir.IntType(32)
_plain = (types.Float, types.Integer)


class Lanes(types.Type):
    """So many numbers of type float64, calculated with together."""

    def __init__(self, count: int) -> None:
        self.count, self.bitwidth = count, 64 * count
        super().__init__(name=f"Lanes({count})")

    def can_convert_from(self, context: Any, other: Any) -> Any:
        """A plain number becomes the same one in all lanes."""
        return Conversion.promote if isinstance(other, _plain) else None


def vector(count: int) -> Any:
    """LLVM's type of so many lanes."""
    return ir.VectorType(ir.DoubleType(), count)


def same_in_all(builder: Any, number: Any, count: int) -> Any:
    """So many lanes of a number, values of LLVM."""
    nothing = vector(count)(ir.Undefined)
    first = builder.insert_element(nothing, number, WORD(0))
    return builder.shuffle_vector(first, nothing, ir.VectorType(WORD, count)([0] * count))


def _pointer(builder: Any, data: Any, place: Any, kind: Any) -> Any:
    return builder.bitcast(builder.gep(data, [place]), kind.as_pointer())


def read(builder: Any, data: Any, place: Any, count: int) -> Any:
    """So many lanes from a place behind LLVM's pointer to a float64 on."""
    return builder.load(_pointer(builder, data, place, vector(count)), align=8)


def write(builder: Any, data: Any, place: Any, numbers: Any) -> None:
    """Lanes or a number to a place behind LLVM's pointer to a float64."""
    builder.store(numbers, _pointer(builder, data, place, numbers.type), align=8)


@register_default(Lanes)
class _Model(PrimitiveModel):
    """A vector of LLVM."""

    def __init__(self, manager: Any, kind: Any):
        super().__init__(manager, kind, vector(kind.count))


@lower_cast(types.Float, Lanes)
@lower_cast(types.Integer, Lanes)
def _same_in_all(context: Any, builder: Any, given: Any, wanted: Any, value: Any) -> Any:
    return same_in_all(builder, context.cast(builder, value, given, types.float64), wanted.count)


def _operator(function: Any, result: Any, generate: Callable[[Any, Any, Any, Any], Any]) -> None:
    """Tell numba of an operator between lanes, and between lanes and plain numbers; result None: lanes."""

    @infer_global(function)
    class _Typed(AbstractTemplate):
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


@infer_global(operator.neg)
class _Negative(AbstractTemplate):
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
        numbers, name = vector(kind.count), f"llvm.fmuladd.v{kind.count}f64"
        declared = ir.FunctionType(numbers, [numbers] * 3)
        function = cgutils.get_or_insert_function(builder.module, declared, name)
        return builder.call(function, values)

    return signature(kind, kind, kind, kind), generate
