"""Calls by addresses in compiled code: `call_at`, `call_entry` and `is_complex` of `fem_mbd.core.compiled.calls`."""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import lower_builtin, type_callable

from fem_mbd.core.compiled.build.word_table import WordTable
from fem_mbd.core.compiled.calls import FOREIGN_WORDS, call_at, call_entry, is_complex

WORD, STATUS = ir.IntType(64), ir.IntType(32)


@type_callable(call_at)
def _type_of_call(context: Any) -> Any:
    return lambda address, words, foreign: types.int64(types.int64, types.int64, types.int64)


@lower_builtin(call_at, types.Integer, types.Integer, types.Integer)
def _call(context: Any, builder: Any, sig: Any, values: Any) -> Any:
    address, words, foreign = values
    with builder.goto_entry_block():
        status = builder.alloca(STATUS)
    with builder.if_else(builder.icmp_unsigned("!=", foreign, WORD(0)), likely=False) as (in_c, entry):
        with in_c:
            table = builder.inttoptr(words, WORD.as_pointer())
            given = [builder.load(builder.gep(table, [WORD(k)])) for k in range(FOREIGN_WORDS)]
            builder.store(_called(builder, address, given), status)
        with entry:
            builder.store(_called(builder, address, [words]), status)
    return builder.sext(builder.load(status), WORD)


def _called(builder: Any, address: Any, given: list[Any]) -> Any:
    kind = ir.FunctionType(STATUS, [WORD] * len(given))
    return builder.call(builder.inttoptr(address, kind.as_pointer()), given)


@type_callable(call_entry)
def _type_of_entry_call(context: Any) -> Any:
    return lambda address, arguments: types.void(types.int64, arguments)


@lower_builtin(call_entry, types.Integer, types.BaseTuple)
def _call_entry(context: Any, builder: Any, sig: Any, values: Any) -> Any:
    table, address = WordTable(context, builder), values[0]
    for place, kind in enumerate(sig.args[1]):
        table.add(kind, builder.extract_value(values[1], place))
    function = builder.inttoptr(address, ir.FunctionType(STATUS, [WORD.as_pointer()]).as_pointer())
    builder.call(function, [table.stored()])
    return context.get_dummy_value()


@type_callable(is_complex)
def _type_of_is_complex(context: Any) -> Any:
    return lambda number: types.int64(types.unliteral(number))


@lower_builtin(is_complex, types.Number)
def _is_complex(context: Any, builder: Any, sig: Any, values: Any) -> Any:
    return WORD(int(isinstance(sig.args[0], types.Complex)))
