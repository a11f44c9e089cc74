"""Parameters of the study, SI units: `fem-mbd list ./spring_mass` shows them, `--set mass=2` changes them."""

from __future__ import annotations

from dataclasses import dataclass
from math import pi, sqrt

from fem_mbd.case_parameters import above_zero, parameter

GRAVITY = 9.81  # m/s^2


@dataclass(frozen=True)
class Parameters:
    """Default, unit and meaning of each; types may be int, float, bool, str, Literal[...] and tuples of numbers."""

    mass: float = parameter(0.5, "kg", "of the swinging body")
    stiffness: float = parameter(200.0, "N/m", "of the spring")
    length: float = parameter(0.3, "m", "of the unloaded spring")
    end_time: float = parameter(1.0, "s", "simulated time")
    dt: float = parameter(1e-3, "s", "constant step")

    def __post_init__(self) -> None:
        """Refuse what makes no sense."""
        above_zero(self, "spring_mass", "mass stiffness length end_time dt")

    @property
    def period(self) -> float:
        """Of the swing, in closed form, s."""
        return 2 * pi * sqrt(self.mass / self.stiffness)

    @property
    def sag(self) -> float:
        """How far the weight stretches the spring at rest, m."""
        return self.mass * GRAVITY / self.stiffness
