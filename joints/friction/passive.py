"""Passivity check of joint friction, with a warning that names parameters for which it is passive.

A LuGre law loses energy in every motion if sigma_1 (mu_s/mu_k - 1) <= sigma_2, both per unit normal force or both
classical (Barabanov and Ortega, IEEE Trans. Automatic Control 45 (2000) 830); with a viscous part c independent of the
normal force N, sigma_2 becomes sigma_2 + c/N, for a classical law sigma_2 + c.
"""

from __future__ import annotations

import math
import warnings
from dataclasses import replace
from typing import Any

from fem_mbd.friction.dynamic.classical import ClassicalBristles
from fem_mbd.friction.passivity import ActiveLawWarning

TO_THE_USER = (
    7  # frames from here: this function, JointFriction, friction_of, Joint.build, two of Model, the user
)


def warn_if_active(law: Any, viscous: float, where: str) -> None:
    """Warn unless ``law`` with the viscous part (N s/m) is passive at all speeds and loads."""
    if isinstance(law, ClassicalBristles):
        law, viscous = _damped(law, viscous), 0.0
    limit = float(law.passivity_limit()) if hasattr(law, "passivity_limit") else math.inf
    if limit == math.inf:
        return
    above = f"where slip is faster than {limit:.3g} m/s" if limit > 0.0 else "at any speed of slip"
    warnings.warn(
        f"{type(law).__name__} in {where}: friction may generate energy {above}{_remedy(law, viscous)}",
        ActiveLawWarning,
        stacklevel=TO_THE_USER,
    )


def _damped(law: Any, viscous: float) -> Any:
    """The classical law whose sigma_2 includes the joint's viscous part."""
    return replace(law, sigma_2=law.sigma_2 + viscous)


def _remedy(law: Any, viscous: float) -> str:
    names = ("sigma_1", "sigma_2", "mu_s", "mu_k")
    if not all(hasattr(law, name) for name in names):
        return ""
    sigma_1, sigma_2, mu_s, mu_k = (float(getattr(law, name)) for name in names)
    excess = mu_s / mu_k - 1.0
    if excess <= 0.0:
        return ""
    unit = law.parameters["sigma_1"].info.unit
    text = f"; not with sigma_1 <= {sigma_2 / excess:.3g} {unit}, or sigma_2 >= {sigma_1 * excess:.3g} {unit}"
    if viscous > 0.0:
        lightest = viscous / (sigma_1 * excess - sigma_2)
        text += f", nor while the normal force of a surface is below {lightest:.3g} N"
    return text
