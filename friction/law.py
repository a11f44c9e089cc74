"""Base class of all laws: parameters are checked against their metadata, unknown names get a suggestion."""

from __future__ import annotations

import inspect
import types
import typing
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Self

from fem_mbd.base.arguments import Order
from fem_mbd.base.suggestions import nearest
from fem_mbd.base.validation import finite, whole_number
from fem_mbd.errors import InputError
from fem_mbd.friction.parameters import Described, described, numpydoc

_ORDERS: dict[type, Order] = {}  # arguments of each law, looked at when it is first made


class Law:
    """Base of the friction and contact laws, which are frozen dataclasses.

    A law says in ``source`` where it was published, and in ``examples`` ordinary numbers for its parameters, one set
    for each variant that the list of laws shows ("" for a law without variants). ``parameters`` follow from the fields.
    """

    source: ClassVar[str] = ""
    examples: ClassVar[Mapping[str, Mapping[str, Any]]] = {}
    parameters: ClassVar[Mapping[str, Described]] = {}

    def __init_subclass__(cls) -> None:
        """The docstring gets the sections Parameters and Raises, which follow from the fields."""
        super().__init_subclass__()
        cls.parameters = described(cls)
        if cls.parameters:
            text = inspect.cleandoc(cls.__dict__.get("__doc__") or cls.__name__)
            cls.__doc__ = f"{text}\n\n{numpydoc(cls.parameters)}"

    def __new__(cls, *numbers: Any, **named: Any) -> Self:
        """InputError for a parameter that the law does not have, with the nearest name, or that is missing."""
        for name in named:
            if name not in cls.parameters:
                raise InputError(
                    f"{cls.__name__}: there is no parameter {name!r}; {nearest(name, cls.parameters)}"
                )
        order = _ORDERS.get(cls) or _ORDERS.setdefault(cls, Order(cls.__name__, cls.__init__, True, (), {}))
        # copies are made without arguments
        if (numbers or named) and (problem := order.problem(numbers, named)):
            raise order.error(problem, (), named)
        return super().__new__(cls)

    def __post_init__(self) -> None:
        """Turn numbers into floats; InputError for those outside their bounds."""
        for parameter in self.parameters.values():
            object.__setattr__(self, parameter.name, _checked(self, parameter))
        for parameter in self.parameters.values():
            _check_order(self, parameter)


def _checked(law: Law, parameter: Described) -> Any:
    """Value of the parameter, numbers as floats; bounds that are other parameters are left to ``_check_order``."""
    value, what = getattr(law, parameter.name), f"{type(law).__name__} {parameter.name}"
    optional = typing.get_origin(parameter.hint) in (typing.Union, types.UnionType)
    if value is None and optional:
        return None
    hint = typing.get_args(parameter.hint)[0] if optional else parameter.hint
    if hint is float:
        return _number(value, parameter, what)
    if hint is int:
        least, most = parameter.is_a.at_least, parameter.is_a.at_most
        return whole_number(value, what, int(least or 0), None if most is None else int(most))
    if hint == tuple[float, ...]:
        if isinstance(value, str) or not isinstance(value, Sequence):
            raise InputError(f"{what} is {value!r}: give one number per element")
        return tuple(_number(entry, parameter, what) for entry in value)
    if typing.get_origin(hint) is typing.Literal and value not in typing.get_args(hint):
        known = " or ".join(f'"{form}"' for form in typing.get_args(hint))
        raise InputError(f"{what} is {value!r}: give {known}")
    return value


def _number(value: Any, parameter: Described, what: str) -> float:
    is_a = parameter.is_a
    if is_a.unlimited and isinstance(value, float) and value == float("inf"):
        return value
    number = finite(value, what)
    if isinstance(is_a.above, float) and number <= is_a.above:
        raise InputError(f"{what} is {number:g}: it must be above {_told(is_a.above)}")
    if isinstance(is_a.at_least, float) and number < is_a.at_least:
        raise InputError(f"{what} is {number:g}: it must be {_told(is_a.at_least)} or above")
    if isinstance(is_a.below, float) and number >= is_a.below:
        raise InputError(f"{what} is {number:g}: it must be below {_told(is_a.below)}")
    if isinstance(is_a.at_most, float) and number > is_a.at_most:
        raise InputError(f"{what} is {number:g}: it must not be above {_told(is_a.at_most)}")
    return number


def _check_order(law: Law, parameter: Described) -> None:
    """InputError unless the parameter is on the right side of those that bound it."""
    is_a, value = parameter.is_a, getattr(law, parameter.name)
    for bound, refused, said in (
        (is_a.above, lambda other: value <= other, "be above"),
        (is_a.at_least, lambda other: value < other, "not be below"),
        (is_a.below, lambda other: value >= other, "be below"),
        (is_a.at_most, lambda other: value > other, "not be above"),
    ):
        if isinstance(bound, str) and refused(getattr(law, bound)):
            raise InputError(
                f"{type(law).__name__} {parameter.name} is {value:g}: it must {said} {bound}, which is "
                f"{getattr(law, bound):g}"
            )


def _told(bound: float) -> str:
    return f"{bound:g}" if bound else "zero"
