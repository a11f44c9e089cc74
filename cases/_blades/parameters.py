"""Parameters of a turbine blade that turns in wind with a gust; the defaults are those of the NREL 5 MW turbine."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fem_mbd.case_parameters import above_zero, not_negative, parameter


@dataclass(frozen=True)
class BladeParameters:
    """SI units but for the rotor's speed."""

    end_time: float = parameter(20.0, "s", "simulated time")
    dt: float = parameter(0.02, "s", "constant step")
    elements: int = parameter(0, "", "elements of equal length; 0: they meet at the stations of the file")
    rotor_speed: float = parameter(12.1, "rev/min", "constant speed of the rotor")
    hub_radius: float = parameter(1.5, "m", "from the rotor's axis to the blade's root")
    gravity: float = parameter(
        9.81, "m/s^2", "across the rotor's axis; the blade starts horizontal, going up"
    )
    wind: float = parameter(6.0, "m/s", "steady wind through the rotor disk")
    gust: float = parameter(5.0, "m/s", "height of the gust, (1 - cos)/2, on top of it")
    gust_start: float = parameter(5.0, "s", "when the gust begins")
    gust_length: float = parameter(4.0, "s", "how long it lasts")
    air_density: float = parameter(1.225, "kg/m^3", "of the air; 0 for none")
    lift_slope: float = parameter(6.2832, "1/rad", "of the lift coefficient over the angle of attack")
    chord_root: float = parameter(4.6, "m", "chord at the root, linear to the tip")
    chord_tip: float = parameter(1.4, "m", "chord at the tip")
    tip_load: float = parameter(0.0, "N", "flapwise force on the tip of the blade at rest (static, modal)")
    damped: bool = parameter(True, "", "with the structural damping of the file")

    def __post_init__(self) -> None:
        above_zero(self, "blade", "end_time dt gust_length")
        not_negative(self, "blade", "elements hub_radius air_density chord_root chord_tip rotor_speed")

    @property
    def omega(self) -> float:
        """rad/s."""
        return self.rotor_speed * 2 * np.pi / 60
