"""Calls of compiled functions by their addresses, from compiled code; the lists are made in `calls`.

How a call is made: numba hands an array over as plain words (pointers and integers) and a float64 as a double. By the
conventions of Linux and macOS on x86-64 and on 64-bit ARM, words and doubles travel apart, each in their order, and a
caller may pass more words than the called function takes. So words are read from a table, and a few sizes of table
serve all kernels. On other machines `calls_by_address` says no, and everything is called from Python.
"""

from __future__ import annotations

import os
import sys
from functools import cache, cached_property
from typing import Any

from fem_mbd.compiled.kernels import kernel

SIZES = (16, 32, 48, 64, 80, 96, 112, 128, 160, 192, 256)  # words of a table
DOUBLES = 2  # at most, in one call
DONE, DONE_NONE = 0, -2  # what compiled code returns unless the kernel has raised
ADDRESS, WORDS, SIZE, FIRST, SECOND, STOPPED = range(6)  # columns of a list


@cache
def calls_by_address() -> bool:
    """Whether this machine passes arguments as described above."""
    return sys.platform in ("linux", "darwin") and os.uname().machine in ("x86_64", "aarch64", "arm64")


class _CallAt:
    """Stands for the instruction `call_at` until numba asks what it is."""

    @cached_property
    def _numba_type_(self) -> Any:
        from fem_mbd.compiled.calling.call_at import call_at_type

        return call_at_type(SIZES, DOUBLES)


_call_at: Any = _CallAt()


@kernel
def run_calls(table):
    """Make the calls of a `CallList`; False when one has raised, which ends the list."""
    for k in range(table.shape[0]):
        row = table[k]
        status = _call_at(row[ADDRESS], row[WORDS], row[SIZE], row[FIRST], row[SECOND])
        if status != DONE and status != DONE_NONE:
            table[k, STOPPED] = 1
            return False
    return True
