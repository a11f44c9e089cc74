"""Methods whose work is done further up in the package than their class stands.

Imports run downwards only. So the class asks here by name, and the package itself, which knows all its rooms, says at
its import who answers. The module that does is imported at the first call.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

_PLACES: dict[str, tuple[str, str]] = {}


def attach(name: str, module: str, function: str) -> None:
    """Let a function answer for the method ``name``.

    Parameters
    ----------
    name : "Class.method"
    module, function : where the function stands; its first argument is the object
    """
    _PLACES[name] = (module, function)


def attached(name: str) -> Callable[..., Any]:
    """The function that answers for the method ``name``.

    Parameters
    ----------
    name : "Class.method"

    Returns
    -------
    Callable
        As `attach` was told.
    """
    module, function = _PLACES[name]
    return getattr(import_module(module), function)
