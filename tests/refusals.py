"""Checks that bad input is refused in words."""

from collections.abc import Callable
from typing import Any

import pytest

from fem_mbd import InputError


def refused(message: str, call: Callable[..., object], *arguments: Any, **named: Any) -> None:
    """The call must raise an `InputError` whose words match the pattern ``message``."""
    __tracebackhide__ = True
    with pytest.raises(InputError, match=message):
        call(*arguments, **named)
