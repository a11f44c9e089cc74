"""Type of dual numbers for numba, and how it compiles their operations.

They are vectors of LLVM, whose arithmetic is in `derivatives`. Values are those of the same kernel with plain numbers;
derivatives may be rounded otherwise.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import lower_builtin, lower_cast, models, register_model, type_callable

from fem_mbd.core.compiled.build.duals import derivatives
from fem_mbd.core.compiled.build.duals.vectors import DOUBLE, VECTOR, value_of, with_value
from fem_mbd.core.compiled.build.simd import SCALAR_TYPES
from fem_mbd.core.compiled.calls import is_complex
from fem_mbd.core.compiled.duals import number
from fem_mbd.core.compiled.duals.number import WIDTH


class Dual(types.Type):
    """A number of type float64 with derivatives."""

    bitwidth = 64 * WIDTH

    def __init__(self) -> None:
        super().__init__(name="Dual")

    def can_convert_from(self, context: Any, other: Any) -> Any:
        """A plain number becomes one without derivatives, as a short number becomes a long one."""
        return context.can_convert(types.float32, types.float64) if isinstance(other, SCALAR_TYPES) else None


DUAL = Dual()


@register_model(Dual)
class _DualModel(models.PrimitiveModel):
    """A vector of LLVM."""

    def __init__(self, manager: Any, kind: Any):
        super().__init__(manager, kind, VECTOR)


@lower_cast(types.Float, Dual)
@lower_cast(types.Integer, Dual)
def _from_plain(context: Any, builder: Any, given: Any, wanted: Any, plain: Any) -> Any:
    return with_value(
        builder, VECTOR([DOUBLE(0.0)] * WIDTH), context.cast(builder, plain, given, types.float64)
    )


def _typed(function: Any) -> Callable[[Callable[..., Any]], None]:
    """Decorator of what finds numba's signature of a call from types of arguments."""

    def tell(typer: Callable[..., Any]) -> None:
        type_callable(function)(lambda context: typer)

    return tell


def _taken(kind: Any) -> Any:
    return DUAL if isinstance(kind, Dual) else types.float64


def _operator(function: Any, result: Any, generate: Callable[[Any, Any, Any], Any]) -> None:
    """Tell numba of an operator between two dual numbers, or a dual and a plain one."""

    @_typed(function)
    def typer(a: Any, b: Any) -> Any:
        given = (a, b)
        if not any(isinstance(one, Dual) for one in given):
            return None
        if not all(isinstance(one, (Dual, *SCALAR_TYPES)) for one in given):
            return None
        return result(_taken(a), _taken(b))

    for kinds in ((Dual, Dual), (Dual, types.Float), (types.Float, Dual)):

        @lower_builtin(function, *kinds)
        def lowered(context: Any, builder: Any, sig: Any, args: Any) -> Any:
            return generate(builder, *args)


for _functions, _generate in (
    ((operator.add, operator.iadd), derivatives.total),
    ((operator.sub, operator.isub), derivatives.difference),
    ((operator.mul, operator.imul), derivatives.product),
    ((operator.truediv, operator.itruediv), derivatives.quotient),
):
    for _function in _functions:
        _operator(_function, DUAL, _generate)


def _comparison(sign: str) -> Callable[[Any, Any, Any], Any]:
    def generate(builder: Any, a: Any, b: Any) -> Any:
        compare = builder.fcmp_unordered if sign == "!=" else builder.fcmp_ordered
        return compare(sign, value_of(builder, a), value_of(builder, b))

    return generate


for _function, _sign in (
    (operator.lt, "<"), (operator.le, "<="), (operator.gt, ">"), (operator.ge, ">="), (operator.eq, "=="),
    (operator.ne, "!="),
):  # fmt: skip
    _operator(_function, types.boolean, _comparison(_sign))


@_typed(operator.neg)
def _type_of_negative(a: Any) -> Any:
    return a if isinstance(a, Dual) else None


@lower_builtin(operator.neg, Dual)
def _negative(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    return derivatives.negative(builder, args[0])


@_typed(number.value)
def _type_of_value(a: Any) -> Any:
    return types.float64(DUAL) if isinstance(a, Dual) else types.float64(types.float64)


@lower_builtin(number.value, Dual)
@lower_builtin(number.value, types.Float)
def _value(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    return value_of(builder, args[0])


@_typed(number.dual)
def _type_of_dual(a: Any) -> Any:
    return DUAL(DUAL)


@lower_builtin(number.dual, Dual)
def _dual(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    return args[0]


@_typed(number.chained)
def _type_of_chained(a: Any, found: Any, slope: Any) -> Any:
    return DUAL(DUAL, types.float64, types.float64)


@lower_builtin(number.chained, Dual, types.Float, types.Float)
def _chained(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    return derivatives.of_one(builder, *args)


@_typed(number.chained2)
def _type_of_chained2(a: Any, b: Any, found: Any, by_a: Any, by_b: Any) -> Any:
    return DUAL(DUAL, DUAL, types.float64, types.float64, types.float64)


@lower_builtin(number.chained2, Dual, Dual, types.Float, types.Float, types.Float)
def _chained2(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    a, b, found, by_a, by_b = args
    return derivatives.of_two(builder, a, b, found, (by_a, by_b))


@_typed(number.kind)
def _type_of_kind() -> Any:
    return types.DType(DUAL)()


@lower_builtin(number.kind)
def _kind(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    return context.get_dummy_value()


@lower_builtin(is_complex, Dual)
def _is_complex(context: Any, builder: Any, sig: Any, values: Any) -> Any:
    return ir.IntType(64)(0)


def is_missing(kind: Any) -> bool:
    """Whether an argument with a default is not given, or is None."""
    return kind is None or isinstance(kind, (types.NoneType, types.Omitted))
