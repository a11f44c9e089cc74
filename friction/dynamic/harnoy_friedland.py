"""Friction in a short lubricated journal bearing (Harnoy and Friedland 1994; Marques 2015, eqs. 3.43 and 3.44).

    mu = K_1 (eps - eps_tr)+ + K_2 V/sqrt(1 - eps**2)                       along V, K_1 dimensionless, K_2 in s/m

eps is the journal's eccentricity. The load per unit normal force is carried by asperities and film, R along the line of
centres and T across it (short bearing, film over half the circumference; Harnoy 2003, Bearing Design in Machinery,
eqs. 15-8 and 15-9, there with J_11, J_12, J_22):

    R = K_a (eps - eps_tr)+ + K_h v eps**2/(1 - eps**2)**2 + K_s pi (1 + 2 eps**2)/(2 (1 - eps**2)**(5/2)) eps'
    T = K_h v pi eps/(4 (1 - eps**2)**(3/2)),                                R |R| + T**2 = 1

Steady states are those of the authors. Their fourth-order equations of motion of the journal are reduced to this
first-order equation: the journal's mass and the rotation of the line of centres are neglected, and with it the term
that couples eps' into T. R |R| in place of R**2 keeps the root unique while the journal moves fast. K_1/K_a is the
coefficient of friction of the asperities, and of the contact at rest. eps by implicit Euler (its factor in R by
explicit), bisection. Any direction of slip. State: eps; a contact that closes starts at 0. Friction always opposes the
slip: the law is passive.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from fem_mbd.core.compiled import kernel
from fem_mbd.errors import InputError
from fem_mbd.friction.blocks import rounded_norm
from fem_mbd.friction.law import Law, Parameter
from fem_mbd.friction.records import FrictionKernels, friction_record

K_1, K_2, K_A, EPS_TR, K_H, K_S = range(6)


@dataclass(frozen=True)
class HarnoyFriedland(Law):
    """Harnoy and Friedland's model; K_a must be above 1/(1 - eps_tr)."""

    K_1: Annotated[float, Parameter("friction of the asperities per eccentricity", role="shape", above=0.0)]
    K_2: Annotated[float, Parameter("friction of the film", "s/m", "viscous", above=0.0)]
    K_a: Annotated[
        float, Parameter("load of the asperities per eccentricity", role="shape", above=0.0, symbol="κ")
    ]
    eps_tr: Annotated[float, Parameter("eccentricity at which asperities touch", role="shape", above=0.0)]
    K_h: Annotated[float, Parameter("load of the film by sliding", "s/m", "slope", above=0.0)]
    K_s: Annotated[float, Parameter("load of the film by squeezing", "s", "time", above=0.0)]

    source: ClassVar = "Harnoy and Friedland, Tribology Transactions 37 (1994) 608"
    examples: ClassVar = {"": {"K_1": 1.0, "K_2": 0.05, "K_a": 20.0, "eps_tr": 0.9, "K_h": 50.0, "K_s": 1e-5}}

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.eps_tr + 1.0 / self.K_a >= 1.0:
            raise InputError(
                f"HarnoyFriedland K_a is {self.K_a:g}: at rest the asperities must carry the load below an "
                f"eccentricity of 1, so it must be above 1/(1 - eps_tr) = {1 / max(1 - self.eps_tr, 1e-12):g}"
            )

    def record(self) -> NDArray[Any]:
        return friction_record(
            HARNOY_FRIEDLAND, (self.K_1, self.K_2, self.K_a, self.eps_tr, self.K_h, self.K_s), states=1
        )


@kernel
def harnoy_friedland_friction(p, s_m, z_i, dt, mu, z_f):
    """Fill ``mu`` (3,) and the eccentricity ``z_f[0, 0]``."""
    length = rounded_norm(s_m)
    v, old = length / dt, z_i[0, 0]
    rest = 1.0 - old * old
    squeeze = p[K_S] * np.pi * (1.0 + 2.0 * old * old) / (2.0 * rest * rest * np.sqrt(rest)) / dt
    low, high = 0.0, 1.0 - 1e-12
    for _ in range(60):
        middle = 0.5 * (low + high)
        if _residual(p, middle, v.real, old.real, squeeze.real) > 0.0:
            high = middle
        else:
            low = middle
    root, h = 0.5 * (low + high), 1e-30
    slope = _residual(p, root + 1j * h, v.real, old.real, squeeze.real).imag / h
    change = _residual(p, root + 0.0 * v, v, old, squeeze)
    eps = root - (change - change.real) / slope
    z_f[0, 0] = eps
    level = p[K_2] / (dt * np.sqrt(1.0 - eps * eps))
    if eps.real > p[EPS_TR]:
        level += p[K_1] * (eps - p[EPS_TR]) / length
    for k in range(3):
        mu[k] = level * s_m[k]


HARNOY_FRIEDLAND = FrictionKernels(harnoy_friedland_friction)


@kernel
def _residual(p: np.ndarray, eps: complex, v: complex, old: complex, squeeze: complex) -> complex:
    """Square of the load carried at the eccentricity ``eps`` minus that of the applied load, per unit normal force."""
    rest = 1.0 - eps * eps
    across = p[K_H] * v * np.pi * eps / (4.0 * rest * np.sqrt(rest))
    along = p[K_H] * v * eps * eps / (rest * rest) + squeeze * (eps - old)
    if eps.real > p[EPS_TR]:
        along += p[K_A] * (eps - p[EPS_TR])
    if along.real < 0.0:
        return across * across - along * along - 1.0
    return across * across + along * along - 1.0
