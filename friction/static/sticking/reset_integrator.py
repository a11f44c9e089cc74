"""Friction laws of bristles that stretch up to a limit and then slide: reset integrator and Liang's model.

Reset integrator (Haessig and Friedland 1991; Marques 2015, eqs. 3.34 and 3.35): z' = V while |z| < z_0 = mu_k/sigma_0,

    mu = (1 + a) sigma_0 z + sigma_1 z' while it stretches,      mu = sigma_0 z while it slides.

sigma_0 may depend on the speed as published; it is constant here.

Liang et al. (2012; Marques 2015, eqs. 3.73 to 3.75), for every direction of slip: mu = sigma_0 z + sigma_1 z' with |z|
at most mu_s/sigma_0 up to the speed v_s and mu_k/sigma_0 beyond (v_s compared with the speed of the last step). z' is
the stretching part of the slip. Both have exact steps (``bond.py``) and hold in vector form; the drop of force when the
reset integrator begins to slide is part of the published law.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from typing import Annotated, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from fem_mbd.core.compiled import kernel
from fem_mbd.friction.blocks import rounded_norm
from fem_mbd.friction.law import Law
from fem_mbd.friction.parameters import (
    BristleDamping,
    BristleStiffness,
    KineticCoefficient,
    Parameter,
    StaticCoefficient,
    StribeckSpeed,
)
from fem_mbd.friction.static.sticking.bond import LAW_PARAMETERS, bond_record, bond_step

KIND = 16
MU_S, MU_K, V_S = range(LAW_PARAMETERS, LAW_PARAMETERS + 3)


@dataclass(frozen=True)
class ResetIntegrator(Law):
    """Haessig and Friedland's reset integrator."""

    mu_k: KineticCoefficient
    a: Annotated[float, Parameter("stiction above mu_k, as a fraction of mu_k", role="shape", at_least=0.0)]
    sigma_0: BristleStiffness
    sigma_1: BristleDamping = 0.0

    source: ClassVar = "Haessig and Friedland, J. Dynamic Systems, Measurement, and Control 113 (1991) 354"
    examples: ClassVar = {"": {"mu_k": 0.1, "a": 0.5, "sigma_0": 1e5, "sigma_1": 10.0}}

    def record(self) -> NDArray[Any]:
        stuck = self.sigma_0 * (1.0 + self.a)
        return bond_record(KIND, self.sigma_0, (self.mu_k, self.mu_k, inf), stuck=stuck, damping=self.sigma_1)


@dataclass(frozen=True)
class Liang(Law):
    """Liang, Fillmore and Ma's bristles."""

    mu_s: StaticCoefficient
    mu_k: KineticCoefficient
    sigma_0: BristleStiffness
    sigma_1: BristleDamping
    v_s: StribeckSpeed

    source: ClassVar = "Liang, Fillmore and Ma, Mechanism and Machine Theory 56 (2012) 123"
    examples: ClassVar = {"": {"mu_s": 0.15, "mu_k": 0.1, "sigma_0": 5e4, "sigma_1": 8.0, "v_s": 1e-3}}

    def record(self) -> NDArray[Any]:
        return bond_record(KIND, self.sigma_0, (self.mu_s, self.mu_k, self.v_s), damping=self.sigma_1)


@kernel
def reset_friction(
    p: np.ndarray, s_m: np.ndarray, z_i: np.ndarray, dt: float, mu: np.ndarray, z_f: np.ndarray
) -> None:
    """Fill ``mu`` (3,) and ``z_f`` (3, 3) from the slip ``s_m`` (3,) in m and the state ``z_i`` (3, 3)."""
    v = rounded_norm(s_m) / dt
    cap = (p[MU_K] if z_i[1, 1].real > p[V_S] else p[MU_S]) + 0.0 * v
    bond_step(p, cap, v, s_m, z_i, dt, mu, z_f)
