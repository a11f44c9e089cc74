"""Bristle laws whose relaxation rate depends on the deflection: Dahl, Valanis and the elasto-plastic model.

    z' = V - A z,      mu = sigma_0 z + sigma_1 z' + sigma_2 V,      A >= 0

Dahl (1968, 1976; Marques et al. 2016), mu' = sigma_0 V |1 - u|**exponent sgn(1 - u), along e = V/|V| with u = sigma_0
z.e/mu_k:

    A = |V| (sigma_0/mu_k) (1 - (1 - u)**exponent)/u.

exponent 1 is the vector form of Dankowicz; any other is Dahl's law along a line, and the deflection normal to the slip
relaxes at the same rate A. Valanis (endochronic; Gaul and Lenz 1997 for E_t = 0), with u = sigma_0 z.e/mu_k:

    mu' = sigma_0 V (1 - u)/(1 - kappa u),      A = |V| (sigma_0/mu_k) (1 - kappa)/(1 - kappa u),      kappa < 1.

Elasto-plastic (Dupont et al. 2000): A = alpha(z, V) sigma_0 |V|/g(V); alpha = 0 for |z| up to z_ba and whenever z.V <
0, 1 beyond z_max = g/sigma_0, in between 1/2 + sin(pi (|z| - (z_max + z_ba)/2)/(z_max - z_ba))/2: below break-away
there is no creep.

Step: that of LuGre (``blocks.bristle_step``) with A at the mean deflection of the step, found by regula falsi and one
complex Newton step that adds the derivative. The step dissipates for any A >= 0.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from fem_mbd.core.compiled import kernel
from fem_mbd.core.compiled.vectors import dot
from fem_mbd.friction.blocks import bristle_step, per_normal_force, rounded_norm, steady_curve
from fem_mbd.friction.law import (
    BristleDamping,
    BristleStiffness,
    KineticCoefficient,
    Law,
    Parameter,
    StaticCoefficient,
    StribeckExponent,
    StribeckSpeed,
    Viscous,
)
from fem_mbd.friction.records import FrictionKernels, friction_record
from fem_mbd.friction.validity import bristle_speed_limit, stribeck_curve

FORM, SIGMA_0, SIGMA_1, SIGMA_2, MU_S, MU_K, V_S, GAMMA, SHAPE = range(9)
DAHL, VALANIS, ELASTO_PLASTIC = range(3)
MAX_ITERATIONS = 150
TransitionExponent = Annotated[
    float,
    Parameter(
        "exponent of the transition, 1 or above for ductile materials", role="shape", above=0.0, symbol="α"
    ),
]
BreakAwayRatio = Annotated[
    float, Parameter("z_ba/z_max, with the z_max of mu_k", role="shape", above=0.0, below=1.0)
]


@dataclass(frozen=True)
class Dahl(Law):
    """Dahl's model."""

    mu_k: KineticCoefficient
    sigma_0: BristleStiffness
    exponent: TransitionExponent = 1.0

    source: ClassVar = "Dahl, AIAA J. 14 (1976) 1675"
    examples: ClassVar = {"": {"mu_k": 0.1, "sigma_0": 1e5}}

    def record(self) -> NDArray[Any]:
        return _record(DAHL, (self.sigma_0, 0.0, 0.0), (self.mu_k, self.mu_k, 1.0, 2.0), self.exponent)


@dataclass(frozen=True)
class Valanis(Law):
    """Valanis' endochronic model."""

    mu_k: KineticCoefficient
    sigma_0: BristleStiffness
    kappa: Annotated[
        float, Parameter("sharpness of the transition, 0 is soft", role="shape", at_least=0.0, below=1.0)
    ] = 0.0

    source: ClassVar = (
        "Valanis, Archives of Mechanics 23 (1971) 517; Gaul and Lenz, Acta Mechanica 125 (1997) 169"
    )
    examples: ClassVar = {"": {"mu_k": 0.1, "sigma_0": 1e5, "kappa": 0.6}}

    def record(self) -> NDArray[Any]:
        return _record(VALANIS, (self.sigma_0, 0.0, 0.0), (self.mu_k, self.mu_k, 1.0, 2.0), self.kappa)


@dataclass(frozen=True)
class ElastoPlastic(Law):
    """Dupont's model: LuGre without creep below break-away."""

    sigma_0: BristleStiffness
    sigma_1: BristleDamping
    sigma_2: Viscous
    mu_s: StaticCoefficient
    mu_k: KineticCoefficient
    v_s: StribeckSpeed
    gamma: StribeckExponent = 2.0
    ratio: BreakAwayRatio = 0.7

    source: ClassVar = "Dupont et al., IEEE Trans. Automatic Control 47 (2002) 787"
    examples: ClassVar = {
        "": {"sigma_0": 1e5, "sigma_1": 10.0, "sigma_2": 0.1, "mu_s": 0.15, "mu_k": 0.1, "v_s": 1e-3}
    }

    def record(self) -> NDArray[Any]:
        sigma = (self.sigma_0, self.sigma_1, self.sigma_2)
        return _record(ELASTO_PLASTIC, sigma, (self.mu_s, self.mu_k, self.v_s, self.gamma), self.ratio)

    def passivity_limit(self) -> float:
        """Slip speed in m/s up to which friction generates no energy, as for `LuGre`: alpha = 1 is the worst case."""
        g = stribeck_curve(self.mu_s, self.mu_k, self.v_s, self.gamma)
        return bristle_speed_limit(g, self.sigma_1, self.sigma_2, self.mu_s)


def _record(form: int, sigma: tuple[float, ...], curve: tuple[float, ...], shape: float) -> NDArray[Any]:
    return friction_record(HARDENING, (form, *sigma, *curve, shape), states=1, turned=1, springs=sigma[:1])


@kernel
def hardening_friction(p, classical, s_m, z_i, f_n, dt, mu, z_f):
    """Fill ``mu`` (3,) and ``z_f[0]`` from the slip ``s_m`` (3,) in m and the state ``z_i[0]``."""
    length = rounded_norm(s_m)
    g = p[MU_K] + 0.0 * length
    if p[FORM] == ELASTO_PLASTIC:
        g = steady_curve(0.0, p[MU_S], p[MU_K], p[V_S], p[GAMMA], length / dt)
    per = per_normal_force(classical, f_n)
    sigma_0, sigma_1, sigma_2 = p[SIGMA_0] * per, p[SIGMA_1] * per, p[SIGMA_2] * per
    base = length * sigma_0 / g
    z_s, z_z, s_s = dot(z_i[0], s_m), dot(z_i[0], z_i[0]), dot(s_m, s_m)
    factor = _solve(p, sigma_0, z_s, z_z, s_s, length, base, g)
    b = factor * base
    for k in range(3):
        dz, z_g = bristle_step(z_i[0, k], s_m[k], b)
        z_f[0, k] = z_i[0, k] + dz
        mu[k] = sigma_0 * z_g + (sigma_1 * dz + sigma_2 * s_m[k]) / dt


HARDENING = FrictionKernels(hardening_friction)


@kernel
def _solve(p, sigma_0, z_s, z_z, s_s, length, base, g):
    """The factor of A consistent with the mean deflection that it causes."""
    if (p[FORM] == DAHL and p[SHAPE] == 1.0) or (p[FORM] == VALANIS and p[SHAPE] == 0.0):
        return 1.0 + 0.0 * base
    k, zs, zz, ss = sigma_0.real, z_s.real, z_z.real, s_s.real
    root = _real_root(p, k, zs, zz, ss, length.real, base.real, g.real)
    h = 1e-30
    slope = _residual(p, root + 1j * h, k, zs, zz, ss, length.real, base.real, g.real).imag / h
    change = _residual(p, root + 0.0 * base, sigma_0, z_s, z_z, s_s, length, base, g)
    # the root is exact to round-off; add its complex-step derivative
    return root - (change - change.real) / slope


@kernel
def _real_root(p, k, z_s, z_z, s_s, length, base, g):
    """Root of ``_residual`` by regula falsi (Illinois), with bisection in every third iteration."""
    low, high = 0.0, _largest(p)
    below = _residual(p, low, k, z_s, z_z, s_s, length, base, g)
    above = _residual(p, high, k, z_s, z_z, s_s, length, base, g)
    if below >= 0.0:
        return low
    if above <= 0.0:
        return high
    root, side = low, 0
    for trial in range(MAX_ITERATIONS):
        root = (low * above - high * below) / (above - below) if trial % 3 < 2 else 0.5 * (low + high)
        residual = _residual(p, root, k, z_s, z_z, s_s, length, base, g)
        if abs(residual) <= 1e-14 * high or high - low <= 1e-15 * high:
            break
        if residual > 0.0:
            high, above = root, residual
            below = 0.5 * below if side == 1 else below
            side = 1
        else:
            low, below = root, residual
            above = 0.5 * above if side == -1 else above
            side = -1
    return root


@kernel
def _largest(p: np.ndarray) -> float:
    """Upper bound of the factor."""
    if p[FORM] == DAHL:
        return max(p[SHAPE], 2.0 ** p[SHAPE], 1.0) + 1.0
    return 1.0


@kernel
def _residual(p, factor, sigma_0, z_s, z_z, s_s, length, base, g):
    """factor - (factor required by the mean deflection of a step with it); increases with the factor."""
    b = factor * base
    a = b / 6.0
    share = (0.5 + a) / (1.0 + a * (4.0 + 6.0 * a))
    # mean = keep z_i + share s
    keep, e = 1.0 - share * b, 1.0 / length
    if p[FORM] == ELASTO_PLASTIC:
        along = keep * z_s + share * s_s
        if along.real <= 0.0:
            return factor
        z = np.sqrt(keep * keep * z_z + 2.0 * keep * share * z_s + share * share * s_s)
        top = g / sigma_0
        start = p[SHAPE] * p[MU_K] / sigma_0
        if z.real <= start.real:
            return factor
        if z.real >= top.real:
            return factor - 1.0
        return factor - 0.5 - 0.5 * np.sin(np.pi * (z - 0.5 * (top + start)) / (top - start))
    u = (keep * z_s + share * s_s) * e * sigma_0 / p[MU_K]
    if p[FORM] == VALANIS:
        return factor - (1.0 - p[SHAPE]) / (1.0 - p[SHAPE] * u) if u.real < 1.0 else factor - 1.0
    if u.real >= 1.0:
        return factor - 1.0 / u
    if u.real * u.real < 1e-8:
        return factor - p[SHAPE] * (1.0 - 0.5 * (p[SHAPE] - 1.0) * u)
    return factor - (1.0 - (1.0 - u) ** p[SHAPE]) / u
