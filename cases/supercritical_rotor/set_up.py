"""Step control and solver options of the rotor."""

from __future__ import annotations

from fem_mbd.cases.supercritical_rotor.parameters import Parameters
from fem_mbd.cases.supercritical_rotor.rotor import build_rotor
from fem_mbd.core.solver.simulation import Simulation
from fem_mbd.core.stepping.step_control import StepControl
from fem_mbd.core.stepping.step_rules import Penetration, Stribeck

FIRST_STEP = 1e-4  # s


def build(parameters: Parameters) -> Simulation:
    """The paper's rules: contact with q_min = 5, alpha = 1.2; friction with v_min = 500, alpha = 1.2."""
    p = parameters
    contact = Penetration(p.penetration, q_min=5.0, alpha=1.2)
    friction = Stribeck(p.tau_min, v_min=500.0, alpha=1.2)
    control = StepControl(contact, friction, dt_initial=min(FIRST_STEP, p.dt_max), dt_max=p.dt_max)
    return Simulation(build_rotor(p).model, p.end_time, control)
