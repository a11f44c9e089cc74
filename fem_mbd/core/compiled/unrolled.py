"""`unrolled`: small dense algebra as machine code without loops, for kernels to call.

numba compiles the text of a kernel; an unrolled function is called once, by Python, when a kernel that calls it is
compiled, and what it does with its arguments is noted as machine code. So its loops, lists and conditions are Python's
own and leave no trace, and numbers that it has in a list stay in the processor's registers.

Its arguments are arrays (n,) of float64 and whole numbers, its result is nothing or, where its annotation says so, a
bool: see `fem_mbd.core.compiled.build.tracing`.
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
