"""Dual numbers as vectors of LLVM: the value is element 0, the derivatives are the others."""

from __future__ import annotations

from typing import Any

from llvmlite import ir

from fem_mbd.core.compiled.build.simd import INDEX, vector
from fem_mbd.core.compiled.duals.number import WIDTH

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
