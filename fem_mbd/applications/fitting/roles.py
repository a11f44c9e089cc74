"""Role and unit of each parameter of a law, as declared by the law; the role selects the scale for a start value.

A role is more specific than a unit: a viscous coefficient, a bristle's damping and a slope at rest all have the unit
s/m and differ by orders of magnitude. Parameters of tuples are written ``k.1``.
"""

from __future__ import annotations

from typing import Any

from fem_mbd.friction import Law
from fem_mbd.friction.parameters import Parameter
from fem_mbd.friction.probes.gallery import find


def law_kind(name: str) -> Any:
    """Class of the friction law ``name``, ignoring case; InputError suggests the nearest."""
    return type(find(name)[0].law)


def role(kind: type, parameter: str) -> str:
    """Role of a parameter of the law ``kind``, "" when it has none (a law that does not describe its parameters)."""
    return _about(kind, parameter).role


def unit(kind: type, parameter: str) -> str:
    """Unit of a parameter of the law ``kind``, "" when it is unknown."""
    return _about(kind, parameter).unit


def _about(kind: type, parameter: str) -> Parameter:
    own = kind.parameters if issubclass(kind, Law) else {}
    field = parameter.partition(".")[0]
    return own[field].info if field in own else Parameter("", "")
