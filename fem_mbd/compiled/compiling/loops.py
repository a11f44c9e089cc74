"""Loops over ranges of integers in steps of one, said in few of LLVM's instructions.

numba keeps a range, its iterator and what the iterator gives in memory, and writes down what steps of any size need:
110 instructions for a loop, of which LLVM leaves three. The turns are the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from llvmlite.ir import Constant, Undefined
from numba.core import cgutils, types
from numba.core.cpu import CPUContext

Lowering = Callable[..., Any]


def looping(function: Any, signature: Any) -> Lowering | None:
    """What writes down a part of a loop; None for what is left to numba.

    Parameters
    ----------
    function : what numba asks the lowering of
    signature : the types of what it takes and gives
    """
    if function == "getiter" and signature.args[0] == types.range_state64_type:
        return _begin
    if function == "iternext" and signature.args[0] == types.range_iter64_type:
        return _next
    if getattr(function, "typing_key", None) is range and signature.return_type == types.range_state64_type:
        return _range
    return None


def structure(context: Any, builder: Any, kind: Any, members: Iterable[Any]) -> Any:
    """A value of a type that is a structure in LLVM, of its members."""
    whole = Constant(context.get_value_type(kind), Undefined)
    for place, member in enumerate(members):
        whole = builder.insert_value(whole, member, place)
    return whole


def _range(context: Any, signature: Any, builder: Any, given: Any) -> Any:
    """A range: its start, stop and step."""
    word = context.get_value_type(types.int64)
    start, stop, step = {1: (word(0), *given, word(1)), 2: (*given, word(1)), 3: given}[len(given)]
    return structure(context, builder, signature.return_type, (start, stop, step))


def _begin(context: Any, signature: Any, builder: Any, given: Any) -> Any:
    """An iterator: places for the next integer and for the turns that are left, and the range's stop and step."""
    start, stop, step = (builder.extract_value(given[0], k) for k in range(3))
    if not (isinstance(step, Constant) and step.constant == 1):
        return CPUContext.get_function(context, "getiter", signature)(builder, given)
    turns = builder.sub(stop, start)
    some = builder.icmp_signed(">", turns, turns.type(0))
    following, left = (cgutils.alloca_once(builder, start.type) for _ in range(2))
    builder.store(start, following)
    builder.store(builder.select(some, turns, turns.type(0)), left)
    return structure(context, builder, signature.return_type, (following, stop, step, left))


def _next(context: Any, signature: Any, builder: Any, given: Any) -> Any:
    """The next integer, and whether there is one."""
    following, _, step, left = (builder.extract_value(given[0], k) for k in range(4))
    turns, value = builder.load(left), builder.load(following)
    some = builder.icmp_signed(">", turns, turns.type(0))
    with builder.if_then(some):
        builder.store(builder.sub(turns, turns.type(1), flags=["nsw"]), left)
        builder.store(builder.add(value, step), following)
    return structure(context, builder, signature.return_type, (value, some))
