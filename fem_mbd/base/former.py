"""Attributes of former versions: they answer under the present name with a warning, or say what has replaced them."""

from __future__ import annotations

import warnings
from typing import Any, TypeVar

T = TypeVar("T", bound=type)
ASK_RESULT = "results answer by part, result.of(handle) or result.of(name)"


def formerly(**names: str) -> Any:
    """Decorator of a class: what to say of attributes that it had in former versions.

    Parameters
    ----------
    names : by the former name, the present one, dots allowed, which answers after a DeprecationWarning; or a sentence,
        which the AttributeError ends with
    """

    def decorate(kind: T) -> T:
        def answer(self: Any, name: str) -> Any:
            told = names.get(name)
            what = f"{kind.__name__}.{name}"
            if told is None:
                raise AttributeError(
                    f"{kind.__name__!r} object has no attribute {name!r}", name=name, obj=self
                )
            if " " in told:
                raise AttributeError(f"{what} is gone: {told}", name=name, obj=self)
            warnings.warn(f"{what} is {kind.__name__}.{told} now", DeprecationWarning, stacklevel=2)
            for part in told.split("."):
                self = getattr(self, part)
            return self

        kind.__getattr__ = answer  # type: ignore[attr-defined]
        return kind

    return decorate
