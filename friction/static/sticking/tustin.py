"""Tustin's friction law: Stribeck curve as an exponential of the speed.

    mu = mu_k + (mu_s - mu_k) exp(-v/v_s) + sigma_2 v

Tustin 1947; Armstrong-Helouvry et al. 1994. That is Bo and Pavelescu's curve with the exponent 1. Bond, ``x_stick`` and
vector form: ``dry.py``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from numpy.typing import NDArray

from fem_mbd.friction.law import Law
from fem_mbd.friction.parameters import KineticCoefficient, StaticCoefficient, Stick, StribeckSpeed, Viscous
from fem_mbd.friction.static.sticking.dry import STRIBECK, X_STICK, dry_record


@dataclass(frozen=True)
class Tustin(Law):
    """Exponential Stribeck curve and a viscous part."""

    mu_s: StaticCoefficient
    mu_k: KineticCoefficient
    v_s: StribeckSpeed
    sigma_2: Viscous = 0.0
    x_stick: Stick = X_STICK

    source: ClassVar = "Tustin, J. Institution of Electrical Engineers 94 (1947) 143"
    examples: ClassVar = {"": {"mu_s": 0.15, "mu_k": 0.1, "v_s": 1e-3, "sigma_2": 0.1}}

    def record(self) -> NDArray[Any]:
        return dry_record(STRIBECK, self.mu_s, self.mu_k, self.x_stick, self.v_s, 1.0, sigma_2=self.sigma_2)
