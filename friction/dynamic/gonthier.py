"""Gonthier's model (Gonthier et al. 2004; Marques et al. 2016): bristles with dwell time, for any direction of slip.

    s = exp(-(v/v_s)**2),   z' = s V + (1 - s)(mu_k dir(V) - sigma_0 z)/sigma_1,   mu_br = sigma_0 z + sigma_1 z'
    s_dw' = (s - s_dw)/tau,   tau = tau_dw while s >= s_dw, sigma_1/sigma_0 otherwise
    mu = mu_br min(1, mu_max/|mu_br|) + sigma_2 V,      mu_max = mu_k + (mu_s - mu_k) s_dw

dir(V) = V/v above v_eps = 0.01 v_s, below it V/v_eps (3 - (v/v_eps)**2)/2. z' is linear in z at the mean speed of the
step: P1 Galerkin in closed form; s_dw: implicit Euler. The bound mu_max is that of the end of the step.

Below v_s the bristles continue to stretch after their force has reached mu_max, which limits the force but not the
deflection: on the way back they push with mu_max over the whole path. So the stored energy is sigma_0 |z|**2/2 up to
sigma_0 |z| = mu_s and mu_s |z| - mu_s**2/(2 sigma_0) beyond. With mu_s = mu_k and sigma_1 v_s >= mu_k/2 the law is
passive with this energy. With mu_s > mu_k it is not passive for any parameters: bristles stretched while mu_max was
small push with the mu_max of a longer rest.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from fem_mbd.core.compiled import kernel
from fem_mbd.core.compiled.vectors import dot
from fem_mbd.friction.blocks import bristle_step, exponential_decay, rounded_norm
from fem_mbd.friction.law import (
    BristleStiffness,
    DwellTime,
    KineticCoefficient,
    Law,
    Parameter,
    StaticCoefficient,
    StribeckSpeed,
    Viscous,
)
from fem_mbd.friction.records import FrictionKernels, friction_record

SIGMA_0, SIGMA_1, SIGMA_2, MU_S, MU_K, V_S, TAU_DW = range(7)
ROUNDING = 0.01


@dataclass(frozen=True)
class Gonthier(Law):
    """Gonthier's model with dwell time."""

    sigma_0: BristleStiffness
    sigma_1: Annotated[float, Parameter("damping of the bristles", "s/m", "damping", above=0.0)]
    sigma_2: Viscous
    mu_s: StaticCoefficient
    mu_k: KineticCoefficient
    v_s: StribeckSpeed
    tau_dw: DwellTime

    source: ClassVar = "Gonthier et al., Multibody System Dynamics 11 (2004) 209"
    examples: ClassVar = {
        "": {
            "sigma_0": 1e5, "sigma_1": 100.0, "sigma_2": 0.1, "mu_s": 0.15, "mu_k": 0.1, "v_s": 1e-3, "tau_dw": 2.0,
        }
    }  # fmt: skip

    def record(self) -> NDArray[Any]:
        sigma = (self.sigma_0, self.sigma_1, self.sigma_2)
        return friction_record(
            GONTHIER, (*sigma, self.mu_s, self.mu_k, self.v_s, self.tau_dw), states=2, turned=1
        )

    def passivity_limit(self) -> float:
        """Infinite when passive (see above), else 0 m/s: bristles stretched at any speed can generate energy later."""
        return math.inf if self.mu_s == self.mu_k and self.sigma_1 * self.v_s >= 0.5 * self.mu_k else 0.0


@kernel
def gonthier_friction(p, s_m, z_i, dt, mu, z_f):
    """Fill ``mu`` (3,) and ``z_f`` (2, 3): deflection in the first row, s_dw first in the second row."""
    v = rounded_norm(s_m) / dt
    s = exponential_decay(v / p[V_S], 2.0)
    edge = ROUNDING * p[V_S]
    x = v / edge
    per_speed = 1.0 / v if x.real > 1.0 else 0.5 * (3.0 - x * x) / edge
    pull = (1.0 - s) * p[MU_K] * per_speed / p[SIGMA_1]
    b = dt * (1.0 - s) * p[SIGMA_0] / p[SIGMA_1]
    for k in range(3):
        dz, z_g = bristle_step(z_i[0, k], (s + pull) * s_m[k], b)
        z_f[0, k] = z_i[0, k] + dz
        mu[k] = p[SIGMA_0] * z_g + p[SIGMA_1] * dz / dt
    dwell = z_i[1, 0]
    tau = p[TAU_DW] if s.real >= dwell.real else p[SIGMA_1] / p[SIGMA_0]
    dwell = (dwell + dt / tau * s) / (1.0 + dt / tau)
    z_f[1, 0], z_f[1, 1], z_f[1, 2] = dwell, 0.0, 0.0
    largest, level2 = p[MU_K] + (p[MU_S] - p[MU_K]) * dwell, dot(mu, mu)
    factor = 1.0 + 0.0 * v
    if level2.real > largest.real * largest.real:
        factor = largest / np.sqrt(level2)
    for k in range(3):
        mu[k] = factor * mu[k] + p[SIGMA_2] * s_m[k] / dt


@kernel
def gonthier_energy(p: np.ndarray, z: np.ndarray) -> complex:
    """Energy per unit normal force, m, recoverable from bristles that push with mu_s at most."""
    force2 = p[SIGMA_0] * p[SIGMA_0] * dot(z[0], z[0])
    if force2.real <= p[MU_S] * p[MU_S]:
        return 0.5 * force2 / p[SIGMA_0]
    return p[MU_S] * (np.sqrt(force2) - 0.5 * p[MU_S]) / p[SIGMA_0]


GONTHIER = FrictionKernels(gonthier_friction, gonthier_energy)
