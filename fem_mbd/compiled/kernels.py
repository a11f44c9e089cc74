"""`kernel`: how every function of the package that runs in a step is declared.

A kernel is compiled by numba when it is called for the first time, and its machine code is kept on disk. The next
process links what is kept (`kept_code`, `machine_code`) without numba, whose import takes longer than a small model's
run. Only what no file holds is compiled (`compiler`).
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from contextlib import suppress
from functools import cached_property, update_wrapper
from pathlib import Path
from typing import Any

import numpy as np

from fem_mbd.compiled.storage.kept_code import place_of, read
from fem_mbd.compiled.storage.machine_code import Entry, linked

# arguments whose Python type says how they are compiled
_PLAIN = frozenset((bool, int, float, complex, np.bool_, np.int64, np.float64, np.complex128))


class Kernel:
    """A function that is compiled when it is called; what it does not have itself it takes from numba's dispatcher.

    Parameters
    ----------
    function : in the part of Python that numba compiles
    counting : whether it counts who holds the arrays that it is given and hands on
    """

    def __init__(self, function: Callable[..., Any], counting: bool):
        update_wrapper(self, function)
        self._function, self._counting = function, counting
        self._calls: dict[Hashable, Callable[..., Any]] = {}
        self._addresses: dict[Hashable, int] = {}

    def __call__(self, *arguments: Any) -> Any:
        kinds = tuple(map(_kind, arguments))
        return (self._calls.get(kinds) or self._call_for(kinds, arguments))(*arguments)

    def _call_for(self, kinds: Any, arguments: Sequence[Any]) -> Callable[..., Any]:
        """The entry for Python for arguments like these, linked or compiled."""
        types = _text(kinds)
        if not types or len(kinds) != self._function.__code__.co_argcount:
            return self.dispatcher  # tuples, arguments left out: numba finds out itself, at every call
        found, place = self._linked("call " + types)
        call = None if found is None else found.call
        if call is None:
            from fem_mbd.compiled.compiling.compiler import call_of

            call = call_of(self.dispatcher, arguments, place)
        self._calls[kinds] = call
        return call

    def address_for(self, arguments: Sequence[Any]) -> int:
        """Of the machine code for arguments like these, linked or compiled.

        Parameters
        ----------
        arguments : arrays and numbers
        """
        kinds = tuple(map(_kind, arguments))
        if kinds not in self._addresses:

            def compiled(place: Path | None) -> int:
                from numba import typeof

                from fem_mbd.compiled.compiling.compiler import address_of

                return address_of(self.dispatcher, tuple(map(typeof, arguments)), place)

            self._addresses[kinds] = self.address_of(_text(kinds), compiled)
        return self._addresses[kinds]

    def address_of(self, types: str, compiled: Callable[[Path | None], int]) -> int:
        """Of the machine code for arguments of some types.

        Parameters
        ----------
        types : in words that are the same in all processes, empty when there are none for them
        compiled : gives the address when no file holds the code, and keeps it in the one that it is given
        """
        found, place = self._linked(types)
        return compiled(place) if found is None else found.address

    def _linked(self, types: str) -> tuple[Entry | None, Path | None]:
        """What a file holds, and the file; None for nothing, and for functions whose code does not say all of them."""
        known = types and not self._function.__closure__
        place = place_of(self._function, types) if known else None
        code = None if place is None else read(place)
        with suppress(ImportError):  # numba's files lie elsewhere: it reads its own
            return None if code is None else linked(code), place
        return None, place

    @cached_property
    def dispatcher(self) -> Any:
        """The kernel as numba knows it."""
        from fem_mbd.compiled.compiling.compiler import dispatcher_of

        return dispatcher_of(self._function, self._counting)

    @property
    def _numba_type_(self) -> Any:
        """What numba asks of an object that it meets in a function to compile."""
        from numba import typeof

        return typeof(self.dispatcher)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or name == "dispatcher":
            raise AttributeError(name)
        return getattr(self.dispatcher, name)

    def __reduce__(self) -> str:
        return self._function.__name__


def kernel(function: Callable[..., Any]) -> Any:
    """Compile ``function`` with numba when it is first called, and keep the result on disk.

    Divisions by zero give inf or nan as in numpy; the caller sees them in the residual. What is compiled for kernels
    that call it gets no machine code of its own, and no entry for Python until Python calls it, see `dispatcher`.
    """
    return Kernel(function, counting=True)


def bare_kernel(function: Callable[..., Any]) -> Any:
    """As `kernel`, for a function that makes no arrays and returns none.

    It does not count who holds the arrays that it is given and hands on. A count is an atomic operation, and those of
    the few small arrays of a joint or contact took more time than its forces.
    """
    return Kernel(function, counting=False)


def _kind(argument: Any) -> Any:
    """What of an argument decides its type in numba; numba's own `typeof` takes fifty times as long."""
    if isinstance(argument, np.ndarray):
        return argument.dtype, argument.ndim, argument.flags.num
    return (argument.dtype,) if isinstance(argument, np.void) else type(argument)


_ROWS, _COLUMNS, _ALIGNED, _WRITEABLE = 0x1, 0x2, 0x100, 0x400  # bits of an array's flags


def _text(kinds: Sequence[Any]) -> str:
    """Kinds in words that are the same in all processes; empty when one does not decide the type."""
    words = [_words(kind) for kind in kinds]
    return " ".join(words) if all(words) else ""


def _words(kind: Any) -> str:
    if not isinstance(kind, tuple):
        return str(kind.__name__) if kind in _PLAIN else ""
    if len(kind) == 1:
        return f"record {kind[0]!r}"
    dtype, dimensions, flags = kind
    order = "C" if flags & _ROWS else "F" if flags & _COLUMNS else "A"
    access = "" if flags & _WRITEABLE and flags & _ALIGNED else f" {flags & (_WRITEABLE | _ALIGNED)}"
    return f"{dtype!r}{dimensions}{order}{access}"
