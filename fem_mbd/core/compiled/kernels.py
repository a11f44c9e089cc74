"""Decorators `kernel`, for functions compiled ahead of time, and `unrolled`, for algebra recorded as machine code.

A kernel is a function in the subset of Python that numba compiles. When the package is built, all kernels of a package
become a library of machine code (`fem_mbd.core.compiled.build`); a run loads it (`libraries`) and needs no compiler.
Kernels that are called from Python or lists of calls declare their types, in numba's notation (`signatures`):

    @kernel(void(float64[:, ::1], int64[::1]))

Kernels that only other kernels call declare no types, and are compiled for the types they are called with.

An unrolled function is small dense algebra as straight-line machine code, for kernels to call. numba compiles the code
of a kernel; an unrolled function is run once, by Python, when a kernel that calls it is compiled, and the operations on
its arguments are recorded as machine code (tracing). So its loops, lists and conditions are evaluated at that time, and
numbers in its lists stay in registers. Its arguments are arrays (n,) of float64, or of float32 to read, and whole
numbers; its result is nothing or, where its annotation says so, a bool: see
`fem_mbd.core.compiled.build.numba_kernels`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property, update_wrapper
from typing import Any

import numpy as np

from fem_mbd.core.compiled import libraries
from fem_mbd.core.compiled.entries import Entry, Prepared
from fem_mbd.core.compiled.signatures import Number, Signature


class Kernel:
    """A function that is compiled when the package is built.

    Called from Python with arguments of declared types it runs as machine code; with others, as Python, which is slower
    and useful for derivatives in tests and for debugging.

    Parameters
    ----------
    function : in the subset of Python that numba compiles
    signatures : for which it has entries; none for kernels that only kernels call
    filled : its last arguments, arrays, that are its results; of kernels that are called by addresses in records
    """

    def __init__(self, function: Callable[..., Any], signatures: Sequence[Signature], filled: int = 0):
        update_wrapper(self, function)
        libraries.declare(function.__module__)
        self.filled = filled
        self.__name__: str = function.__name__
        self.function: Any = function
        self.signatures = tuple(signatures)

    def symbol(self, number: int) -> str:
        """Name of the entry for one of its signatures."""
        return f"{self.__module__}.{self.__name__}.{number}"

    def __call__(self, *arguments: Any) -> Any:
        """What the kernel returns; ValueError for what it raises."""
        prepared = self._prepared_or_none(arguments)
        return self.in_python(*arguments) if prepared is None else prepared.entry.run(prepared)

    def in_python(self, *arguments: Any) -> Any:
        """Run the kernel as a Python function."""
        return self.function(*map(_with_attributes, arguments))

    def prepared(self, arguments: Sequence[Any]) -> Prepared:
        """The call of the entry for arguments like these.

        Raises
        ------
        TypeError
            When the kernel declares no such types.
        """
        prepared = self._prepared_or_none(arguments)
        if prepared is None:
            declared = "".join(f"\n    {signature}" for signature in self.signatures) or " nothing"
            shown = ", ".join(map(_described, arguments))
            name = f"{self.__module__}.{self.__name__}"
            raise TypeError(f"{name} has no entry for ({shown}); it declares{declared}")
        return prepared

    def _prepared_or_none(self, arguments: Sequence[Any]) -> Prepared | None:
        for entry in self.entries:
            if (prepared := entry.prepared(arguments)) is not None:
                return prepared
        return None

    @cached_property
    def entries(self) -> tuple[Entry, ...]:
        """Those for its signatures."""
        return tuple(Entry(self, number) for number in range(len(self.signatures)))

    def __reduce__(self) -> str:
        return self.__name__


def kernel(first: Callable[..., Any] | Signature, *others: Signature) -> Any:
    """Declare a kernel: ``@kernel`` for one that only kernels call, ``@kernel(SIGNATURE, …)`` for one with entries.

    Divisions by zero give inf or nan as in numpy; the caller sees them in the residual.
    """
    if isinstance(first, Signature):
        return lambda function: Kernel(function, (first, *others))
    return Kernel(first, ())


def _with_attributes(argument: Any) -> Any:
    """A record, or an array of records, whose fields are attributes too, as in compiled code; the value of a `Number`.

    In a named tuple, all of its members.
    """
    if hasattr(argument, "_fields"):
        return argument._make(map(_with_attributes, argument))
    if isinstance(argument, Number):
        return float(argument)
    if isinstance(argument, np.ndarray) and argument.dtype.fields:
        return argument.view(np.recarray)
    if isinstance(argument, np.void) and not isinstance(argument, np.record):
        return argument.view((np.record, argument.dtype))
    return argument


def _described(argument: Any) -> str:
    if isinstance(argument, np.ndarray):
        return f"{argument.dtype} array of {argument.ndim} dimensions"
    return type(argument).__name__


class Unrolled:
    """An unrolled function, which only kernels call.

    Attributes
    ----------
    function : that is called when they are compiled
    """

    def __init__(self, function: Callable[..., Any]):
        update_wrapper(self, function)
        self.__name__: str = function.__name__
        self.function: Any = function

    def __call__(self, *arguments: Any) -> Any:
        """Only in compiled code."""
        raise NotImplementedError(f"{self.__name__} is there in compiled code only")


def unrolled(function: Callable[..., Any]) -> Any:
    """Note what ``function`` does when kernels that call it are compiled."""
    return Unrolled(function)
