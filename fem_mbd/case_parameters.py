"""Parameters of a case: a frozen dataclass filled from texts (key=value), from a TOML file or from plain data.

A field may have the types int, float, bool, str, Literal[...], tuple[float, ...] or a tuple of fixed length, and any of
these `| None`. In a text, a tuple is written with commas and None as "none". Texts are never evaluated as code.

Why no library is used: msgspec 0.22 accepts "inf", nan, a whole number of 23 digits and, silently, an unknown name; it
accepts neither "yes" nor "none" nor "1,2,3", and its hooks are not called for built-in types. cattrs converts the text
"false" to true and 3.7 to 3. Nearly all of this module would still be needed.
"""

from __future__ import annotations

import dataclasses
import math
import tomllib
import types
import typing
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal, TypeVar

from fem_mbd.base.lazy import nearest
from fem_mbd.errors import InputError

P = TypeVar("P")
LONGEST_VALUE = 80  # characters of a value in a message
LARGEST_WHOLE = 10**15 - 1  # exact as a float too
BOOLEANS = {
    "true": True,
    "yes": True,
    "on": True,
    "1": True,
    "false": False,
    "no": False,
    "off": False,
    "0": False,
}


# commands of `fem-mbd` that do not simulate
ANALYSES = ("modal", "campbell", "linearize", "static", "loads", "steady")


def parameter(default: Any, unit: str = "", text: str = "", commands: str = "") -> Any:
    """A field of a parameters dataclass: its default, its unit and its description.

    ``commands`` that read it, separated by blanks, where not all do: "run" stands for all that simulate.
    """
    about = {"unit": unit, "help": text, "commands": tuple(commands.split())}
    return dataclasses.field(default=default, metadata=about)


def check_read_by(kind: type, assignments: Sequence[str], command: str) -> None:
    """InputError for a text `key=value` of a parameter that a command of `fem-mbd` does not read.

    Parameters
    ----------
    kind : dataclass of the parameters
    assignments : the texts
    command : its name
    """
    names = {text.partition("=")[0].strip() for text in assignments}
    word = command if command in ANALYSES else "run"
    for field in dataclasses.fields(kind):
        readers = field.metadata.get("commands", ())
        if field.name in names and readers and word not in readers:
            raise InputError(
                f"--set {field.name}: {command} does not read it, so that it would change nothing: leave it out; it is "
                f"for {', '.join(readers)}"
            )


def check_positive(parameters: Any, case: str, names: str) -> None:
    """Raise InputError unless all parameters in `names` (separated by blanks) are positive."""
    for name in names.split():
        if not getattr(parameters, name) > 0:
            raise InputError(f"{case}: {name} is {getattr(parameters, name)}: it must be above zero")


def check_not_negative(parameters: Any, case: str, names: str) -> None:
    """As `check_positive`, but zero is allowed."""
    for name in names.split():
        if not getattr(parameters, name) >= 0:
            raise InputError(f"{case}: {name} is {getattr(parameters, name)}: it must not be negative")


class _WrongType(Exception):
    """A value does not have the required type; the caller adds the parameter's name to the message."""


def fill(
    kind: type[P], file: Path | None = None, assignments: Sequence[str] = (), where: str = "assignments"
) -> P:
    """Parameters of type `kind`: defaults, replaced by those of a TOML file, replaced by texts `key=value`.

    ``where`` names the origin of the texts in messages.

    Raises
    ------
    InputError
        For files that cannot be read, unknown names (suggesting the most similar one), values of a wrong type, and
        values that the dataclass itself rejects.
    """
    values: dict[str, Any] = {}
    if file is not None:
        values |= {name: _convert(kind, name, value, str(file)) for name, value in read_toml(file).items()}
    for assignment in assignments:
        name, equals, text = assignment.partition("=")
        if not equals:
            raise InputError(f"{where} {assignment}: write it as name=value")
        values[name.strip()] = _convert(kind, name.strip(), _Text(text.strip()), where)
    return _make(kind, values)


def from_plain(kind: type[P], values: Mapping[str, Any]) -> P:
    """Parameters from the plain data that `to_plain` returned; InputError as for `fill`."""
    return _make(
        kind, {name: _convert(kind, name, value, "stored parameters") for name, value in values.items()}
    )


def read_value(kind: type, name: str, text: str, where: str) -> Any:
    """Value of one parameter of `kind` from a text; InputError as for `fill`, whose message begins with `where`."""
    return _convert(kind, name, _Text(text.strip()), where)


def to_plain(parameters: Any) -> dict[str, Any]:
    """Parameters as a dictionary of numbers, texts and lists, in the order of the fields."""
    values = {field.name: getattr(parameters, field.name) for field in dataclasses.fields(parameters)}
    return {name: list(value) if isinstance(value, tuple) else value for name, value in values.items()}


def changed(parameters: Any) -> dict[str, Any]:
    """The entries of `to_plain` that differ from the defaults."""
    defaults = {field["name"]: field["default"] for field in describe(type(parameters))}
    return {name: value for name, value in to_plain(parameters).items() if value != defaults[name]}


def describe(kind: type) -> list[dict[str, Any]]:
    """Name, type, default, unit and help of every parameter, as plain data."""
    hints = _hints(kind)
    return [
        {
            "name": field.name,
            "type": type_text(hints[field.name]),
            "default": _default(field),
            "unit": field.metadata.get("unit", ""),
            "help": field.metadata.get("help", ""),
        }
        for field in dataclasses.fields(kind)
    ]


def choices(kind: type, name: str) -> list[str]:
    """Allowed values of a parameter that has only a few; empty for numbers, texts and unknown names."""
    hint = _hints(kind).get(name)
    if hint is bool:
        return ["true", "false"]
    return [str(value) for value in typing.get_args(hint)] if typing.get_origin(hint) is Literal else []


def type_text(hint: Any) -> str:
    """Name of a type in messages: "number", "whole number", "one of 1, 2", ..."""
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if origin is Literal:
        return "one of " + ", ".join(str(choice) for choice in arguments)
    if origin is tuple:
        count = "" if arguments[-1] is Ellipsis else f"{len(arguments)} "
        return f"{count}numbers separated by commas"
    if origin in (types.UnionType, typing.Union):
        return " or ".join("none" if part is type(None) else type_text(part) for part in arguments)
    return {int: "whole number", float: "number", bool: "true or false", str: "text"}.get(hint, str(hint))


def read_toml(file: Path, what: str = "parameter file") -> dict[str, Any]:
    """Content of a TOML file; InputError when it cannot be read. ``what`` describes the file in the message."""
    try:
        # utf-8-sig: an editor may have written a byte-order mark
        return tomllib.loads(file.read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise InputError(f"{what} {file}: it cannot be read ({error.strerror})") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InputError(f"{what} {file}: it is not valid TOML ({error})") from error
    except RecursionError as error:
        raise InputError(f"{what} {file}: its lists or tables are nested too deeply") from error
    except ValueError as error:  # Python reads no whole number of more than some thousand digits
        raise InputError(f"{what} {file}: it contains a number that cannot be read ({error})") from error


@lru_cache(maxsize=64)
def _hints(kind: type) -> dict[str, Any]:
    """Types of the fields; cached, since reading them takes most of the time in planning 10,000 runs."""
    return typing.get_type_hints(kind)


class _Text(str):
    """A value from the command line, not yet converted to its type."""


def _make(kind: type[P], values: dict[str, Any]) -> P:
    try:
        return kind(**values)
    except InputError:
        raise
    except ValueError as error:
        raise InputError(f"parameters: {error}") from error
    except TypeError as error:  # a field without a default has no value
        raise InputError(f"parameters: {error}; give it a value") from error


def _convert(kind: type, name: str, value: Any, where: str) -> Any:
    hints = _hints(kind)
    names = [field.name for field in dataclasses.fields(kind)]
    if name not in names:
        raise InputError(f"{where}: there is no parameter {name!r}; {nearest(name, names)}")
    try:
        return _fit(hints[name], value)
    except _WrongType as error:
        raise InputError(
            f"{where}: parameter {name!r} is {_shortened(value)}, expected {type_text(hints[name])} {error}".rstrip()
        ) from None


def _shortened(value: Any) -> str:
    """A value for a message, cut after `LONGEST_VALUE` characters."""
    try:
        text = repr(value)
    except ValueError:  # Python writes no whole number of more than some thousand digits
        return "a number of thousands of digits"
    return text if len(text) <= LONGEST_VALUE else f"{text[:LONGEST_VALUE]}... ({len(text)} characters)"


def _fit(hint: Any, value: Any) -> Any:
    """`value` converted to the type `hint`; _WrongType when that is impossible."""
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if origin is Literal:
        return _fit_choice(arguments, value)
    if origin is tuple:
        return _fit_tuple(arguments, value)
    if origin in (types.UnionType, typing.Union):
        return _fit_optional(arguments, value)
    if hint is bool:
        return _fit_bool(value)
    if hint is int:
        return _fit_int(value)
    if hint is float:
        return _fit_float(value)
    if hint is str and isinstance(value, str):
        return str(value)
    raise _WrongType


def _fit_choice(choices: tuple[Any, ...], value: Any) -> Any:
    for choice in choices:
        same_kind = isinstance(value, _Text) or type(value) is type(choice)
        if same_kind and str(value) == str(choice):
            return choice
    raise _WrongType


def _fit_tuple(kinds: tuple[Any, ...], value: Any) -> tuple[Any, ...]:
    if isinstance(value, _Text):
        text = value.strip("()[] ")
        value = [_Text(part.strip()) for part in text.removesuffix(",").split(",")] if text else []
    if not isinstance(value, list | tuple):
        raise _WrongType
    if kinds[-1] is Ellipsis:
        return tuple(_fit(kinds[0], entry) for entry in value)
    if len(value) != len(kinds):
        raise _WrongType
    return tuple(_fit(kind, entry) for kind, entry in zip(kinds, value, strict=True))


def _fit_optional(kinds: tuple[Any, ...], value: Any) -> Any:
    if type(None) in kinds and (value is None or (isinstance(value, _Text) and value.casefold() == "none")):
        return None
    for kind in kinds:
        try:
            return _fit(kind, value)
        except _WrongType:
            continue
    raise _WrongType


def _fit_bool(value: Any) -> bool:
    if isinstance(value, bool):
        return value
    if isinstance(value, _Text) and value.casefold() in BOOLEANS:
        return BOOLEANS[value.casefold()]
    raise _WrongType


def _fit_int(value: Any) -> int:
    if isinstance(value, _Text):
        try:
            value = int(value)
        except ValueError:
            raise _WrongType from None
    if not isinstance(value, int) or isinstance(value, bool):
        raise _WrongType
    if abs(value) > LARGEST_WHOLE:
        raise _WrongType("of at most 15 digits")
    return value


def _fit_float(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float | _Text):
        raise _WrongType
    try:
        number = float(value)
    except (ValueError, OverflowError):
        raise _WrongType from None
    if not math.isfinite(number):
        raise _WrongType("that is finite")
    return number


def _default(field: dataclasses.Field[Any]) -> Any:
    if field.default is not dataclasses.MISSING:
        value = field.default
    elif field.default_factory is not dataclasses.MISSING:
        value = field.default_factory()
    else:
        return None
    return list(value) if isinstance(value, tuple) else value
