"""Metadata of law parameters: meaning, unit, role, bounds, symbol and source, given beside the field's type.

A law's field reads ``mu_k: KineticCoefficient`` or ``xi: Annotated[float, Parameter("fall of ...", "s/m", "slope")]``.
From that follow the checks when the law is built, the Parameters section of its docstring, the tables of ``fem-mbd
laws`` and laws.md, and from which scale of measured data a fit starts (``role``). The types below are parameters
that several laws have: their names mean the same in all of them. Forces are divided by the normal force.
"""

from __future__ import annotations

import typing
from collections.abc import Mapping
from dataclasses import MISSING, dataclass
from typing import Annotated, Any, ClassVar

GREEK = {
    "alpha": "α", "gamma": "γ", "delta": "δ", "eps": "ε", "eta": "η", "kappa": "κ", "mu": "μ", "xi": "ξ", "sigma": "σ",
    "tau": "τ",
}  # fmt: skip


@dataclass(frozen=True)
class Parameter:
    """What a parameter is; a bound may be the name of another parameter of the same law.

    Attributes
    ----------
    meaning : str
        A phrase without a full stop.
    unit : str
        SI unit; "-" for numbers without one, "" for what is no number.
    role : str
        Kind of number, for the starts of a fit: coefficient, shape, share, length, speed, stiffness, slope, damping,
        viscous, quadratic, time, rate, acceleration; "" when it cannot be fitted.
    above, at_least, below, at_most : float or str, optional
        Bounds.
    unlimited : bool
        Whether infinity (no limit) is welcome.
    symbol : str
        The author's letter; "" for the name in Greek.
    source : str
        Where the parameter comes from, if not from the law's own source.
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
        parts = [f"at least {_told(self.at_least)}"] if self.at_least is not None else []
        parts += [f"above {_told(self.above)}"] if self.above is not None else []
        parts += [f"at most {_told(self.at_most)}"] if self.at_most is not None else []
        parts += [f"below {_told(self.below)}"] if self.below is not None else []
        return " and ".join(parts) + (" or infinite" if self.unlimited else "")


@dataclass(frozen=True)
class Described:
    """A parameter of a class of laws: its type, its default (``MISSING`` when it has none), what it is."""

    name: str
    hint: Any
    default: Any
    is_a: Parameter


def described(kind: type) -> Mapping[str, Described]:
    """The parameters of the class ``kind`` by name; TypeError for a field that does not say what it is."""
    found = {}
    for name, hint in typing.get_type_hints(kind, include_extras=True).items():
        if hint is ClassVar or typing.get_origin(hint) is ClassVar:
            continue
        about = [extra for extra in typing.get_args(hint)[1:] if isinstance(extra, Parameter)]
        if typing.get_origin(hint) is not Annotated or len(about) != 1:
            raise TypeError(f"{kind.__name__} {name}: write its type as Annotated[..., Parameter(...)]")
        found[name] = Described(name, typing.get_args(hint)[0], getattr(kind, name, MISSING), about[0])
    return found


def numpydoc(parameters: Mapping[str, Described]) -> str:
    """The sections Parameters and Raises of a law's docstring."""
    lines = ["Parameters", "----------"]
    for own in parameters.values():
        default = "" if own.default is MISSING else f", default {own.default!r}"
        unit = f" [{own.is_a.unit}]" if own.is_a.unit not in ("", "-") else ""
        bounds = f"; {own.is_a.range()}" if own.is_a.range() else ""
        source = f" ({own.is_a.source})" if own.is_a.source else ""
        lines += [f"{own.name} : {_type_name(own.hint)}{default}"]
        letter = own.is_a.letter(own.name)
        symbol = f", {letter}" if letter != own.name else ""
        lines += [f"    {own.is_a.meaning[0].upper()}{own.is_a.meaning[1:]}{symbol}{unit}{bounds}{source}."]
    return "\n".join(
        [*lines, "", "Raises", "------", "InputError", "    For a parameter outside these bounds."]
    )


def _told(bound: float | str | None) -> str:
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
        "give at break-away, far below the displacements of interest", "m", "length", above=0.0,
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
