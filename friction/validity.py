"""Ranges of validity and of passivity of contact and friction laws, and warnings outside them.

A law may have ``speed_limit`` (m/s, faster impacts leave permanent indentations) and ``deepest`` (m, largest
indentation of its formula); without them it has no limit. ``on_turning_slip`` of a friction law in scalar form
describes its behaviour when the slip direction changes.

Bristle laws dissipate energy up to some slip speed. A bristle law z' = V - sigma_0 |V| z/g, mu = sigma_0 z + sigma_1 z'
+ sigma_2 V with the stored energy sigma_0 |z|**2/2 loses, per unit normal force and path, with y = sigma_0 |z| along
the slip (the worst direction),

    y r + |V| (sigma_1 (1 - r) + sigma_2),      r = y/g(V).

It is negative somewhere if sigma_1**2 |V| > 4 g (sigma_1 + sigma_2) and bristles can be stretched to y = sigma_1 |V|/2.
Bristles cannot be stretched beyond y = mu_s, the maximum of g, so the smallest loss up to mu_s decides. A law with
sigma_1 (mu_s/mu_k - 1) <= sigma_2 is passive at all speeds (Barabanov and Ortega 2000).
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Sequence
from math import inf
from typing import Any

import numpy as np

from fem_mbd.base.arrays import Array
from fem_mbd.errors import FemMbdWarning
from fem_mbd.friction.records import NormalLaw

Curve = Callable[[Array], Any]
SPEEDS = np.geomspace(1e-9, 1e5, 2801)  # m/s, searched for the first speed at which energy can be generated


class LawRangeWarning(FemMbdWarning):
    """A law is used outside the range stated by its authors; the run continues."""


def warn_of_fast_impact(law: NormalLaw, speed: float, where: str = "", stacklevel: int = 2) -> None:
    """Warn if ``speed`` (m/s) is above the law's limit. ``where`` names the contact."""
    limit = float(getattr(law, "speed_limit", inf))
    if speed > limit:
        warnings.warn(
            f"{type(law).__name__}{where}: impact at {speed:.4g} m/s, above the {limit:.4g} m/s (1e-5 sqrt(E/rho)) "
            "up to which the bodies stay elastic: real ones deform permanently and rebound less",
            LawRangeWarning,
            stacklevel=stacklevel + 1,
        )


def warn_of_deep_contact(law: NormalLaw, depth: float, where: str = "", stacklevel: int = 2) -> None:
    """Warn if the indentation ``depth`` (m) is beyond the range of the law's formula."""
    deepest = float(getattr(law, "deepest", inf))
    if depth > deepest:
        warnings.warn(
            f"{type(law).__name__}{where}: indentation {depth:.4g} m, beyond the {deepest:.4g} m up to which its "
            "formula holds: the force continues along the tangent there",
            LawRangeWarning,
            stacklevel=stacklevel + 1,
        )


def warn_of_turning_slip(law: Any, where: str, stacklevel: int = 2) -> None:
    """Warn if slip may change direction in the plane at ``where`` and the friction law ``law`` is in scalar form.

    ``on_turning_slip`` of such a law is a text, which is empty for all others.
    """
    text = str(getattr(law, "on_turning_slip", ""))
    if text:
        warnings.warn(f"{type(law).__name__} of {where}: {text}", LawRangeWarning, stacklevel=stacklevel + 1)


class RangeMonitor:
    """Monitors the contacts of a run and warns once for each contact and range.

    laws, names: of the contacts, in their order.
    """

    def __init__(self, laws: Sequence[NormalLaw], names: Sequence[str]):
        self.laws, self.names = list(laws), list(names)
        self._speed = np.array([float(getattr(law, "speed_limit", inf)) for law in self.laws])
        self._deepest = np.array([float(getattr(law, "deepest", inf)) for law in self.laws])

    @property
    def idle(self) -> bool:
        """Whether no contact has a limit left to be checked."""
        return not (np.isfinite(self._speed).any() or np.isfinite(self._deepest).any())

    def check(self, impact_speed: Array, gap: Array) -> None:
        """Warn for contacts (n,) that closed at ``impact_speed`` (m/s) and now have the gap ``gap`` (m).

        It is called in every step, so the usual case, no warning, is fast.
        """
        fast, deep = impact_speed > self._speed, -gap > self._deepest
        if not (fast.any() or deep.any()):
            return
        for c in np.flatnonzero(fast):
            warn_of_fast_impact(self.laws[c], float(impact_speed[c]), f" of contact '{self.names[c]}'")
            self._speed[c] = inf
        for c in np.flatnonzero(deep):
            warn_of_deep_contact(self.laws[c], float(-gap[c]), f" of contact '{self.names[c]}'")
            self._deepest[c] = inf


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


def _change_of_sign(margin: Curve, before: float, after: float) -> float:
    """First speed with negative ``margin``. SciPy's root finders would take longer to import than a model to build."""
    while after - before > 1e-12 * after:
        speeds = np.linspace(before, after, 101)
        inner = np.flatnonzero(margin(speeds[1:-1]) < 0.0)
        index = int(inner[0]) + 1 if inner.size else 100
        before, after = float(speeds[index - 1]), float(speeds[index])
    return float(after)


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
