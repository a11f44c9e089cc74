"""Data of the pendulum with friction in its hinge: the example of the documentation of Force_JointFriction."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from fem_mbd.case_parameters import above_zero, parameter
from fem_mbd.errors import InputError

BITS = ("preload", "reaction_force", "bending_moment", "torsional_moment")


@dataclass(frozen=True)
class Parameters:
    """SI units. The source's defaults are in its model's units, here millimetre, second, newton: 100/mm is 1e5/m."""

    source: Literal["python", "xml"] = parameter("python", "", "model built here, or read from its XML file")
    end_time: float = parameter(5.0, "s", "simulated time")
    dt: float = parameter(2.5e-3, "s", "constant step; the source's output interval is 5e-3 s")
    mass: float = parameter(1.0, "kg", "of the bob")
    length: float = parameter(0.1, "m", "from the hinge to the bob's mass centre, horizontal at the start")
    inertia: float = parameter(1e-3, "kg m^2", "of the bob about its mass centre, all axes")
    gravity: float = parameter(9.81, "m/s^2", "along -z")
    mu_static: float = parameter(0.5, "", "static coefficient")
    mu_dynamic: float = parameter(0.3, "", "kinetic coefficient")
    transition_velocity: float = parameter(10e-3, "m/s", "of the Stribeck curve")
    bristle_stiffness: float = parameter(1e5, "1/m", "sigma_0; the source's default")
    damping_effects: float = parameter(316.0, "s/m", "sigma_1; the source's default")
    viscous_effects: float = parameter(
        0.4, "N s/m", "sigma_2 of each surface, not multiplied by the normal force; the source's default"
    )
    pin_radius: float = parameter(5e-3, "m", "of the hinge's pin")
    friction_arm: float = parameter(7e-3, "m", "at which the axial force rubs")
    bending_arm: float = parameter(5e-3, "m", "half the length of the bearing")
    torque_preload: float = parameter(0.0, "N m", "torque at which the unloaded hinge breaks away")
    inputs: str = parameter("1111", "", "which of preload, force, bending, torsion count")
    effect: Literal["all", "stiction", "sliding"] = parameter("all", "", "coefficients that are used")

    def __post_init__(self) -> None:
        above_zero(
            self, "pendulum_friction",
            "end_time dt mass length inertia gravity transition_velocity bristle_stiffness pin_radius "
            "friction_arm bending_arm",
        )  # fmt: skip
        if len(self.inputs) != len(BITS) or set(self.inputs) - {"0", "1"}:
            raise InputError(f"pendulum_friction: inputs is {self.inputs!r}: give four digits of 0 and 1")

    @property
    def loads(self) -> tuple[str, ...]:
        """Names of the loads that ``inputs`` lets count."""
        return tuple(load for load, bit in zip(BITS, self.inputs, strict=True) if bit == "1")
