"""Arithmetic of dual numbers as instructions of LLVM: values, and derivatives by the rules of calculus."""

from __future__ import annotations

from typing import Any

from llvmlite import ir

from fem_mbd.core.compiled.build.duals.vectors import DOUBLE, VECTOR, is_vector, value_of, with_value
from fem_mbd.core.compiled.build.simd import same_in_all
from fem_mbd.core.compiled.duals.number import WIDTH

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
    found, inverse = builder.fdiv(x, y), builder.fdiv(DOUBLE(1.0), y)
    if not is_vector(b):
        changes = scaled(builder, a, inverse)
    else:
        by_b = builder.fneg(builder.fmul(found, inverse))
        changes = scaled_sum(builder, a, inverse, b, by_b) if is_vector(a) else scaled(builder, b, by_b)
    return with_value(builder, changes, found)


def negative(builder: Any, a: Any) -> Any:
    """-a."""
    return builder.fneg(a)


def of_one(builder: Any, a: Any, found: Any, slope: Any) -> Any:
    """A function of a from its value and its derivative."""
    return with_value(builder, scaled(builder, a, slope), found)


def of_two(builder: Any, a: Any, b: Any, found: Any, slopes: tuple[Any, Any]) -> Any:
    """A function of a and b from its value and its derivatives."""
    return with_value(builder, scaled_sum(builder, a, slopes[0], b, slopes[1]), found)
