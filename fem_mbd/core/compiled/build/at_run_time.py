"""Compilation in memory, at their first call, of kernels that are in no library: users' laws and those of tests.

It also tells numba how compiled code calls by addresses: `call_at`, `call_entry` and `is_complex` of
`fem_mbd.core.compiled.calls`.
"""

from __future__ import annotations

import itertools
from functools import cache
from typing import Any

from llvmlite import binding as llvm, ir
from numba import types
from numba.extending import lower_builtin, type_callable

from fem_mbd.core.compiled import libraries
from fem_mbd.core.compiled.build.digest import known
from fem_mbd.core.compiled.build.module import module_of, optimise, undefined, unknown_calls
from fem_mbd.core.compiled.build.numba_kernels import WordTable, introduce
from fem_mbd.core.compiled.calls import FOREIGN_WORDS, call_at, call_entry, is_complex
from fem_mbd.core.compiled.kernels import Kernel, Unrolled


def address_of(kernel: Kernel, number: int) -> int:
    """Address of a kernel's entry for one of its signatures, compiled now.

    Raises
    ------
    numba.NumbaError
        For what numba does not compile.
    TypeError
        When the kernel returns another type than it declares, or calls Python or numba's library.
    """
    return _addresses(kernel)[number]


@cache
def _addresses(kernel: Kernel) -> list[int]:
    """Of all entries of a kernel. Other kernels may have its name: those of a cell of a notebook that is run again."""
    introduce({*known(Kernel), kernel}, known(Unrolled), "")
    module = module_of([kernel])
    names = []
    for number in range(len(kernel.signatures)):
        entry = module.get_function(kernel.symbol(number))
        entry.name = f"{kernel.symbol(number)}.{next(_count)}"
        names.append(entry.name)
    optimise(module, _host(), names)
    if missing := unknown_calls(module):
        raise TypeError(f"{kernel.__name__} calls {missing}")
    for symbol in undefined(module):
        if libraries.library_of(symbol):
            llvm.add_symbol(symbol, libraries.address_of(symbol))
    _engine().add_module(module)
    _engine().finalize_object()
    return [int(_engine().get_function_address(name)) for name in names]


def guarded(entry: int, instead: int) -> int:
    """Address of a function that calls an entry, and another function with the same table of words where that raises.

    Parameters
    ----------
    entry, instead : addresses of both
    """
    name = f"guarded.{next(_count)}"
    _engine().add_module(llvm.parse_assembly(GUARDED_ENTRY.format(name=name, entry=entry, instead=instead)))
    _engine().finalize_object()
    return int(_engine().get_function_address(name))


GUARDED_ENTRY = """
define i32 @"{name}"(ptr %words) {{
  %entry = inttoptr i64 {entry} to ptr
  %status = call i32 %entry(ptr %words)
  %fine = icmp eq i32 %status, 0
  br i1 %fine, label %end, label %raised
raised:
  %instead = inttoptr i64 {instead} to ptr
  %other = call i32 %instead(ptr %words)
  ret i32 %other
end:
  ret i32 0
}}
"""
_count = itertools.count()


@cache
def _host() -> Any:
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    features = llvm.get_host_cpu_features().flatten()
    return llvm.Target.from_default_triple().create_target_machine(
        cpu=llvm.get_host_cpu_name(), features=features, opt=3, jit=True
    )


@cache
def _engine() -> Any:
    return llvm.create_mcjit_compiler(llvm.parse_assembly(""), _host())


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
            arguments = [builder.load(builder.gep(table, [WORD(k)])) for k in range(FOREIGN_WORDS)]
            builder.store(_called(builder, address, arguments), status)
        with entry:
            builder.store(_called(builder, address, [words]), status)
    return builder.sext(builder.load(status), WORD)


def _called(builder: Any, address: Any, arguments: list[Any]) -> Any:
    kind = ir.FunctionType(STATUS, [WORD] * len(arguments))
    return builder.call(builder.inttoptr(address, kind.as_pointer()), arguments)


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
