"""Frictionless contact: normal force only."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from numpy.typing import NDArray

from fem_mbd.friction.law import Law
from fem_mbd.friction.records import friction_record

KIND = 1


@dataclass(frozen=True)
class Frictionless(Law):
    """Frictionless contact; it has no parameters and no kernel, ``friction_force`` returns zero for it."""

    def record(self) -> NDArray[Any]:
        """A 0-d array of dtype ``FRICTION_LAW`` without parameters."""
        return friction_record(KIND, ())
