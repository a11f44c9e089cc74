"""Base class of contact laws that add damping to an elastic law."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from typing import Annotated

from fem_mbd.errors import InputError
from fem_mbd.friction.law import Law
from fem_mbd.friction.normal.elastic.cylinder import CylinderLaw
from fem_mbd.friction.normal.elastic.hertz import Hertz
from fem_mbd.friction.normal.elastic.linear import Linear
from fem_mbd.friction.parameters import Parameter

Elastic = Linear | Hertz | CylinderLaw


@dataclass(frozen=True)
class DampedLaw(Law):
    """Base of laws that contain an ``elastic`` law: ``Linear``, ``Hertz`` or of a cylinder. InputError for another."""

    elastic: Annotated[Elastic, Parameter("law without damping: Linear, Hertz or of a cylinder", "")]

    def __post_init__(self) -> None:
        super().__post_init__()
        if not isinstance(self.elastic, Elastic):
            raise InputError(
                f"{type(self).__name__} elastic is {self.elastic!r}: give a Linear or a Hertz law or one for cylinders"
            )

    @property
    def speed_limit(self) -> float:
        """m/s, that of the elastic law (``validity.py``)."""
        return float(getattr(self.elastic, "speed_limit", inf))

    @property
    def deepest(self) -> float:
        """m, that of the elastic law."""
        return float(getattr(self.elastic, "deepest", inf))
