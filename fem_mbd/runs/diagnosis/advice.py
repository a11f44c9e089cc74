"""Advice derived from the findings of a diagnosis: sentences that name the option to change."""

from __future__ import annotations

from fem_mbd.runs.diagnosis.constraint_condition import Condition
from fem_mbd.runs.diagnosis.last_steps import Steps
from fem_mbd.runs.results.result import Result

SINGULAR = 1e5
RESIDUAL_LIMIT = 1e-11  # fraction of the energies: the limit that this package sets for a sound run
MANY_ITERATIONS = 8.0
MANY_REJECTED = 0.3  # per step
COLLAPSED = 1e-3
RULES = {
    "penetration": "contacts decide the step size: a larger eps_p of Penetration or a softer contact makes it longer",
    "stribeck": "friction decides the step size: a larger tau_min of Stribeck or a smaller sigma_0 makes it longer",
    "error estimate": "the error estimate decides the step size: a larger tolerance of ErrorEstimate makes it longer",
    "dt_max": "nearly all steps have the largest size allowed: a larger dt_max of StepControl makes them longer",
}
OFTEN = 0.8


def advice(result: Result, steps: Steps, condition: Condition | None) -> list[str]:
    """Sentences, the most urgent first; empty when there is nothing to report."""
    found = []
    if condition is not None and condition.worst > SINGULAR:
        names = ", ".join(map(repr, condition.joints))
        found.append(
            f"at t = {condition.worst_time:.6g} s the joints {names} are nearly singular: change a length, "
            "replace one of them by a freer joint, or build the model with allow_redundant=True"
        )
    if result.status == "failed" and steps.shrinking < COLLAPSED:
        found.append(
            f"steps had shrunk to {steps.shrinking:.1e} of their usual size before the end: something "
            "happens faster than the steps resolve; look at contact stiffness and damping, and give the "
            "beams damping"
        )
    if steps.rejected > MANY_REJECTED * steps.last:
        found.append(
            f"{steps.rejected} attempted steps were rejected in the last {steps.last} steps: a smaller "
            "dt_max of StepControl, or the rule NewtonEffort, avoids them"
        )
    if steps.iterations > MANY_ITERATIONS:
        found.append(
            f"Newton needs {steps.iterations:.1f} iterations a step: NewtonOptions(reuse=False) makes "
            "a factorisation each, smaller steps need fewer"
        )
    residual = result.summary["energy"]["relative"]
    if residual > RESIDUAL_LIMIT:
        found.append(
            f"the energy balance is off by {residual:.1e} of the energies: a smaller tolerance of "
            "NewtonOptions reduces the residual"
        )
    rule, share = next(iter(steps.rules.items()))
    if share > OFTEN and rule in RULES and result.status != "failed":
        found.append(f"{RULES[rule]} ({share:.0%} of the last steps)")
    return found
