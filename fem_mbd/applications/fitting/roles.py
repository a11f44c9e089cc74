"""What the laws say of their parameters: role (from which scale of the data a start can be guessed) and unit.

A role tells more than a unit: a viscous coefficient, a bristle's damping and a slope at rest are all in s/m and differ
by orders. Parameters of tuples are written ``k.1``.
"""

from __future__ import annotations

from typing import Any

from fem_mbd.friction import Law
from fem_mbd.friction.parameters import Parameter
from fem_mbd.friction.probes.gallery import find


def law_kind(name: str) -> Any:
    """Class of the friction law ``name``, in any case; InputError suggests the nearest."""
    return type(find(name)[0].law)


def role(kind: type, parameter: str) -> str:
    """Role of a parameter of the law ``kind``, "" when it has none (a law that does not describe its parameters)."""
    return _about(kind, parameter).role


def unit(kind: type, parameter: str) -> str:
    """Unit of a parameter of the law ``kind``, "" when it is not known."""
    return _about(kind, parameter).unit


def _about(kind: type, parameter: str) -> Parameter:
    own = kind.parameters if issubclass(kind, Law) else {}
    field = parameter.partition(".")[0]
    return own[field].info if field in own else Parameter("", "")
