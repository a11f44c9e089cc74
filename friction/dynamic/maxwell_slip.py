"""Springs with sliders in parallel: Iwan's model and the generalised Maxwell slip (GMS) model.

Iwan (1966, parallel-series model with sliders of evenly spread strength): n equal springs of total stiffness k (1/m),
limits w_i = mu_k (2i - 1)/n**2. For many springs the first loading is mu = k x (1 - k x/(4 mu_k)) up to x = 2 mu_k/k,
and Masing's rules hold (nonlocal memory).

GMS (Lampaert et al. 2003, Al-Bender et al. 2005; Marques 2015, eqs. 3.60 to 3.63): element i of stiffness k_i has the
fraction alpha_i of the Stribeck curve g(V) and of the attraction C, sum alpha_i = 1,

    sticking  z_i' = V  until k_i |z_i| = alpha_i g(V);     sliding  F_i' = C (alpha_i - F_i/g(V)) along V

until the slip reverses; mu = sum F_i + sigma_2 V, F_i = k_i z_i. C is a force rate per unit normal force (1/s), as in
the publication of 2005; the thesis has the same in terms of deflections, z_i' = C_i (1 - z_i/g_i), and adds a damping
sigma_i z_i' to each element, which is omitted here.

Deviations: the sliding limit of an element follows that equation by an implicit Euler step, g being evaluated at the
step's mean speed, and the element moves on the exact path below it (``blocks.slide``). So it is never loaded faster
than by the slip itself; as printed it is where C (alpha_i - F_i/g) > k_i V, and would generate energy. Vector form, for
any direction of slip; up to 12 elements.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from fem_mbd.core.compiled import kernel
from fem_mbd.core.compiled.vectors import dot
from fem_mbd.errors import InputError
from fem_mbd.friction.blocks import rounded_norm, slide, steady_curve
from fem_mbd.friction.law import (
    BristleStiffness,
    KineticCoefficient,
    Law,
    Parameter,
    Shares,
    StaticCoefficient,
    Stiffnesses,
    StribeckExponent,
    StribeckSpeed,
    Viscous,
)
from fem_mbd.friction.records import FrictionKernels, friction_record

COUNT, MU_S, MU_K, V_S, GAMMA, ATTRACTION, SIGMA_2, STIFFNESS = range(8)
MAX_ELEMENTS = 12
SHARE = STIFFNESS + MAX_ELEMENTS


@dataclass(frozen=True)
class Iwan(Law):
    """Iwan's model; sigma_0 is the stiffness of all springs."""

    mu_k: KineticCoefficient
    sigma_0: BristleStiffness
    n: Annotated[int, Parameter("number of springs", at_least=1, at_most=MAX_ELEMENTS)] = 8

    source: ClassVar = "Iwan, J. Applied Mechanics 33 (1966) 893"
    examples: ClassVar = {"": {"mu_k": 0.1, "sigma_0": 1e5}}

    def record(self) -> NDArray[Any]:
        shares = [(2 * i + 1) / self.n**2 for i in range(self.n)]
        return _record(
            (self.n, self.mu_k, self.mu_k, 1.0, 2.0, 0.0, 0.0), [self.sigma_0 / self.n] * self.n, shares
        )


@dataclass(frozen=True)
class GeneralisedMaxwellSlip(Law):
    """Generalised Maxwell slip, 1 to 12 elements."""

    mu_s: StaticCoefficient
    mu_k: KineticCoefficient
    v_s: StribeckSpeed
    k: Stiffnesses
    alpha: Shares
    C: Annotated[float, Parameter("attraction to the Stribeck curve", "1/s", "rate", above=0.0)]
    sigma_2: Viscous = 0.0
    gamma: StribeckExponent = 2.0

    source: ClassVar = (
        "Lampaert, Al-Bender and Swevers, Proc. PhysCon (2003) 1170; "
        "Al-Bender, Lampaert and Swevers, IEEE Trans. Automatic Control 50 (2005) 1883"
    )
    examples: ClassVar = {
        "": {
            "mu_s": 0.15, "mu_k": 0.1, "v_s": 1e-3, "k": (4e4, 3e4, 2e4, 1e4), "alpha": (0.1, 0.2, 0.3, 0.4),
            "C": 100.0, "sigma_2": 0.1,
        }
    }  # fmt: skip

    def __post_init__(self) -> None:
        super().__post_init__()
        check_elements(self, self.k, self.alpha)

    def record(self) -> NDArray[Any]:
        head = (len(self.k), self.mu_s, self.mu_k, self.v_s, self.gamma, self.C, self.sigma_2)
        return _record(head, self.k, self.alpha)


def check_elements(law: Any, k: Sequence[float], alpha: Sequence[float]) -> None:
    """InputError unless there are as many stiffnesses as fractions, 1 to 12, and the fractions add up to 1."""
    name = type(law).__name__
    if len(k) != len(alpha) or not 1 <= len(k) <= MAX_ELEMENTS:
        raise InputError(
            f"{name} has {len(k)} k and {len(alpha)} alpha: give one of each per element, 1 to {MAX_ELEMENTS}"
        )
    if abs(sum(alpha) - 1.0) > 1e-9:
        raise InputError(f"{name} alpha adds up to {sum(alpha):g}: it must be 1")


def _record(head: Sequence[float], k: Sequence[float], alpha: Sequence[float]) -> NDArray[Any]:
    padding = [0.0] * (MAX_ELEMENTS - len(k))
    n = len(k)
    return friction_record(
        ELEMENTS, (*head, *k, *padding, *alpha), states=n + (n + 2) // 3, turned=n, springs=k
    )


@kernel
def elements_friction(p, s_m, z_i, dt, mu, z_f):
    """Fill ``mu`` (3,) and ``z_f``: n deflections, then whether each slides, three to a row."""
    n, v = int(p[COUNT]), rounded_norm(s_m) / dt
    g = steady_curve(0.0, p[MU_S], p[MU_K], p[V_S], p[GAMMA], v)
    elastic, plastic = np.empty(3, s_m.dtype), np.empty(3, s_m.dtype)
    for k in range(3):
        mu[k] = p[SIGMA_2] * s_m[k] / dt
    for i in range(n):
        stiffness, share = p[STIFFNESS + i], p[SHARE + i]
        limit = share * g
        if p[ATTRACTION] > 0.0 and z_i[n + i // 3, i % 3].real > 0.5:
            level = stiffness * np.sqrt(dot(z_i[i], z_i[i]))
            limit = (level + dt * p[ATTRACTION] * share) / (1.0 + dt * p[ATTRACTION] / g)
        tau = slide(z_i[i], s_m, limit / stiffness, 0.5, z_f[i], elastic, plastic)
        z_f[n + i // 3, i % 3] = 1.0 if tau.real < 1.0 else 0.0
        for k in range(3):
            mu[k] += stiffness * (elastic[k] + plastic[k])


ELEMENTS = FrictionKernels(elements_friction)
