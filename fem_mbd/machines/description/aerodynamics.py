"""Aerodynamics of a machine's rotor as its files describe them, independent of its model."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property

from fem_mbd.aerodynamics.blade import BladeAerodynamics
from fem_mbd.aerodynamics.induction import AIR, DEFAULT, Induction, StallModel


@dataclass(frozen=True, eq=False)
class RotorAerodynamics:
    """Blades by the names of their members, and the models that the files ask for.

    Attributes
    ----------
    blades : description of each blade
    induction : of the rotor
    stall : dynamic stall
    stations : of a blade, for the loads
    angle_at : fraction of the chord at which the angle of attack is taken
    hub_radius : m, for the loss at the hub
    density : kg/m^3
    source : the files
    """

    blades: Mapping[str, BladeAerodynamics]
    induction: Induction = DEFAULT
    stall: StallModel = "hgm"
    stations: int = 50
    angle_at: float = 0.75
    hub_radius: float = 0.0
    density: float = AIR
    source: str = ""


@dataclass(frozen=True)
class UnreadAerodynamics:
    """Aerodynamics that are read at their first use: polars are most of a file, and slow to read.

    Attributes
    ----------
    read : reads them
    """

    read: Callable[[], RotorAerodynamics]

    @cached_property
    def rotor(self) -> RotorAerodynamics:
        """What was read."""
        return self.read()
