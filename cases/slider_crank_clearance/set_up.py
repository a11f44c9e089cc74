"""Step control and solver options."""

from __future__ import annotations

from fem_mbd.cases.slider_crank_clearance.mechanism import build_mechanism
from fem_mbd.cases.slider_crank_clearance.parameters import Parameters
from fem_mbd.core.newton.newton_options import NewtonOptions
from fem_mbd.core.solver.simulation import Simulation
from fem_mbd.core.stepping.step_control import StepControl
from fem_mbd.core.stepping.step_rules import Penetration, Stribeck


def build(parameters: Parameters) -> Simulation:
    """Steps by the change of the gap and by the time constant of the bristles, on a geometric grid of sizes."""
    p = parameters
    rules = Penetration(p.penetration), Stribeck(p.tau_min)
    control = StepControl(*rules, dt_initial=1e-7, dt_min=1e-12, dt_max=p.dt_max, quantise=True)
    # bristle damping makes friction so stiff that a kept factorisation leaves 1e-9 of the energy unaccounted for
    newton = NewtonOptions(reuse=p.friction != "lugre" or p.sigma_1 == 0.0)
    return Simulation(build_mechanism(p).model, p.end_time, control, newton=newton)
