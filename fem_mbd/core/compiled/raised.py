"""Errors of users' kernels that compiled code calls by their addresses: stored, and raised on return to Python.

Compiled code cannot stop there. It goes on with nan in what the kernel should have filled, so that no step is accepted.
"""

from __future__ import annotations

import threading
import traceback
from collections.abc import Sequence
from typing import Any

import numpy as np

from fem_mbd.errors import InputError

MAX_NUMBERS_SHOWN = 12  # numbers of an array that is shown


class _Kept(threading.local):
    """The first error in each thread: the others follow from it."""

    error: InputError | None = None


_kept = _Kept()


def keep(kernel: Any, error: Exception, arguments: Sequence[Any]) -> None:
    """Keep what a kernel has raised, and fill its results with nan.

    Parameters
    ----------
    kernel : a `Kernel` whose last ``filled`` arguments are its results
    error : raised by it as Python
    arguments : that it was given
    """
    for one in arguments[-kernel.filled :]:
        one[...] = np.nan
    if _kept.error is None:
        names = kernel.function.__code__.co_varnames
        given = zip(names, arguments[: -kernel.filled], strict=False)
        shown = ", ".join(
            f"{name} = {np.real(one)}" for name, one in given if np.size(one) <= MAX_NUMBERS_SHOWN
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
