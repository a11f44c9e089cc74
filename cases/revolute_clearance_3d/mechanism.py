"""The joint with clearance between ground and crank, its laws, and the steps of a run."""

from __future__ import annotations

from fem_mbd.cases._spatial_slider_crank import build_mechanism
from fem_mbd.cases.revolute_clearance_3d.parameters import SIZES, Parameters
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


def friction_law(p: Parameters) -> FrictionLaw:
    """The law that the parameters name."""
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
    # bristle damping makes friction so stiff that kept factorisations leave energy unaccounted for
    newton = NewtonOptions(reuse=p.friction != "lugre" or p.sigma_1 == 0.0)
    model = build_mechanism(bearing=bearing, start_speed=p.start_speed).model
    return Simulation(model, p.end_time, control, newton=newton)


def build_ideal(p: Parameters) -> Simulation:
    """The mechanism with an ideal joint."""
    return Simulation(build_mechanism().model, p.end_time, StepControl.fixed(1e-3))
