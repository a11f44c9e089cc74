"""`late_kernel`: a kernel that other kernels call by its address, compiled when it is called for the first time.

What a kernel calls is compiled with it, and optimised again within it. Where one of many is chosen by a number (the
laws of friction, the geometries of contact), a run would compile all and use one. A late kernel is compiled apart from
its callers, for the types that it is called with, at the first call; its address is kept beside the call. Numbers are
those of a kernel that is called directly.

The caller does not know what a late kernel returns before it is compiled: the decorator says it.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from importlib import import_module
from pathlib import Path
from typing import Any

from fem_mbd.compiled.kernels import Kernel


def nothing(types: Any, number: Any) -> Any:
    """Result of a kernel that fills arrays only."""
    return types.none


def one_number(types: Any, number: Any) -> Any:
    """Result of a kernel that returns a number, complex when any of its arguments is."""
    return number


def real_and_number(types: Any, number: Any) -> Any:
    """Result of a kernel that returns a real number and one that is complex when any of its arguments is."""
    return types.Tuple((types.float64, number))


def two_numbers(types: Any, number: Any) -> Any:
    """Result of a kernel that returns two numbers, both complex when any of its arguments is."""
    return types.UniTuple(number, 2)


Result = Callable[[Any, Any], Any]


def late_kernel(returns: Result = nothing, bare: bool = False) -> Callable[[Callable[..., Any]], Any]:
    """Decorator of a kernel that is compiled apart from the kernels that call it, at the first call.

    Parameters
    ----------
    returns : the type of the result, from numba's types and that of the numbers, float64 or complex128: `nothing`,
        `one_number`, `two_numbers`, `real_and_number`
    bare : whether it is a `bare_kernel`

    Python may call the kernel like any other.
    """
    return lambda function: LateKernel(function, not bare, returns)


class LateKernel(Kernel):
    """What `late_kernel` makes; see there and `Kernel`."""

    def __init__(self, function: Callable[..., Any], counting: bool, returns: Result):
        super().__init__(function, counting)
        self._returns = returns

    @cached_property
    def _numba_type_(self) -> Any:
        from fem_mbd.compiled.calling.late_calls import late_type

        return late_type(self, self._function, self._returns)


def address_of(module: str, name: str, types: str, signature: str) -> int:
    """Address of a late kernel, compiled for some types unless it is already; machine code asks for it.

    Parameters
    ----------
    module, name : of the kernel
    types : of its arguments and result, in words
    signature : the same as numba knows it, pickled, as hexadecimal digits

    Raises
    ------
    TypeError
        When it returns another type than its decorator says.
    """
    kernel: LateKernel = getattr(import_module(module), name)

    def compiled(place: Path | None) -> int:
        from fem_mbd.compiled.calling.late_calls import compiled_address

        return compiled_address(kernel, signature, place)

    return kernel.address_of(types, compiled)
