"""Arrays in rows indexed by integers, said in few of LLVM's instructions.

numba copies all that it knows of an array into memory and reads it from there, at every index: 30 to 90 instructions,
of which LLVM leaves five. What is computed is the same: a[i, j] of an array (m, n) lies i n + j numbers behind the
first, an index below zero counts from the end, and no bound is looked at.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from functools import partial, reduce
from typing import Any

from llvmlite.ir import Constant
from numba.core import types
from numba.core.imputils import impl_ret_borrowed
from numba.np.arrayobj import load_item, store_item

from fem_mbd.compiled.compiling.loops import structure

Lowering = Callable[..., Any]
_NUMBERS = (types.Float, types.Integer, types.Boolean, types.Complex)


def indexing(function: Any, signature: Any) -> Lowering | None:
    """What writes down that an array is indexed; None for what is left to numba.

    Parameters
    ----------
    function : what numba asks the lowering of: an operator's type, or the name of one whose index is known
    signature : the types of what it takes and gives
    """
    operation = function if isinstance(function, str) else getattr(function, "typing_key", None)
    lowering = _LOWERINGS.get(operation)
    if lowering is None or type(signature.args[0]) is not types.Array:
        return None
    array, index, *value = signature.args
    kinds = _kinds(index)
    left = array.ndim - len(kinds)
    if not kinds or array.layout != "C" or left < 0:
        return None
    if value:
        serves = left == 0 and all(isinstance(one, _NUMBERS) for one in (array.dtype, *value))
    else:
        view = signature.return_type
        serves = left == 0 or (type(view) is types.Array and view.layout == "C" and view.ndim == left)
    return lowering if serves else None


def _kinds(index: Any) -> Sequence[Any]:
    """Types of an index's integers; none when something else is among them."""
    if isinstance(index, types.Omitted):  # several that are known
        values = index.value if isinstance(index.value, tuple) else ()
        return [types.intp] * len(values) if all(type(one) is int for one in values) else []
    kinds = getattr(index, "types", [index])  # of a tuple
    return kinds if all(isinstance(one, types.Integer) for one in kinds) else []


def _get(context: Any, signature: Any, builder: Any, given: Any) -> Any:
    """What an index leads to: an item, or a view of the dimensions that are left."""
    array, kinds = signature.args[0], _kinds(signature.args[1])
    at = _address(context, builder, array, given[0], kinds, given[1])
    if len(kinds) == array.ndim:
        found = load_item(context, builder, array, at)
    else:
        found = _view(context, builder, array, given[0], signature.return_type, at)
    return impl_ret_borrowed(context, builder, signature.return_type, found)


def _set(context: Any, signature: Any, builder: Any, given: Any) -> None:
    """Give an item a value."""
    array, index, kind = signature.args
    at = _address(context, builder, array, given[0], _kinds(index), given[1])
    store_item(context, builder, array, context.cast(builder, given[2], kind, array.dtype), at)


_LOWERINGS: dict[Any, Lowering] = {
    operator.getitem: _get, operator.setitem: _set, "static_getitem": _get, "static_setitem": _set,
}  # fmt: skip


def _address(context: Any, builder: Any, array: Any, value: Any, kinds: Sequence[Any], index: Any) -> Any:
    """Where the item, or the first one of a view, lies."""
    member = context.data_model_manager[array].get_field_position
    shape = builder.extract_value(value, member("shape"))
    sizes = [builder.extract_value(shape, k) for k in range(array.ndim)]
    data, place = builder.extract_value(value, member("data")), None
    for k, one in enumerate(_integers(context, builder, index, kinds)):
        if _is_known(one) and one.constant == 0:
            continue
        one = _from_first(builder, one, sizes[k]) if kinds[k].signed else one
        one = reduce(builder.mul, sizes[k + 1 :], one)
        place = one if place is None else builder.add(place, one)
    return data if place is None else builder.gep(data, [place])


def _integers(context: Any, builder: Any, index: Any, kinds: Sequence[Any]) -> list[Any]:
    """An index's integers."""
    if isinstance(index, int):
        return [context.get_constant(types.intp, index)]
    if isinstance(index, tuple):
        return [context.get_constant(types.intp, one) for one in index]
    alone = len(kinds) == 1 and index.type == context.get_value_type(kinds[0])
    parts = [index] if alone else [builder.extract_value(index, k) for k in range(len(kinds))]
    return [context.cast(builder, one, kind, types.intp) for one, kind in zip(parts, kinds, strict=True)]


def _from_first(builder: Any, one: Any, size: Any) -> Any:
    """An integer of an index, counted from the end where it is below zero."""
    if _is_known(one) and one.constant > 0:
        return one
    below = builder.icmp_signed("<", one, one.type(0))
    return builder.select(below, builder.add(one, size), one)


def _is_known(value: Any) -> bool:
    return isinstance(value, Constant) and isinstance(value.constant, int)


def _view(context: Any, builder: Any, array: Any, value: Any, kind: Any, at: Any) -> Any:
    """The array of the last dimensions that begins at an address."""
    model = context.data_model_manager[array]
    of = {name: builder.extract_value(value, k) for k, name in enumerate(model._fields)}
    for name in ("shape", "strides"):
        left = [builder.extract_value(of[name], k) for k in range(array.ndim - kind.ndim, array.ndim)]
        of[name] = structure(context, builder, types.UniTuple(types.intp, kind.ndim), left)
        if name == "shape":
            of["nitems"] = reduce(partial(builder.mul, flags=["nsw"]), left)
    of["data"] = at
    return structure(context, builder, kind, (of[name] for name in model._fields))
