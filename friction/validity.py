"""Ranges of validity of contact and friction laws, and warnings outside them.

A law may have ``speed_limit`` (m/s, faster impacts leave permanent indentations) and ``deepest`` (m, largest
indentation of its formula); without them it has no limit. ``on_turning_slip`` of a friction law in scalar form
describes its behaviour when the slip direction changes.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from math import inf
from typing import Any

import numpy as np

from fem_mbd.base.arrays import Array
from fem_mbd.errors import FemMbdWarning
from fem_mbd.friction.records import NormalLaw


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
