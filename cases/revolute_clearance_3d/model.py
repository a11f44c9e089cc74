"""Parameters (Marques 2015, tables 4.2 to 4.4) and model: joint with clearance between ground and crank, its laws.

The step control of a run too.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from typing import Literal

from fem_mbd.base.validation import whole_number
from fem_mbd.case_parameters import check_positive, parameter
from fem_mbd.cases._spatial_slider_crank import START_SPEED, build_mechanism
from fem_mbd.core.model.node import Node
from fem_mbd.core.newton.newton_options import NewtonOptions
from fem_mbd.core.solver.simulation import Simulation
from fem_mbd.core.stepping.step_control import StepControl
from fem_mbd.core.stepping.step_rules import Penetration
from fem_mbd.friction import (
    BoPavelescu,
    ClassicalDahl,
    ClassicalLuGre,
    Dahl,
    DryCoulomb,
    FrictionLaw,
    Frictionless,
    Hertz,
    LankaraniNikravesh,
    LuGre,
)
from fem_mbd.joints import RevoluteClearance

# R_i, R_j, L_i, L_j of table 4.2, m: radii and lengths of bearing (i) and journal (j)
SIZES = {
    1: (0.01, 0.0095, 0.02, 0.019),
    2: (0.01, 0.0095, 0.02, 0.0195),
    3: (0.01, 0.00975, 0.02, 0.019),
}
FEWEST, MOST = 3, 11  # number of starts: fewer give no significance, more exceed the printed digits


@dataclass(frozen=True)
class Parameters:
    """Defaults are those of the source, or assumed where the text gives none (marked so). SI units."""

    simulation: Literal[1, 2, 3] = parameter(
        1, "", "sizes of journal and bearing: table 4.2; 2 halves the axial clearance, 3 the radial one"
    )
    friction: Literal["none", "coulomb", "stribeck", "dahl", "lugre"] = parameter(
        "none", "", "friction law in the joint, section 4.3"
    )
    bristles: Literal["per_normal_force", "in_newtons"] = parameter(
        "per_normal_force",
        "",
        "units of stiffness and damping of Dahl's and LuGre's bristles: see the case's text",
    )
    compare: bool = parameter(True, "", "run the other clearances or laws too, and compare")
    starts: int = parameter(
        MOST, "", "runs of each clearance or law, 3 to 11, whose starts are equal to the digits of table 2.2"
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
        check_positive(self, "revolute_clearance_3d", "end_time crown dt_max penetration start_speed")


def friction_law(p: Parameters) -> FrictionLaw:
    """The friction law selected by the parameters."""
    if p.friction == "coulomb":
        return DryCoulomb(p.mu_k)
    if p.friction == "stribeck":
        return BoPavelescu(p.mu_s, p.mu_k, p.v_s)
    in_newtons = p.bristles == "in_newtons"
    if p.friction == "dahl":
        return (ClassicalDahl if in_newtons else Dahl)(p.mu_k, p.sigma_0)
    if p.friction == "lugre":
        law = ClassicalLuGre if in_newtons else LuGre
        return law(sigma_0=p.sigma_0, sigma_1=p.sigma_1, mu_s=p.mu_s, mu_k=p.mu_k, v_s=p.v_s)
    return Frictionless()


def build(p: Parameters) -> Simulation:
    """Journal on the ground, bearing in the crank; steps by the change of the gaps, on a geometric grid of sizes."""

    def bearing(ground: Node, crank: Node) -> RevoluteClearance:
        law = LankaraniNikravesh(Hertz(p.stiffness), p.restitution)
        return RevoluteClearance(
            crank.at_global((0, 0, 0)), ground, *SIZES[p.simulation], law, friction_law(p), axis=(0, 1, 0),
            crown=p.crown, name="bearing",
        )  # fmt: skip

    control = StepControl(
        Penetration(p.penetration), dt_initial=1e-6, dt_min=1e-12, dt_max=p.dt_max, quantise=True
    )
    # bristle damping makes friction so stiff that reused factorisations leave an energy residual
    newton = NewtonOptions(reuse=p.friction != "lugre" or p.sigma_1 == 0.0)
    model = build_mechanism(bearing=bearing, start_speed=p.start_speed).model
    return Simulation(model, p.end_time, control, newton=newton)


def build_ideal(p: Parameters) -> Simulation:
    """The mechanism with an ideal joint."""
    return Simulation(build_mechanism().model, p.end_time, StepControl.fixed(1e-3))
