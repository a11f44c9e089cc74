"""`late_kernel`: a kernel that other kernels call by its address, compiled when it is called for the first time.

What a kernel calls is compiled with it, and optimised again within it. Where one of many is chosen by a number (the
laws of friction, the geometries of contact), a run would compile all and use one. A late kernel is compiled apart from
its callers, for the types that it is called with, at the first call; its address is kept beside the call. Numbers are
those of a kernel that is called directly.

The caller does not know what a late kernel returns before it is compiled: the decorator says it.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from inspect import signature
from typing import Any

from numba import types
from numba.core import cgutils
from numba.core.typing import Signature
from numba.core.typing import signature as typed
from numba.extending import lower_builtin, type_callable

from fem_mbd.compiled.kernels import bare_kernel, kernel

Result = Callable[[Any], Any]


def nothing(number: Any) -> Any:
    """Result of a kernel that fills arrays only."""
    return types.none


def one_number(number: Any) -> Any:
    """Result of a kernel that returns a number, complex when any of its arguments is."""
    return number


def real_and_number(number: Any) -> Any:
    """Result of a kernel that returns a real number and one that is complex when any of its arguments is."""
    return types.Tuple((types.float64, number))


def two_numbers(number: Any) -> Any:
    """Result of a kernel that returns two numbers, both complex when any of its arguments is."""
    return types.UniTuple(number, 2)


def late_kernel(returns: Result = nothing, bare: bool = False) -> Callable[[Callable[..., Any]], Any]:
    """Decorator of a kernel that is compiled apart from the kernels that call it, at the first call.

    Parameters
    ----------
    returns : the type of the result, from that of the numbers, float64 or complex128: `nothing`, `one_number`,
        `two_numbers`, `real_and_number`
    bare : whether it is a `bare_kernel`

    Python may call the kernel like any other.
    """

    def decorate(function: Callable[..., Any]) -> Any:
        compiled = (bare_kernel if bare else kernel)(function)

        @wraps(function)
        def late(*arguments: Any) -> Any:
            return compiled(*arguments)

        late.compiled = compiled  # type: ignore[attr-defined]
        parameters = signature(function)

        @type_callable(late)
        def type_late(context: Any) -> Any:
            def typer(*arguments: Any) -> Any:
                plain = [types.unliteral(argument) for argument in arguments]
                complex_ = any(map(_is_complex, plain))
                return typed(returns(types.complex128 if complex_ else types.float64), *plain)

            typer.__signature__ = parameters  # type: ignore[attr-defined]
            return typer

        @lower_builtin(late, types.VarArg(types.Any))
        def call(context: Any, builder: Any, sig: Signature, values: Any) -> Any:
            return _call(context, builder, sig, values, (function.__module__, function.__name__, sig))

        return late

    return decorate


def address_of(what: tuple[str, str, Signature]) -> int:
    """Address of the late kernel of a module and name, compiled for these types unless it is already.

    Raises
    ------
    TypeError
        When it returns another type than its decorator says.
    """
    module, name, sig = what
    compiled = getattr(__import__(module, fromlist=[name]), name).compiled
    address = compiled.address(tuple(sig.args))
    returned = compiled.overloads[tuple(sig.args)].signature.return_type
    if returned != sig.return_type:
        raise TypeError(f"{module}.{name} returns {returned}, late_kernel says {sig.return_type}")
    return int(address)


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
    """Code that asks `address_of` for the address; what that raises is raised by the caller."""
    python = context.get_python_api(builder)
    state = python.gil_ensure()
    ask, argument = (python.unserialize(python.serialize_object(thing)) for thing in (address_of, what))
    answer = python.call_function_objargs(ask, (argument,))
    with builder.if_then(cgutils.is_null(builder, answer), likely=False):
        python.gil_release(state)
        context.call_conv.return_exc(builder)
    builder.store(builder.ptrtoint(python.long_as_voidptr(answer), kept.type.pointee), kept)
    for thing in (ask, argument, answer):
        python.decref(thing)
    python.gil_release(state)
