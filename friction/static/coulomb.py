"""Regularised Coulomb friction: coefficient mu_k (1 - exp(-|V|/v_0)) along the slip (Bauchau and Ju, eq. 21).

V is the mean slip velocity of the step in m/s. Sticking is replaced by creep at speeds well below v_0. The
vector form used here, mu_k phi(|V|/v_0) V/v_0 with phi(x) = (1 - exp(-x))/x, needs no direction of slip and is
smooth enough at V = 0.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fem_mbd.compiled import kernel
from fem_mbd.friction.checks import make_not_negative, make_positive
from fem_mbd.friction.kinds import COULOMB
from fem_mbd.friction.records import friction_record

MU, V_0 = range(2)

# Above this the quotient of phi is taken as it stands, having lost less than a digit.
SERIES_LIMIT = 0.5
SERIES_TERMS = 16


@dataclass(frozen=True)
class Coulomb:
    """Coulomb friction with an exponential regularisation.

    mu_k: kinetic coefficient, zero or above. v_0: regularisation speed in m/s.

    Raises ``InputError`` when a parameter is out of range or not finite.
    """

    mu_k: float
    v_0: float

    def __post_init__(self) -> None:
        make_not_negative(self, "mu_k")
        make_positive(self, "v_0")

    def record(self) -> NDArray[Any]:
        """Parameters as a 0-d array of dtype ``FRICTION_LAW``."""
        return friction_record(COULOMB, (self.mu_k, self.v_0))


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
