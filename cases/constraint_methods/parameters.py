"""Data of the comparison: table 2.3 of the source."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from fem_mbd.case_parameters import above_zero, parameter
from fem_mbd.errors import InputError


@dataclass(frozen=True)
class Parameters:
    """Steps of 1 ms and 20 s as in the source."""

    end_time: float = parameter(20.0, "s", "simulated time")
    dt: float = parameter(1e-3, "s", "constant step of Runge-Kutta and of this package's scheme")
    baumgarte_alpha: float = parameter(5.0, "1/s", "Baumgarte's factor of the velocity violation")
    baumgarte_beta: float = parameter(5.0, "1/s", "Baumgarte's factor of the position violation")
    penalty_factor: float = parameter(
        1e7, "1", "over the largest term of M, as in the source's text; its table prints 1e-7"
    )
    penalty_frequency: float = parameter(10.0, "rad/s", "omega of penalty and augmented Lagrangian")
    penalty_damping: float = parameter(1.0, "1", "mu of penalty and augmented Lagrangian")
    augmented_tolerance: float = parameter(1e-10, "m/s^2, rad/s^2", "epsilon of eq. 2.64")
    correction_tolerance: float = parameter(1e-10, "m, rad", "epsilon of eq. 2.95")
    integrator: Literal["RK23", "RK45", "DOP853"] = parameter("DOP853", "", "SciPy's, beside Runge-Kutta")
    relative_tolerance: float = parameter(1e-8, "1", "of SciPy's integrator")

    def __post_init__(self) -> None:
        above_zero(
            self, "constraint_methods",
            "end_time dt baumgarte_alpha baumgarte_beta penalty_factor penalty_frequency penalty_damping "
            "augmented_tolerance correction_tolerance relative_tolerance",
        )  # fmt: skip
        if not self.dt < self.end_time:
            raise InputError(
                f"constraint_methods: dt is {self.dt} s: it must be below the end time, {self.end_time} s"
            )
