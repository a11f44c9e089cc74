"""Calls of kernels whose arguments stay the same, made one after the other without Python.

A run calls the same kernels with the same arrays again and again; from Python each call costs 1 to 5 us, which is half
of the time of small models. A `Call` is a kernel with its arguments. A `CallList` holds the addresses of kernels and of
their arrays, and makes all its calls at some 20 ns each. Nothing is compiled for a list: `run_calls` serves all.

How a call is made: numba hands an array over as plain words (pointers and integers) and a float64 as a double. By the
conventions of Linux and macOS on x86-64 and on 64-bit ARM, words and doubles travel apart, each in their order, and a
caller may pass more words than the called function takes. So words are read from a table, and a few sizes of table
serve all kernels. On other machines `calls_by_address` says no, and everything is called from Python.

The arrays are those of the moment when a list is made: they may change their entries and must not be replaced.
"""

from __future__ import annotations

import ctypes
import platform
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
from llvmlite import ir
from numba import typeof, types
from numba.core import cgutils
from numba.core.typing import signature
from numba.extending import intrinsic

from fem_mbd.arrays import Array
from fem_mbd.compiled import kernel

SIZES = (16, 32, 48, 64, 80, 96, 112, 128, 160, 192, 256)  # words of a table
DOUBLES = 2  # at most, in one call
RESULT = 8  # words: room for what a kernel returns; the next one tells what it raises
DONE, DONE_NONE = 0, -2  # what compiled code returns unless the kernel has raised
ADDRESS, WORDS, SIZE, FIRST, SECOND, STOPPED = range(6)  # columns of a list


def calls_by_address() -> bool:
    """Whether this machine passes arguments as described above."""
    return platform.system() in ("Linux", "Darwin") and platform.machine() in ("x86_64", "aarch64", "arm64")


class Number(NamedTuple):
    """An argument of type float64: what ``array[place]`` is at the time of the call."""

    array: Array
    place: int = 0


class Call:
    """A kernel with its arguments: arrays, integers, and `Number` for what changes from call to call.

    Parameters
    ----------
    kernel : from `fem_mbd.compiled.kernel`; what it returns is dropped
    arguments : in its order
    """

    def __init__(self, kernel: Any, *arguments: Any):
        self.kernel, self.arguments = kernel, arguments

    def __call__(self) -> None:
        """The call from Python."""
        self.kernel(*(float(a.array[a.place]) if isinstance(a, Number) else a for a in self.arguments))


class ForeignCall:
    """A function of a library in C that returns zero as an int when it has done its work.

    Parameters
    ----------
    address : of the function
    words : its arguments, pointers and integers
    """

    def __init__(self, address: int, *words: int):
        self.address, self.words = address, words

    def __call__(self) -> None:
        """Raises: when the list stopped here, its owner asks the library why."""
        raise ForeignError("a function of a library has failed")


class ForeignError(RuntimeError):
    """A `ForeignCall` has not returned zero."""


Task = Call | ForeignCall | Callable[[], None]


class CallList:
    """Calls in their order, and Python functions without arguments among them.

    Attributes
    ----------
    table : (n, 6) addresses, what `run_calls` takes; the last column tells which call has stopped the list
    """

    def __init__(self, tasks: Iterable[Task]):
        self._tasks = list(tasks)
        self._kept: list[Any] = []  # what the addresses lead to
        self._nothing = np.zeros(1)
        self._error: BaseException | None = None
        self._result = np.zeros(RESULT + 1, dtype=np.int64)
        rows = [self._row(task) for task in self._tasks]
        self.table = np.array(rows, dtype=np.int64).reshape(-1, 6)
        self._entry = _entry(self.table)

    def __call__(self) -> None:
        """Make all calls. What a kernel or a Python function raises is raised here."""
        if not self._entry():
            self.raise_error()

    def raise_error(self) -> None:
        """Raise what has stopped the list, if anything has."""
        for number in np.flatnonzero(self.table[:, STOPPED]):
            self.table[number, STOPPED] = 0
            error, self._error = self._error, None
            if error is not None:
                raise error
            self._tasks[number]()  # a kernel's exception, raised again with its text

    def _row(self, task: Task) -> list[int]:
        if isinstance(task, ForeignCall):
            return self._entry_of(task.address, task.words)
        if not isinstance(task, Call):
            return self._entry_of(self._callback(task), ())
        plain = [0.0 if isinstance(a, Number) else a for a in task.arguments]
        numbers = [a.array[a.place :].ctypes.data for a in task.arguments if isinstance(a, Number)]
        result = self._result.ctypes.data
        words = [result, result + 8 * RESULT, *_words(plain)]
        return self._entry_of(address_of(task.kernel, plain), words, numbers)

    def _entry_of(self, address: int, words: Sequence[int], doubles: Sequence[int] = ()) -> list[int]:
        table = np.zeros(next(size for size in SIZES if size >= len(words)), dtype=np.int64)
        table[: len(words)] = words
        self._kept.append(table)
        doubles = [*doubles, *[self._nothing.ctypes.data] * (DOUBLES - len(doubles))]
        return [address, table.ctypes.data, SIZES.index(len(table)), *doubles, 0]

    def _callback(self, function: Callable[[], None]) -> int:
        """Address of a function that calls ``function`` and tells whether it has raised."""

        def call() -> int:
            try:
                function()
            except BaseException as error:  # raised again by `raise_error`
                self._error = error
                return 1
            return DONE

        callback = ctypes.PYFUNCTYPE(ctypes.c_int32)(call)
        self._kept.append(callback)
        return ctypes.cast(callback, ctypes.c_void_p).value or 0


_addresses: dict[tuple[Any, ...], int] = {}  # of kernels for kinds of arguments


def address_of(function: Any, arguments: Sequence[Any]) -> int:
    """Of a kernel's machine code for arguments like these, compiled or read from disk if need be."""
    kinds = (function, *map(_kind, arguments))
    if kinds not in _addresses:
        given = tuple(typeof(a) for a in arguments)
        function.compile(given)
        found = function.overloads[given]
        _addresses[kinds] = int(found.library.get_pointer_to_function(found.fndesc.llvm_func_name))
    return _addresses[kinds]


def _kind(argument: Any) -> Any:
    """What of an argument decides its type in numba; numba's own `typeof` takes fifty times as long."""
    if isinstance(argument, np.ndarray):
        return argument.dtype, argument.ndim, argument.flags.num
    return type(argument)


def _words(arguments: Sequence[Any]) -> list[int]:
    """Arguments as numba hands them over, without doubles: arrays piece by piece, integers."""
    words = []
    for argument in arguments:
        if isinstance(argument, np.ndarray):
            words += [0, 0, argument.size, argument.itemsize, argument.ctypes.data]
            words += [*argument.shape, *argument.strides]
        elif isinstance(argument, int | np.integer):
            words.append(int(argument))
        elif not isinstance(argument, float):
            raise TypeError(f"a Call takes arrays, integers and Number, not {type(argument).__name__}")
    return words


def _entry(table: Any) -> Callable[[], bool]:
    """`run_calls` of a list as a function for Python, which raises what Python code called by kernels has raised."""
    result = ctypes.c_bool()
    raised = ctypes.c_int64()  # where run_calls would leave what it raises, if it did
    words = [ctypes.addressof(result), ctypes.addressof(raised), *_words([table])]
    kind = ctypes.PYFUNCTYPE(ctypes.c_int32, *[ctypes.c_int64] * len(words))
    function = kind(address_of(run_calls, [table]))
    given = [ctypes.c_int64(word) for word in words]

    def call() -> bool:
        function(*given)
        return result.value

    call.kept = (raised, table)  # type: ignore[attr-defined]
    return call


@intrinsic
def call_at(context: Any, address: Any, words: Any, size: Any, first: Any, second: Any) -> Any:
    """The status of a call by its address, with a table of words and the addresses of two doubles."""
    word = ir.IntType(64)

    def generate(target: Any, builder: Any, sig: Any, values: Any) -> Any:
        address, table, size, *doubles = values
        numbers = [builder.load(builder.inttoptr(d, ir.DoubleType().as_pointer())) for d in doubles]
        status = cgutils.alloca_once(builder, ir.IntType(32))
        end = builder.append_basic_block("called")
        switch = builder.switch(size, end)
        for number, count in enumerate(SIZES):
            block = builder.append_basic_block(f"words_{count}")
            switch.add_case(word(number), block)
            builder.position_at_end(block)
            at = builder.inttoptr(table, word.as_pointer())
            given = [builder.load(builder.gep(at, [word(k)])) for k in range(count)]
            kind = ir.FunctionType(ir.IntType(32), [word] * count + [ir.DoubleType()] * DOUBLES)
            function = builder.inttoptr(address, kind.as_pointer())
            builder.store(builder.call(function, [*given, *numbers]), status)
            builder.branch(end)
        builder.position_at_end(end)
        return builder.sext(builder.load(status), word)

    return signature(types.int64, *[types.int64] * 5), generate


_call_at: Any = call_at  # as the compiler sees it, without its own two arguments


@kernel
def run_calls(table):
    """Make the calls of a `CallList`; False when one has raised, which ends the list."""
    for k in range(table.shape[0]):
        row = table[k]
        status = _call_at(row[ADDRESS], row[WORDS], row[SIZE], row[FIRST], row[SECOND])
        if status != DONE and status != DONE_NONE:
            table[k, STOPPED] = 1
            return False
    return True
