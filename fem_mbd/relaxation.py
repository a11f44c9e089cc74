"""Static equilibrium by large steps of the transient scheme, until there is a static solver.

The scheme is L-stable: in a step much longer than a vibration's period the vibration shrinks by 2/(omega dt). Steps
longer than all periods therefore go from one equilibrium to the next while loads grow, whatever the mass, and a
few more under constant loads take what is left of the motion to round-off. Two limits. Growing motions are
damped as well, so an unstable equilibrium (a column above its buckling load that is perfectly straight) is
kept like a stable one. And there is no path following: at a limit point Newton fails, or finds some other
equilibrium.
"""

from __future__ import annotations

import numpy as np

from fem_mbd.errors import InputError, SolverFailure
from fem_mbd.ledger_names import LEDGER
from fem_mbd.model import Model
from fem_mbd.newton import NewtonOptions
from fem_mbd.simulation import Simulation
from fem_mbd.step_control import StepControl
from fem_mbd.step_record import StepRecord
from fem_mbd.step_rules import FixedStep
from fem_mbd.validation import positive

SLOWEST = 1e-12  # kinetic energy that counts as rest, relative to the largest energy of the path
STILL = 1e-10  # displacement of a step over the model's length, and rotation in rad, that count as rest
FINEST = 1e-3  # of a load step: smaller ones are not tried
_KINETIC = LEDGER.index("kinetic")


def relax(
    model: Model, end_time: float, steps: int = 20, hold: int = 30, newton: NewtonOptions | None = None
) -> Simulation:
    """Follow the loads, functions of time, from 0 to ``end_time`` in large steps; then wait there for rest.

        moment = np.array([0, 0, 40.0]) * Ramp(0.0, 1e4)
        model.add(Moment(beam.end, moment))
        sim = fem_mbd.relax(model, end_time=1e4)
        sim.outputs()["position"]

    Parameters
    ----------
    model : supported so that it can be at rest; gravity acts in full from the first step on
    end_time : s; a step, end_time/steps, must be many times the longest period of the model (1e4 s is seldom wrong)
    steps : load steps; one in which a beam turns by more than half a rad may fail and is then halved
    hold : at most so many steps of the same length after ``end_time``; loads must not change any more

    Returns the simulation at rest: `state`, `outputs()`, `counters`.

    Raises
    ------
    InputError
        For steps or times that cannot be, and what `Simulation` refuses.
    SolverFailure
        When a load step does not converge, or motion is left at the end: no equilibrium then.
    """
    positive(end_time, "relax: end_time")
    for name, count in (("steps", steps), ("hold", hold)):
        if not isinstance(count, int | np.integer) or count < 1:
            raise InputError(f"relax: {name} is {count!r}: give a whole number from 1")
    dt = end_time / steps
    control = StepControl(FixedStep(dt), dt_initial=dt, dt_min=FINEST * dt, output_times=(end_time,))
    sim = Simulation(model, control, end_time + hold * dt, newton)
    try:
        for record in sim.steps():
            if record.time > end_time and _at_rest(sim, record):
                return sim
    except SolverFailure as error:
        raise SolverFailure(
            f"relax: no equilibrium found beyond t = {sim.state.time:g} s of {end_time:g} s: take more load steps "
            f"than {steps}; if that does not help, the load may be above what the structure carries ({error})"
        ) from error
    raise SolverFailure(
        f"relax: no rest in {hold} steps at t = {end_time:g} s: kinetic energy {record.energy[_KINETIC]:.2g} J of "
        f"{sim.energy_scale:.2g} J, motion of the last step {_motion(sim):.2g} of the model's length; give a longer "
        "end_time, support the model against rigid motion, or end its loads' changes at end_time"
    )


def _motion(sim: Simulation) -> float:
    """Largest displacement (over the model's length) and rotation (rad) of the last step."""
    increments = np.abs(sim.scheme.work.x[:, :6])
    return float(max(increments[:, :3].max() / sim.system.length, increments[:, 3:].max()))


def _at_rest(sim: Simulation, record: StepRecord) -> bool:
    # both: in steps too short for statics there is little motion, but all energy is kinetic
    return bool(record.energy[_KINETIC] <= SLOWEST * sim.energy_scale and _motion(sim) <= STILL)
