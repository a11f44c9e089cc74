"""Registry of methods that are implemented in a higher-level package than their class.

Imports run downwards only. So a class looks its method up here by name, and `fem_mbd`, which may import every package,
registers the implementation when it is imported. The implementing module is imported at the first call.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

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
