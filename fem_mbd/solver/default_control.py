"""Step sizes of a run whose user chose none."""

from __future__ import annotations

from fem_mbd.solver.step_control import StepControl
from fem_mbd.solver.step_rules import ErrorEstimate, Penetration, StepRule, Stribeck

TOLERANCE = 1e-4  # of the error estimate
PENETRATION = 5e-6  # of the model's length: a gap's change per step near contact
STRIBECK = 0.05  # of the friction law's time constant, near sticking
_FIRST, _LONGEST = 1e-4, 0.02  # of the duration
_SHORTEST = 1e-9  # s


def default_control(length: float, contacts: bool, duration: float) -> StepControl:
    """The control that `simulate` uses when none is given.

    Steps follow the error estimate with a tolerance of 1e-4; a model with contacts adds the rules of contact,
    `Penetration` with 5e-6 of the model's length, and of friction, `Stribeck` with 0.05. No step is longer than a
    fiftieth of the run. What this means for a result is seen by halving: run again with a control of your own.

    Parameters
    ----------
    length : the model's size, m; contacts : whether it has any; duration : s, from start to end
    """
    rules: list[StepRule] = [ErrorEstimate(TOLERANCE)]
    if contacts:
        rules += [Penetration(PENETRATION * length), Stribeck(STRIBECK)]
    shortest = min(max(_SHORTEST, 1e-12 * duration), 1e-6 * duration)
    return StepControl(*rules, dt_initial=_FIRST * duration, dt_min=shortest, dt_max=_LONGEST * duration)
