"""Static laws whose force at rest is multivalued: they stick, and break away at the static coefficient.

    Coulomb             mu_k                                                          (Coulomb 1785; 3.1 to 3.3)
    with stiction       mu_s at rest, mu_k sliding                                    (3.4 and 3.5)
    with viscous part   mu_k + sigma_2 v**delta_v                                     (3.6, 3.7)
    Hess-Soom           mu_k + (mu_s - mu_k)/(1 + (v/v_s)**2) + sigma_2 v             (Hess and Soom 1990; 3.9)
    Bo-Pavelescu        mu_k + (mu_s - mu_k) exp(-(v/v_s)**gamma) + sigma_2 v         (Bo and Pavelescu 1982; 3.10)
    Karnopp             mu_s at most while v < D_v, mu_k + sigma_2 v beyond           (Karnopp 1985; 3.11)
    switch              Karnopp's, and inside the window the slip is damped           (Leine et al. 1998; 3.12)
    Awrejcewicz         mu_s at most, blended to mu_k by (v/v_s)**2 (3 - 2 v/v_s)     (Awrejcewicz et al. 2008; 3.22)

Numbers: equations of F. Marques, Frictional contacts in multibody dynamics, thesis, University of Minho 2015; the same
forms stand in Marques et al., Nonlinear Dynamics 86 (2016). Karnopp's sigma_2 v counts inside the window too, where it
is small. Leine's law sets the acceleration of a stuck mass in proportion to its slip; a contact knows no mass, so
sigma_1 is a damping beside the bond. Awrejcewicz's four branches depend on the external force too: the blend is the one
of a force of mu_s, their largest curve, and below it the bond holds. Coefficients are forces divided by the normal
force, v is the mean speed of the step. The external force that balances friction at rest is not known to a contact: a
bond (``bond.py``) with the give ``x_stick`` finds it; this length (m) belongs to the discretisation, not to the
author's law, and should be far below the displacements of interest. The vector form holds for any direction of slip and
any normal force. Memory of sliding (static to kinetic) is that of the last step.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from numpy.typing import NDArray

from fem_mbd.friction.checks import make_not_below, make_not_negative, make_positive
from fem_mbd.friction.kinds import BOND
from fem_mbd.friction.records import friction_record
from fem_mbd.friction.static import bond

X_STICK = 1e-6  # m


@dataclass(frozen=True)
class DryCoulomb:
    """mu_k: coefficient. x_stick: give at break-away in m."""

    mu_k: float
    x_stick: float = X_STICK

    def __post_init__(self) -> None:
        make_positive(self, "mu_k", "x_stick")

    def record(self) -> NDArray[Any]:
        """Parameters as a 0-d array of dtype ``FRICTION_LAW``."""
        return bond_record(bond.CONSTANT, self.mu_k, self.mu_k, self.x_stick)


@dataclass(frozen=True)
class CoulombStiction:
    """mu_s >= mu_k: static and kinetic coefficient. x_stick: give at break-away in m."""

    mu_s: float
    mu_k: float
    x_stick: float = X_STICK

    def __post_init__(self) -> None:
        make_positive(self, "mu_s", "mu_k", "x_stick")
        make_not_below(self, "mu_s", "mu_k")

    def record(self) -> NDArray[Any]:
        """Parameters as a 0-d array of dtype ``FRICTION_LAW``."""
        return bond_record(bond.STICTION, self.mu_s, self.mu_k, self.x_stick)


@dataclass(frozen=True)
class CoulombViscous:
    """mu_k: coefficient. sigma_2 in (s/m)**delta_v per unit normal force. delta_v: power of the speed, 1 is linear."""

    mu_k: float
    sigma_2: float
    delta_v: float = 1.0
    x_stick: float = X_STICK

    def __post_init__(self) -> None:
        make_positive(self, "mu_k", "delta_v", "x_stick")
        make_not_negative(self, "sigma_2")

    def record(self) -> NDArray[Any]:
        """Parameters as a 0-d array of dtype ``FRICTION_LAW``."""
        return bond_record(
            bond.CONSTANT, self.mu_k, self.mu_k, self.x_stick, sigma_2=self.sigma_2, delta_v=self.delta_v
        )


@dataclass(frozen=True)
class HessSoom:
    """mu_s >= mu_k, v_s in m/s: Stribeck curve. sigma_2: viscous coefficient in s/m per unit normal force."""

    mu_s: float
    mu_k: float
    v_s: float
    sigma_2: float = 0.0
    x_stick: float = X_STICK

    def __post_init__(self) -> None:
        make_positive(self, "mu_s", "mu_k", "v_s", "x_stick")
        make_not_negative(self, "sigma_2")
        make_not_below(self, "mu_s", "mu_k")

    def record(self) -> NDArray[Any]:
        """Parameters as a 0-d array of dtype ``FRICTION_LAW``."""
        return bond_record(bond.HESS_SOOM, self.mu_s, self.mu_k, self.x_stick, self.v_s, sigma_2=self.sigma_2)


@dataclass(frozen=True)
class BoPavelescu:
    """mu_s >= mu_k, v_s in m/s, gamma: Stribeck curve. sigma_2: viscous coefficient in s/m per unit normal force."""

    mu_s: float
    mu_k: float
    v_s: float
    gamma: float = 2.0
    sigma_2: float = 0.0
    x_stick: float = X_STICK

    def __post_init__(self) -> None:
        make_positive(self, "mu_s", "mu_k", "v_s", "gamma", "x_stick")
        make_not_negative(self, "sigma_2")
        make_not_below(self, "mu_s", "mu_k")

    def record(self) -> NDArray[Any]:
        """Parameters as a 0-d array of dtype ``FRICTION_LAW``."""
        return bond_record(
            bond.STRIBECK, self.mu_s, self.mu_k, self.x_stick, self.v_s, self.gamma, self.sigma_2
        )


@dataclass(frozen=True)
class Karnopp:
    """mu_s >= mu_k: coefficients. D_v: speed in m/s below which the contact counts as stuck. sigma_2: as in
    BoPavelescu.
    """

    mu_s: float
    mu_k: float
    D_v: float
    sigma_2: float = 0.0
    x_stick: float = X_STICK

    def __post_init__(self) -> None:
        make_positive(self, "mu_s", "mu_k", "D_v", "x_stick")
        make_not_negative(self, "sigma_2")
        make_not_below(self, "mu_s", "mu_k")

    def record(self) -> NDArray[Any]:
        """Parameters as a 0-d array of dtype ``FRICTION_LAW``."""
        return bond_record(bond.WINDOW, self.mu_s, self.mu_k, self.x_stick, self.D_v, sigma_2=self.sigma_2)


@dataclass(frozen=True)
class Switch:
    """mu_s >= mu_k: coefficients. D_v: window in m/s. sigma_1: damping of the stuck contact in s/m."""

    mu_s: float
    mu_k: float
    D_v: float
    sigma_1: float
    x_stick: float = X_STICK

    def __post_init__(self) -> None:
        make_positive(self, "mu_s", "mu_k", "D_v", "sigma_1", "x_stick")
        make_not_below(self, "mu_s", "mu_k")

    def record(self) -> NDArray[Any]:
        """Parameters as a 0-d array of dtype ``FRICTION_LAW``."""
        return bond_record(bond.WINDOW, self.mu_s, self.mu_k, self.x_stick, self.D_v, damping=self.sigma_1)


@dataclass(frozen=True)
class Awrejcewicz:
    """mu_s >= mu_k: coefficients. v_s: speed in m/s above which sliding is established."""

    mu_s: float
    mu_k: float
    v_s: float
    x_stick: float = X_STICK

    def __post_init__(self) -> None:
        make_positive(self, "mu_s", "mu_k", "v_s", "x_stick")
        make_not_below(self, "mu_s", "mu_k")

    def record(self) -> NDArray[Any]:
        """Parameters as a 0-d array of dtype ``FRICTION_LAW``."""
        return bond_record(bond.BLEND, self.mu_s, self.mu_k, self.x_stick, self.v_s)


def bond_record(
    form: int,
    mu_s: float,
    mu_k: float,
    x_stick: float,
    v_s: float = 1.0,
    shape: float = 2.0,
    sigma_2: float = 0.0,
    delta_v: float = 1.0,
    damping: float = 0.0,
) -> NDArray[Any]:
    """Record of a law whose bond is numerical: stiffness mu_s/x_stick, taken at the end of the step."""
    return friction_record(
        BOND, (form, mu_s, mu_k, v_s, shape, sigma_2, delta_v, mu_s / x_stick, damping, 1.0)
    )
