"""Decorator for attributes of former versions: they return the present ones with a warning, or name a replacement."""

from __future__ import annotations

import warnings
from typing import Any, TypeVar

T = TypeVar("T", bound=type)
ASK_RESULT = "results answer by part, result.of(handle) or result.of(name)"


def formerly(**names: str) -> Any:
    """Decorator of a class with renamed or removed attributes.

    Parameters
    ----------
    names : for each former name the present one, dots allowed, which is returned with a DeprecationWarning; or a
        sentence for the end of an AttributeError
    """

    def decorate(kind: T) -> T:
        def get_attribute(self: Any, name: str) -> Any:
            present = names.get(name)
            former = f"{kind.__name__}.{name}"
            if present is None:
                raise AttributeError(
                    f"{kind.__name__!r} object has no attribute {name!r}", name=name, obj=self
                )
            if " " in present:
                raise AttributeError(f"{former} is gone: {present}", name=name, obj=self)
            warnings.warn(f"{former} is {kind.__name__}.{present} now", DeprecationWarning, stacklevel=2)
            for part in present.split("."):
                self = getattr(self, part)
            return self

        kind.__getattr__ = get_attribute  # type: ignore[attr-defined]
        return kind

    return decorate
