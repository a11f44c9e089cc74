"""Checks on the parameters of a law, made when it is built."""

from __future__ import annotations

from fem_mbd.errors import InputError
from fem_mbd.validation import finite, positive


def make_positive(law: object, *parameters: str) -> None:
    """Turn these fields of a frozen ``law`` into floats; InputError unless each is finite and above zero."""
    for name in parameters:
        object.__setattr__(law, name, positive(getattr(law, name), _what(law, name)))


def make_not_negative(law: object, *parameters: str) -> None:
    """Turn these fields of a frozen ``law`` into floats; InputError unless each is finite and >= 0."""
    for name in parameters:
        number = finite(getattr(law, name), _what(law, name))
        if number < 0.0:
            raise InputError(f"{_what(law, name)} is {number:g}: it must be zero or above")
        object.__setattr__(law, name, number)


def _what(law: object, parameter: str) -> str:
    return f"{type(law).__name__} {parameter}"
