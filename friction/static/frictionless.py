"""No friction: a contact that only pushes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from numpy.typing import NDArray

from fem_mbd.friction.kinds import FRICTIONLESS
from fem_mbd.friction.records import friction_record


@dataclass(frozen=True)
class Frictionless:
    """Smooth contact; it has no parameters and no kernel, ``tangential.py`` answers zero for it."""

    def record(self) -> NDArray[Any]:
        """A 0-d array of dtype ``FRICTION_LAW`` without parameters."""
        return friction_record(FRICTIONLESS, ())
