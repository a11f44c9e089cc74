"""Calls of kernels whose arguments stay the same, made one after the other without Python.

A run calls the same kernels with the same arrays again and again; from Python each call costs 1 to 5 us, which is half
of the time of small models. A `Call` is a kernel with its arguments. A `CallList` holds the addresses of kernels and of
their arrays, and makes all its calls at some 10 ns each. Nothing is compiled for a list: `by_address.run_calls`
serves all.

The arrays are those of the moment when a call is listed for the first time: they may change their entries and must
not be replaced.
"""

from __future__ import annotations

import ctypes
import functools
from array import array as packed
from bisect import bisect_left
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from fem_mbd.arrays import Array
from fem_mbd.compiled.calling.addresses import address_of_array
from fem_mbd.compiled.calling.by_address import (
    DONE,
    DOUBLES,
    FIRST,
    SIZES,
    STOPPED,
    calls_by_address,
    run_calls,
)

RESULT = 8  # words: room for what a kernel returns; the next one tells what it raises


class Number(NamedTuple):
    """An argument of type float64: what ``array[place]`` is at the time of the call."""

    array: Array
    place: int = 0


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
    words : what its address of words points to, here kept alive
    """

    row: packed[int]
    words: packed[int]


class Call:
    """A kernel with its arguments: arrays, integers, and `Number` for what changes from call to call.

    Parameters
    ----------
    kernel : from the decorator `fem_mbd.compiled.kernel`; what it returns is dropped
    arguments : in its order
    split : how it can be divided among threads, None: not
    """

    _listed: Listed | None = None
    _alone: Callable[[], None] | None = None

    def __init__(self, kernel: Any, *arguments: Any, split: Split | None = None):
        self.kernel, self.arguments, self.split = kernel, arguments, split

    @property
    def listed(self) -> Listed:
        """Found once, for any number of lists."""
        if self._listed is None:
            self._listed = self._list()
        return self._listed

    def _list(self) -> Listed:
        plain: Sequence[Any] = self.arguments
        numbers = [a for a in plain if type(a) is Number]
        doubles = [address_of_array(a.array) + a.place * a.array.strides[0] for a in numbers]
        if numbers:
            plain = [0.0 if type(a) is Number else a for a in plain]
        found = _listed(self.kernel.address_for(plain), _words(plain, [0, 0]), doubles, RESULT + 1)
        # behind its arguments it leaves what it returns and raises
        words = found.words
        room = words.buffer_info()[0] + 8 * (len(words) - RESULT - 1)
        words[0], words[1] = room, room + 8 * RESULT
        return found

    def __call__(self) -> None:
        """The call alone, by its address where that is possible: an entry for Python may have to be compiled first."""
        if self._alone is None:
            self._alone = CallList([self]) if calls_by_address() else self.from_python
        self._alone()

    def from_python(self) -> None:
        """The call by the kernel's entry for Python, which raises what the kernel raises."""
        self.kernel(*(float(a.array[a.place]) if isinstance(a, Number) else a for a in self.arguments))


class ForeignCall:
    """A function of a library in C that returns zero as an int when it has done its work.

    Parameters
    ----------
    address : of the function
    words : its arguments, pointers and integers
    """

    def __init__(self, address: int, *words: int):
        self.listed = _listed(address, words)

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
        self._callbacks: list[Any] = []
        self._error: BaseException | None = None
        self._listed = [self._of(task) for task in self._tasks]
        rows = packed("q")
        for one in self._listed:
            rows.extend(one.row)
        self.table = np.frombuffer(rows, np.int64).reshape(-1, STOPPED + 1)
        self._entry: Callable[[], bool] | None = None
        self._free_entry: Callable[[], bool] | None = None

    def __call__(self) -> None:
        """Make all calls. What a kernel or a Python function raises is raised here."""
        if self._entry is None:
            self._entry = _entry(self.table, ctypes.PYFUNCTYPE)
        self._run(self._entry)

    def run_free(self) -> None:
        """Make all calls while other threads may run Python: not for libraries that several threads must not use."""
        if self._free_entry is None:
            self._free_entry = _entry(self.table, ctypes.CFUNCTYPE)
        try:
            self._run(self._free_entry)
        except SystemError as error:
            # an exception raised by Python code within a kernel: ctypes does not look for it here
            raise error.__cause__ or error from None

    def _run(self, entry: Callable[[], bool]) -> None:
        try:
            done = entry()
        except BaseException:  # e.g. KeyboardInterrupt within a compilation
            self.table[:, STOPPED] = 0
            raise
        if not done:
            self.raise_error()

    def raise_error(self) -> None:
        """Raise what has stopped the list, if anything has."""
        for number in np.flatnonzero(self.table[:, STOPPED]):
            self.table[number, STOPPED] = 0
            error, self._error = self._error, None
            if error is not None:
                raise error
            task = self._tasks[number]
            # a kernel's exception, raised again with its text
            (task.from_python if isinstance(task, Call) else task)()

    def _of(self, task: Task) -> Listed:
        return task.listed if isinstance(task, Call | ForeignCall) else _listed(self._callback(task), ())

    def _callback(self, function: Callable[[], None]) -> int:
        """Address of a function that calls ``function`` and tells whether it has raised."""

        def call() -> int:
            try:
                function()
            except BaseException as error:  # raised again by `raise_error`
                self._error = error
                return 1
            return DONE

        callback = _function_type(ctypes.PYFUNCTYPE, 0)(call)
        self._callbacks.append(callback)
        return ctypes.cast(callback, ctypes.c_void_p).value or 0


def in_order(tasks: Sequence[Task], compiled: bool) -> Callable[[], None]:
    """A function that does the tasks, by their addresses or from Python."""
    if compiled:
        return CallList(tasks)

    def each() -> None:
        for task in tasks:
            task()

    return each


def _listed(address: int, words: Sequence[int], doubles: Sequence[int] = (), room: int = 0) -> Listed:
    """A call of the function at an address, with addresses of doubles, and room for so many words behind its words."""
    if len(words) > SIZES[-1] or len(doubles) > DOUBLES:
        raise TypeError(
            f"a call has {len(words)} words and {len(doubles)} numbers: at most {SIZES[-1]} and {DOUBLES}"
        )
    size = bisect_left(SIZES, len(words))
    table = packed("q", words)
    table.frombytes(bytes(8 * (SIZES[size] + room - len(words))))
    at = table.buffer_info()[0]
    row = packed("q", (address, at, size, at, at, 0))
    for place, double in enumerate(doubles, FIRST):
        row[place] = double
    return Listed(row, table)


def _words(arguments: Sequence[Any], words: list[int]) -> list[int]:
    """Behind ``words`` arguments as numba hands them over, without doubles: arrays piece by piece, integers."""
    for argument in arguments:
        if isinstance(argument, np.ndarray):
            words += (
                0, 0, argument.size, argument.itemsize, address_of_array(argument),
                *argument.shape, *argument.strides,
            )  # fmt: skip
        elif isinstance(argument, (int, np.integer)):
            words.append(int(argument))
        elif not isinstance(argument, float):
            raise TypeError(f"a Call takes arrays, integers and Number, not {type(argument).__name__}")
    return words


@functools.cache
def _function_at(kind_of: Callable[..., Any], words: int, address: int) -> Any:
    """The function at an address, for Python."""
    return _function_type(kind_of, words)(address)


@functools.cache
def _function_type(kind_of: Callable[..., Any], words: int) -> Any:
    """ctypes' type of functions of so many words that return a status; making one takes it 0.1 ms."""
    return kind_of(ctypes.c_int32, *[ctypes.c_int64] * words)


def _entry(table: Any, kind_of: Callable[..., Any]) -> Callable[[], bool]:
    """`run_calls` of a list as a function for Python, by ctypes' kind of function.

    PYFUNCTYPE raises what Python code called by kernels has raised; CFUNCTYPE releases Python's lock meanwhile.
    """
    found = packed("q", (0, 0))  # what run_calls returns, and where it would leave what it raises, if it did
    at = found.buffer_info()[0]
    words = _words([table], [at, at + 8])
    function = _function_at(kind_of, len(words), run_calls.address_for([table]))

    def call() -> bool:
        function(*words)
        return found[0] != 0

    call.kept = table  # type: ignore[attr-defined]
    return call
