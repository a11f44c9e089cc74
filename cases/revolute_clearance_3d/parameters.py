"""Data of the joint, the laws and the steps (Marques 2015, tables 4.2 to 4.4)."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from typing import Literal

from fem_mbd.base.validation import whole_number
from fem_mbd.case_parameters import above_zero, parameter
from fem_mbd.cases._spatial_slider_crank import START_SPEED

# R_i, R_j, L_i, L_j of table 4.2, m: radii and lengths of bearing (i) and journal (j)
SIZES = {
    1: (0.01, 0.0095, 0.02, 0.019),
    2: (0.01, 0.0095, 0.02, 0.0195),
    3: (0.01, 0.00975, 0.02, 0.019),
}
FEWEST, MOST = 3, 11  # starts: fewer tell nothing from chance, more are not those of the printed digits


@dataclass(frozen=True)
class Parameters:
    """Defaults are those of the source, or assumed where its text is silent (marked so). SI units."""

    simulation: Literal[1, 2, 3] = parameter(
        1, "", "sizes of journal and bearing: table 4.2; 2 halves the axial clearance, 3 the radial one"
    )
    friction: Literal["none", "coulomb", "stribeck", "dahl", "lugre"] = parameter(
        "none", "", "friction law in the joint, section 4.3"
    )
    bristles: Literal["per_normal_force", "in_newtons"] = parameter(
        "per_normal_force",
        "",
        "what stiffness and damping of Dahl's and LuGre's bristles count: see the case's text",
    )
    compare: bool = parameter(True, "", "run the other clearances or laws too, and compare")
    starts: int = parameter(
        MOST, "", "runs of each clearance or law, 3 to 11, whose starts table 2.2 does not tell apart"
    )
    start_speed: float = parameter(START_SPEED, "rad/s", "of the crank at the start; table 2.2: 6.2832")
    end_time: float = parameter(1.0, "s", "simulated time")
    stiffness: float = parameter(6.71e10, "N/m^1.5", "of a contact, Hertz's exponent 3/2")
    restitution: float = parameter(0.9, "", "coefficient of restitution, Lankarani and Nikravesh")
    mu_s: float = parameter(0.2, "", "static coefficient of friction")
    mu_k: float = parameter(0.1, "", "kinetic coefficient of friction")
    v_s: float = parameter(1e-3, "m/s", "Stribeck velocity")
    sigma_0: float = parameter(1e5, "1/m", "stiffness of the bristles; N/m with bristles=in_newtons")
    sigma_1: float = parameter(
        sqrt(1e5), "s/m", "damping of LuGre's bristles; N s/m with bristles=in_newtons"
    )
    crown: float = parameter(9.5e-6, "m", "height of the crown on the journal's faces, assumed")
    dt_max: float = parameter(1e-4, "s", "largest step")
    penetration: float = parameter(1.25e-7, "m", "eps_p of the contact rule of step control")

    def __post_init__(self) -> None:
        whole_number(self.starts, "revolute_clearance_3d: starts", FEWEST, MOST)
        above_zero(self, "revolute_clearance_3d", "end_time crown dt_max penetration start_speed")
