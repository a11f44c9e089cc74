"""Step control and solver options of the two cases."""

from __future__ import annotations

from fem_mbd.cases.crank_mechanism.mechanism import build_mechanism
from fem_mbd.cases.crank_mechanism.parameters import Parameters
from fem_mbd.newton.newton_options import NewtonOptions
from fem_mbd.solver.simulation import Simulation
from fem_mbd.stepping.step_control import StepControl
from fem_mbd.stepping.step_rules import Penetration, Stribeck

FIRST_STEP = 1e-5  # s, case 2: the ball starts pressed against the socket


def build(parameters: Parameters) -> Simulation:
    """Case 1: constant step. Case 2: the paper's rules with q_min = v_min = 5, alpha 1.2 and 1.5.

    Sizes are rounded down to a geometric grid in case 2, so that factorisations of the many small steps are used again.
    """
    p = parameters
    if p.case == 1:
        control = StepControl.fixed(p.dt)
        options = NewtonOptions()
    else:
        contact = Penetration(p.penetration, q_min=5.0, alpha=1.2)
        friction = Stribeck(p.tau_min, v_min=5.0, alpha=1.5)
        control = StepControl(contact, friction, dt_initial=FIRST_STEP, dt_max=p.dt_max, quantise=True)
        options = NewtonOptions(reuse=True)
    return Simulation(build_mechanism(p).model, control, p.end_time, options)
