"""Regularised Coulomb friction: coefficient mu_k (1 - exp(-|V|/v_0)) along the slip (Bauchau and Ju, eq. 21).

V is the mean slip velocity of the step in m/s. Sticking is replaced by creep at speeds well below v_0. The
vector form used here, mu_k phi(|V|/v_0) V/v_0 with phi(x) = (1 - exp(-x))/x, needs no direction of slip and is
smooth enough at V = 0.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from fem_mbd.core.compiled import kernel
from fem_mbd.friction.law import Law
from fem_mbd.friction.parameters import KineticOrZero, Parameter
from fem_mbd.friction.records import friction_record

KIND = 2
MU, V_0 = range(2)

# Above this the quotient of phi is evaluated directly: it loses less than a digit.
SERIES_LIMIT = 0.5
SERIES_TERMS = 16


@dataclass(frozen=True)
class Coulomb(Law):
    """Coulomb friction with an exponential regularisation."""

    mu_k: KineticOrZero
    v_0: Annotated[float, Parameter("speed of the regularisation", "m/s", "speed", above=0.0)]

    source: ClassVar = "Bauchau and Ju, Comput. Methods Appl. Mech. Eng. 195 (2006) 6909"
    examples: ClassVar = {"": {"mu_k": 0.1, "v_0": 1e-3}}

    def record(self) -> NDArray[Any]:
        return friction_record(KIND, (self.mu_k, self.v_0))


@kernel
def coulomb_friction(p: np.ndarray, s_m: np.ndarray, f_n: complex, dt: float, mu: np.ndarray) -> complex:
    """Fill ``mu`` (3,) from the slip ``s_m`` (3,) in m of the step; return the energy lost in J."""
    slip2 = s_m[0] * s_m[0] + s_m[1] * s_m[1] + s_m[2] * s_m[2]
    weight = p[MU] / (p[V_0] * dt) * _phi(np.sqrt(slip2) / (p[V_0] * dt))
    for k in range(3):
        mu[k] = weight * s_m[k]
    return f_n * weight * slip2


@kernel
def _phi(x: complex) -> complex:
    """(1 - exp(-x))/x, 1 at x = 0."""
    if x.real * x.real + x.imag * x.imag > SERIES_LIMIT * SERIES_LIMIT:
        return (1.0 - np.exp(-x)) / x
    total = 1.0 + 0.0 * x
    for k in range(SERIES_TERMS, 1, -1):
        total = 1.0 - total * x / k
    return total
