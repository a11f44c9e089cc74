"""Static equilibrium by dynamic relaxation, for problems that `find_equilibrium` cannot solve.

These are structures whose stiffness is singular on the way (mechanisms and cables that fall into place, contacts that
close), friction, and the rest position after snap-through. `find_equilibrium` is faster, and exact, for all others.

Loads increase in steps about as long as the structure's longest period and then stay constant; the scheme's numerical
dissipation reduces the motion to round-off, and inertia has no influence on the result. In a step dt a vibration of
circular frequency omega about an equilibrium decreases by a factor that depends on omega dt and on g, the ratio of its
stiffness from stress (geometric) to that from strain (material):

    omega dt       2      4      6     10     30    100    infinity
    g = -0.9    0.71   0.38   0.71   0.79   0.82   0.82   |g/(2 + g)|    near buckling
    g = 0       0.87   0.53   0.35   0.20   0.07   0.02   0              L-stable
    g = 20      0.92   0.84   0.42   0.25   0.83   0.90   g/(2 + g)      a hanging chain

Hence the advice on the length of a step: very long ones are best for unstressed structures only. Two limits.
Growing motions are damped as well, so an unstable equilibrium (a perfectly straight column above its buckling
load) is kept like a stable one. And there is no path following: at a limit point Newton's method fails, or finds some
other equilibrium.
"""

from __future__ import annotations

import numpy as np

from fem_mbd.base.arguments import arguments
from fem_mbd.base.validation import positive, whole_number
from fem_mbd.core.model.model import Model
from fem_mbd.core.newton.equations import NewtonOptions
from fem_mbd.core.scheme.ledger import LEDGER
from fem_mbd.core.solver.simulation import Simulation
from fem_mbd.core.stepping.step_control import StepControl
from fem_mbd.core.stepping.step_record import StepRecord
from fem_mbd.core.stepping.step_rules import FixedStep
from fem_mbd.errors import SolverFailure

REST_ENERGY = 1e-12  # kinetic energy that counts as rest, relative to the largest energy of the path
REST_MOTION = 1e-10  # displacement of a step over the model's length, and rotation in rad, that count as rest
ROUND_OFF_MOTION, STALLED = (
    1e-6,
    10,
)  # motion that counts as rest when it has not halved in so many steps: round-off
SMALLEST_STEP = 1e-3  # fraction of a load step: lower limit of its subdivision
_KINETIC = LEDGER.index("kinetic")


@arguments()
def relax(
    model: Model, end_time: float, *, steps: int = 20, hold: int = 200, newton: NewtonOptions | None = None
) -> Simulation:
    """Follow the loads, functions of time, from 0 to ``end_time`` in large steps; then continue until the model is at
    rest.

        model.add(Moment(beam.end, np.array([0, 0, 40.0]) * Ramp(0.0, 200.0)))  # first period 10 s
        sim = fem_mbd.relax(model, end_time=200.0)
        sim.outputs()["position"]

    Parameters
    ----------
    model : supported so that it can be at rest; gravity acts in full from the first step on
    end_time : s, chosen so that a step, end_time/steps, is about one longest period of the structure (0.5 to 2 of them)
    steps : load steps; a step in which a beam rotates by more than half a rad may fail and is then halved
    hold : largest number of steps of the same length after ``end_time``; loads must not change any more
    newton : solver options

    Returns
    -------
    Simulation
        At rest: `state`, `outputs()`, `counters`.

    Raises
    ------
    InputError
        For invalid steps or times, and for the errors of `Simulation`.
    SolverFailure
        When a load step does not converge, or motion remains at the end: no equilibrium was found.
    """
    positive(end_time, "relax: end_time")
    whole_number(steps, "relax: steps")
    whole_number(hold, "relax: hold")
    dt = end_time / steps
    control = StepControl(FixedStep(dt), dt_initial=dt, dt_min=SMALLEST_STEP * dt, output_times=(end_time,))
    sim = Simulation(model, end_time + hold * dt, control, newton=newton)
    rest = _Rest()
    try:
        for record in sim.steps():
            if record.time > end_time and rest.reached(sim, record):
                return sim
    except SolverFailure as error:
        raise SolverFailure(
            f"relax: no equilibrium found beyond t = {sim.state.time:g} s of {end_time:g} s: take more "
            f"load steps than {steps}; if that does not help, the load may exceed what the structure can "
            f"carry ({error})"
        ) from error
    raise SolverFailure(
        f"relax: no rest in {hold} steps at t = {end_time:g} s: kinetic energy {record.energy[_KINETIC]:.2g} J of "
        f"{sim.energy_scale:.2g} J, motion of the last step {_motion(sim):.2g} of the model's length; make a step, now "
        f"{dt:g} s, about the longest period, support the model against rigid motion, or end the change of its loads "
        "at end_time"
    )


def _motion(sim: Simulation) -> float:
    """Largest displacement (over the model's length) and rotation (rad) of the last step."""
    increments = np.abs(sim.scheme.workspace.x[:, :6])
    return float(max(increments[:, :3].max() / sim.system.length, increments[:, 3:].max()))


class _Rest:
    """Whether a model is at rest: by its kinetic energy and by its motion, or the smallest that round-off leaves.

    Both criteria: in steps too short for statics there is little motion, but all energy is kinetic. Where stiffnesses
    differ much, as in a chain of beams, round-off moves nodes by more than `REST_MOTION` for ever.
    """

    def __init__(self) -> None:
        self._least, self._since = np.inf, 0

    def reached(self, sim: Simulation, record: StepRecord) -> bool:
        motion = _motion(sim)
        if motion < 0.5 * self._least:
            self._least, self._since = motion, 0
        else:
            self._since += 1
        if record.energy[_KINETIC] > REST_ENERGY * sim.energy_scale:
            return False
        return motion <= REST_MOTION or (motion <= ROUND_OFF_MOTION and self._since >= STALLED)
