"""Packages whose names are imported when they are first asked for.

Such a package writes its imports under ``if TYPE_CHECKING:``, where type checkers and editors see them. They are its
list of names too: `lazy_names` reads it, and the package's module ``__getattr__`` (PEP 562) imports what is asked for.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any


def lazy_names(
    package: str, file: str, **former: str
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """The functions ``__getattr__`` and ``__dir__`` of a package.

    Parameters
    ----------
    package : its ``__name__``
    file : its ``__file__``
    former : present names by their former ones, which are still valid, with a DeprecationWarning
    """
    homes = _imports_for_types(Path(file))

    def of_package(name: str) -> Any:
        if name in former:
            import warnings

            warnings.warn(
                f"{package}.{name} is {package}.{former[name]} now", DeprecationWarning, stacklevel=2
            )
            return getattr(sys.modules[package], former[name])
        if name not in homes:
            from fem_mbd.base.suggestions import nearest

            raise AttributeError(f"{package} has no {name!r}; {nearest(name, homes)}", name=name, obj=None)
        home = homes[name]
        value = None if home == package else getattr(import_module(home), name, None)
        if value is None:  # the name of a module
            value = import_module(f"{home}.{name}")
        setattr(sys.modules[package], name, value)
        return value

    return of_package, lambda: sorted(homes)


def _imports_for_types(file: Path) -> dict[str, str]:
    """Module of each name that is imported under ``if TYPE_CHECKING:`` of a file."""
    tree = ast.parse(file.read_text(encoding="utf-8"))
    return {
        alias.name: statement.module or ""
        for block in tree.body
        if isinstance(block, ast.If)
        for statement in block.body
        if isinstance(statement, ast.ImportFrom)
        for alias in statement.names
    }
