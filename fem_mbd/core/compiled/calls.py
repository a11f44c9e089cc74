"""Calls of kernels whose arguments stay the same, made one after the other without Python.

A run calls the same kernels with the same arrays again and again; from Python each call costs some microseconds, which
is half of the time of small models. A `Call` is a kernel with its arguments. A `CallList` holds the addresses of
entries and of their tables of words, and makes all its calls at some 10 ns each.

The arrays are those of the moment when a call is listed for the first time: they may change their entries and must
not be replaced.
"""

from __future__ import annotations

import ctypes
from array import array as packed
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from fem_mbd.core.compiled.entries import entry_at
from fem_mbd.core.compiled.kernels import kernel
from fem_mbd.core.compiled.raised import raise_kept
from fem_mbd.core.compiled.signatures import FREE_FUNCTION, FUNCTION, Number, boolean, int64

__all__ = [
    "Call",
    "CallList",
    "ForeignCall",
    "ForeignError",
    "Number",
    "Split",
    "Task",
    "in_order",
    "run_calls",
]

FOREIGN_WORDS = 8  # at most, of a function of a library in C
ADDRESS, WORDS, FOREIGN, STOPPED = range(4)  # columns of a list


class Split(NamedTuple):
    """How a call can be divided: into calls with a part of the rows each.

    Attributes
    ----------
    rows : places of the arguments that have a row for each turn of the kernel's loop
    nodes : (rows, k) what each turn adds to, where others add to the same; None where each writes its own
    """

    rows: tuple[int, ...]
    nodes: Any = None


class Listed(NamedTuple):
    """A call as lists take it.

    Attributes
    ----------
    row : of the list's table
    held : what the row points to, here kept alive
    """

    row: tuple[int, ...]
    held: Any


class Call:
    """A kernel with its arguments: arrays, integers, and `Number` for what changes from call to call.

    Parameters
    ----------
    kernel : from the decorator `fem_mbd.core.compiled.kernel`; what it returns is dropped
    arguments : in its order
    split : how it can be divided among threads, None: not
    """

    def __init__(self, kernel: Any, *arguments: Any, split: Split | None = None):
        self.kernel, self.arguments, self.split = kernel, arguments, split

    @cached_property
    def listed(self) -> Listed:
        """Found once, for any number of lists."""
        entry = self.kernel.entry_for(self.arguments)
        table, held = entry.signature.table(self.arguments)
        return Listed((entry.address, table.buffer_info()[0], 0, 0), (table, held))

    @cached_property
    def _alone(self) -> CallList:
        return CallList([self])

    def __call__(self) -> None:
        """The call alone; what the kernel raises is raised here."""
        self._alone()

    def raise_error(self) -> None:
        """Raise what the kernel raises, once more: Python knows the words."""
        self.kernel.in_python(*(float(a) if type(a) is Number else a for a in self.arguments))


class ForeignCall:
    """A function of a library in C that returns zero as an int when it has done its work.

    Parameters
    ----------
    address : of the function
    words : its arguments, pointers and integers
    """

    def __init__(self, address: int, *words: int):
        if len(words) > FOREIGN_WORDS:
            raise TypeError(f"a foreign call has {len(words)} words: at most {FOREIGN_WORDS}")
        table = packed("q", [*words, *[0] * (FOREIGN_WORDS - len(words))])
        self.listed = Listed((address, table.buffer_info()[0], 1, 0), table)

    def __call__(self) -> None:
        """The call alone; ForeignError when it fails."""
        CallList([self])()

    def raise_error(self) -> None:
        """Raises: when the list stopped here, its owner asks the library why."""
        raise ForeignError("a function of a library has failed")


class ForeignError(RuntimeError):
    """A `ForeignCall` has not returned zero."""


Task = Call | ForeignCall | Callable[[], None]


def call_at(address: int, words: int, foreign: int) -> int:
    """The status of a call of an entry, or of a function in C, by the addresses of function and words.

    In kernels this is machine code (`fem_mbd.core.compiled.build.call_at`).
    """
    if foreign:
        table = (ctypes.c_int64 * FOREIGN_WORDS).from_address(int(words))
        return int(ctypes.PYFUNCTYPE(ctypes.c_int32, *[ctypes.c_int64] * FOREIGN_WORDS)(int(address))(*table))
    return int(FUNCTION(int(address))(int(words)))


def call_entry(address: int, arguments: tuple[Any, ...]) -> None:
    """Call a kernel by the address of its entry, with arguments of the types that it declares; it returns nothing.

    In kernels this is machine code (`fem_mbd.core.compiled.build.call_at`).
    """
    entry_at(address).call(arguments)


def is_complex(number: Any) -> int:
    """1 for a complex number, 0 for a real one: in compiled code a constant for each type."""
    return int(isinstance(number, complex | np.complexfloating))


@kernel(boolean(int64[:, ::1]))
def run_calls(table):
    """Make the calls of a `CallList`; False when one has raised, which ends the list."""
    for k in range(table.shape[0]):
        if call_at(table[k, ADDRESS], table[k, WORDS], table[k, FOREIGN]) != 0:
            table[k, STOPPED] = 1
            return False
    return True


class CallList:
    """Calls in their order, and Python functions without arguments among them.

    Attributes
    ----------
    table : (n, 4) addresses, what `run_calls` takes; the last column tells which call has stopped the list
    """

    def __init__(self, tasks: Iterable[Task]):
        self._tasks = list(tasks)
        self._callbacks: list[Any] = []
        self._error: BaseException | None = None
        self._listed = [self._of(task) for task in self._tasks]
        rows = [one.row for one in self._listed]
        self.table = np.array(rows, np.int64).reshape(-1, STOPPED + 1)

    @cached_property
    def _entry(self) -> tuple[int, packed[int]]:
        """Address of `run_calls` and its words for this list."""
        entry = run_calls.entry_for([self.table])
        return entry.address, entry.signature.table([self.table])[0]

    @cached_property
    def _run_locked(self) -> Callable[[int], int]:
        return FUNCTION(self._entry[0])

    @cached_property
    def _run_without_gil(self) -> Callable[[int], int]:
        return FREE_FUNCTION(self._entry[0])

    def __call__(self) -> None:
        """Make all calls. What a kernel or a Python function raises is raised here."""
        self._run(self._run_locked)

    def run_without_gil(self) -> None:
        """Make all calls while other threads may run Python: not for libraries that several threads must not use."""
        self._run(self._run_without_gil)

    def _run(self, run: Callable[[int], int]) -> None:
        words = self._entry[1]
        run(words.buffer_info()[0])
        raise_kept()
        if not words[0] & 0xFF:  # what run_calls returns is one byte
            self.raise_error()

    def raise_error(self) -> None:
        """Raise what has stopped the list, if anything has."""
        for number in np.flatnonzero(self.table[:, STOPPED]):
            self.table[number, STOPPED] = 0
            error, self._error = self._error, None
            if error is not None:
                raise error
            task = self._tasks[number]
            if isinstance(task, Call | ForeignCall):
                task.raise_error()
            raise RuntimeError(f"{task} has stopped a list of calls and raises no error in Python")

    def _of(self, task: Task) -> Listed:
        if isinstance(task, Call | ForeignCall):
            return task.listed
        return Listed((self._callback(task), 0, 0, 0), task)

    def _callback(self, function: Callable[[], None]) -> int:
        """Address of a function that calls ``function`` and tells whether it has raised."""

        def call(words: int) -> int:
            try:
                function()
            except BaseException as error:  # raised again by `raise_error`
                self._error = error
                return 1
            return 0

        callback = FUNCTION(call)
        self._callbacks.append(callback)
        return ctypes.cast(callback, ctypes.c_void_p).value or 0


def in_order(tasks: Sequence[Task], compiled: bool) -> Callable[[], None]:
    """A function that does the tasks, in compiled code or from Python."""
    if compiled:
        return CallList(tasks)

    def each() -> None:
        for task in tasks:
            task()

    return each
