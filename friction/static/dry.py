"""Dry friction laws that stick (Coulomb, Stribeck, Karnopp): multivalued force at rest, break-away at mu_s.

    Coulomb             mu_k                                                          (Coulomb 1785; 3.1 to 3.3)
    with stiction       mu_s at rest, mu_k sliding                                    (3.4 and 3.5)
    with viscous part   mu_k + sigma_2 v**delta_v                                     (3.6, 3.7)
    Hess-Soom           mu_k + (mu_s - mu_k)/(1 + (v/v_s)**2) + sigma_2 v             (Hess and Soom 1990; 3.9)
    Bo-Pavelescu        mu_k + (mu_s - mu_k) exp(-(v/v_s)**gamma) + sigma_2 v         (Bo and Pavelescu 1982; 3.10)
    Karnopp             mu_s at most while v < D_v, mu_k + sigma_2 v beyond           (Karnopp 1985; 3.11)
    switch              Karnopp's, with damping of the slip inside the window          (Leine et al. 1998; 3.12)
    Awrejcewicz         mu_s at most, blended to mu_k by (v/v_s)**2 (3 - 2 v/v_s)     (Awrejcewicz et al. 2008; 3.22)

The last three are in ``sticking_curves.py``; Karnopp's and Awrejcewicz's take any F(v) in place of mu_k.

Numbers: equations of F. Marques, Frictional contacts in multibody dynamics, thesis, University of Minho 2015; the same
forms are in Marques et al., Nonlinear Dynamics 86 (2016). Coefficients are forces divided by the normal force, v is the
mean speed of the step. The external force that balances friction at rest is not known to a contact: a bond
with the elastic displacement ``x_stick`` finds it; this length (m) belongs to the discretisation, not to
the author's law, and should be far below the displacements of interest. The vector form holds for any direction of slip
and any normal force. The transition from static to kinetic friction depends on whether the last step slid.

Time step of the laws that stick: a tangential spring (bond) of stiffness k that slips at the deflection cap/k.

The multivalued force at rest is that of the bond; while sliding, its force is the law's coefficient ``cap`` along the
slip. The path of the bond over a straight slip is exact (``blocks.slide``), so the energy balance closes and no cap can
generate energy. Caps that are continuous functions of speed use the speed of the step. Caps that jump (static to
kinetic, Karnopp's window, accelerating or braking) use the state of the last accepted step: within a step nothing
jumps, and the force is monotonic for Newton's method. A law is its cap.

State: row 0 deflection of the bond; row 1 (slid, speed, speed before); row 2 (dwell time in s, two numbers of the law).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from fem_mbd.core.compiled import kernel
from fem_mbd.friction.blocks import (
    EXPONENTIAL,
    RATIONAL,
    slide,
    steady_curve,
    table_curve,
)
from fem_mbd.friction.law import (
    KineticCoefficient,
    Law,
    Parameter,
    StaticCoefficient,
    Stick,
    StribeckExponent,
    StribeckSpeed,
    Viscous,
)
from fem_mbd.friction.records import BondKernels, FrictionKernels, friction_record
from fem_mbd.friction.steady_points import Points, with_slopes

# the law's own parameters: MU_S, MU_K, V_S and SHAPE have the meaning of most of them
K, STUCK, DAMPING, F_V, DELTA_V, MU_S, MU_K, V_S, SHAPE, POINTS, TABLE = range(11)
X_STICK = 1e-6  # m


def bond_record(
    kernels: FrictionKernels,
    k: float,
    parameters: Sequence[float],
    *,
    stuck: float | None = None,
    damping: float = 0.0,
    theta: float = 0.5,
    sigma_2: float = 0.0,
    delta_v: float = 1.0,
    memory: int = 0,
) -> NDArray[Any]:
    """Record of a law with a bond.

    Parameters
    ----------
    kernels : FrictionKernels
        Of the law.
    k, stuck : float
        Stiffness of the bond [1/m] while sliding and while stuck; equal when not given.
    parameters : sequence of float
        The law's parameters, from ``MU_S`` on.
    damping : float
        Damping of the bond while it sticks [s/m].
    theta : float
        1/2: mean deflection of the step; 1: deflection at its end, which adds damping, for bonds that are numerical.
    sigma_2, delta_v : float
        Viscous part sigma_2 v**delta_v.
    memory : int
        Rows of state of the law itself, after those of the bond.
    """
    k_stuck = k if stuck is None else stuck
    numbers = (k, k_stuck, damping, sigma_2, delta_v, *parameters)
    record = friction_record(kernels, numbers, states=3 + memory, turned=1, springs=(k_stuck,))
    record["theta"] = theta
    return record


def dry_record(
    kernels: FrictionKernels,
    mu_s: float,
    mu_k: float,
    x_stick: float,
    v_s: float = 1.0,
    shape: float = 2.0,
    curve: Points = (),
    **others: Any,
) -> NDArray[Any]:
    """Record of a law whose bond is numerical: stiffness mu_s/x_stick, taken at the end of the step.

    curve: F(v) of the user in place of mu_k.
    """
    table = with_slopes(curve).ravel() if curve else ()
    parameters = (mu_s, mu_k, v_s, shape, len(curve), *table)
    return bond_record(kernels, mu_s / x_stick, parameters, theta=1.0, **others)


@kernel
def bond_step(p, theta, cap, v, s_m, z_i, dt, mu, z_f):
    """Fill ``mu`` (3,) and ``z_f`` (3, 3) from the slip ``s_m`` (3,) in m and the state ``z_i``; whether it slid.

    cap: largest coefficient of this step. v: its mean speed in m/s.
    """
    elastic, plastic = np.empty(3, s_m.dtype), np.empty(3, s_m.dtype)
    tau = slide(z_i[0], s_m, cap / p[K], theta, z_f[0], elastic, plastic)
    viscous = 0.0 * v
    if p[F_V] > 0.0:
        viscous = p[F_V] * (v ** (p[DELTA_V] - 1.0) if p[DELTA_V] != 1.0 else 1.0 + 0.0 * v)
    for k in range(3):
        mu[k] = p[STUCK] * elastic[k] + p[K] * plastic[k] + (p[DAMPING] * tau + viscous) * s_m[k] / dt
    slid = tau.real < 1.0
    z_f[1, 0], z_f[1, 1], z_f[1, 2] = (1.0 if slid else 0.0), v, z_i[1, 1]
    z_f[2, 0] = 0.0 if slid else z_i[2, 0] + dt
    z_f[2, 1], z_f[2, 2] = z_i[2, 1], z_i[2, 2]
    return slid


@kernel
def kinetic_cap(p: np.ndarray, z_i: np.ndarray, v: complex) -> complex:
    """mu_k, or the user's F(v)."""
    return table_curve(p[TABLE:], int(p[POINTS]), v) if p[POINTS] > 0.0 else p[MU_K] + 0.0 * v


@kernel
def stiction_cap(p: np.ndarray, z_i: np.ndarray, v: complex) -> complex:
    """mu_k where the last step slid, mu_s where it stuck."""
    return (p[MU_K] if z_i[1, 0].real > 0.5 else p[MU_S]) + 0.0 * v


@kernel
def hess_soom_cap(p: np.ndarray, z_i: np.ndarray, v: complex) -> complex:
    """Rational Stribeck curve."""
    return steady_curve(RATIONAL, p[MU_S], p[MU_K], p[V_S], p[SHAPE], v)


@kernel
def stribeck_cap(p: np.ndarray, z_i: np.ndarray, v: complex) -> complex:
    """Exponential Stribeck curve."""
    return steady_curve(EXPONENTIAL, p[MU_S], p[MU_K], p[V_S], p[SHAPE], v)


KINETIC, STICTION = BondKernels(kinetic_cap), BondKernels(stiction_cap)
HESS_SOOM, STRIBECK = BondKernels(hess_soom_cap), BondKernels(stribeck_cap)
MARQUES = "Marques et al., Nonlinear Dynamics 86 (2016) 1407"


@dataclass(frozen=True)
class DryCoulomb(Law):
    """Coulomb's law."""

    mu_k: KineticCoefficient
    x_stick: Stick = X_STICK

    source: ClassVar = "Coulomb, Théorie des machines simples (1785)"
    examples: ClassVar = {"": {"mu_k": 0.1}}

    def record(self) -> NDArray[Any]:
        return dry_record(KINETIC, self.mu_k, self.mu_k, self.x_stick)


@dataclass(frozen=True)
class CoulombStiction(Law):
    """Coulomb's law with a larger coefficient at rest."""

    mu_s: StaticCoefficient
    mu_k: KineticCoefficient
    x_stick: Stick = X_STICK

    source: ClassVar = MARQUES
    examples: ClassVar = {"": {"mu_s": 0.15, "mu_k": 0.1}}

    def record(self) -> NDArray[Any]:
        return dry_record(STICTION, self.mu_s, self.mu_k, self.x_stick)


@dataclass(frozen=True)
class CoulombViscous(Law):
    """Coulomb's law with a viscous part, linear or of a power of the speed."""

    mu_k: KineticCoefficient
    sigma_2: Annotated[float, Parameter("viscous coefficient", "(s/m)**delta_v", "viscous", at_least=0.0)]
    delta_v: Annotated[float, Parameter("power of the speed, 1 is linear", role="shape", above=0.0)] = 1.0
    x_stick: Stick = X_STICK

    source: ClassVar = MARQUES
    examples: ClassVar = {"": {"mu_k": 0.1, "sigma_2": 0.1}}

    def record(self) -> NDArray[Any]:
        return dry_record(
            KINETIC, self.mu_k, self.mu_k, self.x_stick, sigma_2=self.sigma_2, delta_v=self.delta_v
        )


@dataclass(frozen=True)
class HessSoom(Law):
    """Stribeck curve 1/(1 + (v/v_s)**2) and a viscous part."""

    mu_s: StaticCoefficient
    mu_k: KineticCoefficient
    v_s: StribeckSpeed
    sigma_2: Viscous = 0.0
    x_stick: Stick = X_STICK

    source: ClassVar = "Hess and Soom, J. Tribology 112 (1990) 147"
    examples: ClassVar = {"": {"mu_s": 0.15, "mu_k": 0.1, "v_s": 1e-3, "sigma_2": 0.1}}

    def record(self) -> NDArray[Any]:
        return dry_record(HESS_SOOM, self.mu_s, self.mu_k, self.x_stick, self.v_s, sigma_2=self.sigma_2)


@dataclass(frozen=True)
class BoPavelescu(Law):
    """Exponential Stribeck curve and a viscous part."""

    mu_s: StaticCoefficient
    mu_k: KineticCoefficient
    v_s: StribeckSpeed
    gamma: StribeckExponent = 2.0
    sigma_2: Viscous = 0.0
    x_stick: Stick = X_STICK

    source: ClassVar = "Bo and Pavelescu, Wear 82 (1982) 277"
    examples: ClassVar = {"": {"mu_s": 0.15, "mu_k": 0.1, "v_s": 1e-3, "sigma_2": 0.1}}

    def record(self) -> NDArray[Any]:
        return dry_record(
            STRIBECK, self.mu_s, self.mu_k, self.x_stick, self.v_s, self.gamma, sigma_2=self.sigma_2
        )
