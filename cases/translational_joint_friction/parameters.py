"""Data of the slider-crank with friction in its translational joint: table 4.1 of the source."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from fem_mbd.case_parameters import above_zero, parameter
from fem_mbd.errors import InputError

Friction = Literal["none", "coulomb", "stribeck", "dahl", "lugre"]


@dataclass(frozen=True)
class Parameters:
    """Times and table of the source; what is not in it says so."""

    friction: Literal["none", "coulomb", "stribeck", "dahl", "lugre"] = parameter(
        "lugre", "", "law in the guide; stribeck is that of Bo and Pavelescu"
    )
    slider: Literal["inner", "outer"] = parameter("inner", "", "inside its guide or around it")
    bristles: Literal["per_normal_force", "in_newtons"] = parameter(
        "in_newtons",
        "",
        "what stiffness and damping of Dahl's and LuGre's bristles count: see the case's page",
    )
    end_time: float = parameter(5.0, "s", "simulated time")
    dt: float = parameter(5e-4, "s", "constant step; a tenth of it where the slider first turns round")
    side: float = parameter(0.01, "m", "of the cube that slides")
    mu_s: float = parameter(0.2, "", "static coefficient")
    mu_k: float = parameter(0.1, "", "kinetic coefficient")
    v_s: float = parameter(1e-3, "m/s", "Stribeck velocity")
    gamma: float = parameter(2.0, "", "exponent of the Stribeck curve")
    sigma_0: float = parameter(1e5, "N/m", "stiffness of the bristles; 1/m with bristles=per_normal_force")
    sigma_1: float = parameter(
        1e5**0.5, "N s/m", "damping of the bristles at rest; s/m with bristles=per_normal_force"
    )
    v_d: float = parameter(
        0.02, "m/s", "speed at which this damping fades (eq. 3.49), assumed; 0: it does not, as in table 4.1"
    )

    def __post_init__(self) -> None:
        above_zero(self, "translational_joint_friction", "end_time dt side mu_s mu_k v_s gamma sigma_0")
        if self.v_d < 0:
            raise InputError(
                f"translational_joint_friction: v_d is {self.v_d}: give 0 for damping that does not fade"
            )
        if not self.dt < self.end_time:
            raise InputError(
                f"translational_joint_friction: dt is {self.dt} s: it must be below the end time, {self.end_time} s"
            )
