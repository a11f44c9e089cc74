"""Machine code of kernels, linked into this process by LLVM alone, without numba.

numba's object code calls Python, the library of C, and functions in C of numba itself, which lie in three modules of
its package. These are loaded without the package, under their own names, so that numba finds them there when it is
imported later.
"""

from __future__ import annotations

import builtins
import ctypes
import sys
from collections.abc import Callable, Iterator
from functools import cache
from importlib.machinery import EXTENSION_SUFFIXES, ExtensionFileLoader, ModuleSpec
from importlib.util import find_spec, module_from_spec
from pathlib import Path
from typing import Any, NamedTuple

from llvmlite import binding as llvm


class Code(NamedTuple):
    """Machine code of a kernel for arguments of certain types.

    Attributes
    ----------
    function : symbol of the entry for other machine code
    wrapper : symbol of the entry for Python; empty when there is none
    constants : Python objects, for each symbol of a variable in which code looks for numba's environment
    object_code : a file of object code
    """

    function: str
    wrapper: str
    constants: dict[str, tuple[Any, ...]]
    object_code: bytes


class Entry(NamedTuple):
    """A kernel for arguments of certain types, ready to be called.

    Attributes
    ----------
    address : of the entry for other machine code
    call : the entry for Python, None when there is none
    """

    address: int
    call: Callable[..., Any] | None


def linked(code: Code) -> Entry:
    """Entries of machine code."""
    engine = _engine()
    engine.add_object_file(llvm.ObjectFileRef.from_data(code.object_code))
    address = engine.get_function_address(code.function)
    for symbol, constants in code.constants.items():
        variable = ctypes.c_void_p.from_address(engine.get_global_value_address(symbol))
        variable.value = id(_environment(constants))
    if not code.wrapper:
        return Entry(address, None)
    make = _part_of_numba("_dynfunc").make_function
    at = engine.get_function_address(code.wrapper)
    return Entry(address, make(sys.modules[__name__], code.function, "", at, _environment(()), ()))


@cache
def _engine() -> Any:
    """LLVM's linker, with the symbols that numba gives to it."""
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    for name, address in _symbols():
        llvm.add_symbol(name, address)
    machine = llvm.Target.from_triple(llvm.get_process_triple()).create_target_machine(jit=True)
    return llvm.create_mcjit_compiler(llvm.parse_assembly(""), machine)


def _symbols() -> Iterator[tuple[str, int]]:
    """Names in object code, and their addresses: those of `numba.core.base` and `numba.core.runtime.nrt`."""
    yield "_Py_NoneStruct", id(None)
    for error in vars(builtins).values():
        if isinstance(error, type) and issubclass(error, BaseException):
            yield f"PyExc_{error.__name__}", id(error)
    for part in ("_helperlib", "_dynfunc"):
        for name, address in _part_of_numba(part).c_helpers.items():
            yield f"numba_{name}", address
    for name, address in _part_of_numba("core.runtime._nrt_python").c_helpers.items():
        yield name if name.startswith("_") else f"NRT_{name}", address


@cache
def _environment(constants: tuple[Any, ...]) -> Any:
    """Where numba's code finds Python objects; kept for good, since code has its address."""
    environment = _part_of_numba("_dynfunc").Environment({})
    environment.consts.extend(constants)
    return environment


@cache
def _part_of_numba(part: str) -> Any:
    """One of numba's modules in C, without numba.

    Raises
    ------
    ImportError
        When numba has no such file.
    """
    name = f"numba.{part}"
    if name in sys.modules:
        return sys.modules[name]
    package = find_spec("numba")
    base = Path(*(package and package.submodule_search_locations) or [""], *part.split("."))
    for suffix in EXTENSION_SUFFIXES:
        file = base.with_name(base.name + suffix)
        if file.exists():
            loader = ExtensionFileLoader(name, str(file))
            module = module_from_spec(ModuleSpec(name, loader, origin=str(file)))
            loader.exec_module(module)
            sys.modules[name] = module
            return module
    raise ImportError(f"no file of {name}")
