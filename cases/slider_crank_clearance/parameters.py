"""Parameters of the slider-crank: data of the paper, and assumptions for data it omits."""

from __future__ import annotations

from dataclasses import dataclass
from math import pi
from typing import Literal

from fem_mbd.case_parameters import check_not_negative, check_positive, parameter
from fem_mbd.errors import InputError

# 1 % of the largest tangential velocity of runs at 2500 rev/min with the default data; increases with the speed
ONE_PERCENT = {"crank": 0.03, "slider": 0.0175}  # m/s


@dataclass(frozen=True)
class Parameters:
    """Defaults are those of the paper, or assumed where the text gives none (marked so). SI units."""

    clearance_at: Literal["crank", "slider"] = parameter(
        "crank", "", "joint with clearance: crank-coupler or slider-coupler"
    )
    friction: Literal["lugre", "ambrosio", "coulomb", "none"] = parameter(
        "lugre",
        "",
        "friction law; ambrosio: eqs. 4 and 5; coulomb: regularised by an exponential; both with mu_k only",
    )
    revolutions: float = parameter(2.0, "", "of the crank; the paper shows the second")
    crank_speed: float = parameter(2500.0, "rev/min", "constant speed of the crank")
    radius_bearing: float = parameter(5e-3, "m", "nominal bearing diameter 10 mm")
    clearance: float = parameter(0.5e-3, "m", "radial clearance")
    young: float = parameter(207e9, "Pa", "of journal and bearing")
    poisson: float = parameter(0.3, "", "of both")
    density: float = parameter(7800.0, "kg/m^3", "of both, assumed (steel); for the law's range only")
    restitution: float = parameter(0.9, "", "coefficient of restitution")
    mu_k: float = parameter(0.1, "", "kinetic coefficient of friction")
    mu_s: float = parameter(0.2, "", "static coefficient of friction")
    sigma_0: float = parameter(1e5, "1/m", "bristle stiffness per unit normal force")
    sigma_1: float = parameter(0.0, "s/m", "bristle damping per unit normal force; see the case's text")
    stribeck_velocity: float = parameter(
        0.0, "m/s", "v_s; 0: 1 % of the largest tangential velocity of the run, as in the paper"
    )
    ambrosio_v0: float = parameter(1e-4, "m/s", "v_0 of the ambrosio law, assumed")
    ambrosio_v1: float = parameter(1e-3, "m/s", "v_1 of the ambrosio law, assumed")
    coulomb_velocity: float = parameter(1e-3, "m/s", "regularisation of the coulomb law, assumed")
    dt_max: float = parameter(2e-5, "s", "largest step")
    penetration: float = parameter(4e-6, "m", "eps_p of the contact rule of step control")
    tau_min: float = parameter(0.1, "", "smallest step of the friction rule in time constants")

    def __post_init__(self) -> None:
        check_positive(self, "slider_crank_clearance", "revolutions crank_speed dt_max penetration tau_min")
        check_not_negative(self, "slider_crank_clearance", "stribeck_velocity")
        if not 0 < self.clearance < self.radius_bearing:
            raise InputError(
                f"slider_crank_clearance: clearance is {self.clearance}: it must be between zero and the "
                f"bearing's radius {self.radius_bearing}"
            )

    @property
    def v_s(self) -> float:
        """Stribeck velocity in m/s, given or from runs."""
        return self.stribeck_velocity or ONE_PERCENT[self.clearance_at] * self.crank_speed / 2500.0

    @property
    def omega(self) -> float:
        """Speed of the crank, rad/s."""
        return self.crank_speed * 2 * pi / 60

    @property
    def end_time(self) -> float:
        """Seconds for the revolutions."""
        return self.revolutions * 2 * pi / self.omega
