"""Energy dissipated by the time integration scheme itself during a run, and a warning where it is a large share."""

from __future__ import annotations

import warnings
from dataclasses import dataclass

import numpy as np

from fem_mbd.core.scheme.ledger_names import DISSIPATIONS
from fem_mbd.errors import FemMbdWarning
from fem_mbd.runs.results.result import Result

LARGE_SHARE = 0.2  # share of the energy available for dissipation: physical losses are of this size, too
NEGLIGIBLE = 1e-9  # fraction of the run's energies and works below which the dissipation is negligible
TARGET_SHARE = 0.01  # share that remains with the proposed step size
LOSS_ORDER = 3  # a vibration loses the share (omega dt)^4/36 per step: in a given time this goes with dt^3


class NumericalDissipationWarning(FemMbdWarning):
    """The scheme has dissipated a large share of the energy: vibrations are not resolved by the steps."""


@dataclass(frozen=True)
class NumericalDissipation:
    """Numerical dissipation of a run.

    amount : J, dissipated by the scheme in the whole run
    share : of the energy available: all that was dissipated plus the largest kinetic and strain energy
    step : s, step size with which a share of 1 % would remain if vibrations cause the loss; the mean step size where
        the share is smaller already
    """

    amount: float
    share: float
    step: float


def numerical_dissipation(result: Result) -> NumericalDissipation:
    """The scheme's dissipation in a run, from its energy ledger.

    The proposed step size follows from the scheme's order: the energy that a vibration loses in a given time goes with
    the third power of the step size, as for Radau's method with two stages. That is an estimate: vibrations that the
    steps do not resolve at all (omega dt above 1) lose less than this power law predicts, and need smaller steps.
    """
    energy = result.energy
    dissipated = {name: float(np.sum(energy[name])) for name in DISSIPATIONS}
    stored = np.asarray(energy["kinetic"]) + np.asarray(energy["elastic"])
    amount, available = (
        dissipated["dissipation_scheme"],
        sum(dissipated.values()) + float(np.max(stored, initial=0.0)),
    )
    threshold = NEGLIGIBLE * float(result.log.get("energy_scale", 0.0)) + float(
        np.sum(result.step["round_off"])
    )
    share = amount / available if amount > threshold else 0.0
    mean = float(np.mean(result.step["dt"])) if len(result.step["dt"]) else 0.0
    return NumericalDissipation(
        amount, share, mean * min(1.0, (TARGET_SHARE / max(share, TARGET_SHARE)) ** (1 / LOSS_ORDER))
    )


def warn_of_numerical_dissipation(result: Result, stacklevel: int = 2) -> None:
    """Warn where the scheme dissipated a large share of the energy; the message gives the share and a better
    step size.
    """
    losses = numerical_dissipation(result)
    if losses.share > LARGE_SHARE:
        warnings.warn(
            f"the scheme has dissipated {losses.amount:.3g} J, {losses.share:.0%} of the energy available in "
            "the run: something moves faster than the steps resolve. If it is a vibration, or an unstable "
            f"controller, steps of about {losses.step:.2g} s preserve it; if it is meant to decay, give the "
            "model damping",
            NumericalDissipationWarning,
            stacklevel=stacklevel + 1,
        )
