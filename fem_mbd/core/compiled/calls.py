"""Lists of calls of kernels with fixed arguments, made one after the other without Python.

A run calls the same kernels with the same arrays again and again; from Python each call takes some microseconds, which
is half of the time of small models. A `Call` is a kernel with its arguments. A `CallList` contains the addresses of
entries and of their argument tables, and makes its calls in about 10 ns each.

The arrays are fixed when a call is first put into a list: their entries may change, but they must not be replaced.
"""

from __future__ import annotations

import ctypes
from array import array as packed
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from fem_mbd.core.compiled.entries import Prepared, entry_at, raise_kept
from fem_mbd.core.compiled.kernels import kernel
from fem_mbd.core.compiled.signatures import FUNCTION, Number, boolean, int64

__all__ = [
    "OF_NODES",
    "Call",
    "CallList",
    "Check",
    "ForeignCall",
    "ForeignError",
    "Number",
    "Split",
    "Task",
    "run_calls",
]

FOREIGN_WORDS = 8  # at most, of a function of a library in C
ADDRESS, WORDS, FOREIGN, STOPPED = range(4)  # columns of a list


OF_NODES = "nodes"  # `Split.nodes` of a loop over the nodes


class Split(NamedTuple):
    """Division of a call into calls with a part of the rows each.

    Attributes
    ----------
    rows : indices of the arguments that have a row for each iteration of the kernel's loop; of a named tuple all arrays
        have, or with (index, name) that one
    nodes : what an iteration reads and writes besides its own rows: `OF_NODES`, those of the node of the same number;
        (rows, k) those of the nodes of a part, -1 for none; None: of none
    each : entries of these arguments that make a row, where they are flat arrays
    """

    rows: tuple[int | tuple[int, str], ...]
    nodes: Any = None
    each: int = 1

    def count(self, arguments: Sequence[Any]) -> int:
        """Number of rows of a call with these arguments."""
        first = self.rows[0]
        whole = arguments[first] if isinstance(first, int) else getattr(arguments[first[0]], first[1])
        return len(whole[0] if isinstance(whole, tuple) else whole) // self.each

    def cut(self, arguments: Sequence[Any], begin: int, end: int) -> list[Any]:
        """Arguments of a call for its rows ``begin`` to ``end``."""
        part = slice(begin * self.each, end * self.each)
        cut_arguments = list(arguments)
        for place in self.rows:
            if isinstance(place, int):
                whole = cut_arguments[place]
                cut_arguments[place] = (
                    type(whole)(*(a[part] for a in whole)) if isinstance(whole, tuple) else whole[part]
                )
            else:
                cut_arguments[place[0]] = cut_arguments[place[0]]._replace(
                    **{place[1]: getattr(cut_arguments[place[0]], place[1])[part]}
                )
        return cut_arguments


class Listed(NamedTuple):
    """A call as an entry of a list.

    Attributes
    ----------
    row : of the list's table
    held : the objects that the row points to, a reference that keeps them alive
    """

    row: tuple[int, ...]
    held: Any


class Call:
    """A kernel with its arguments: arrays, integers, and `Number` for numbers that change from call to call.

    Parameters
    ----------
    kernel : from the decorator `fem_mbd.core.compiled.kernel`; its result is discarded
    arguments : in its order
    split : division among threads, None: not divided
    """

    def __init__(self, kernel: Any, *arguments: Any, split: Split | None = None):
        self.kernel, self.arguments, self.split = kernel, arguments, split

    @cached_property
    def listed(self) -> Listed:
        """The list entry, computed once for any number of lists."""
        prepared = self.kernel.prepared(self.arguments)
        return Listed((prepared.entry.address, prepared.table.buffer_info()[0], 0, 0), prepared)

    @cached_property
    def _alone(self) -> CallList:
        """A list of this call, by a copy: a reference cycle would keep the arrays until garbage collection."""
        copy = Call(self.kernel, *self.arguments)
        copy.listed = self.listed
        return CallList([copy])

    def __call__(self) -> None:
        """Make this call; an error of the kernel is raised here."""
        self._alone()

    def raise_error(self) -> None:
        """Raise what the kernel raises, once more: Python knows the words."""
        self.kernel.in_python(*self.arguments)


class ForeignCall:
    """Call of a C function of another library, which returns an int that is zero on success.

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
        """Make this call; ForeignError when it fails."""
        CallList([self])()

    def raise_error(self) -> None:
        """Raise ForeignError; the owner of the list gets the reason from the library."""
        raise ForeignError("a function of a library has failed")


class ForeignError(RuntimeError):
    """A `ForeignCall` has not returned zero."""


class Check:
    """A function of Python among calls that only looks, and warns or raises: it changes no number."""

    def __init__(self, function: Callable[[], None]):
        self._function = function

    def __call__(self) -> None:
        self._function()


Task = Call | ForeignCall | Callable[[], None]


def call_at(address: int, words: int, foreign: int) -> int:
    """Call an entry, or a C function, by the addresses of the function and of its argument table; return the status.

    In kernels this is machine code (`fem_mbd.core.compiled.build.at_run_time`).
    """
    if foreign:
        table = (ctypes.c_int64 * FOREIGN_WORDS).from_address(int(words))
        return int(ctypes.PYFUNCTYPE(ctypes.c_int32, *[ctypes.c_int64] * FOREIGN_WORDS)(int(address))(*table))
    return int(FUNCTION(int(address))(int(words)))


def call_entry(address: int, arguments: tuple[Any, ...]) -> None:
    """Call a kernel by the address of its entry, with arguments of the types that it declares; it returns nothing.

    In kernels this is machine code (`fem_mbd.core.compiled.build.at_run_time`).
    """
    entry_at(address).call(arguments)


def is_complex(number: Any) -> int:
    """1 for a complex number, 0 for a real one: in compiled code a constant for each type."""
    return int(isinstance(number, complex | np.complexfloating))


@kernel(boolean(int64[:, ::1]))
def run_calls(table):
    """Make the calls of a `CallList`; False when one has failed, which ends the list."""
    for k in range(table.shape[0]):
        if call_at(table[k, ADDRESS], table[k, WORDS], table[k, FOREIGN]) != 0:
            table[k, STOPPED] = 1
            return False
    return True


class CallList:
    """A list of calls, with Python functions without arguments among them.

    Attributes
    ----------
    table : (n, 4) addresses, the argument of `run_calls`; the last column marks the call that has stopped the list
    """

    def __init__(self, tasks: Iterable[Task]):
        self._tasks = list(tasks)
        self._callbacks: list[Any] = []
        self._error: BaseException | None = None
        self._listed = [self._of(task) for task in self._tasks]
        rows = [entry.row for entry in self._listed]
        self.table = np.array(rows, np.int64).reshape(-1, STOPPED + 1)

    @cached_property
    def _prepared(self) -> Prepared:
        """The call of `run_calls` for this list."""
        return run_calls.prepared([self.table])

    def __call__(self) -> None:
        """Make all calls. An error of a kernel or a Python function is raised here."""
        self._run(self._prepared.entry.compiled)

    def run_without_gil(self) -> None:
        """Make all calls with the GIL released: not for libraries that are not thread-safe."""
        self._run(self._prepared.entry.compiled_without_gil)

    def _run(self, run: Callable[[int], int]) -> None:
        words = self._prepared.table
        run(words.buffer_info()[0])
        raise_kept()
        if not words[0] & 0xFF:  # what run_calls returns is one byte
            self.raise_error()

    def raise_error(self) -> None:
        """Raise the error that has stopped the list, if there is one."""
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
        """Address of a function that calls ``function`` and returns 1 if it has raised an error, else 0."""

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
