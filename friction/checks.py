"""Checks on the parameters of a law, made when it is built."""

from __future__ import annotations

from fem_mbd.errors import InputError
from fem_mbd.validation import finite, positive, positive_or_infinite, whole_number


def make_positive(law: object, *parameters: str) -> None:
    """Turn these fields of a frozen ``law`` into floats; InputError unless each is finite and above zero."""
    for name in parameters:
        object.__setattr__(law, name, positive(getattr(law, name), _what(law, name)))


def make_positive_or_infinite(law: object, *parameters: str) -> None:
    """As ``make_positive``, but infinity (no limit) is welcome."""
    for name in parameters:
        object.__setattr__(law, name, positive_or_infinite(getattr(law, name), _what(law, name)))


def make_not_negative(law: object, *parameters: str) -> None:
    """Turn these fields of a frozen ``law`` into floats; InputError unless each is finite and >= 0."""
    for name in parameters:
        number = finite(getattr(law, name), _what(law, name))
        if number < 0.0:
            raise InputError(f"{_what(law, name)} is {number:g}: it must be zero or above")
        object.__setattr__(law, name, number)


def make_not_below(law: object, larger: str, smaller: str) -> None:
    """InputError unless the field ``larger`` of ``law`` is at least its field ``smaller``."""
    if getattr(law, larger) < getattr(law, smaller):
        raise InputError(
            f"{_what(law, larger)} is {getattr(law, larger):g}: it must not be below {smaller}, which is "
            f"{getattr(law, smaller):g}"
        )


def make_seed(law: object) -> None:
    """InputError unless the field ``seed`` of ``law`` is a whole number from 0 to 2**31 - 1."""
    make_whole(law, "seed", 0, 2**31 - 1)


def make_whole(law: object, parameter: str, least: int, most: int) -> None:
    """InputError unless the field ``parameter`` of ``law`` is a whole number from ``least`` to ``most``."""
    number = getattr(law, parameter)
    whole_number(number, _what(law, parameter), least, most)


def _what(law: object, parameter: str) -> str:
    return f"{type(law).__name__} {parameter}"
