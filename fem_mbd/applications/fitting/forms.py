"""Free and fixed parameters of a law to be fitted, their roles, construction of the law, and options of a fit.

The law declares `role` and `unit` of each parameter; the role selects the scale for a start value. A role is more
specific than a unit: a viscous coefficient, a bristle's damping and a slope at rest all have the unit s/m and differ by
orders of magnitude.

`LawForm` has the free and fixed parameters of a law, and constructs it from numbers. Parameters without a default in
the law's class and those named as free are fitted; the others keep their default or the given fixed value. Entries of
tuples are named and counted from one: ``k.1``, ``k.2``. Shares (tuples with sum one) are either all free or all fixed.
Integers, texts and switches can only be fixed.

`FitOptions`: number of starts, substeps, confidence level, difference steps.
"""

from __future__ import annotations

import dataclasses
import typing
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import inf, isfinite, isnan
from numbers import Real
from typing import Any

from fem_mbd.base.lazy import nearest
from fem_mbd.base.validation import finite, not_negative, positive, whole_number
from fem_mbd.errors import InputError
from fem_mbd.friction import Law
from fem_mbd.friction.law import Parameter
from fem_mbd.friction.probes.gallery import find

NORMAL = "fem_mbd.friction.normal."


def law_kind(name: str) -> Any:
    """Class of the friction law ``name``, ignoring case; InputError suggests the nearest."""
    return type(find(name)[0].law)


def role(kind: type, parameter: str) -> str:
    """Role of a parameter of the law ``kind``, "" when it has none (a law that does not describe its parameters)."""
    return _declaration(kind, parameter).role


def unit(kind: type, parameter: str) -> str:
    """Unit of a parameter of the law ``kind``, "" when it is unknown."""
    return _declaration(kind, parameter).unit


def _declaration(kind: type, parameter: str) -> Parameter:
    declared = kind.parameters if issubclass(kind, Law) else {}
    field = parameter.partition(".")[0]
    return declared[field].info if field in declared else Parameter("", "")


@dataclass(frozen=True)
class Free:
    """A fitted parameter.

    Parameters
    ----------
    start : start value of the search; None: guessed from the data
    low, high : bounds of the search
    """

    start: float | None = None
    low: float = -inf
    high: float = inf

    def __post_init__(self) -> None:
        numbers: dict[str, Any] = {"start": self.start, "low": self.low, "high": self.high}
        for name, value in numbers.items():
            no_number = isinstance(value, bool) or not isinstance(value, Real) or isnan(value)
            if no_number and not (name == "start" and value is None):
                raise InputError(f"Free {name} is {value!r}: give a number")
            if name == "start" and value is not None and not isfinite(value):
                raise InputError(f"Free start is {value}: give a finite number")


@dataclass(frozen=True)
class LawForm:
    """A law's class with its free parameters, in the order of the class, and the values of the fixed ones."""

    kind: Any
    free: Mapping[str, Free]
    held: Mapping[str, Any]

    @property
    def name(self) -> str:
        """Name of the law."""
        return str(self.kind.__name__)

    def build(self, values: Mapping[str, float]) -> Any:
        """The law with ``values`` of its free parameters; InputError when the law rejects them."""
        all_values = {**self.held, **values}
        arguments: dict[str, Any] = {}
        for name, value in all_values.items():
            field, dot, _ = name.partition(".")
            if dot:
                arguments[field] = (*arguments.get(field, ()), value)
            else:
                arguments[field] = value
        return self.kind(**arguments)


def law_form(
    kind: Any, free: Mapping[str, Free | float | None] | None = None, held: Mapping[str, Any] | None = None
) -> LawForm:
    """The form of the law ``kind`` with fitted parameters ``free`` (start, None or ``Free``) and fixed ones ``held``.

    Raises
    ------
    InputError
        For unknown names (the nearest is suggested), for a parameter both free and fixed, for a free parameter that is
        not a number, for bounds in the wrong order, and for starts outside them.
    """
    if not (isinstance(kind, type) and dataclasses.is_dataclass(kind)) or kind.__module__.startswith(NORMAL):
        raise InputError(f"fit: {kind!r} is not a friction law: give a class such as LuGre")
    requested = {
        name: value if isinstance(value, Free) else Free(value) for name, value in (free or {}).items()
    }
    fixed = dict(held or {})
    fields = {field.name: field for field in dataclasses.fields(kind)}
    for name in (*requested, *fixed):
        if name.partition(".")[0] not in fields:
            raise InputError(f"{kind.__name__}: there is no parameter {name!r}; {nearest(name, fields)}")
    for name in requested:
        if name in fixed:
            raise InputError(f"{kind.__name__} {name}: it cannot be both fitted and held")
    hints = typing.get_type_hints(kind)
    free_parameters: dict[str, Free] = {}
    fixed_parameters: dict[str, Any] = {}
    for field in fields.values():
        named = any(name.partition(".")[0] == field.name for name in (*requested, *fixed))
        optional = field.default is not dataclasses.MISSING
        if typing.get_origin(hints[field.name]) is tuple and (named or not optional):
            _assign_tuple(kind, field.name, requested, fixed, free_parameters, fixed_parameters)
        elif field.name in fixed:
            fixed_parameters[field.name] = fixed[field.name]
        elif field.name in requested or not optional:
            if float not in (hints[field.name], *typing.get_args(hints[field.name])):
                raise InputError(f"{kind.__name__} {field.name}: only numbers can be fitted: hold it")
            free_parameters[field.name] = requested.get(field.name, Free())
        else:
            fixed_parameters[field.name] = field.default
    _check_entries(kind, (*requested, *fixed), {**free_parameters, **fixed_parameters})
    if not free_parameters:
        raise InputError(f"{kind.__name__}: every parameter is held: there is nothing to fit")
    for name, parameter in free_parameters.items():
        _check_range(f"{kind.__name__} {name}", parameter)
    return LawForm(kind, free_parameters, fixed_parameters)


def _assign_tuple(
    kind: Any,
    field: str,
    requested: Mapping[str, Free],
    fixed: Mapping[str, Any],
    free: dict[str, Free],
    fixed_parameters: dict[str, Any],
) -> None:
    """Distribute the entries of a tuple over ``free`` and ``fixed_parameters``."""
    what = f"{kind.__name__} {field}"
    if isinstance(fixed.get(field), Sequence):
        fixed_parameters.update({f"{field}.{k}": value for k, value in enumerate(fixed[field], 1)})
        return
    entries = [name for name in (*requested, *fixed) if name.startswith(f"{field}.")]
    names = [f"{field}.{k}" for k in range(1, len(entries) + 1)]
    if not entries or set(names) != set(entries):
        raise InputError(
            f"{what} has entries of its own: give all of them, {field}=1,2,3 or {field}.1, {field}.2, ..."
        )
    if role(kind, field) == "share":
        if any(name in fixed for name in names):
            raise InputError(f"{what}: the shares add up to one: fit all of them or hold all")
        if any(isfinite(requested[name].low) or isfinite(requested[name].high) for name in names):
            raise InputError(f"{what}: shares are between 0 and 1 and cannot have other bounds")
    if any(requested[name].start is None for name in names if name in requested):
        raise InputError(f"{what}: start values of entries cannot be guessed: give them")
    for name in names:
        if name in fixed:
            fixed_parameters[name] = fixed[name]
        else:
            free[name] = requested[name]


def _check_entries(kind: Any, names: Sequence[str], assigned: Mapping[str, Any]) -> None:
    for name in names:
        if name not in assigned and f"{name}.1" not in assigned:
            raise InputError(
                f"{kind.__name__}: {name!r} is not the name of an entry: {name.partition('.')[0]!r} is one "
                "number or is given as a whole"
            )


def _check_range(what: str, free: Free) -> None:
    if not free.low < free.high:
        raise InputError(
            f"{what}: its bounds are {free.low:g} and {free.high:g}: the lower must be below the upper"
        )
    if free.start is not None and not free.low <= free.start <= free.high:
        raise InputError(
            f"{what}: the start {free.start:g} is outside its bounds, {free.low:g} to {free.high:g}"
        )


@dataclass(frozen=True)
class FitOptions:
    """Settings of a fit.

    Attributes
    ----------
    starts : number of start points of the search, random except for the first ones
    seed : of the random points
    substeps : steps of the law between rows
    skip : s, at the beginning, simulated but not fitted
    level : probability of the confidence intervals
    diff_step : step of the differences, as a fraction of a parameter
    evaluations : largest number of evaluations of a search, without those of differences
    """

    starts: int = 1
    seed: int = 0
    substeps: int = 8
    skip: float = 0.0
    level: float = 0.95
    diff_step: float = 1e-3
    evaluations: int = 150

    def __post_init__(self) -> None:
        whole_number(self.starts, "fit starts")
        whole_number(self.seed, "fit seed", 0)
        whole_number(self.evaluations, "fit evaluations")
        not_negative(self.skip, "fit skip")
        if not 0.0 < finite(self.level, "fit level") < 1.0:
            raise InputError(f"fit level is {self.level:g}: give a number between 0 and 1, such as 0.95")
        if positive(self.diff_step, "fit diff_step") > 0.3:
            raise InputError(f"fit diff_step is {self.diff_step:g}: it must not exceed 0.3")
