"""Popp and Stelter's friction law: hyperbolic decrease and increase with the square of the speed.

    mu = mu_k + (mu_s - mu_k)/(1 + eta_1 v) + eta_2 v**2

Popp and Stelter 1990, the characteristic of their discontinuous oscillators. Bond and vector form: ``bond.py``;
``x_stick``: ``dry.py``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from fem_mbd.core.compiled import kernel
from fem_mbd.friction.blocks import rounded_norm
from fem_mbd.friction.law import Law
from fem_mbd.friction.parameters import KineticCoefficient, Parameter, StaticCoefficient, Stick
from fem_mbd.friction.static.sticking.bond import LAW_PARAMETERS, bond_record, bond_step
from fem_mbd.friction.static.sticking.dry import X_STICK

KIND = 18
MU_S, MU_K, ETA_1 = range(LAW_PARAMETERS, LAW_PARAMETERS + 3)


@dataclass(frozen=True)
class PoppStelter(Law):
    """Hyperbolic Stribeck curve with a term of the speed squared."""

    mu_s: StaticCoefficient
    mu_k: KineticCoefficient
    eta_1: Annotated[float, Parameter("rate of the fall", "s/m", "slope", above=0.0)]
    eta_2: Annotated[float, Parameter("rise with the speed squared", "s2/m2", "quadratic", at_least=0.0)] = (
        0.0
    )
    x_stick: Stick = X_STICK

    source: ClassVar = "Popp and Stelter, Phil. Trans. Royal Society A 332 (1990) 89"
    examples: ClassVar = {"": {"mu_s": 0.15, "mu_k": 0.1, "eta_1": 1e3, "eta_2": 1.0}}

    def record(self) -> NDArray[Any]:
        parameters, k = (self.mu_s, self.mu_k, self.eta_1), self.mu_s / self.x_stick
        return bond_record(KIND, k, parameters, theta=1.0, sigma_2=self.eta_2, delta_v=2.0)


@kernel
def popp_stelter_friction(
    p: np.ndarray, s_m: np.ndarray, z_i: np.ndarray, dt: float, mu: np.ndarray, z_f: np.ndarray
) -> None:
    """Fill ``mu`` (3,) and ``z_f`` (3, 3) from the slip ``s_m`` (3,) in m and the state ``z_i`` (3, 3)."""
    v = rounded_norm(s_m) / dt
    bond_step(p, p[MU_K] + (p[MU_S] - p[MU_K]) / (1.0 + p[ETA_1] * v), v, s_m, z_i, dt, mu, z_f)
