"""Arithmetic of recorded numbers: lane 0 of a vector of LLVM is the value, lane 1 the bits of the operation's number.

Every operation is put down by `recording.ll`, unless its operands are constants.
"""

from __future__ import annotations

import ctypes
from pathlib import Path
from typing import Any

from llvmlite import binding as llvm
from llvmlite import ir

from fem_mbd.core.compiled.build.duals.vectors import DOUBLE, VECTOR, is_vector, value_of, with_value
from fem_mbd.core.compiled.build.simd import INDEX
from fem_mbd.core.compiled.duals.entries import memory_symbol
from fem_mbd.core.compiled.signatures import HEAD

TEXT = Path(__file__).with_name("recording.ll")
RECORD = "fem_mbd_record"
NUMBER = ir.IntType(64)
NOT_A_NUMBER = VECTOR([float("nan"), 0.0])
# numba makes machine code of all that it compiles: it wants to know an address, and nobody calls there
_nobody = ctypes.create_string_buffer(8)
llvm.add_symbol(RECORD, ctypes.addressof(_nobody))


def _number_of(builder: Any, a: Any) -> Any:
    """Of the operation; zero for a plain number."""
    if not is_vector(a):
        return NUMBER(0)
    return builder.bitcast(builder.extract_element(a, INDEX(1)), NUMBER)


def _recorded(builder: Any, found: Any, *operands: tuple[Any, Any]) -> Any:
    """A value that results from operands, each with the derivative by it."""
    given: list[Any] = []
    for operand, slope in (*operands, (DOUBLE(0.0), DOUBLE(0.0)))[:2]:
        given += [_number_of(builder, operand), slope]
    kind = ir.FunctionType(NUMBER, [NUMBER, DOUBLE] * 2)
    record = builder.module.globals.get(RECORD) or ir.Function(builder.module, kind, name=RECORD)
    number = builder.bitcast(builder.call(record, given), DOUBLE)
    return with_value(builder, builder.insert_element(VECTOR([DOUBLE(0.0)] * 2), number, INDEX(1)), found)


def total(builder: Any, a: Any, b: Any) -> Any:
    """The sum; one of the two may be plain."""
    found = builder.fadd(value_of(builder, a), value_of(builder, b))
    return _recorded(builder, found, *_of_numbers((a, DOUBLE(1.0)), (b, DOUBLE(1.0))))


def difference(builder: Any, a: Any, b: Any) -> Any:
    """As `total`."""
    found = builder.fsub(value_of(builder, a), value_of(builder, b))
    return _recorded(builder, found, *_of_numbers((a, DOUBLE(1.0)), (b, DOUBLE(-1.0))))


def _of_numbers(*operands: tuple[Any, Any]) -> list[tuple[Any, Any]]:
    """Operands without the plain ones."""
    return [one for one in operands if is_vector(one[0])]


def product(builder: Any, a: Any, b: Any) -> Any:
    """As `total`."""
    x, y = value_of(builder, a), value_of(builder, b)
    return _recorded(builder, builder.fmul(x, y), *_of_numbers((a, y), (b, x)))


def quotient(builder: Any, a: Any, b: Any) -> Any:
    """As `total`."""
    x, y = value_of(builder, a), value_of(builder, b)
    found, inverse = builder.fdiv(x, y), builder.fdiv(DOUBLE(1.0), y)
    by_b = builder.fneg(builder.fmul(found, inverse))
    return _recorded(builder, found, *_of_numbers((a, inverse), (b, by_b)))


def negative(builder: Any, a: Any) -> Any:
    """-a."""
    return _recorded(builder, builder.fneg(value_of(builder, a)), (a, DOUBLE(-1.0)))


def of_one(builder: Any, a: Any, found: Any, slope: Any) -> Any:
    """A function of a from its value and its derivative."""
    return _recorded(builder, found, (a, slope))


def of_two(builder: Any, a: Any, b: Any, found: Any, slopes: tuple[Any, Any]) -> Any:
    """A function of a and b from its value and its derivatives."""
    return _recorded(builder, found, (a, slopes[0]), (b, slopes[1]))


def texts(library: str) -> list[str]:
    """LLVM's text of what a library needs besides its kernels."""
    place = f"""
@fem_mbd_tape = external global ptr
define i32 @"{memory_symbol(library)}"(ptr %words) {{
  %given = getelementptr i64, ptr %words, i64 {HEAD}
  %memory = load ptr, ptr %given
  store ptr %memory, ptr @fem_mbd_tape
  ret i32 0
}}
"""
    return [TEXT.read_text(), place]
