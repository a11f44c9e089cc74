"""Parameters (table 4.1 of the source), model and simulation of the mechanism with friction in its guide."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from fem_mbd.case_parameters import check_positive, parameter
from fem_mbd.cases._spatial_slider_crank import build_mechanism
from fem_mbd.core.newton.newton_options import NewtonOptions
from fem_mbd.core.solver.simulation import Simulation
from fem_mbd.core.stepping.step_control import StepControl
from fem_mbd.errors import InputError
from fem_mbd.friction import (
    BoPavelescu,
    ClassicalDahl,
    ClassicalLuGre,
    Dahl,
    DryCoulomb,
    FrictionLaw,
    LuGre,
)
from fem_mbd.joints import JointFriction

Friction = Literal["none", "coulomb", "stribeck", "dahl", "lugre"]
BOND = 1e-9  # m, deflection of the bond that represents Coulomb's force at rest: passed in less than a step


@dataclass(frozen=True)
class Parameters:
    """Times and table of the source; other data are marked."""

    friction: Literal["none", "coulomb", "stribeck", "dahl", "lugre"] = parameter(
        "lugre", "", "law in the guide; stribeck is that of Bo and Pavelescu"
    )
    slider: Literal["inner", "outer"] = parameter("inner", "", "inside its guide or around it")
    bristles: Literal["per_normal_force", "in_newtons"] = parameter(
        "in_newtons",
        "",
        "units of stiffness and damping of Dahl's and LuGre's bristles: see the case's page",
    )
    end_time: float = parameter(5.0, "s", "simulated time")
    dt: float = parameter(5e-4, "s", "constant step; a tenth of it where the slider first reverses")
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
        0.02, "m/s", "speed at which this damping decreases (eq. 3.49), assumed; 0: constant, as in table 4.1"
    )

    def __post_init__(self) -> None:
        check_positive(self, "translational_joint_friction", "end_time dt side mu_s mu_k v_s gamma sigma_0")
        if self.v_d < 0:
            raise InputError(f"translational_joint_friction: v_d is {self.v_d}: give 0 for constant damping")
        if not self.dt < self.end_time:
            raise InputError(
                f"translational_joint_friction: dt is {self.dt} s: it must be less than the end time, "
                f"{self.end_time} s"
            )


def law(p: Parameters) -> FrictionLaw | None:
    """The friction law selected by the parameters."""
    in_newtons = p.bristles == "in_newtons"
    laws = {
        "none": lambda: None,
        "coulomb": lambda: DryCoulomb(p.mu_k, x_stick=BOND),
        "stribeck": lambda: BoPavelescu(p.mu_s, p.mu_k, p.v_s, p.gamma, x_stick=BOND),
        "dahl": lambda: (ClassicalDahl if in_newtons else Dahl)(p.mu_k, p.sigma_0),
        "lugre": lambda: (ClassicalLuGre if in_newtons else LuGre)(
            sigma_0=p.sigma_0, sigma_1=p.sigma_1, mu_s=p.mu_s, mu_k=p.mu_k, v_s=p.v_s, gamma=p.gamma,
            v_d=p.v_d or None,
        ),
    }  # fmt: skip
    return laws[p.friction]()


def joint_friction(p: Parameters) -> JointFriction | None:
    """Both components of the reaction are normal forces of the cube's faces, where friction acts (fig. 4.1)."""
    friction_law = law(p)
    if friction_law is None:
        return None
    half = 0.5 * p.side
    return JointFriction(law=friction_law, loads=("reaction_force",), faces=(half, half), slider=p.slider)


def build(p: Parameters) -> Simulation:
    """Constant steps; full Newton iterations, because friction with its own reaction as normal force is stiff."""
    model = build_mechanism(joint_friction(p)).model
    return Simulation(model, p.end_time, StepControl.fixed(p.dt), newton=NewtonOptions(reuse=False))
