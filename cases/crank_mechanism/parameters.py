"""Data of the crank mechanism: what the paper gives, and the assumptions for what it does not."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from fem_mbd.base.validation import whole_number
from fem_mbd.case_parameters import above_zero, parameter


@dataclass(frozen=True)
class Parameters:
    """Defaults are those of the paper, or assumed where its text is silent (marked so). SI units."""

    case: Literal[1, 2] = parameter(
        2, "", "1: ideal spherical joint at Q, 2: clearance, contact and friction"
    )
    revolutions: float = parameter(6.0, "", "crank revolutions; the paper shows the fifth of six")
    dt: float = parameter(1e-3, "s", "constant step of case 1")
    dt_max: float = parameter(2.5e-4, "s", "largest step of case 2, a twentieth of the ball's whirl; assumed")
    steps: Literal["resolved", "printed"] = parameter(
        "resolved", "", "case 2: resolved, or the paper's rules as printed, which alone decide the step"
    )
    damping: float = parameter(1e-3, "s", "Kelvin-Voigt damping of all beams, assumed")
    hunt_crossley: float = parameter(0.0, "s/m", "contact damping, assumed none")
    crank_speed: float = parameter(20.0, "rad/s", "constant speed of the crank")
    beam_length: float = parameter(0.6, "m", "cantilevered beam, assumed")
    offset: float = parameter(0.4, "m", "distance of the crank's axis from the beam's, assumed")
    phase: float = parameter(200.0, "deg", "direction of that offset about i1, from i2, assumed")
    slider_inertia: float = parameter(5e-3, "kg m^2", "about all axes, assumed")
    axial_factor: float = parameter(
        1.0, "", "scales the axial stiffness of all beams, assumed to be that of tubes"
    )
    radius_socket: float = parameter(50e-3, "m", "outer race of the joint at Q")
    radius_ball: float = parameter(49.5e-3, "m", "inner race")
    contact_stiffness: float = parameter(15e6, "N/m", "linear contact spring")
    friction: float = parameter(
        0.3, "", "mu_s = mu_k of the LuGre model, 0: none; with 0.22 the joint opens near 275 deg"
    )
    sigma_0: float = parameter(1e5, "1/m", "bristle stiffness of the LuGre model")
    stribeck_velocity: float = parameter(1e-3, "m/s", "v_s of the LuGre model")
    bristle: Literal["vector", "scalar"] = parameter(
        "vector", "", "bristle state: vector, or the paper's scalar"
    )
    penetration: float = parameter(3e-6, "m", "eps_p of the contact rule of step control, eq. 19")
    tau_min: float = parameter(5e-4, "", "smallest step of the friction rule in time constants, eq. 33")
    elements: int = parameter(2, "", "beam elements of link and beam; the crank has half as many")
    order: Literal[2, 3, 4] = parameter(3, "", "nodes per element")

    def __post_init__(self) -> None:
        above_zero(self, "crank_mechanism", "revolutions dt dt_max crank_speed beam_length")
        whole_number(self.elements, "crank_mechanism: elements")

    @property
    def end_time(self) -> float:
        """Seconds for the crank revolutions."""
        return self.revolutions * 2 * 3.141592653589793 / self.crank_speed
