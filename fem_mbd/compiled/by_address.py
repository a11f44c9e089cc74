"""Calls of compiled functions by their addresses, from compiled code; the lists are made in `calls`.

How a call is made: numba hands an array over as plain words (pointers and integers) and a float64 as a double. By the
conventions of Linux and macOS on x86-64 and on 64-bit ARM, words and doubles travel apart, each in their order, and a
caller may pass more words than the called function takes. So words are read from a table, and a few sizes of table
serve all kernels. On other machines `calls_by_address` says no, and everything is called from Python.
"""

from __future__ import annotations

import platform
from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.typing import signature
from numba.extending import intrinsic

from fem_mbd.compiled.kernels import kernel

SIZES = (16, 32, 48, 64, 80, 96, 112, 128, 160, 192, 256)  # words of a table
DOUBLES = 2  # at most, in one call
DONE, DONE_NONE = 0, -2  # what compiled code returns unless the kernel has raised
ADDRESS, WORDS, SIZE, FIRST, SECOND, STOPPED = range(6)  # columns of a list


def calls_by_address() -> bool:
    """Whether this machine passes arguments as described above."""
    return platform.system() in ("Linux", "Darwin") and platform.machine() in ("x86_64", "aarch64", "arm64")


@intrinsic
def call_at(context: Any, address: Any, words: Any, size: Any, first: Any, second: Any) -> Any:
    """The status of a call by its address, with a table of words and the addresses of two doubles."""
    word = ir.IntType(64)

    def generate(target: Any, builder: Any, sig: Any, values: Any) -> Any:
        address, table, size, *doubles = values
        numbers = [builder.load(builder.inttoptr(d, ir.DoubleType().as_pointer())) for d in doubles]
        status = cgutils.alloca_once(builder, ir.IntType(32))
        end = builder.append_basic_block("called")
        switch = builder.switch(size, end)
        for number, count in enumerate(SIZES):
            block = builder.append_basic_block(f"words_{count}")
            switch.add_case(word(number), block)
            builder.position_at_end(block)
            at = builder.inttoptr(table, word.as_pointer())
            given = [builder.load(builder.gep(at, [word(k)])) for k in range(count)]
            kind = ir.FunctionType(ir.IntType(32), [word] * count + [ir.DoubleType()] * DOUBLES)
            function = builder.inttoptr(address, kind.as_pointer())
            builder.store(builder.call(function, [*given, *numbers]), status)
            builder.branch(end)
        builder.position_at_end(end)
        return builder.sext(builder.load(status), word)

    return signature(types.int64, *[types.int64] * 5), generate


_call_at: Any = call_at  # as the compiler sees it, without its own two arguments


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
