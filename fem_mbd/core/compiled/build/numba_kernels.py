"""Kernels for numba, by its public interface (`numba.extending`): how one kernel calls another.

A kernel that another one calls is compiled into the same library, unless it declares its types and belongs to another
library: then its entry there is called. So the laws of friction are compiled once, not once for each kind of joint.
"""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from typing import Any

import numba
from llvmlite import binding as llvm, ir
from numba import njit, types
from numba.extending import lower_builtin, type_callable, typeof_impl

from fem_mbd.core.compiled.build import tracing
from fem_mbd.core.compiled.build.word_table import WORD, WordTable
from fem_mbd.core.compiled.kernels import Kernel
from fem_mbd.core.compiled.libraries import library_of
from fem_mbd.core.compiled.signatures import Argument, Array, Group, Scalar, Signature
from fem_mbd.core.compiled.unrolled import Unrolled

_types: Any = types
OPTIONS: Any = {"error_model": "numpy", "no_cpython_wrapper": True, "no_cfunc_wrapper": True}


@cache
def dispatcher(kernel: Kernel) -> Any:
    """numba's object of a kernel."""
    return njit(**OPTIONS)(kernel.function)


@cache
def numba_type(kind: Argument) -> Any:
    """numba's type of an argument."""
    if isinstance(kind, Group):
        return _types.BaseTuple.from_types(tuple(map(numba_type, kind.members)), kind.of)
    of_one, array = numba.from_dtype(kind.dtype), _types.Array
    return of_one if isinstance(kind, Scalar) else array(of_one, kind.ndim, kind.layout)


def numba_types(signature: Signature) -> tuple[Any, ...]:
    """numba's types of all arguments."""
    return tuple(map(numba_type, signature.arguments))


_introduced: set[Any] = set()


def introduce(kernels: Iterable[Kernel], unrolled: Iterable[Unrolled], library: str) -> None:
    """Tell numba of kernels, seen from those of one library, always the same one in a process.

    Parameters
    ----------
    kernels, unrolled : all that may be called
    library : that is built, empty for kernels of no library
    """
    importlib.import_module("fem_mbd.core.compiled.build.call_at")
    for function in unrolled:
        if function not in _introduced:
            tracing.introduce(function)
    for kernel in kernels:
        if kernel not in _introduced and _is_elsewhere(kernel, library):
            symbols = {number: kernel.symbol(number) for number in range(len(kernel.signatures))}
            call_by_entry(kernel, symbols, _takes, _returned, _called)
    _introduced.update(unrolled, kernels)

    @typeof_impl.register(Kernel)
    def type_of(kernel: Any, context: Any) -> Any:
        return None if _is_elsewhere(kernel, library) else numba.typeof(dispatcher(kernel))


def _is_elsewhere(kernel: Kernel, library: str) -> bool:
    return bool(kernel.signatures) and library_of(kernel.__module__) != library


def call_by_entry(
    kernel: Kernel,
    symbols: Mapping[int, str],
    takes: Callable[[Argument, Any], bool],
    returned: Callable[[Signature], Any],
    called: Callable[..., Any],
) -> None:
    """Tell numba to call a kernel by its entries.

    Parameters
    ----------
    symbols : of entries, by the numbers of the kernel's signatures
    takes : whether an argument of a signature takes one of a type of numba's
    returned : numba's signature of a call
    called : writes the call, of (context, builder, numba's signature, values, symbol, signature), and gives its result
    """
    parameters = inspect.signature(kernel.function)
    for symbol in symbols.values():
        # numba makes machine code of all that it compiles: it wants to know an address, and nobody calls there
        llvm.add_symbol(symbol, 1)

    def matching(given: Sequence[Any]) -> int | None:
        """Number of the first signature that takes these arguments."""
        for number in symbols:
            arguments = kernel.signatures[number].arguments
            if len(given) == len(arguments) and all(map(takes, arguments, given)):
                return number
        return None

    @type_callable(kernel)
    def call(context: Any) -> Any:
        def typer(*given: Any) -> Any:
            number = matching(given)
            return None if number is None else returned(kernel.signatures[number])

        typer.__signature__ = parameters  # type: ignore[attr-defined]
        return typer

    @lower_builtin(kernel, types.VarArg(types.Any))
    def lower(context: Any, builder: Any, sig: Any, values: Any) -> Any:
        number = matching(sig.args)
        assert number is not None
        return called(context, builder, sig, values, symbols[number], kernel.signatures[number])


def _called(context: Any, builder: Any, sig: Any, values: Any, symbol: str, signature: Signature) -> Any:
    """A call of an entry; what it raises is not passed on."""
    table = WordTable(context, builder)
    for kind, value in zip(sig.args, values, strict=True):
        table.add(kind, value)
    words = table.stored(len(signature.returns))
    builder.call(entry_of(builder.module, symbol), [words])
    return _result(context, builder, words, sig.return_type)


def _takes(kind: Argument, given: Any) -> bool:
    wanted = numba_type(kind)
    if isinstance(kind, Group):
        return bool(given == wanted)
    if isinstance(kind, Array):
        alike = isinstance(given, types.Array) and (given.dtype, given.ndim) == (wanted.dtype, wanted.ndim)
        return alike and (kind.layout == "A" or given.layout == "C")
    if kind.is_record:
        return bool(given == wanted)
    known: Any = {
        "c": types.Number,
        "f": (types.Float, types.Integer),
        "i": types.Integer,
        "b": types.Boolean,
    }
    return isinstance(types.unliteral(given), known[kind.dtype.kind])


def _returned(signature: Signature) -> Any:
    """numba's signature of a call."""
    found = [numba_type(one) for one in signature.returns]
    returned = types.none if not found else found[0] if len(found) == 1 else types.Tuple(found)
    return returned(*numba_types(signature))


def _result(context: Any, builder: Any, table: Any, kind: Any) -> Any:
    """What an entry has left at the head of its table."""
    if kind == types.none:
        return context.get_dummy_value()
    returned = context.get_value_type(kind)
    if kind == types.boolean:
        byte = builder.load(builder.bitcast(table, ir.IntType(8).as_pointer()))
        return builder.trunc(byte, returned)
    return builder.load(builder.bitcast(table, returned.as_pointer()))


def entry_of(module: Any, symbol: str) -> Any:
    """Declaration of an entry in a module of LLVM."""
    known = module.globals.get(symbol)
    kind = ir.FunctionType(ir.IntType(32), [WORD.as_pointer()])
    return known or ir.Function(module, kind, name=symbol)
