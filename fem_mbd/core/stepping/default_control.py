"""Default step control, for runs to which the user gives none, and warnings of controls that do not suit a model.

`warn_of_blind_rules` is for models with contacts whose step rules do not depend on contacts; `Pace` for runs that would
take millions of steps under the default control.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np

from fem_mbd.core.stepping.step_control import StepControl
from fem_mbd.core.stepping.step_rules import (
    ErrorEstimate,
    NewtonEffort,
    Penetration,
    RotationLimit,
    StepRule,
    Stribeck,
)
from fem_mbd.core.stepping.stops import round_off
from fem_mbd.errors import FemMbdWarning

# of the error estimate: gives a propeller's loads to 1e-4 (tests/core/stepping/test_default_control.py)
TOLERANCE = 5e-4
PENETRATION = 5e-6  # change of a gap per step near contact, as a fraction of the model's length
DEEP = 0.1  # the same in contact, as a fraction of its depth
ROTATION = 0.2  # rad, largest rotation of a node in a step: 31 steps a turn
STRIBECK = 0.05  # step size near sticking, in time constants of the friction law
REST = 0.01  # Stribeck velocities: contacts that slip more slowly stick, and allow longer steps
SLOW_SPEED_RATIO = 0.01  # model lengths per run: speed whose energy is the floor of the error's scale
_FIRST, _LONGEST = 1e-4, 0.02  # step sizes, as fractions of the duration
_SHORTEST = 1e-12  # the same: round-off of times is 1e-16 of the duration


def default_control(
    length: float, mass: float, contacts: bool, duration: float, end: float = 0.0
) -> StepControl:
    """The control that `simulate` uses when none is given.

    Steps follow the error estimate with a tolerance of 5e-4, relative to the largest energy so far, and at least to
    the kinetic energy of all the mass at a hundredth of the model's length per duration. Without this floor, a machine
    that a driver starts from rest would need the same relative accuracy in its first nanosecond as in the rest of the
    run. No node rotates by more than 0.2 rad in a step (`RotationLimit`). A model with contacts gets the rules
    `Penetration`, with 5e-6 of the model's length or a tenth of the depth, and `Stribeck`, with 0.05 and longer steps
    while contacts stick, too. No step is longer than a fiftieth of the run. To see the effect on a result, run again
    with a control of your own with half these values.

    Parameters
    ----------
    length : the model's size, m
    mass : total mass, kg
    contacts : whether the model has contacts
    duration : s, from start to end
    end : s, whose round-off no step is near
    """
    slow = min(SLOW_SPEED_RATIO * length / duration, 1e100)
    rules: list[StepRule] = [ErrorEstimate(TOLERANCE, floor=0.5 * mass * slow**2), RotationLimit(ROTATION)]
    if contacts:
        rules += [Penetration(PENETRATION * length, deep=DEEP), Stribeck(STRIBECK, rest=REST)]
    first, shortest, longest = (share * duration for share in (_FIRST, _SHORTEST, _LONGEST))
    return StepControl(*rules, dt_initial=first, dt_min=max(shortest, 4.0 * round_off(end)), dt_max=longest)


RULES_WITHOUT_CONTACTS = (ErrorEstimate, NewtonEffort, RotationLimit)


class BlindRulesWarning(FemMbdWarning):
    """The error estimate uses jumps of velocities and strains only: steps may be too long for contact and friction."""


def warn_of_blind_rules(control: StepControl, stacklevel: int = 2) -> None:
    """Warn if ``control`` has an error estimate but no rule that looks at contacts."""
    rules = control.rules
    if any(isinstance(rule, ErrorEstimate) for rule in rules) and all(
        isinstance(rule, RULES_WITHOUT_CONTACTS) for rule in rules
    ):
        warnings.warn(
            "the model has contacts, but ErrorEstimate measures errors of motion and strain only, not of normal "
            "forces, friction or bristles: add Penetration and Stribeck, or give no control (the default has all "
            "three)",
            BlindRulesWarning,
            stacklevel=stacklevel + 1,
        )


MANY_STEPS = 1_000_000  # of a run: minutes to hours
FIRST_LOOK = 10_000  # steps after which a run is judged first, then whenever their number has doubled


class ManySteps(FemMbdWarning):
    """At its present pace a run takes millions of steps."""


class Pace:
    """The number of steps that a run under the default control will take, from those so far.

    Parameters
    ----------
    start, end : s, of the run
    contacts : name of the part of each contact record
    """

    def __init__(self, start: float, end: float, contacts: Sequence[str]):
        self._start, self._end, self._contacts = start, end, contacts
        self._next: float = FIRST_LOOK

    def look(self, steps: int, time: float, rule: str, contacts: Any) -> None:
        """Issue a `ManySteps` warning, once, where the run would take more than a million steps; called often.

        Parameters
        ----------
        steps : made so far, from the start
        time : s, that they have reached
        rule : that decided the last size
        contacts : records of the last step, of dtype ``CONTACT_RECORD``
        """
        if steps < self._next or not self._start < time < self._end:
            return
        self._next = 2 * steps
        expected = steps * (self._end - self._start) / (time - self._start)
        if expected < MANY_STEPS:
            return
        self._next = np.inf
        where = ""
        if len(self._contacts):
            change = np.abs(contacts["gap_f"] - contacts["gap_i"])
            where = f", the gap of '{self._contacts[int(change.argmax())]}' changes most"
        warnings.warn(
            f"{steps} steps have reached t = {time:.4g} s of {self._end:.4g} s: at this pace the run needs about "
            f"{expected:.1g} steps (the rule '{rule}' decides{where}). End it earlier, use a softer or a damped "
            "contact, or give a control of your own, e.g. "
            f"StepControl.fixed({(self._end - self._start) / MANY_STEPS:.1g}), and compare with half that size",
            ManySteps,
            stacklevel=2,
        )
