"""The mechanism with friction in its guide."""

from __future__ import annotations

from fem_mbd.cases._spatial_slider_crank import build_mechanism
from fem_mbd.cases.translational_joint_friction.parameters import Parameters
from fem_mbd.core.newton.newton_options import NewtonOptions
from fem_mbd.core.solver.simulation import Simulation
from fem_mbd.core.stepping.step_control import StepControl
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

BOND = 1e-9  # m, by which what stands for Coulomb's force at rest gives: passed in less than a step


def law(p: Parameters) -> FrictionLaw | None:
    """The law that the parameters name."""
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
    """Both components of the reaction press the cube's faces, where friction acts (fig. 4.1)."""
    chosen = law(p)
    if chosen is None:
        return None
    half = 0.5 * p.side
    return JointFriction(law=chosen, loads=("reaction_force",), faces=(half, half), slider=p.slider)


def build(p: Parameters) -> Simulation:
    """Constant steps; full Newton iterations, because friction that its own reaction presses is stiff."""
    model = build_mechanism(joint_friction(p)).model
    return Simulation(model, p.end_time, StepControl.fixed(p.dt), newton=NewtonOptions(reuse=False))
