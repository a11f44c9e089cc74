"""Decorator that checks the arguments of public classes and functions.

For arguments in a wrong order Python itself raises a TypeError with their number, or nothing at all.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property, wraps
from typing import Any, TypeVar

from fem_mbd.base.lazy import nearest
from fem_mbd.errors import InputError

T = TypeVar("T", bound=Callable[..., Any])
PLAIN_TYPES = (str, bytes, int, float, complex, tuple, list, dict)
# annotations of arguments that are objects of this package, never numbers, texts or sequences
OBJECTS = ("Attachment", "BeamHandle", "FrictionLaw", "Model", "NormalLaw", "StepControl")


def arguments() -> Callable[[T], T]:
    """Decorator of a class or function: wrong arguments raise an InputError that shows the right ones.

    Raises
    ------
    InputError
        By the decorated object: for an argument that is missing, unknown, given twice, or of a wrong type.
    """

    def decorate(target: T) -> T:
        is_class = isinstance(target, type)
        function: Any = target.__init__ if is_class else target
        order = Order(target.__name__, function, is_class)

        @wraps(function)
        def checked(*positional: Any, **named: Any) -> Any:
            if not (problem := order.problem(positional[is_class:], named)):
                return function(*positional, **named)
            raise order.error(problem, positional, named)

        if not is_class:
            return checked  # type: ignore[return-value]
        target.__init__ = checked  # type: ignore[method-assign]
        return target

    return decorate


class Order:
    """The arguments of one callable; its signature is inspected at the first call."""

    def __init__(self, name: str, function: Any, is_class: bool):
        self._name, self._function, self._is_class = name, function, is_class

    @cached_property
    def _parameters(self) -> Mapping[str, inspect.Parameter]:
        parameters = list(inspect.signature(self._function).parameters.values())
        return {p.name: p for p in parameters[self._is_class :]}

    @cached_property
    def _positional(self) -> list[str]:
        return [name for name, p in self._parameters.items() if p.kind is p.POSITIONAL_OR_KEYWORD]

    @cached_property
    def _required(self) -> list[str]:
        return [name for name, p in self._parameters.items() if p.default is p.empty]

    def problem(self, positional: Sequence[Any], named: Mapping[str, Any]) -> str:
        """Why arguments do not fit, "" when they do."""
        order = self._positional
        if len(positional) > len(order):
            return f"{len(positional)} arguments are given by position, at most {len(order)} can be"
        for name, value in zip(order, positional, strict=False):
            if name in named:
                return f"{name} is given twice, by position and by name"
            if _unfit(str(self._parameters[name].annotation), value):
                return f"{name} is {value!r:.80}"
        for name in named:
            if name not in self._parameters:
                return f"there is no argument '{name}'; {nearest(name, self._parameters)}"
        present = {*order[: len(positional)], *named}
        missing = [name for name in self._required if name not in present]
        return f"{', '.join(missing)} missing" if missing else ""

    def error(self, problem: str, positional: Sequence[Any], named: Mapping[str, Any]) -> InputError:
        """The error: the callable's own message if it raises an InputError, else `problem`, and the signature."""
        label = f"{self._name} '{named['name']}'" if named.get("name") else self._name
        problem = f"{label}: {problem}"
        try:
            self._function(*positional, **named)
        except InputError as error:
            problem = str(error)
        except Exception:  # its kind does not matter: the arguments are wrong
            pass
        return InputError(f"{problem}. The arguments: {self._signature()}")

    def _signature(self) -> str:
        shown = {n: n if n in self._required else f"{n}=…" for n in self._parameters}
        named = [shown[n] for n in self._parameters if n not in self._positional]
        return f"{self._name}({', '.join([shown[n] for n in self._positional] + (['*', *named] if named else []))})"


def _unfit(annotation: str, value: Any) -> bool:
    """Whether ``value`` certainly has a wrong type for an argument with this annotation."""
    if value is None and annotation.endswith("None"):
        return False
    if annotation in ("str", "Any"):
        return isinstance(value, str) is (annotation == "Any")
    if annotation.startswith("float"):
        return isinstance(value, str) or not hasattr(value, "__float__")
    return annotation.startswith(OBJECTS) and (isinstance(value, PLAIN_TYPES) or hasattr(value, "dtype"))
