"""A warning for runs with contacts whose step rules see none of what contacts do."""

from __future__ import annotations

import warnings

from fem_mbd.core.stepping.step_control import StepControl
from fem_mbd.core.stepping.step_rules import ErrorEstimate, NewtonEffort
from fem_mbd.errors import FemMbdWarning

BLIND = (ErrorEstimate, NewtonEffort)


class BlindRulesWarning(FemMbdWarning):
    """The error estimate sees jumps of velocities and strains only: steps may be too long for contact and friction."""


def warn_of_blind_rules(control: StepControl, stacklevel: int = 2) -> None:
    """Say that no rule of ``control`` looks at contacts, if an error is asked for and none does."""
    rules = control.rules
    if any(isinstance(rule, ErrorEstimate) for rule in rules) and all(
        isinstance(rule, BLIND) for rule in rules
    ):
        warnings.warn(
            "the model has contacts, and ErrorEstimate sees errors of motion and strain, none of normal forces, "
            "friction or bristles: add Penetration and Stribeck, or give no control (the default one has all three)",
            BlindRulesWarning,
            stacklevel=stacklevel + 1,
        )
