"""Base class of all friction and contact laws: checks parameters against the bounds of their fields, suggests names."""

from __future__ import annotations

import inspect
import types
import typing
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Self

from numpy.typing import NDArray

from fem_mbd.base.arguments import Order
from fem_mbd.base.suggestions import nearest
from fem_mbd.base.validation import finite, whole_number
from fem_mbd.errors import InputError
from fem_mbd.friction.parameters import ParameterField, docstring_sections, parameter_fields

_ORDERS: dict[type, Order] = {}  # signature of each law, inspected when it is first created


class Law:
    """Base of the friction and contact laws, which are frozen dataclasses.

    ``source`` is the publication of the law. ``examples`` holds typical parameter values, one set for each variant
    shown in the list of laws ("" for a law without variants). ``parameters`` is derived from the fields.
    """

    source: ClassVar[str] = ""
    examples: ClassVar[Mapping[str, Mapping[str, Any]]] = {}
    parameters: ClassVar[Mapping[str, ParameterField]] = {}

    def __init_subclass__(cls) -> None:
        """Append the sections Parameters and Raises, derived from the fields, to the docstring."""
        super().__init_subclass__()
        cls.parameters = parameter_fields(cls)
        if cls.parameters:
            text = inspect.cleandoc(cls.__dict__.get("__doc__") or cls.__name__)
            cls.__doc__ = f"{text}\n\n{docstring_sections(cls.parameters)}"

    def __new__(cls, *numbers: Any, **named: Any) -> Self:
        """Raise InputError for an unknown parameter, with the nearest name, or a missing one."""
        for name in named:
            if name not in cls.parameters:
                raise InputError(
                    f"{cls.__name__}: there is no parameter {name!r}; {nearest(name, cls.parameters)}"
                )
        order = _ORDERS.get(cls) or _ORDERS.setdefault(cls, Order(cls.__name__, cls.__init__, True))
        # copies are created without arguments
        if (numbers or named) and (problem := order.problem(numbers, named)):
            raise order.error(problem, (), named)
        return super().__new__(cls)

    def __post_init__(self) -> None:
        """Convert numbers to floats; InputError for those outside their bounds."""
        for parameter in self.parameters.values():
            object.__setattr__(self, parameter.name, _checked(self, parameter))
        for parameter in self.parameters.values():
            _check_order(self, parameter)

    def record(self) -> NDArray[Any]:
        """Parameters as a 0-d array of dtype ``FRICTION_LAW`` or ``NORMAL_LAW``."""
        raise InputError(
            f"{type(self).__name__} has no record(): define it, see docs/how-to/extend/add-a-law.md"
        )


def _checked(law: Law, parameter: ParameterField) -> Any:
    """Value of the parameter, numbers as floats; ``_check_order`` checks bounds that are other parameters."""
    value, label = getattr(law, parameter.name), f"{type(law).__name__} {parameter.name}"
    optional = typing.get_origin(parameter.hint) in (typing.Union, types.UnionType)
    if value is None and optional:
        return None
    hint = typing.get_args(parameter.hint)[0] if optional else parameter.hint
    if hint is float:
        return _number(value, parameter, label)
    if hint is int:
        least, most = parameter.info.at_least, parameter.info.at_most
        return whole_number(value, label, int(least or 0), None if most is None else int(most))
    if hint == tuple[float, ...]:
        if isinstance(value, str) or not isinstance(value, Sequence):
            raise InputError(f"{label} is {value!r}: give one number per element")
        return tuple(_number(entry, parameter, label) for entry in value)
    if typing.get_origin(hint) is typing.Literal and value not in typing.get_args(hint):
        known = " or ".join(f'"{form}"' for form in typing.get_args(hint))
        raise InputError(f"{label} is {value!r}: give {known}")
    return value


def _number(value: Any, parameter: ParameterField, label: str) -> float:
    info = parameter.info
    if info.unlimited and isinstance(value, float) and value == float("inf"):
        return value
    number = finite(value, label)
    if isinstance(info.above, float) and number <= info.above:
        raise InputError(f"{label} is {number:g}: it must be above {_bound_text(info.above)}")
    if isinstance(info.at_least, float) and number < info.at_least:
        raise InputError(f"{label} is {number:g}: it must be {_bound_text(info.at_least)} or above")
    if isinstance(info.below, float) and number >= info.below:
        raise InputError(f"{label} is {number:g}: it must be below {_bound_text(info.below)}")
    if isinstance(info.at_most, float) and number > info.at_most:
        raise InputError(f"{label} is {number:g}: it must not be above {_bound_text(info.at_most)}")
    return number


def _check_order(law: Law, parameter: ParameterField) -> None:
    """InputError unless the parameter respects the bounds that are other parameters."""
    info, value = parameter.info, getattr(law, parameter.name)
    for bound, violates, wording in (
        (info.above, lambda other: value <= other, "be above"),
        (info.at_least, lambda other: value < other, "not be below"),
        (info.below, lambda other: value >= other, "be below"),
        (info.at_most, lambda other: value > other, "not be above"),
    ):
        if isinstance(bound, str) and violates(getattr(law, bound)):
            raise InputError(
                f"{type(law).__name__} {parameter.name} is {value:g}: it must {wording} {bound}, which is "
                f"{getattr(law, bound):g}"
            )


def _bound_text(bound: float) -> str:
    return f"{bound:g}" if bound else "zero"
