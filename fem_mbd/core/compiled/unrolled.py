"""Decorator `unrolled`: small dense algebra recorded as straight-line machine code, for kernels to call.

numba compiles the code of a kernel; an unrolled function is run once, by Python, when a kernel that calls it is
compiled, and the operations on its arguments are recorded as machine code (tracing). So its loops, lists and conditions
are evaluated at that time, and numbers in its lists stay in registers.

Its arguments are arrays (n,) of float64, or of float32 to read, and whole numbers; its result is nothing or, where its
annotation says so, a bool: see `fem_mbd.core.compiled.build.tracing`.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import update_wrapper
from typing import Any


class Unrolled:
    """What kernels call.

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
