"""Base class of all friction and contact laws: checks parameters against the bounds of their fields, suggests names.

Metadata of law parameters: meaning, unit, role, bounds, symbol and source, given beside the field's type.

A law's field reads ``mu_k: KineticCoefficient`` or ``xi: Annotated[float, Parameter("fall of ...", "s/m", "slope")]``.
These data determine the checks when the law is built, the Parameters section of its docstring, the tables of ``fem-mbd
laws`` and laws.md, and the scale of measured data from which a fit starts (``role``). The types below are
parameters shared by several laws, with the same meaning in all of them. Forces are divided by the normal force.
"""

from __future__ import annotations

import inspect
import types
import typing
from collections.abc import Mapping, Sequence
from dataclasses import MISSING, dataclass
from typing import Annotated, Any, ClassVar, Self

from numpy.typing import NDArray

from fem_mbd.base.arguments import Order
from fem_mbd.base.lazy import nearest
from fem_mbd.base.validation import finite, whole_number
from fem_mbd.errors import InputError

GREEK = {
    "alpha": "α", "gamma": "γ", "delta": "δ", "eps": "ε", "eta": "η", "kappa": "κ", "mu": "μ", "xi": "ξ", "sigma": "σ",
    "tau": "τ",
}  # fmt: skip


@dataclass(frozen=True)
class Parameter:
    """Metadata of a parameter; a bound may be the name of another parameter of the same law.

    Attributes
    ----------
    meaning : str
        A phrase without a full stop.
    unit : str
        SI unit; "-" for dimensionless numbers, "" for parameters that are not numbers.
    role : str
        Kind of quantity, for the initial values of a fit: coefficient, shape, share, length, speed, stiffness, slope,
        damping, viscous, quadratic, time, rate, acceleration; "" when it cannot be fitted.
    above, at_least, below, at_most : float or str, optional
        Bounds.
    unlimited : bool
        Whether infinity (no limit) is allowed.
    symbol : str
        Symbol in the publication; "" for the field's name in Greek letters.
    source : str
        Publication of the parameter, if it differs from the law's source.
    """

    meaning: str
    unit: str = "-"
    role: str = ""
    above: float | str | None = None
    at_least: float | str | None = None
    below: float | str | None = None
    at_most: float | str | None = None
    unlimited: bool = False
    symbol: str = ""
    source: str = ""

    def letter(self, name: str) -> str:
        """Symbol of the parameter in formulas.

        Parameters
        ----------
        name : of the field
        """
        first, _, rest = name.partition("_")
        return self.symbol or f"{GREEK.get(first, first)}{'_' if rest else ''}{rest}"

    def range(self) -> str:
        """The bounds in words, "" when there are none."""
        parts = [f"at least {_bound_text(self.at_least)}"] if self.at_least is not None else []
        parts += [f"above {_bound_text(self.above)}"] if self.above is not None else []
        parts += [f"at most {_bound_text(self.at_most)}"] if self.at_most is not None else []
        parts += [f"below {_bound_text(self.below)}"] if self.below is not None else []
        return " and ".join(parts) + (" or infinite" if self.unlimited else "")


@dataclass(frozen=True)
class ParameterField:
    """A parameter field of a law class: type, default (``MISSING`` when it has none) and metadata."""

    name: str
    hint: Any
    default: Any
    info: Parameter


def parameter_fields(kind: type) -> Mapping[str, ParameterField]:
    """The parameter fields of the class ``kind`` by name; TypeError for a field without metadata."""
    fields = {}
    for name, hint in typing.get_type_hints(kind, include_extras=True).items():
        if hint is ClassVar or typing.get_origin(hint) is ClassVar:
            continue
        info = [extra for extra in typing.get_args(hint)[1:] if isinstance(extra, Parameter)]
        if typing.get_origin(hint) is not Annotated or len(info) != 1:
            raise TypeError(f"{kind.__name__} {name}: write its type as Annotated[..., Parameter(...)]")
        fields[name] = ParameterField(name, typing.get_args(hint)[0], getattr(kind, name, MISSING), info[0])
    return fields


def docstring_sections(parameters: Mapping[str, ParameterField]) -> str:
    """The sections Parameters and Raises of a law's docstring."""
    lines = ["Parameters", "----------"]
    for field in parameters.values():
        default = "" if field.default is MISSING else f", default {field.default!r}"
        unit = f" [{field.info.unit}]" if field.info.unit not in ("", "-") else ""
        bounds = f"; {field.info.range()}" if field.info.range() else ""
        source = f" ({field.info.source})" if field.info.source else ""
        lines += [f"{field.name} : {_type_name(field.hint)}{default}"]
        letter = field.info.letter(field.name)
        symbol = f", {letter}" if letter != field.name else ""
        lines += [
            f"    {field.info.meaning[0].upper()}{field.info.meaning[1:]}{symbol}{unit}{bounds}{source}."
        ]
    return "\n".join(
        [*lines, "", "Raises", "------", "InputError", "    For a parameter outside these bounds."]
    )


def _bound_text(bound: float | str | None) -> str:
    return bound if isinstance(bound, str) else f"{bound:g}"


def _type_name(hint: Any) -> str:
    if isinstance(hint, type) and not typing.get_args(hint):
        return hint.__name__
    return str(hint).replace("typing.", "").replace("fem_mbd.friction.", "").replace("normal.", "")


KineticCoefficient = Annotated[
    float, Parameter("coefficient of steady sliding", role="coefficient", above=0.0)
]
KineticOrZero = Annotated[float, Parameter("coefficient of steady sliding", role="coefficient", at_least=0.0)]
StaticCoefficient = Annotated[
    float, Parameter("largest coefficient at rest", role="coefficient", above=0.0, at_least="mu_k")
]
StaticOrZero = Annotated[float, Parameter("largest coefficient at rest", role="coefficient", at_least="mu_k")]
StribeckSpeed = Annotated[
    float, Parameter("speed over which friction falls from mu_s to mu_k", "m/s", "speed", above=0.0)
]
StribeckExponent = Annotated[float, Parameter("exponent of the Stribeck curve", role="shape", above=0.0)]
BristleStiffness = Annotated[
    float, Parameter("stiffness of the bristles at rest", "1/m", "stiffness", above=0.0)
]
BristleDamping = Annotated[float, Parameter("damping of the bristles", "s/m", "damping", at_least=0.0)]
Viscous = Annotated[float, Parameter("viscous coefficient", "s/m", "viscous", at_least=0.0)]
RegularisedSpeed = Annotated[
    float, Parameter("speed up to which friction rises from zero", "m/s", "speed", above=0.0)
]
DwellTime = Annotated[float, Parameter("time at rest in which static friction rises", "s", "time", above=0.0)]
Stick = Annotated[
    float,
    Parameter(
        "elastic displacement at break-away, far below the displacements of interest", "m", "length", above=0.0,
        source="of the discretisation, not of the author's law",
    ),
]  # fmt: skip
Stiffnesses = Annotated[
    tuple[float, ...], Parameter("stiffnesses of the elements", "1/m", "stiffness", above=0.0)
]
Shares = Annotated[
    tuple[float, ...], Parameter("shares of the elements, which add up to 1", role="share", above=0.0)
]
Seed = Annotated[int, Parameter("seed of the random numbers", at_least=0, at_most=2**31 - 1)]


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
        raise InputError(f"{label} is {number:g}: it must be above {_limit_text(info.above)}")
    if isinstance(info.at_least, float) and number < info.at_least:
        raise InputError(f"{label} is {number:g}: it must be {_limit_text(info.at_least)} or above")
    if isinstance(info.below, float) and number >= info.below:
        raise InputError(f"{label} is {number:g}: it must be below {_limit_text(info.below)}")
    if isinstance(info.at_most, float) and number > info.at_most:
        raise InputError(f"{label} is {number:g}: it must not be above {_limit_text(info.at_most)}")
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


def _limit_text(bound: float) -> str:
    return f"{bound:g}" if bound else "zero"
