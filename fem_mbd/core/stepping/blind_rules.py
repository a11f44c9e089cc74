"""Warning for models with contacts whose step rules do not depend on contacts."""

from __future__ import annotations

import warnings

from fem_mbd.core.stepping.step_control import StepControl
from fem_mbd.core.stepping.step_rules import ErrorEstimate, NewtonEffort, RotationLimit
from fem_mbd.errors import FemMbdWarning

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
