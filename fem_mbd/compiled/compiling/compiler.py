"""How kernels are compiled by numba and kept on disk; imported when no file holds what is called.

numba keeps compiled code as long as the function's own file is unchanged, although code of imported kernels is
compiled into it. Here the folder in which it is kept belongs to the text of all kernels of the package
(`cache`): when any of them changes, all are compiled again, into another folder.

Processes may compile side by side (tests on all processors, two runs started at once), and what several of them have
kept meets in one process later. Two things would then go wrong, see `saving` and `_PROCESS`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from secrets import token_hex
from typing import Any

from llvmlite import binding as llvm
from numba import config

from fem_mbd.compiled.compiling.dispatcher import Dispatcher
from fem_mbd.compiled.compiling.kept import Kept
from fem_mbd.compiled.storage.kept_code import write
from fem_mbd.compiled.storage.machine_code import Code

# numba names machine code after the function and its types of arguments, and record types by a number that counts the
# types a process has met. Code that two processes kept, one for beams of three nodes and one for beams of four, could
# then have the same names inside; a third process that loads both would jump from the one into the other. So the
# functions' names in machine code are those of the process that compiled them.
_PROCESS = token_hex(6)

_settings: Any = config


def dispatcher_of(function: Callable[..., Any], counting: bool) -> Dispatcher:
    """numba's object of a kernel; see `kernels.Kernel` for the parameters."""
    options = {"nopython": True, "boundscheck": None, "error_model": "numpy", "_nrt": counting}
    compiled = Dispatcher(function, targetoptions=options)
    compiled._cache = Kept(function)
    function.__qualname__ = f"{function.__qualname__}_{_PROCESS}"
    return compiled


def call_of(dispatcher: Dispatcher, arguments: Sequence[Any], place: Path | None) -> Callable[..., Any]:
    """The entry for Python of a kernel for arguments like these, compiled or read from numba's own files.

    Parameters
    ----------
    dispatcher : of the kernel
    arguments : of a call
    place : the file for processes without numba, None for none
    """
    call: Callable[..., Any] = dispatcher._compile_for_args(*arguments)
    _keep(dispatcher.overloads[tuple(map(dispatcher.typeof_pyval, arguments))], place)
    return call


def address_of(dispatcher: Dispatcher, types: Sequence[Any], place: Path | None) -> int:
    """The address of a kernel for arguments of numba's ``types``; otherwise as `call_of`."""
    address = dispatcher.address(tuple(types))
    _keep(dispatcher.overloads[tuple(types)], place)
    return address


def _keep(compiled: Any, place: Path | None) -> None:
    """Write a file for processes without numba, if they can do with it.

    They cannot where code has constants that need numba, where something must be made ready for it, where it calls
    what only numba has, and where that may be Intel's library of vectorised mathematics.
    """
    library, names = compiled.library, compiled.fndesc
    environments = (*library.environments(), *(compiled.referenced_envs or ()))
    constants = {one.env_name: tuple(one.consts) for one in environments}
    constants[names.env_name] = tuple(compiled.environment.consts)
    if place is None or compiled.reload_init or _settings.USING_SVML or not _stands_alone(library):
        return
    wrapper = names.llvm_cpython_wrapper_name
    wrapper = wrapper if wrapper in library.entries else ""
    write(place, Code(names.llvm_func_name, wrapper, constants, library.object_code))


def _stands_alone(library: Any) -> bool:
    """Whether all that a kernel's code calls is known to LLVM's linker: it ends the process where something is not."""
    module = library._get_module_for_linking()
    declared = (
        v.name for some in (module.functions, module.global_variables) for v in some if v.is_declaration
    )
    return all(name.startswith("llvm.") or llvm.address_of_symbol(name) for name in declared)
