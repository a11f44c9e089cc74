"""`call_at`: an instruction of compiled code that calls a function by its address, see `by_address`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.registry import cpu_target
from numba.core.typing import signature
from numba.extending import intrinsic


def call_at_type(sizes: Sequence[int], doubles: int) -> Any:
    """numba's type of ``call_at(address, words, size, first, second)``.

    It gives the status of a call by its address, with a table of words and the addresses of two doubles.

    Parameters
    ----------
    sizes : of tables of words; ``size`` is one's place
    doubles : handed over in each call
    """

    @intrinsic
    def call_at(context: Any, address: Any, words: Any, size: Any, first: Any, second: Any) -> Any:
        word = ir.IntType(64)

        def generate(target: Any, builder: Any, sig: Any, values: Any) -> Any:
            address, table, size, *places = values
            numbers = [builder.load(builder.inttoptr(d, ir.DoubleType().as_pointer())) for d in places]
            status = cgutils.alloca_once(builder, ir.IntType(32))
            end = builder.append_basic_block("called")
            switch = builder.switch(size, end)
            for number, count in enumerate(sizes):
                block = builder.append_basic_block(f"words_{count}")
                switch.add_case(word(number), block)
                builder.position_at_end(block)
                at = builder.inttoptr(table, word.as_pointer())
                given = [builder.load(builder.gep(at, [word(k)])) for k in range(count)]
                kind = ir.FunctionType(ir.IntType(32), [word] * count + [ir.DoubleType()] * doubles)
                function = builder.inttoptr(address, kind.as_pointer())
                builder.store(builder.call(function, [*given, *numbers]), status)
                builder.branch(end)
            builder.position_at_end(end)
            return builder.sext(builder.load(status), word)

        return signature(types.int64, *[types.int64] * 5), generate

    known = cpu_target.typing_context
    known.refresh()
    return known.resolve_value_type(call_at)
