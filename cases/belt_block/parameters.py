"""Data of the mass on a belt."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt

from fem_mbd.case_parameters import above_zero, parameter

GRAVITY = 9.81


@dataclass(frozen=True)
class Parameters:
    """SI units; the defaults are the source's tables 3.1 and 3.2. Coefficients in N act at the weight of the block."""

    law: str = parameter("lugre", "", "friction law, several with + between them, or all")
    mass: float = parameter(1.0, "kg", "of the block")
    stiffness: float = parameter(2.0, "N/m", "of the spring")
    belt_speed: float = parameter(0.1, "m/s", "speed of the belt")
    end_time: float = parameter(20.0, "s", "simulated time")
    dt: float = parameter(2e-3, "s", "largest step")
    contact_stiffness: float = parameter(
        1e6, "N/m", "of the block on the belt, assumed; it carries the weight"
    )
    x_stick: float = parameter(
        1e-8, "m", "give of the bond that holds a block at rest, of static laws with stiction; assumed"
    )
    mu_s: float = parameter(0.15, "", "static coefficient of friction")
    mu_k: float = parameter(0.1, "", "kinetic coefficient of friction")
    viscosity: float = parameter(0.1, "N s/m", "F_v of static, sigma_2 of dynamic laws")
    v_s: float = parameter(1e-3, "m/s", "Stribeck velocity")
    shape: float = parameter(2.0, "", "exponent of the Stribeck curve")
    v_0: float = parameter(1e-3, "m/s", "tolerance velocity; of Ambrósio's law the upper one")
    ambrosio_v_0: float = parameter(1e-4, "m/s", "lower tolerance velocity of Ambrósio's law")
    xi: float = parameter(50.0, "s/m", "shape of Bengisu and Akay's law")
    stiction: float = parameter(0.5, "", "a of the reset integrator")
    sigma_0: float = parameter(1e5, "N/m", "bristle stiffness")
    sigma_1: float = parameter(sqrt(1e5), "N s/m", "bristle damping")
    dwell: float = parameter(2.0, "s", "dwell-time constant of Gonthier's law")
    bristle_stiffness: float = parameter(5e4, "N/m", "k_b of Liang's law")
    bristle_damping: float = parameter(80.0, "N s/m", "c_b of Liang's law")
    v_d: float = parameter(1e-3, "m/s", "threshold velocity of Liang's law")

    def __post_init__(self) -> None:
        above_zero(self, "belt_block", "mass stiffness belt_speed end_time dt contact_stiffness v_0 x_stick")

    @property
    def weight(self) -> float:
        """N."""
        return self.mass * GRAVITY

    @property
    def omega(self) -> float:
        """Frequency of block and spring, rad/s."""
        return sqrt(self.stiffness / self.mass)

    def per_weight(self, value: float) -> float:
        """A coefficient of the source, in N and others, per unit normal force."""
        return value / self.weight
