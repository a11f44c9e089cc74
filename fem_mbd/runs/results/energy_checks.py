"""Energy-balance checks made by every case: residual of single steps, of all steps together, and energy from
friction.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import sqrt
from typing import Any

import numpy as np

from fem_mbd.base.arrays import Array
from fem_mbd.core.scheme.ledger_names import DISSIPATIONS, ENERGIES, WORKS
from fem_mbd.runs.results.checks import Check, at_most

BOUND = 1e-11  # fraction of the energy scale, for one step: the residual that Newton's tolerance allows
SCHEME = "energy balance of the scheme"


def balance(summary: Mapping[str, Any], bound: float = BOUND) -> list[Check]:
    """Checks of the largest energy residual of a step, and of the largest sum of residuals over the steps so far.

    Residuals of single steps have no preferred sign: over n steps they add up like a random walk, to about sqrt(n)
    times that of one step. A systematic error adds up to n times, which the second check detects.

    Parameters
    ----------
    summary : of a result (`Result.summary`)
    bound : for one step, as a fraction of the energy scale
    """
    energy = summary["energy"]
    together = bound * sqrt(max(summary["steps"], 1))
    return [
        at_most("largest energy residual of a step / scale", energy["relative"], bound, SCHEME),
        at_most(
            "largest sum of energy residuals / scale",
            energy["relative_sum"],
            together,
            SCHEME + ", sqrt(steps) times that of one",
        ),
    ]


def friction_gain(energy: Mapping[str, Array], scale: float, bound: float = BOUND) -> Check:
    """Check that in no step the energy, bristles excluded, grows by more than the works and the bristles' energy.

    Parameters
    ----------
    energy : columns of the ledger (`Result.energy`)
    scale : J, the size of the energies and works of the run
    bound : as a fraction of ``scale``
    """
    total = np.asarray(sum(energy[name] for name in ENERGIES if name != "bristle"))
    change = np.diff(total) + sum(energy[name][1:] for name in DISSIPATIONS if name != "dissipation_friction")
    gain = change - sum(energy[name][1:] for name in WORKS)
    released = np.maximum(gain - energy["bristle"][:-1], 0.0)
    worst = float(released.max(initial=0.0)) / scale
    return at_most("energy gained beyond the bristles' / scale", worst, bound, SCHEME)
