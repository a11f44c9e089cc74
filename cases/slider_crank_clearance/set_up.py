"""Step control and solver options."""

from __future__ import annotations

import warnings

from fem_mbd.cases.slider_crank_clearance.mechanism import build_mechanism, friction_law
from fem_mbd.cases.slider_crank_clearance.parameters import Parameters
from fem_mbd.friction import LawRangeWarning, LuGre
from fem_mbd.newton_options import NewtonOptions
from fem_mbd.simulation import Simulation
from fem_mbd.step_control import StepControl
from fem_mbd.step_rules import Penetration, Stribeck


def build(parameters: Parameters) -> Simulation:
    """Steps by the change of the gap and by the time constant of the bristles, on a geometric grid of sizes."""
    p = parameters
    law = friction_law(p)
    if isinstance(law, LuGre) and law.passivity_limit() < p.omega * p.radius_bearing:
        warnings.warn(
            f"LuGre with sigma1 = {law.sigma1:g} s/m may give energy away where slip is faster than "
            f"{law.passivity_limit():.2g} m/s; the joint slips with up to {p.omega * p.radius_bearing:.2g} m/s or more",
            LawRangeWarning,
            stacklevel=2,
        )
    rules = Penetration(p.penetration), Stribeck(p.tau_min)
    control = StepControl(*rules, dt_initial=1e-7, dt_min=1e-12, dt_max=p.dt_max, quantise=True)
    return Simulation(build_mechanism(p).model, control, p.end_time, NewtonOptions(reuse=True))
