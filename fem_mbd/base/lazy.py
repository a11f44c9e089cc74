"""Lookup of names: lazy imports, methods implemented in higher-level packages, suggestions for mistyped names.

Lazy imports: a package writes its imports under ``if TYPE_CHECKING:``, as ``from … import NAME as NAME``, by which type
checkers and editors know them as its own. `lazy_names` reads the names from there, and the package's module-level
``__getattr__`` (PEP 562) imports a name when it is used.

Methods that are implemented in a higher-level package than their class: imports run downwards only, so a class looks
its method up here by name (`attached`), and `fem_mbd`, which may import every package, registers the implementation
when it is imported (`attach`). The implementing module is imported at the first call.

Mistyped names: `Named` and `nearest` suggest the most similar of the names that exist.
"""

from __future__ import annotations

import ast
import difflib
import sys
from collections.abc import Callable, Iterable, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any, TypeVar

from fem_mbd.errors import InputError


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


_IMPLEMENTATIONS: dict[str, tuple[str, str]] = {}


def attach(name: str, module: str, function: str) -> None:
    """Register the function that implements the method ``name``.

    Parameters
    ----------
    name : "Class.method"
    module, function : names of the module and of the function in it; its first argument is the object
    """
    _IMPLEMENTATIONS[name] = (module, function)


def attached(name: str) -> Callable[..., Any]:
    """The function that implements the method ``name``.

    Parameters
    ----------
    name : "Class.method"

    Returns
    -------
    Callable
        The function registered by `attach`.
    """
    module, function = _IMPLEMENTATIONS[name]
    return getattr(import_module(module), function)


T = TypeVar("T")


class Named(dict[str, T]):
    """Dictionary by name; an unknown name raises an InputError that suggests the most similar one.

    Parameters
    ----------
    what : kind of the entries, for messages
    things : entries by name
    """

    def __init__(self, what: str, things: Mapping[str, T]):
        super().__init__(things)
        self._what = what

    def __missing__(self, name: object) -> T:
        raise InputError(f"there is no {self._what} {name!r}; {nearest(str(name), self)}")


def nearest(name: str, candidates: Iterable[str]) -> str:
    """Sentence that suggests the candidate most similar to a wrong `name`, or lists all when none is similar."""
    known = sorted(candidates)
    folded = {candidate.casefold(): candidate for candidate in known}
    close = difflib.get_close_matches(name.casefold(), folded, n=1, cutoff=0.6)
    if close:
        return f"did you mean {folded[close[0]]!r}?"
    return f"known names: {', '.join(known)}" if known else "there are none to choose from"
