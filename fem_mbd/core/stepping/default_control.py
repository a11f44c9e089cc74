"""Step sizes of a run whose user chose none."""

from __future__ import annotations

from fem_mbd.core.stepping.step_control import StepControl
from fem_mbd.core.stepping.step_rules import ErrorEstimate, Penetration, StepRule, Stribeck

TOLERANCE = (
    5e-4  # of the error estimate: a propeller's loads to 1e-4 (tests/core/stepping/test_default_control.py)
)
PENETRATION = 5e-6  # of the model's length: a gap's change per step near contact
STRIBECK = 0.05  # of the friction law's time constant, near sticking
SLOW = 0.01  # of the model's length over the whole run: the speed whose energy is the error's floor
_FIRST, _LONGEST = 1e-4, 0.02  # of the duration
_SHORTEST = 1e-9  # s


def default_control(length: float, mass: float, contacts: bool, duration: float) -> StepControl:
    """The control that `simulate` uses when none is given.

    Steps follow the error estimate with a tolerance of 5e-4, relative to the largest energy so far, and at least to
    that of all the mass at a hundredth of the model's length per duration: a machine that a driver takes from rest
    would otherwise ask for the same accuracy of its first nanosecond as of the rest of the run. A model with contacts
    adds the rules of contact, `Penetration` with 5e-6 of the model's length, and of friction, `Stribeck` with 0.05. No
    step is longer than a fiftieth of the run. What this means for a result is seen by halving: run again with a
    control of your own.

    Parameters
    ----------
    length : the model's size, m
    mass : of all of it, kg
    contacts : whether it has any
    duration : s, from start to end
    """
    slow = min(SLOW * length / duration, 1e100)
    rules: list[StepRule] = [ErrorEstimate(TOLERANCE, floor=0.5 * mass * slow**2)]
    if contacts:
        rules += [Penetration(PENETRATION * length), Stribeck(STRIBECK)]
    shortest = min(max(_SHORTEST, 1e-12 * duration), 1e-6 * duration)
    return StepControl(*rules, dt_initial=_FIRST * duration, dt_min=shortest, dt_max=_LONGEST * duration)
