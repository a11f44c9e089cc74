"""Compilation of kernels for dual numbers, from the source of the kernels as they stand.

numba's types of kernels' arguments (`of_argument`) are those in which every float64 is a dual number.

What is compiled is the kernel's function with other globals: numpy's functions and Python's own are those of
`functions`, kernels with entries in other libraries are called by their entries for dual numbers. Its entry takes
what the kernel's takes; plain numbers are handed over as arrays of one, and results go into one more array.
"""

from __future__ import annotations

import importlib
import re
from collections.abc import Iterable, Iterator
from functools import cache
from types import FunctionType
from typing import Any

import numba
import numpy as np
from llvmlite import binding as llvm, ir
from numba import njit, types
from numba.extending import models, register_model, typeof_impl

from fem_mbd.core.compiled.build.digest import known
from fem_mbd.core.compiled.build.duals import number
from fem_mbd.core.compiled.build.duals.functions import BUILTINS, NUMPY
from fem_mbd.core.compiled.build.duals.number import DUAL, VECTOR, Dual
from fem_mbd.core.compiled.build.module import STAND_INS, entry_text
from fem_mbd.core.compiled.build.numba_kernels import OPTIONS, WORD, call_by_entry, entry_of
from fem_mbd.core.compiled.dual_calls import (
    FLOAT,
    bytes_of,
    dual_signatures,
    dual_symbol,
    holds_numbers,
    offset_of,
)
from fem_mbd.core.compiled.dual_numbers import WIDTH
from fem_mbd.core.compiled.kernels import Kernel
from fem_mbd.core.compiled.libraries import library_of
from fem_mbd.core.compiled.signatures import HEAD, Argument, Array, Group, Scalar, Signature

_types: Any = types


class DualRecord(types.Record):
    """A record that holds dual numbers, which numpy has no type for."""

    @property
    def dtype(self) -> Any:
        """Of a record of its size."""
        return np.dtype((np.void, self.size))


register_model(DualRecord)(models.RecordModel)


@cache
def of_dtype(dtype: np.dtype[Any]) -> Any:
    """numba's type of a number or record."""
    if dtype == FLOAT:
        return DUAL
    if dtype.fields is None or not holds_numbers(dtype):
        return numba.from_dtype(dtype)
    fields: list[tuple[str, Any]] = []
    for name in dtype.names or ():
        kind, offset = dtype.fields[name][:2]
        number = of_dtype(kind.base)
        field_type = types.NestedArray(number, kind.shape) if kind.shape else number
        place = offset_of(dtype, offset, kind.base)
        fields.append((name, {"type": field_type, "offset": place, "alignment": None, "title": None}))
    return DualRecord(fields, bytes_of(dtype), True)


def of_argument(kind: Argument) -> Any:
    """numba's type of an argument."""
    if isinstance(kind, Group):
        return _types.BaseTuple.from_types(tuple(map(of_argument, kind.members)), kind.of)
    of_one = of_dtype(kind.dtype)
    return of_one if isinstance(kind, Scalar) else _types.Array(of_one, kind.ndim, kind.layout)


def of_result(signature: Signature) -> Any:
    """numba's type of what a kernel returns."""
    returned = [of_dtype(kind.dtype) for kind in signature.returns]
    return types.none if not returned else returned[0] if len(returned) == 1 else types.Tuple(returned)


def by_address(kind: Argument) -> bool:
    """Whether an entry finds a number of this type at an address, as an array of one."""
    return isinstance(kind, Scalar) and kind.dtype == FLOAT


def entry_signature(signature: Signature) -> Signature:
    """What the entry for dual numbers takes: members of groups as arguments, numbers as arrays of one.

    What is returned is the last array.
    """
    number = Array(FLOAT, 1, "C")
    arguments = [number if by_address(kind) else kind for kind in signature.flat]
    return Signature((*arguments, *([number] if signature.returns else [])), ())


# numbers need not lie at multiples of their own size
ALIGNED = re.compile(rf"((?:load|store) <{WIDTH} x double>[^\n]*), align \d+")


@cache
def dispatcher(kernel: Kernel) -> Any:
    """numba's object of a kernel for dual numbers."""
    return njit(**OPTIONS)(_function(kernel.function))


def _function(function: Any) -> Any:
    """The function with other globals."""
    known = {**function.__globals__, **BUILTINS}
    known |= {name: NUMPY for name, value in function.__globals__.items() if value is np}
    copy = FunctionType(
        function.__code__, known, function.__name__, function.__defaults__, function.__closure__
    )
    copy.__kwdefaults__, copy.__qualname__ = function.__kwdefaults__, function.__qualname__
    copy.__module__ = function.__module__
    return copy


def module_of(kernels: Iterable[Kernel], library: str) -> Any:
    """LLVM's module with the entries for dual numbers of these kernels and all that they call, not yet optimised.

    Parameters
    ----------
    library : that they belong to
    """
    _introduce(known(Kernel), library)
    whole = llvm.parse_assembly(STAND_INS.read_text())
    texts = [text for kernel in kernels for text in _texts(kernel)]
    for text in texts:
        whole.link_in(llvm.parse_assembly(text))
    return whole


def _introduce(kernels: Iterable[Kernel], library: str) -> None:
    """Tell numba of kernels, seen from the dual numbers' version of one library, always the same one in a process."""
    importlib.import_module("fem_mbd.core.compiled.build.at_run_time")
    for kernel in kernels:
        if _is_elsewhere(kernel, library):
            symbols = {index: dual_symbol(kernel, index) for index in dual_signatures(kernel)}
            call_by_entry(kernel, symbols, _takes, _signature, _called)

    @typeof_impl.register(Kernel)
    def type_of(kernel: Any, context: Any) -> Any:
        return None if _is_elsewhere(kernel, library) else numba.typeof(dispatcher(kernel))


def _is_elsewhere(kernel: Kernel, library: str) -> bool:
    return bool(dual_signatures(kernel)) and library_of(kernel.__module__) != library


def _texts(kernel: Kernel) -> Iterable[str]:
    """LLVM's text of all entries of a kernel for dual numbers."""
    for index in dual_signatures(kernel):
        yield _text(kernel, index, kernel.signatures[index])


def _text(kernel: Kernel, index: int, signature: Signature) -> str:
    entry = njit(**OPTIONS)(_entry(kernel, signature))
    kinds = tuple(map(of_argument, entry_signature(signature).arguments))
    entry.compile(types.none(*kinds))
    text = entry.inspect_llvm(kinds)
    wrapper = entry_text(dual_symbol(kernel, index), entry_signature(signature), text)
    return ALIGNED.sub(r"\1, align 8", f"{text}\n{wrapper}\n")


def _entry(kernel: Kernel, signature: Signature) -> Any:
    """A function that calls the kernel with dual numbers out of arrays, and puts what it returns into one."""
    known: dict[str, Any] = {"kernel": dispatcher(kernel)}
    names = [f"a{k}" for k in range(len(signature.flat))]
    arguments = _arguments(signature.arguments, iter(names), known)
    call, returned = f"kernel({', '.join(arguments)})", len(signature.returns)
    lines = [f"def entry({', '.join([*names, *(['out'] if returned else [])])}):"]
    lines.append(f"    results = {call}" if returned else f"    {call}")
    lines += [f"    out[{k}] = results{f'[{k}]' if returned > 1 else ''}" for k in range(returned)]
    exec("\n".join(lines), known)
    return known["entry"]


def _arguments(kinds: Iterable[Argument], names: Iterator[str], known: dict[str, Any]) -> list[str]:
    """Text of arguments of a kernel from the names of an entry's; classes of groups become known by their names."""
    arguments = []
    for kind in kinds:
        if isinstance(kind, Group):
            known[kind.of.__name__] = kind.of
            arguments.append(f"{kind.of.__name__}({', '.join(_arguments(kind.members, names, known))})")
        else:
            arguments.append(f"{next(names)}[0]" if by_address(kind) else next(names))
    return arguments


def _signature(signature: Signature) -> Any:
    return of_result(signature)(*map(of_argument, signature.arguments))


def _takes(kind: Argument, actual: Any) -> bool:
    wanted = of_argument(kind)
    if isinstance(wanted, types.Array):
        alike = isinstance(actual, types.Array) and (actual.dtype, actual.ndim) == (wanted.dtype, wanted.ndim)
        return alike and (wanted.layout == "A" or actual.layout == "C")
    if isinstance(wanted, Dual):
        return isinstance(types.unliteral(actual), (Dual, types.Float, types.Integer))
    if isinstance(wanted, types.Integer):
        return isinstance(types.unliteral(actual), types.Integer)
    return bool(types.unliteral(actual) == wanted)


def _called(context: Any, builder: Any, sig: Any, values: Any, symbol: str, signature: Signature) -> Any:
    """A call of an entry for dual numbers; what it raises is not passed on, and leaves nan."""
    words: list[Any] = []
    for kind, value in zip(sig.args, values, strict=True):
        words += _words(context, builder, kind, value)
    returned = tuple(sig.return_type) if hasattr(sig.return_type, "__iter__") else (sig.return_type,)
    count = 0 if sig.return_type == types.none else len(returned)
    with builder.goto_entry_block():
        table = builder.alloca(WORD, HEAD + len(words) + 7)
        out = builder.alloca(VECTOR, max(count, 1))
    for place in range(count):
        builder.store(number.NOT_A_NUMBER, builder.gep(out, [WORD(place)]))
    if count:
        words += _of_one(builder, out, count)
    for place, word in enumerate(words, HEAD):
        builder.store(word, builder.gep(table, [WORD(place)]))
    builder.call(entry_of(builder.module, symbol), [table])
    if not count:
        return context.get_dummy_value()
    results = [builder.load(builder.gep(out, [WORD(place)])) for place in range(count)]
    results = [_back(builder, result, kind) for result, kind in zip(results, returned, strict=True)]
    return results[0] if count == 1 else context.make_tuple(builder, sig.return_type, results)


def _back(builder: Any, result: Any, kind: Any) -> Any:
    """A number of a type other than dual ones, which the entry has put into an array of these."""
    if isinstance(kind, Dual):
        return result
    plain = builder.extract_element(result, ir.IntType(32)(0))
    if isinstance(kind, types.Boolean):
        return builder.fcmp_unordered("!=", plain, ir.DoubleType()(0.0))
    return builder.fptosi(plain, ir.IntType(kind.bitwidth))


def _words(context: Any, builder: Any, kind: Any, value: Any) -> list[Any]:
    """An argument in the table of words of an entry."""
    if isinstance(kind, types.Array):
        array = context.make_array(kind)(context, builder, value)
        lengths = [builder.extract_value(array.shape, k) for k in range(kind.ndim)]
        strides = [builder.extract_value(array.strides, k) for k in range(kind.ndim)]
        return [
            WORD(0),
            WORD(0),
            array.nitems,
            array.itemsize,
            builder.ptrtoint(array.data, WORD),
            *lengths,
            *strides,
        ]
    if isinstance(kind, types.BaseTuple):
        members: Any = kind
        words: list[Any] = []
        for place, member in enumerate(members):
            words += _words(context, builder, member, builder.extract_value(value, place))
        return words
    if isinstance(kind, types.Record):
        return [builder.ptrtoint(value, WORD)]
    if isinstance(kind, Dual):
        with builder.goto_entry_block():
            index = builder.alloca(VECTOR)
        builder.store(value, index)
        return _of_one(builder, index, 1)
    wide = builder.sext if isinstance(kind, types.Integer) else builder.zext
    return [value if value.type == WORD else wide(value, WORD)]


def _of_one(builder: Any, data: Any, count: int) -> list[Any]:
    """An array of so many dual numbers."""
    size = 8 * WIDTH
    return [WORD(0), WORD(0), WORD(count), WORD(size), builder.ptrtoint(data, WORD), WORD(count), WORD(size)]
