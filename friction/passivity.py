"""Passivity of bristle laws: slip speeds up to which they dissipate energy, and a warning for laws that may not.

A bristle law z' = V - sigma_0 |V| z/g, mu = sigma_0 z + sigma_1 z' + sigma_2 V with the stored energy sigma_0 |z|**2/2
loses, per unit normal force and path, with y = sigma_0 |z| along the slip (the worst direction),

    y r + |V| (sigma_1 (1 - r) + sigma_2),      r = y/g(V).

It is negative somewhere if sigma_1**2 |V| > 4 g (sigma_1 + sigma_2) and bristles can be stretched to y = sigma_1 |V|/2.
Bristles cannot be stretched beyond y = mu_s, the maximum of g, so the smallest loss up to mu_s decides. A law with
sigma_1 (mu_s/mu_k - 1) <= sigma_2 is passive at all speeds (Barabanov and Ortega 2000).
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from fem_mbd.base.arrays import Array
from fem_mbd.errors import FemMbdWarning

Curve = Callable[[Array], Any]
SPEEDS = np.geomspace(1e-9, 1e5, 2801)  # m/s, searched for the first speed at which energy can be generated


class ActiveLawWarning(FemMbdWarning):
    """A friction law can generate energy with these parameters; the run continues."""


def stribeck_curve(mu_s: float, mu_k: float, v_s: float, gamma: float) -> Curve:
    """g(V) with the exponential of Bo and Pavelescu, for arrays of speeds in m/s."""

    def g(speed: Array) -> Any:
        with np.errstate(over="ignore", under="ignore"):
            return mu_k + (mu_s - mu_k) * np.exp(-((speed / v_s) ** gamma))

    return g


def bristle_speed_limit(
    g: Curve, sigma_1: float | Curve, sigma_2: float, largest: float, power: float = 1.0
) -> float:
    """Slip speed in m/s up to which the loss of a bristle is not negative in any reachable state; may be ``inf``.

    g, and sigma_1 in s/m if it depends on speed: functions of an array of speeds. sigma_2 in s/m. ``largest``: that of
    g, beyond which bristles are not stretched. power: of y/g in r (1 in LuGre).
    """

    def margin(speed: Any) -> Any:
        damping = sigma_1(speed) if callable(sigma_1) else sigma_1
        worst = np.minimum(largest, power / (power + 1.0) * damping * speed)
        share = (worst / g(speed)) ** power
        return worst * share + speed * (damping * (1.0 - share) + sigma_2)

    active = np.flatnonzero(margin(SPEEDS) < 0.0)
    if active.size == 0:
        return math.inf
    first = int(active[0])
    return 0.0 if first == 0 else _change_of_sign(margin, SPEEDS[first - 1], SPEEDS[first])


def _change_of_sign(margin: Curve, before: float, behind: float) -> float:
    """First speed with negative ``margin``. SciPy's root finders would take longer to import than a model to build."""
    while behind - before > 1e-12 * behind:
        speeds = np.linspace(before, behind, 101)
        inner = np.flatnonzero(margin(speeds[1:-1]) < 0.0)
        place = int(inner[0]) + 1 if inner.size else 100
        before, behind = float(speeds[place - 1]), float(speeds[place])
    return float(behind)


def warn_if_active(law: Any, where: str, stacklevel: int = 2) -> None:
    """Warn when ``law`` is passive only up to a speed, or not at all. ``where`` names the contact."""
    limit = float(law.passivity_limit()) if hasattr(law, "passivity_limit") else math.inf
    if limit < math.inf:
        above = f"where slip is faster than {limit:.3g} m/s" if limit > 0.0 else "at any speed of slip"
        warnings.warn(
            f"{type(law).__name__} of {where}: friction may generate energy {above} "
            "(docs/explanation/friction.md, passivity)",
            ActiveLawWarning,
            stacklevel=stacklevel + 1,
        )
