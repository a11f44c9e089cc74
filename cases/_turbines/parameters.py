"""Parameters of the cases of whole turbines."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from fem_mbd.case_parameters import above_zero, parameter
from fem_mbd.errors import InputError


@dataclass(frozen=True)
class TurbineParameters:
    """SI units but for the rotor's speed and the pitch."""

    pitch: float = parameter(0.0, "deg", "of all blades, positive turns the leading edge upwind")
    shape: Literal["undeflected", "equilibrium"] = parameter(
        "undeflected", "", "modes: blades as built, with the stress of rotation, or as they stand in rotation"
    )
    gravity: bool = parameter(False, "", "with gravity")
    damped: bool = parameter(True, "", "with the structural damping of the files")
    refine: int = parameter(1, "", "elements for each piece between two stations of the sections")
    elements: int = parameter(0, "", "most elements along a blade and the tower; 0: one between two stations")
    rotor_speed: float = parameter(7.5, "rev/min", "run: speed at the start")
    end_time: float = parameter(5.0, "s", "run: simulated time")
    dt: float = parameter(0.05, "s", "run: constant step")

    def __post_init__(self) -> None:
        above_zero(self, "turbine", "end_time dt")
        if self.elements < 0:
            raise InputError(
                f"turbine: elements is {self.elements}: give 1 or more, or 0 for those of the file"
            )
        if self.refine < 1:
            raise InputError(f"turbine: refine is {self.refine}: give 1 or more")

    @property
    def omega(self) -> float:
        """rad/s."""
        return self.rotor_speed * np.pi / 30

    @property
    def angles(self) -> dict[str, float]:
        """rad, of the pitch bearings."""
        return {f"pitch{k}": float(np.radians(self.pitch)) for k in (1, 2, 3)}
