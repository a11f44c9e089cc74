"""Users' own laws and loads where numba is not installed: compiled code calls them as Python functions."""

from __future__ import annotations

import ctypes
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from fem_mbd.core.compiled.signatures import FUNCTION, HEAD, Array, Scalar, Signature, grouped
from fem_mbd.errors import FemMbdWarning

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
    table, found = (ctypes.c_int64 * 256).from_address(words), []
    place = HEAD
    for kind in kinds:
        if isinstance(kind, Array):
            shape = tuple(table[place + 5 : place + 5 + kind.ndim])
            strides = tuple(table[place + 5 + kind.ndim : place + 5 + 2 * kind.ndim])
            found.append(_array(table[place + 4], shape, kind.dtype, strides))
            place += 5 + 2 * kind.ndim
        else:
            word = table[place]
            found.append(word if kind.by_value else _array(word, (), kind.dtype)[()])
            place += 1
    return found


def _array(address: int, shape: tuple[int, ...], dtype: np.dtype[Any], strides: Any = None) -> Any:
    """An array in memory that is not its own."""
    size = max(int(np.prod(shape)), 1) * dtype.itemsize
    memory: Any = (ctypes.c_char * size).from_address(address)
    return np.ndarray(shape, dtype, memory, 0, strides)
