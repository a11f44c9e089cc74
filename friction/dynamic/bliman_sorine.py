"""Bliman and Sorine's models (1991, 1995; Marques et al. 2016): linear in the slip path s.

    first order:   dx/ds = -x/eps_f + (f_1/eps_f) V/|V|,      mu = x      (Dahl's with alpha = 1, sigma_0 = f_1/eps_f)
    second order:  fast   dx_1/ds = -x_1/(eta eps_f) + f_1/(eta eps_f) V/|V|
                   slow   dx_2/ds = -x_2/eps_f - f_2/eps_f V/|V|,          mu = x_1 + x_2

mu rises fast to almost f_1, then falls to f_1 - f_2: a stiction peak over the path, not over time. The states are
stored as deflections z_1 = x_1 eta eps_f/f_1 and z_2 = -x_2 eps_f/f_2; z_k' = V - |V| z_k/(eta eps_f or eps_f), P1
Galerkin. For f_1 >= f_2 and eta <= 1 the model is passive; the stored energy is x.P x/2 with the P of the positive-real
lemma in the middle of the range allowed by the lemma. Vector form for any direction of slip.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from fem_mbd.core.compiled import kernel
from fem_mbd.core.compiled.vectors import dot
from fem_mbd.friction.blocks import bristle_step, per_normal_force, rounded_norm
from fem_mbd.friction.law import Law, Parameter
from fem_mbd.friction.records import FrictionKernels, friction_record

K_1, K_2, L_1, L_2, P_11, P_12, P_22 = range(7)
FastLimit = Annotated[float, Parameter("limit of the fast part", role="coefficient", above=0.0)]
SlowLimit = Annotated[
    float, Parameter("limit of the slow part", role="coefficient", at_least=0.0, below="f_1")
]
Eta = Annotated[
    float, Parameter("path of the fast part over that of the slow one", role="shape", above=0.0, below=1.0)
]


@dataclass(frozen=True)
class BlimanSorine(Law):
    """First order, or second order when f_2 is given."""

    f_1: FastLimit
    eps_f: Annotated[float, Parameter("path of the slow part", "m", "length", above=0.0)]
    f_2: SlowLimit = 0.0
    eta: Eta = 0.5

    source: ClassVar = "Bliman and Sorine, Proc. European Control Conference (Rome 1995) 3788"
    examples: ClassVar = {
        "1": {"f_1": 0.1, "eps_f": 1e-6},
        "2": {"f_1": 0.2, "eps_f": 1e-5, "f_2": 0.1, "eta": 0.3},
    }

    def record(self) -> NDArray[Any]:
        """Stiffnesses in 1/m, lengths in m and the matrix of the stored energy in deflections."""
        if self.f_2 == 0.0:
            k = self.f_1 / self.eps_f
            return self._record(k, 0.0, self.eps_f, (k, 0.0, 0.0))
        k_1, k_2 = self.f_1 / (self.eta * self.eps_f), self.f_2 / self.eps_f
        a_1, a_2 = 1.0 / (self.eta * self.eps_f), 1.0 / self.eps_f
        p = 2.0 * (k_1 - k_2) / (self.f_1 * self.f_2 * (a_1 - a_2) ** 2)
        p_11, p_22 = (1.0 + p * k_2) / k_1, (p * k_1 - 1.0) / k_2
        # x_1 = k_1 z_1, x_2 = -k_2 z_2
        energy = (p_11 * k_1 * k_1, -p * k_1 * k_2, p_22 * k_2 * k_2)
        return self._record(k_1, k_2, self.eta * self.eps_f, energy)

    def _record(self, k_1: float, k_2: float, fast: float, energy: tuple[float, ...]) -> NDArray[Any]:
        return friction_record(BLIMAN_SORINE, (k_1, k_2, fast, self.eps_f, *energy), states=2, turned=2)


@kernel
def bliman_sorine_friction(p, classical, s_m, z_i, f_n, mu, z_f):
    """Fill ``mu`` (3,) and ``z_f`` (2, 3) from the slip ``s_m`` (3,) in m and the deflections ``z_i``."""
    factor = per_normal_force(classical, f_n)
    length, k_1, k_2 = rounded_norm(s_m) * factor, p[K_1] * factor, p[K_2] * factor
    for k in range(3):
        dz_1, g_1 = bristle_step(z_i[0, k], s_m[k], length / p[L_1])
        dz_2, g_2 = bristle_step(z_i[1, k], s_m[k], length / p[L_2])
        z_f[0, k], z_f[1, k] = z_i[0, k] + dz_1, z_i[1, k] + dz_2
        mu[k] = k_1 * g_1 - k_2 * g_2


@kernel
def bliman_sorine_energy(p: np.ndarray, z: np.ndarray) -> complex:
    """Energy per unit normal force, m."""
    return 0.5 * (p[P_11] * dot(z[0], z[0]) + 2.0 * p[P_12] * dot(z[0], z[1]) + p[P_22] * dot(z[1], z[1]))


BLIMAN_SORINE = FrictionKernels(bliman_sorine_friction, bliman_sorine_energy)
