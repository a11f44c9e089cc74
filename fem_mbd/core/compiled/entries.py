"""Class `Entry`: the machine code of a kernel for one signature, and its call from Python.

Errors of users' kernels that compiled code calls by their addresses are stored (`keep_error`), and raised on return to
Python (`raise_kept`). Compiled code cannot stop there. It goes on with nan in what the kernel should have filled, so
that no step is accepted.

Where numba is not installed, compiled code calls users' own laws and loads as Python functions (`address_of`).
"""

from __future__ import annotations

import ctypes
import importlib
import threading
import traceback
import warnings
from array import array as packed
from collections.abc import Callable, Sequence
from functools import cached_property, partial
from typing import Any, NamedTuple

import numpy as np
from numpy import ndarray

from fem_mbd.core.compiled import libraries
from fem_mbd.core.compiled.signatures import (
    FREE_FUNCTION,
    FUNCTION,
    HEAD,
    Argument,
    Array,
    Group,
    Scalar,
    Signature,
    flat,
    grouped,
)
from fem_mbd.errors import FemMbdWarning, InputError

MAX_NUMBERS_SHOWN = 12  # numbers of an array that is shown


class _Kept(threading.local):
    """The first error in each thread: the others follow from it."""

    error: InputError | None = None


_kept = _Kept()


def keep_error(kernel: Any, error: Exception, arguments: Sequence[Any]) -> None:
    """Keep what a kernel has raised, and fill its results with nan.

    Parameters
    ----------
    kernel : a `Kernel` whose last ``filled`` arguments are its results
    error : raised by it as Python
    arguments : that it was given
    """
    for result in arguments[-kernel.filled :]:
        result[...] = np.nan
    if _kept.error is None:
        names = kernel.function.__code__.co_varnames
        named = zip(names, arguments[: -kernel.filled], strict=False)
        shown = ", ".join(
            f"{name} = {np.real(value)}" for name, value in named if np.size(value) <= MAX_NUMBERS_SHOWN
        )
        _kept.error = InputError(
            f"{kernel.__name__} ({_place(kernel, error)}) raises {type(error).__name__}: {error}, at {shown}. Newton's "
            "iteration calls it with trial values: return finite numbers for them, or use shorter steps"
        )
        _kept.error.__cause__ = error


def _place(kernel: Any, error: Exception) -> str:
    """The kernel's file, and the line in it that raises."""
    code = kernel.function.__code__
    frames = traceback.extract_tb(error.__traceback__)
    lines = [frame.lineno for frame in frames if frame.filename == code.co_filename]
    return f"{code.co_filename}, line {lines[-1] if lines else code.co_firstlineno}"


def raise_kept() -> None:
    """Raise what is kept in this thread, if anything is.

    Raises
    ------
    InputError
        With the kernel's name, file and line, what it was given, and what to do.
    """
    if _kept.error is not None:
        error, _kept.error = _kept.error, None
        raise error


_callbacks: list[Any] = []  # what compiled code may call must not be dropped


def warn_of_slowness(name: str) -> None:
    """Say that the kernel of this name and others are slow for want of numba; once, before the first of them."""
    if not _callbacks:
        text = f"{name} and other kernels of no library run as Python, many times slower than compiled"
        warnings.warn(f"{text}: pip install numba", FemMbdWarning, stacklevel=5)


def address_of(
    function: Callable[..., None], signature: Signature, failed: Callable[[Exception, list[Any]], None]
) -> int:
    """Address of a function that calls ``function``, which returns nothing, with the arguments of a table of words.

    Parameters
    ----------
    function : of Python
    signature : of its arguments
    failed : told what ``function`` raises, and its arguments: no error passes through compiled code
    """

    def call(words: int) -> int:
        arguments = grouped(signature.arguments, iter(_members(signature.flat, words)))
        try:
            function(*arguments)
        except Exception as error:
            failed(error, arguments)
            return 1
        return 0

    _callbacks.append(FUNCTION(call))
    return ctypes.cast(_callbacks[-1], ctypes.c_void_p).value or 0


def _members(kinds: tuple[Scalar | Array, ...], words: int) -> list[Any]:
    """Arguments of Python from a table of words, in its own memory; those of groups one after the other."""
    table, members = (ctypes.c_int64 * 256).from_address(words), []
    place = HEAD
    for kind in kinds:
        if isinstance(kind, Array):
            shape = tuple(table[place + 5 : place + 5 + kind.ndim])
            strides = tuple(table[place + 5 + kind.ndim : place + 5 + 2 * kind.ndim])
            members.append(_array(table[place + 4], shape, kind.dtype, strides))
            place += 5 + 2 * kind.ndim
        else:
            word = table[place]
            members.append(word if kind.by_value else _array(word, (), kind.dtype)[()])
            place += 1
    return members


def _array(address: int, shape: tuple[int, ...], dtype: np.dtype[Any], strides: Any = None) -> Any:
    """An array in memory that is not its own."""
    size = max(int(np.prod(shape)), 1) * dtype.itemsize
    memory: Any = (ctypes.c_char * size).from_address(address)
    return np.ndarray(shape, dtype, memory, 0, strides)


class Prepared(NamedTuple):
    """A call of an entry.

    Attributes
    ----------
    entry : of a kernel
    arguments : all, those with default values too
    table : of the arguments
    kept_alive : the arrays that the table points to
    """

    entry: Entry
    arguments: Sequence[Any]
    table: packed[int]
    kept_alive: list[Any]


class Entry:
    """A kernel's machine code for one of its signatures.

    Parameters
    ----------
    kernel : the `Kernel`
    number : of the signature
    """

    def __init__(self, kernel: Any, number: int):
        self.kernel, self._number = kernel, number
        self.signature: Signature = kernel.signatures[number]

    @cached_property
    def address(self) -> int:
        """Of the machine code: in a library, or compiled now for kernels of no library."""
        symbol = self.kernel.symbol(self._number)
        address = libraries.address_of(symbol) if libraries.library_of(symbol) else self._now()
        _known[address] = self
        return address

    def _now(self) -> int:
        """Compiled now; without numba a function that calls Python, which is slower."""
        compiler = _compiler()
        if compiler is not None:
            return int(compiler.address_of(self.kernel, self._number))
        warn_of_slowness(self.kernel.__qualname__)
        # who calls it finds what it raises by calling it in Python once more
        return address_of(self.kernel.in_python, self.signature, lambda *_: None)

    @cached_property
    def address_for_records(self) -> int:
        """Address by which compiled code calls the kernel and goes on, whatever it raises: see `keep_error`."""
        compiler = _compiler()
        if compiler is None:
            warn_of_slowness(self.kernel.__qualname__)
        address = address_of(self.kernel.in_python, self.signature, partial(keep_error, self.kernel))
        if compiler is not None:
            address = int(compiler.guarded(self.address, address))
        _known[address] = self
        return address

    @cached_property
    def compiled(self) -> Callable[[int], int]:
        """The machine code as a function of the address of an argument table."""
        return FUNCTION(self.address)

    @cached_property
    def compiled_without_gil(self) -> Callable[[int], int]:
        """The same with the GIL released."""
        return FREE_FUNCTION(self.address)

    def prepared(self, arguments: Sequence[Any]) -> Prepared | None:
        """A call with these arguments; None where the kernel declares other types for this entry."""
        if missing := len(self.signature.arguments) - len(arguments):
            arguments = (*arguments, *(self.kernel.function.__defaults__ or ())[-missing:])
        filled = self.signature.table(arguments)
        return None if filled is None else Prepared(self, arguments, *filled)

    def call(self, arguments: Sequence[Any]) -> Any:
        """As a call of the kernel."""
        return self.kernel(*arguments)

    def run(self, prepared: Prepared) -> Any:
        """What the kernel returns, as Python's numbers.

        Raises
        ------
        ValueError
            What the kernel raises; when it writes into a read-only array, which stays as it is.
        """
        if all(array.flags.writeable for array in prepared.kept_alive):
            return self._result(prepared)
        return self._result_with_copies(prepared.arguments)

    def _result(self, prepared: Prepared) -> Any:
        _, arguments, table, _ = prepared
        failed = self.compiled(table.buffer_info()[0])
        raise_kept()
        if failed:
            self.kernel.in_python(*arguments)  # raises the same, in words
            raise RuntimeError(
                f"{self.kernel.symbol(self._number)}: machine code raises what Python does not"
            )
        return self.signature.read(table)

    def _result_with_copies(self, arguments: Sequence[Any]) -> Any:
        """The same with copies of the read-only arrays, which must stay as they are."""
        members = flat(arguments)
        copies = {k: a.copy() for k, a in enumerate(members) if type(a) is ndarray and not a.flags.writeable}
        replaced = iter([copies.get(k, member) for k, member in enumerate(members)])
        with_copies = grouped(self.signature.arguments, replaced)
        result = self._result(self.kernel.prepared(with_copies))
        for place, copy in copies.items():
            if copy.tobytes() != members[place].tobytes():
                name = self._name_of(place)
                raise ValueError(
                    f"{self.kernel.__name__} writes into {name}, a read-only array: give it a copy"
                )
        return result

    def _name_of(self, place: int) -> str:
        """Name of an argument, or of a member of a group, by its place among all of them."""
        names = self.kernel.function.__code__.co_varnames[: len(self.signature.arguments)]
        flat_names: list[str] = []
        for name, kind in zip(names, self.signature.arguments, strict=True):
            flat_names += _names(name, kind)
        return flat_names[place]


def _names(name: str, kind: Argument) -> list[str]:
    if not isinstance(kind, Group):
        return [name]
    fields = zip(kind.of._fields, kind.members, strict=True)  # type: ignore[attr-defined]
    return [path for field, member in fields for path in _names(f"{name}.{field}", member)]


def _compiler() -> Any:
    """What compiles kernels of no library, None without numba; by its name, as it stands above what uses it."""
    try:
        return importlib.import_module("fem_mbd.core.compiled.build.at_run_time")
    except ImportError:
        return None


_known: dict[int, Entry] = {}


def entry_at(address: int) -> Entry:
    """The entry that has an address."""
    return _known[address]
