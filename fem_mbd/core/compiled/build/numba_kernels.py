"""Kernels for numba, by its public interface (`numba.extending`): calls of other kernels and of unrolled functions.

Functions marked `unrolled` are recorded: run with numbers (`Traced`) that write each operation as an instruction of
LLVM.

A kernel that another one calls is compiled into the same library, unless it declares its types and belongs to another
library: then its entry there is called, with a table of its arguments (`WordTable`). So the laws of friction are
compiled once, not once for each kind of joint.
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
from numba.core.errors import TypingError
from numba.extending import lower_builtin, type_callable, typeof_impl

from fem_mbd.core.compiled.build.simd import INDEX, data_of, read, same_in_all, vector, write
from fem_mbd.core.compiled.kernels import Kernel, Unrolled
from fem_mbd.core.compiled.libraries import library_of
from fem_mbd.core.compiled.signatures import HEAD, Argument, Array, Group, Scalar, Signature

WORD = ir.IntType(64)
NAN = 0x7FF8000000000000  # bits of a float64


class WordTable:
    """A table that grows argument by argument.

    Parameters
    ----------
    context, builder : numba's, where the call is written
    """

    def __init__(self, context: Any, builder: Any):
        self._context, self._builder = context, builder
        self._words: list[Any] = []

    def add(self, kind: Any, value: Any) -> None:
        """An argument of one of numba's types."""
        builder = self._builder
        if isinstance(kind, types.Array):
            array = self._context.make_array(kind)(self._context, builder, value)
            lengths = [builder.extract_value(array.shape, k) for k in range(kind.ndim)]
            strides = [builder.extract_value(array.strides, k) for k in range(kind.ndim)]
            address = builder.ptrtoint(array.data, WORD)
            self._words += [WORD(0), WORD(0), array.nitems, array.itemsize, address, *lengths, *strides]
        elif isinstance(kind, types.BaseTuple):
            members: Any = kind
            for place, member in enumerate(members):
                self.add(member, builder.extract_value(value, place))
        elif isinstance(kind, types.Record):
            self._words.append(builder.ptrtoint(value, WORD))
        elif isinstance(kind, (types.Integer, types.Boolean)):
            wide = builder.sext if isinstance(kind, types.Integer) else builder.zext
            self._words.append(value if value.type == WORD else wide(value, WORD))
        else:
            with builder.goto_entry_block():
                number = builder.alloca(value.type)
            builder.store(value, number)
            self._words.append(builder.ptrtoint(number, WORD))

    def stored(self, returned: int = 0) -> Any:
        """The table's address. Where so many words will be returned stands nan: what a kernel leaves that raises."""
        builder = self._builder
        with builder.goto_entry_block():
            table = builder.alloca(WORD, HEAD + len(self._words))
        for place in range(returned):
            builder.store(WORD(NAN), builder.gep(table, [WORD(place)]))
        for place, word in enumerate(self._words, HEAD):
            builder.store(word, builder.gep(table, [WORD(place)]))
        return table


_place = ir.IntType(64)
_FUSED = ("contract",)  # a b + c is rounded once where the processor does that


class Traced:
    """A whole number, a number, a SIMD vector or a comparison of numbers in machine code.

    Parameters
    ----------
    builder : of LLVM's instructions
    value : of LLVM
    """

    def __init__(self, builder: Any, value: Any):
        self._builder, self.value = builder, value

    @property
    def _count(self) -> int:
        """Elements of the SIMD vector; 0 for a single number."""
        return self.value.type.count if isinstance(self.value.type, ir.VectorType) else 0

    def _with(self, other: Any, whole: str, name: str, swapped: bool = False) -> Traced:
        """The result of an instruction for whole numbers or for others."""
        other = self._traced(other)
        a, b = (other, self) if swapped else (self, other)
        if a.value.type == _place:
            return self._of(getattr(self._builder, whole)(a.value, b.value))
        count = max(a._count, b._count)
        operands = (a._same_in_all(count), b._same_in_all(count))
        return self._of(getattr(self._builder, name)(*operands, flags=_FUSED))

    def _of(self, value: Any) -> Traced:
        return Traced(self._builder, value)

    def _traced(self, number: Any) -> Traced:
        """A plain number as one of this kind."""
        if isinstance(number, Traced):
            return number
        return self._of((_place if self.value.type == _place else ir.DoubleType())(number))

    def _same_in_all(self, count: int) -> Any:
        return self.value if self._count == count else same_in_all(self._builder, self.value, count)

    def _shuffled(self, a: Any, b: Any, order: Sequence[int]) -> Any:
        return self._builder.shuffle_vector(a, b, ir.VectorType(INDEX, len(order))(list(order)))

    def __add__(self, other: Any) -> Traced:
        return self._with(other, "add", "fadd")

    def __sub__(self, other: Any) -> Traced:
        return self._with(other, "sub", "fsub")

    def __mul__(self, other: Any) -> Traced:
        return self._with(other, "mul", "fmul")

    def __rtruediv__(self, other: Any) -> Traced:
        return self._with(other, "sdiv", "fdiv", swapped=True)

    def __getitem__(self, element: int) -> Traced:
        return self._of(self._builder.extract_element(self.value, INDEX(element)))

    def chosen(self, other: Traced | float, order: Sequence[int]) -> Traced:
        """SIMD vector of elements by their places in this one followed by ``other``, a vector or a number for all."""
        second = self._traced(other)._same_in_all(self._count)
        return self._of(self._shuffled(self.value, second, order))

    def beside(self, *others: Traced) -> Traced:
        """The SIMD vector of this number and the others."""
        joined = vector(1 + len(others))(ir.Undefined)
        for element, number in enumerate((self, *others)):
            joined = self._builder.insert_element(joined, number.value, INDEX(element))
        return self._of(joined)

    def between(self, least: float, most: float) -> Traced:
        """Whether the number's magnitude is between two bounds; false for nan."""
        build, double = self._builder, ir.DoubleType()
        magnitude = build.call(build.module.declare_intrinsic("llvm.fabs", [double]), [self.value])
        above, below = (
            build.fcmp_ordered(sign, magnitude, double(bound)) for sign, bound in ((">", least), ("<", most))
        )
        return self._of(build.and_(above, below))

    def __and__(self, other: Traced) -> Traced:
        return self._of(self._builder.and_(self.value, other.value))


class TracedArray:
    """An array (n,) of float64, or of float32, which is only read, of the machine code.

    Parameters
    ----------
    builder : of LLVM's instructions
    data : LLVM's pointer to the first entry
    """

    def __init__(self, builder: Any, data: Any):
        self._builder, self._data = builder, data

    def load(self, place: Traced, count: int) -> Traced:
        """So many numbers side by side."""
        return Traced(self._builder, read(self._builder, self._data, place.value, count))

    def store(self, place: Traced, numbers: Traced) -> None:
        """Put a number or a SIMD vector there."""
        write(self._builder, self._data, place.value, numbers.value)

    def __getitem__(self, place: Traced) -> Traced:
        return Traced(self._builder, self._builder.load(self._builder.gep(self._data, [place.value])))


def introduce_unrolled(unrolled: Unrolled) -> None:
    """Tell numba of an unrolled function."""
    function = unrolled.function
    result = types.boolean if function.__annotations__.get("return") == "bool" else types.void
    parameters = inspect.signature(function)

    @type_callable(unrolled)
    def call(context: Any) -> Any:
        def typer(*arguments: Any) -> Any:
            return result(*map(_taken, arguments))

        typer.__signature__ = parameters  # type: ignore[attr-defined]
        return typer

    @lower_builtin(unrolled, types.VarArg(types.Any))
    def lower(context: Any, builder: Any, sig: Any, values: Any) -> Any:
        traced = [
            TracedArray(builder, data_of(context, builder, kind, value))
            if isinstance(kind, types.Array)
            else Traced(builder, value)
            for kind, value in zip(sig.args, values, strict=True)
        ]
        returned = function(*traced)
        return context.get_dummy_value() if returned is None else returned.value


def _taken(kind: Any) -> Any:
    """The type that an argument is taken as.

    Raises
    ------
    TypingError
        For arrays of other kinds, and for what is no whole number.
    """
    real = (types.float64, types.float32)
    if isinstance(kind, types.Array) and kind.dtype in real and (kind.ndim, kind.layout) == (1, "C"):
        return kind
    if isinstance(kind, types.Integer):
        return types.intp
    raise TypingError(f"an unrolled function takes arrays (n,) of floats and whole numbers, not {kind}")


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
    importlib.import_module("fem_mbd.core.compiled.build.at_run_time")
    for function in unrolled:
        if function not in _introduced:
            introduce_unrolled(function)
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

    def matching(actual: Sequence[Any]) -> int | None:
        """Number of the first signature that takes these arguments."""
        for number in symbols:
            arguments = kernel.signatures[number].arguments
            if len(actual) == len(arguments) and all(map(takes, arguments, actual)):
                return number
        return None

    @type_callable(kernel)
    def call(context: Any) -> Any:
        def typer(*actual: Any) -> Any:
            number = matching(actual)
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


def _takes(kind: Argument, actual: Any) -> bool:
    wanted = numba_type(kind)
    if isinstance(kind, Group):
        return bool(actual == wanted)
    if isinstance(kind, Array):
        alike = isinstance(actual, types.Array) and (actual.dtype, actual.ndim) == (wanted.dtype, wanted.ndim)
        return alike and (kind.layout == "A" or actual.layout == "C")
    if kind.is_record:
        return bool(actual == wanted)
    known: Any = {
        "c": types.Number,
        "f": (types.Float, types.Integer),
        "i": types.Integer,
        "b": types.Boolean,
    }
    return isinstance(types.unliteral(actual), known[kind.dtype.kind])


def _returned(signature: Signature) -> Any:
    """numba's signature of a call."""
    results = [numba_type(kind) for kind in signature.returns]
    returned = types.none if not results else results[0] if len(results) == 1 else types.Tuple(results)
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
