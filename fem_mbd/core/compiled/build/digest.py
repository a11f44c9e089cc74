"""Digest of the compiled code of a library: it changes with the code of kernels, not with comments or docstrings.

`kernels_of` finds the kernels of a library, in all modules of its package that declare entries.
"""

from __future__ import annotations

import ast
import dis
import hashlib
import importlib
import sys
from collections.abc import Iterable, Iterator
from functools import partial
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any

import llvmlite
import numba
import numpy as np

from fem_mbd.core.compiled.kernels import Kernel, Unrolled
from fem_mbd.core.compiled.libraries import LIBRARIES, library_of

# files of this folder on which the machine code depends
GENERATING = (
    "at_run_time.py", "simd.py", "module.py", "numba_kernels.py", "stand_ins.ll",
)  # fmt: skip


class Digest:
    """Collects the code that is compiled for the kernels of a library.

    Attributes
    ----------
    modules : names of modules whose code takes part
    needs : other libraries whose entries are called
    """

    def __init__(self, library: str, files: Iterable[Path] = ()):
        """files : that decide what machine code comes out, beside those of this folder."""
        self.library = library
        self.modules: set[str] = set()
        self.needs: set[str] = set()
        self._met: set[int] = set()
        self._hash = hashlib.sha256()
        for version in (sys.version_info[:2], numba.__version__, llvmlite.__version__):
            self._add(version)
        for file in (*(Path(__file__).with_name(name) for name in GENERATING), *files):
            self._hash.update(_without_words(file))

    def add(self, kernels: Iterable[Kernel]) -> str:
        """The digest of kernels and of all functions and constants compiled into them."""
        for kernel in sorted(kernels, key=lambda kernel: kernel.symbol(0)):
            self._visit(kernel)
        return self._hash.hexdigest()

    def origins(self) -> set[str]:
        """Names of the modules with compiled code, and of those from which they import functions or constants."""
        origins: set[str] = set()
        waiting = list(self.modules)
        while waiting:
            name = waiting.pop()
            if name not in origins:
                origins.add(name)
                waiting += _imported(name)
        return origins

    def _add(self, thing: Any) -> None:
        self._hash.update(f"{thing!r}\n".encode())

    def _visit(self, thing: Any) -> None:
        """Add a global of a kernel."""
        if isinstance(thing, Kernel):
            if thing.signatures:  # symbols of entries have the names of modules
                self._add((thing.__module__, thing.__name__, thing.signatures))
            other = library_of(thing.__module__)
            if thing.signatures and other != self.library:
                self.needs.add(other)
            else:
                self._function(thing.function)
        elif isinstance(thing, Unrolled):
            self._function(thing.function)
        elif isinstance(thing, FunctionType):
            self._function(thing)
        elif isinstance(thing, type):
            self._add((thing.__qualname__, getattr(thing, "_fields", ())))
        elif isinstance(thing, partial):
            self._visit(thing.func)
        elif isinstance(thing, np.ndarray):
            self._add((thing.dtype, thing.shape, thing.tobytes()))
        elif not isinstance(thing, ModuleType):
            self._add(thing)

    def _function(self, function: FunctionType) -> None:
        if id(function) in self._met or not function.__module__.startswith("fem_mbd"):
            return
        self._met.add(id(function))
        self.modules.add(function.__module__)
        self._add((function.__qualname__, function.__defaults__))
        for cell in function.__closure__ or ():
            self._visit(cell.cell_contents)
        self._code(function.__code__, function.__globals__)

    def _code(self, code: CodeType, known: dict[str, Any]) -> None:
        self._add((code.co_varnames, code.co_argcount))
        # instructions are independent of docstrings and of the indices of constants
        for instruction in dis.get_instructions(code):
            if isinstance(instruction.argval, CodeType):
                self._code(instruction.argval, known)
            else:
                self._add((instruction.opname, instruction.argval))
        for thing in _globals(code, known):
            self._visit(thing)


def _without_words(file: Path) -> bytes:
    """The code of a file of Python without comments and docstrings; other files as they are."""
    if file.suffix != ".py":
        return file.read_bytes()
    tree = ast.parse(file.read_text("utf-8"))
    for node in ast.walk(tree):
        if (
            isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef)
            and ast.get_docstring(node) is not None
        ):
            node.body = node.body[1:]
    return ast.dump(tree).encode()


def _imported(name: str) -> Iterator[str]:
    """Modules from which a module imports other things than classes, or named tuples, whose fields have types.

    Of other classes kernels use only the name.
    """
    for node in ast.walk(ast.parse(Path(sys.modules[name].__file__ or "").read_text("utf-8"))):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("fem_mbd"):
            origin = importlib.import_module(str(node.module))
            for alias in node.names:
                thing = getattr(origin, alias.name, None)
                if isinstance(thing, ModuleType):
                    yield thing.__name__
                elif not isinstance(thing, type) or hasattr(thing, "_fields"):
                    yield origin.__name__


def _globals(code: CodeType, known: dict[str, Any]) -> Iterator[Any]:
    """Values of a code's names: globals, and members of modules among them."""
    modules = [known[name] for name in code.co_names if isinstance(known.get(name), ModuleType)]
    for name in code.co_names:
        if name in known:
            yield known[name]
        for module in modules:
            if module.__name__.startswith("fem_mbd") and hasattr(module, name):
                yield getattr(module, name)


ENTRY_DECORATOR = "@kernel("  # of an entry


def kernels_of(library: str) -> list[Kernel]:
    """Kernels of a library that have entries; all its modules are imported."""
    for name in _modules(library):
        importlib.import_module(name)
    kernels = {
        kernel for kernel in known(Kernel) if kernel.signatures and library_of(kernel.__module__) == library
    }
    return sorted(kernels, key=lambda kernel: kernel.symbol(0))


def _modules(library: str) -> list[str]:
    start = LIBRARIES[library]
    package = importlib.import_module(start)
    if not hasattr(package, "__path__"):  # a single module
        return [start]
    names = []
    for folder in map(Path, package.__path__):
        for file in folder.rglob("*.py"):
            inside = file.relative_to(folder).with_suffix("").parts
            name = ".".join((start, *inside[: -1 if inside[-1] == "__init__" else None]))
            if library_of(name) == library and f"\n{ENTRY_DECORATOR}" in file.read_text():
                names.append(name)
    return sorted(names)


def known(kind: type) -> list:
    """Objects of a kind among the globals of all imported modules."""
    modules = [module for name, module in sorted(sys.modules.items()) if module is not None]
    objects = {
        id(value): value
        for module in modules
        for value in list(vars(module).values())
        if isinstance(value, kind)
    }
    return list(objects.values())
