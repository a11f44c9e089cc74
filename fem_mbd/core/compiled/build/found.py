"""Search for the kernels of a library in all modules of its package that declare entries."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

from fem_mbd.core.compiled.kernels import Kernel
from fem_mbd.core.compiled.libraries import LIBRARIES, library_of

ENTRY_DECORATOR = "@kernel("  # of an entry


def kernels_of(library: str) -> list[Kernel]:
    """Kernels of a library that have entries; all its modules are imported."""
    for name in _modules(library):
        importlib.import_module(name)
    found = {one for one in known(Kernel) if one.signatures and library_of(one.__module__) == library}
    return sorted(found, key=lambda kernel: kernel.symbol(0))


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
    found = {
        id(one): one for module in modules for one in list(vars(module).values()) if isinstance(one, kind)
    }
    return list(found.values())
