"""Bristles that stretch up to a limit and then slide: the reset integrator and Liang's model.

Reset integrator (Haessig and Friedland 1991; Marques 2015, eqs. 3.34 and 3.35): z' = V while |z| < z_0 = mu_k/sigma_0,

    mu = (1 + a) sigma_0 z + sigma_1 z' while it stretches,      mu = sigma_0 z while it slides.

sigma_0 may depend on the speed as published; it is constant here.

Liang et al. (2012; Marques 2015, eqs. 3.73 to 3.75), for every direction of slip: mu = sigma_0 z + sigma_1 z' with |z|
at most mu_s/sigma_0 up to the speed v_s and mu_k/sigma_0 beyond (v_s compared with the speed of the last step). z' is
the stretching part of the slip. Both have exact steps (``bond.py``) and hold in vector form; the drop of force when the
reset integrator begins to slide is the authors'.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from numpy.typing import NDArray

from fem_mbd.friction.checks import make_not_below, make_not_negative, make_positive
from fem_mbd.friction.kinds import BOND
from fem_mbd.friction.records import friction_record
from fem_mbd.friction.static import bond


@dataclass(frozen=True)
class ResetIntegrator:
    """mu_k: coefficient. a: stiction. sigma_0: stiffness in 1/m. sigma_1: damping in s/m."""

    mu_k: float
    a: float
    sigma_0: float
    sigma_1: float = 0.0

    def __post_init__(self) -> None:
        make_positive(self, "mu_k", "sigma_0")
        make_not_negative(self, "a", "sigma_1")

    def record(self) -> NDArray[Any]:
        """Parameters as a 0-d array of dtype ``FRICTION_LAW``."""
        return friction_record(
            BOND,
            (bond.RESET, self.mu_k, self.mu_k, 1.0, 2.0, 0.0, 1.0, self.sigma_0, self.sigma_1, 0.5, self.a),
        )


@dataclass(frozen=True)
class Liang:
    """mu_s >= mu_k: coefficients. sigma_0: stiffness in 1/m. sigma_1: damping in s/m. v_s: speed in m/s."""

    mu_s: float
    mu_k: float
    sigma_0: float
    sigma_1: float
    v_s: float

    def __post_init__(self) -> None:
        make_positive(self, "mu_s", "mu_k", "sigma_0", "v_s")
        make_not_negative(self, "sigma_1")
        make_not_below(self, "mu_s", "mu_k")

    def record(self) -> NDArray[Any]:
        """Parameters as a 0-d array of dtype ``FRICTION_LAW``."""
        return friction_record(
            BOND, (bond.LIANG, self.mu_s, self.mu_k, self.v_s, 2.0, 0.0, 1.0, self.sigma_0, self.sigma_1, 0.5)
        )
