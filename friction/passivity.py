"""Speeds up to which a bristle law cannot give energy away."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from typing import Any

from scipy.optimize import brentq


class ActiveLawWarning(UserWarning):
    """A friction law can give energy away with these parameters; the run goes on."""


def bristle_speed_limit(g: Callable[[float], Any], sigma1: float, sigma2: float) -> float:
    """Root of sigma1**2 v = 4 g(v)(sigma1 + sigma2), in m/s; ``inf`` without damping of the bristles.

    Below it the loss of a bristle outweighs what its damping sigma1 (s/m) can return, whatever its deflection.
    """
    if sigma1 == 0.0:
        return math.inf
    scale = 4.0 * (1.0 + sigma2 / sigma1) / sigma1

    def excess(speed: float) -> float:
        return float(speed - scale * complex(g(speed)).real)

    top = scale * complex(g(1e-12)).real * 1.001 + 1e-12
    return float(brentq(excess, 0.0, top)) if excess(top) > 0.0 > excess(0.0) else top


def warn_if_active(law: Any, where: str, stacklevel: int = 2) -> None:
    """Say so when ``law`` is only passive up to a speed, or not at all. ``where`` names the contact."""
    limit = float(law.passivity_limit()) if hasattr(law, "passivity_limit") else math.inf
    if limit < math.inf:
        warnings.warn(
            f"{type(law).__name__} of {where}: friction may give energy away at slip above {limit:.4g} m/s"
            + (": lower sigma1 or let it fade with speed" if limit > 0.0 else ", whatever its parameters"),
            ActiveLawWarning,
            stacklevel=stacklevel + 1,
        )
