"""`unrolled`: small dense algebra as machine code without loops, for kernels to call.

numba compiles the text of a kernel; an unrolled function is called once, by Python, when a kernel that calls it is
compiled, and what it does with its arguments is noted as machine code. So its loops, lists and conditions are Python's
own and leave no trace, and numbers that it has in a list stay in the processor's registers.

Its arguments are arrays (n,) of float64 and whole numbers, its result is nothing or, where its annotation says so, a
bool: see `tracing.TracedArray` and `tracing.Traced`.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any


class _Unrolled:
    """Stands for a function until numba asks what it is."""

    def __init__(self, function: Callable[..., Any]):
        self._function = function

    @cached_property
    def _numba_type_(self) -> Any:
        from fem_mbd.compiled.tracing import traced

        return traced(self._function)


def unrolled(function: Callable[..., Any]) -> Any:
    """Note what ``function`` does when kernels that call it are compiled."""
    return _Unrolled(function)
