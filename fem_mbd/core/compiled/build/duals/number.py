"""Type of dual numbers for numba, and how it compiles their operations.

Dual numbers are vectors of LLVM: the value is element 0, the derivatives are the others. Their arithmetic is written as
instructions of LLVM: values, and derivatives by the rules of calculus. Values are those of the same kernel with plain
numbers; derivatives may be rounded otherwise.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import lower_builtin, lower_cast, models, register_model, type_callable

from fem_mbd.core.compiled import dual_numbers
from fem_mbd.core.compiled.build.simd import INDEX, SCALAR_TYPES, same_in_all, vector
from fem_mbd.core.compiled.calls import is_complex
from fem_mbd.core.compiled.dual_numbers import WIDTH

VECTOR = vector(WIDTH)
DOUBLE = ir.DoubleType()


def is_vector(a: Any) -> bool:
    """Whether it is no plain number."""
    return isinstance(a.type, ir.VectorType)


def value_of(builder: Any, a: Any) -> Any:
    """Its value; a plain number as it is."""
    return builder.extract_element(a, INDEX(0)) if is_vector(a) else a


def with_value(builder: Any, a: Any, number: Any) -> Any:
    """The same with another value."""
    return builder.insert_element(a, number, INDEX(0))


NOT_A_NUMBER = VECTOR([float("nan")] * WIDTH)


def scaled(builder: Any, a: Any, factor: Any) -> Any:
    """All components times a plain number."""
    return builder.fmul(a, same_in_all(builder, factor, WIDTH))


def scaled_sum(builder: Any, a: Any, by_a: Any, b: Any, by_b: Any) -> Any:
    """a times by_a and b times by_b, component by component; rounded once where the processor does that."""
    kind = ir.FunctionType(VECTOR, [VECTOR] * 3)
    name = f"llvm.fmuladd.v{WIDTH}f64"
    function = builder.module.globals.get(name) or ir.Function(builder.module, kind, name=name)
    return builder.call(function, [a, same_in_all(builder, by_a, WIDTH), scaled(builder, b, by_b)])


def total(builder: Any, a: Any, b: Any) -> Any:
    """The sum; one of the two may be plain."""
    if is_vector(a) and is_vector(b):
        return builder.fadd(a, b)
    whole = a if is_vector(a) else b
    return with_value(builder, whole, builder.fadd(value_of(builder, a), value_of(builder, b)))


def difference(builder: Any, a: Any, b: Any) -> Any:
    """As `total`."""
    if is_vector(a) and is_vector(b):
        return builder.fsub(a, b)
    whole = a if is_vector(a) else builder.fneg(b)
    return with_value(builder, whole, builder.fsub(value_of(builder, a), value_of(builder, b)))


def product(builder: Any, a: Any, b: Any) -> Any:
    """As `total`."""
    x, y = value_of(builder, a), value_of(builder, b)
    if not is_vector(b):
        return scaled(builder, a, y)
    if not is_vector(a):
        return scaled(builder, b, x)
    return with_value(builder, scaled_sum(builder, a, y, b, x), builder.fmul(x, y))


def quotient(builder: Any, a: Any, b: Any) -> Any:
    """d(a/b) = (da - (a/b) db)/b."""
    x, y = value_of(builder, a), value_of(builder, b)
    ratio, inverse = builder.fdiv(x, y), builder.fdiv(DOUBLE(1.0), y)
    if not is_vector(b):
        changes = scaled(builder, a, inverse)
    else:
        by_b = builder.fneg(builder.fmul(ratio, inverse))
        changes = scaled_sum(builder, a, inverse, b, by_b) if is_vector(a) else scaled(builder, b, by_b)
    return with_value(builder, changes, ratio)


def negative(builder: Any, a: Any) -> Any:
    """-a."""
    return builder.fneg(a)


def of_one(builder: Any, a: Any, f: Any, slope: Any) -> Any:
    """A function of a from its value and its derivative."""
    return with_value(builder, scaled(builder, a, slope), f)


def of_two(builder: Any, a: Any, b: Any, f: Any, slopes: tuple[Any, Any]) -> Any:
    """A function of a and b from its value and its derivatives."""
    return with_value(builder, scaled_sum(builder, a, slopes[0], b, slopes[1]), f)


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
def _from_plain(context: Any, builder: Any, plain_type: Any, wanted: Any, plain: Any) -> Any:
    return with_value(
        builder, VECTOR([DOUBLE(0.0)] * WIDTH), context.cast(builder, plain, plain_type, types.float64)
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
        operands = (a, b)
        if not any(isinstance(operand, Dual) for operand in operands):
            return None
        if not all(isinstance(operand, (Dual, *SCALAR_TYPES)) for operand in operands):
            return None
        return result(_taken(a), _taken(b))

    for kinds in ((Dual, Dual), (Dual, types.Float), (types.Float, Dual)):

        @lower_builtin(function, *kinds)
        def lowered(context: Any, builder: Any, sig: Any, args: Any) -> Any:
            return generate(builder, *args)


for _functions, _generate in (
    ((operator.add, operator.iadd), total),
    ((operator.sub, operator.isub), difference),
    ((operator.mul, operator.imul), product),
    ((operator.truediv, operator.itruediv), quotient),
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
    return negative(builder, args[0])


@_typed(dual_numbers.value)
def _type_of_value(a: Any) -> Any:
    return types.float64(DUAL) if isinstance(a, Dual) else types.float64(types.float64)


@lower_builtin(dual_numbers.value, Dual)
@lower_builtin(dual_numbers.value, types.Float)
def _value(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    return value_of(builder, args[0])


@_typed(dual_numbers.dual)
def _type_of_dual(a: Any) -> Any:
    return DUAL(DUAL)


@lower_builtin(dual_numbers.dual, Dual)
def _dual(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    return args[0]


@_typed(dual_numbers.chained)
def _type_of_chained(a: Any, f: Any, slope: Any) -> Any:
    return DUAL(DUAL, types.float64, types.float64)


@lower_builtin(dual_numbers.chained, Dual, types.Float, types.Float)
def _chained(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    return of_one(builder, *args)


@_typed(dual_numbers.chained2)
def _type_of_chained2(a: Any, b: Any, f: Any, by_a: Any, by_b: Any) -> Any:
    return DUAL(DUAL, DUAL, types.float64, types.float64, types.float64)


@lower_builtin(dual_numbers.chained2, Dual, Dual, types.Float, types.Float, types.Float)
def _chained2(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    a, b, f, by_a, by_b = args
    return of_two(builder, a, b, f, (by_a, by_b))


@_typed(dual_numbers.kind)
def _type_of_kind() -> Any:
    return types.DType(DUAL)()


@lower_builtin(dual_numbers.kind)
def _kind(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    return context.get_dummy_value()


@lower_builtin(is_complex, Dual)
def _is_complex(context: Any, builder: Any, sig: Any, values: Any) -> Any:
    return ir.IntType(64)(0)


def is_missing(kind: Any) -> bool:
    """Whether an argument with a default is not given, or is None."""
    return kind is None or isinstance(kind, (types.NoneType, types.Omitted))
