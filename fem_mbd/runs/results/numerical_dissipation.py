"""How much of a run's energy the scheme itself has dissipated, and a warning where that is much."""

from __future__ import annotations

import warnings
from dataclasses import dataclass

import numpy as np

from fem_mbd.core.scheme.ledger_names import DISSIPATIONS
from fem_mbd.errors import FemMbdWarning
from fem_mbd.runs.results.result import Result

MUCH = 0.2  # share of the energy that a run had to lose: physical losses are of this size, too
NOTHING = 1e-9  # of the run's energies and works: what is less is of no account
LITTLE = 0.01  # share that the step which is proposed leaves
ORDER = 3  # a vibration of omega loses the share (omega dt)^4/36 a step: in a given time it goes with dt^3


class NumericalDissipationWarning(FemMbdWarning):
    """The scheme has dissipated a good part of the energy: what vibrates is not resolved by the steps."""


@dataclass(frozen=True)
class NumericalDissipation:
    """What the scheme took.

    amount : J, dissipated by the scheme in the whole run
    share : of the energy that the run had to lose: all that was dissipated, and the largest that was stored in motion
        and strain
    step : s, with which a share of 1 % would be left, if vibrations lose it; the mean step where the share is below
    """

    amount: float
    share: float
    step: float


def numerical_dissipation(result: Result) -> NumericalDissipation:
    """The scheme's dissipation in a run, from its energy ledger.

    The step of the proposal follows from the scheme's order: the loss of a vibration in a given time goes with the
    third power of the step, as that of Radau's method with two stages. That is an estimate: vibrations that the steps
    do not follow at all (omega dt above 1) lose less than the power says, and need smaller steps.
    """
    energy = result.energy
    lost = {name: float(np.sum(energy[name])) for name in DISSIPATIONS}
    stored = np.asarray(energy["kinetic"]) + np.asarray(energy["elastic"])
    amount, had = lost["dissipation_scheme"], sum(lost.values()) + float(np.max(stored, initial=0.0))
    least = NOTHING * float(result.log.get("energy_scale", 0.0)) + float(np.sum(result.step["round_off"]))
    share = amount / had if amount > least else 0.0
    mean = float(np.mean(result.step["dt"])) if len(result.step["dt"]) else 0.0
    return NumericalDissipation(amount, share, mean * min(1.0, (LITTLE / max(share, LITTLE)) ** (1 / ORDER)))


def warn_of_numerical_dissipation(result: Result, stacklevel: int = 2) -> None:
    """Say what share the scheme took, and with which step it would not, where the share is much."""
    found = numerical_dissipation(result)
    if found.share > MUCH:
        warnings.warn(
            f"the scheme has dissipated {found.amount:.3g} J, {found.share:.0%} of the energy that the run had to "
            "lose: something moves faster than the steps resolve. If it is a vibration, or an unstable "
            f"controller, steps of about {found.step:.2g} s keep it; if it is meant to die out, give the model damping",
            NumericalDissipationWarning,
            stacklevel=stacklevel + 1,
        )
