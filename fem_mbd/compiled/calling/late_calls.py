"""How numba is taught to call a `late_kernel`: by an address that is found at the first call."""

from __future__ import annotations

from collections.abc import Callable
from inspect import signature
from pathlib import Path
from pickle import loads
from typing import Any

from numba import types
from numba.core import cgutils
from numba.core.serialize import dumps
from numba.core.typing import Signature
from numba.core.typing import signature as typed
from numba.core.typing.templates import CallableTemplate
from numba.extending import lower_builtin

from fem_mbd.compiled.compiling.compiler import address_of


def late_type(late: Any, function: Callable[..., Any], returns: Callable[[Any, Any], Any]) -> Any:
    """numba's type of a late kernel, which knows what it returns and how kernels call it.

    Parameters
    ----------
    late : the object that kernels call
    function : what is to be compiled
    returns : see `late.late_kernel`
    """
    parameters = signature(function)

    class Late(CallableTemplate):
        key = late

        def generic(self) -> Any:
            def typer(*arguments: Any) -> Any:
                plain = [types.unliteral(argument) for argument in arguments]
                complex_ = any(map(_is_complex, plain))
                return typed(returns(types, types.complex128 if complex_ else types.float64), *plain)

            typer.__signature__ = parameters  # type: ignore[attr-defined]
            return typer

    @lower_builtin(late, types.VarArg(types.Any))
    def call(context: Any, builder: Any, sig: Signature, values: Any) -> Any:
        what = (function.__module__, function.__name__, str(sig), dumps(sig).hex())
        return _call(context, builder, sig, values, what)

    return types.Function(Late)


def compiled_address(late: Any, pickled: str, place: Path | None) -> int:
    """The address of a late kernel, compiled for what a caller calls it with.

    Parameters
    ----------
    late : the kernel
    pickled : the signature that the caller expects, as hexadecimal digits
    place : see `compiler.address_of`

    Raises
    ------
    TypeError
        When it returns another type than its decorator says.
    """
    expected: Signature = loads(bytes.fromhex(pickled))
    types = tuple(expected.args)
    late.dispatcher.address(types)
    found = late.dispatcher.overloads[types].signature.return_type
    if found != expected.return_type:
        name = f"{late.__module__}.{late.__name__}"
        raise TypeError(f"{name} returns {found}, late_kernel says {expected.return_type}")
    return address_of(late.dispatcher, types, place)


def _is_complex(argument: Any) -> bool:
    """Whether a number, an array or a named tuple of arrays is complex."""
    if isinstance(argument, types.BaseTuple):
        members: Any = argument
        return any(map(_is_complex, members))
    return getattr(argument, "dtype", argument) == types.complex128


def _call(context: Any, builder: Any, sig: Signature, values: Any, what: Any) -> Any:
    """Code that calls the kernel at the address kept in a variable beside the call; found when that is zero."""
    word = context.get_value_type(types.intp)
    kept = cgutils.add_global_variable(builder.module, word, builder.module.get_unique_name("late_kernel"))
    kept.linkage, kept.initializer = "internal", word(0)
    with builder.if_then(builder.icmp_unsigned("==", builder.load(kept), word(0)), likely=False):
        _find(context, builder, kept, what)
    convention = context.call_conv
    pointer = convention.get_function_type(sig.return_type, sig.args).as_pointer()
    status, result = convention.call_function(
        builder, builder.inttoptr(builder.load(kept), pointer), sig.return_type, sig.args, values
    )
    with cgutils.if_unlikely(builder, status.is_error):
        convention.return_status_propagate(builder, status)
    return result


def _find(context: Any, builder: Any, kept: Any, what: Any) -> None:
    """Code that asks `late.address_of` for the address; what that raises is raised by the caller."""
    python = context.get_python_api(builder)
    state = python.gil_ensure()
    texts = [
        context.insert_const_string(builder.module, text) for text in ("fem_mbd.compiled.calling.late", *what)
    ]
    module = python.import_module(texts[0])
    ask = python.object_getattr_string(module, "address_of")
    given = [python.string_from_string(text) for text in texts[1:]]
    answer = python.call_function_objargs(ask, given)
    with builder.if_then(cgutils.is_null(builder, answer), likely=False):
        python.gil_release(state)
        context.call_conv.return_exc(builder)
    builder.store(builder.ptrtoint(python.long_as_voidptr(answer), kept.type.pointee), kept)
    for thing in (module, ask, *given, answer):
        python.decref(thing)
    python.gil_release(state)
