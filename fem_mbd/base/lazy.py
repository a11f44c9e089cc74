"""Lazy imports: names of a package that are imported at their first use.

Such a package writes its imports under ``if TYPE_CHECKING:``, as ``from … import NAME as NAME``, by which type checkers
and editors know them as its own. `lazy_names` reads the names from there, and the package's module-level
``__getattr__`` (PEP 562) imports a name when it is used.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any


def lazy_names(package: str, file: str) -> tuple[Callable[[str], Any], Callable[[], list[str]], list[str]]:
    """The functions ``__getattr__`` and ``__dir__`` and the list ``__all__`` of a package.

    Parameters
    ----------
    package : its ``__name__``
    file : its ``__file__``
    """
    modules = _imports_for_types(Path(file))

    def get_attribute(name: str) -> Any:
        if name not in modules:
            from fem_mbd.base.suggestions import nearest

            raise AttributeError(f"{package} has no {name!r}; {nearest(name, modules)}", name=name, obj=None)
        module = modules[name]
        value = None if module == package else getattr(import_module(module), name, None)
        if value is None:  # the name of a module
            value = import_module(f"{module}.{name}")
        setattr(sys.modules[package], name, value)
        return value

    return get_attribute, lambda: sorted(modules), sorted(modules)


def _imports_for_types(file: Path) -> dict[str, str]:
    """Module of each name that a file imports under ``if TYPE_CHECKING:``."""
    tree = ast.parse(file.read_text(encoding="utf-8"))
    return {
        alias.name: statement.module or ""
        for block in tree.body
        if isinstance(block, ast.If)
        for statement in block.body
        if isinstance(statement, ast.ImportFrom)
        for alias in statement.names
    }
