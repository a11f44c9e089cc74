"""Step control and solver options of the two cases."""

from __future__ import annotations

from fem_mbd.cases.crank_mechanism.mechanism import build_mechanism
from fem_mbd.cases.crank_mechanism.parameters import Parameters
from fem_mbd.core.newton.newton_options import NewtonOptions
from fem_mbd.core.solver.simulation import Simulation
from fem_mbd.core.stepping.step_control import StepControl
from fem_mbd.core.stepping.step_rules import Penetration, PrintedPenetration, PrintedStribeck, Stribeck

NO_LIMIT = 5e-3  # s, twice the largest step that the printed rules choose
FIRST_STEP = 1e-5  # s, case 2: the ball starts pressed against the socket


def build(parameters: Parameters) -> Simulation:
    """Case 1: constant step. Case 2: the paper's rules with q_min = v_min = 5, alpha 1.2 and 1.5."""
    p = parameters
    if p.case == 1:
        return Simulation(
            build_mechanism(p).model, p.end_time, StepControl.fixed(p.dt), newton=NewtonOptions()
        )
    control = printed_control(p) if p.steps == "printed" else resolved_control(p)
    return Simulation(build_mechanism(p).model, p.end_time, control, newton=NewtonOptions(reuse=True))


def printed_control(p: Parameters) -> StepControl:
    """The rules as printed: nothing limits the growth, and no largest step is ever reached."""
    contact = PrintedPenetration(p.penetration, q_min=5.0, alpha=1.2)
    friction = PrintedStribeck(p.tau_min, v_min=5.0, alpha=1.5)
    return StepControl(contact, friction, dt_initial=FIRST_STEP, dt_max=NO_LIMIT, growth=float("inf"))


def resolved_control(p: Parameters) -> StepControl:
    """The same rules in this package's reading, with a largest step that resolves the ball's whirl.

    Sizes are rounded down to a geometric grid, so that factorisations of the many small steps are used again.
    """
    contact = Penetration(p.penetration, q_min=5.0, alpha=1.2)
    friction = Stribeck(p.tau_min, v_min=5.0, alpha=1.5)
    return StepControl(contact, friction, dt_initial=FIRST_STEP, dt_max=p.dt_max, quantise=True)
