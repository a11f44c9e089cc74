"""Springs with sliders side by side: Iwan's model and the generalised Maxwell slip (GMS) model.

Iwan (1966, parallel-series model with sliders of evenly spread strength): n equal springs of total stiffness k (1/m),
limits w_i = mu_k (2i - 1)/n**2. For many springs the first loading is mu = k x (1 - k x/(4 mu_k)) up to x = 2 mu_k/k,
and Masing's rules hold (nonlocal memory).

GMS (Lampaert et al. 2003, Al-Bender et al. 2005; Marques 2015, eqs. 3.60 to 3.63): element i of stiffness k_i has the
share alpha_i of the Stribeck curve g(V) and of the attraction C, sum alpha_i = 1,

    sticking  z_i' = V  until k_i |z_i| = alpha_i g(V);     sliding  F_i' = C (alpha_i - F_i/g(V)) along V

until the slip turns round; mu = sum F_i + sigma_2 V, F_i = k_i z_i. C counts in force per time, per unit normal force
(1/s), as in the publication of 2005; the thesis has the same in terms of deflections, z_i' = C_i (1 - z_i/g_i), and
adds a damping sigma_i z_i' to each element, which is left out here.

Deviations: the sliding limit of an element follows that equation by an implicit Euler step, g being taken at the step's
mean speed, and the element moves on the exact path below it (``blocks.slide``). So it is never loaded faster than by
the slip itself; as printed it is where C (alpha_i - F_i/g) > k_i V, and would give energy away. Vector form, for any
direction of slip; up to 12 elements.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fem_mbd.compiled import kernel
from fem_mbd.errors import InputError
from fem_mbd.friction.blocks import dot, size, slide, steady_curve
from fem_mbd.friction.checks import make_not_below, make_not_negative, make_positive, make_whole
from fem_mbd.friction.kinds import ELEMENTS
from fem_mbd.friction.records import friction_record
from fem_mbd.validation import positive

COUNT, MU_S, MU_K, V_S, GAMMA, ATTRACTION, SIGMA_2, STIFFNESS = range(8)
MOST = 12
SHARE = STIFFNESS + MOST


@dataclass(frozen=True)
class Iwan:
    """mu_k: limit. sigma_0: stiffness at rest in 1/m. n: number of springs, 1 to 12."""

    mu_k: float
    sigma_0: float
    n: int = 8

    def __post_init__(self) -> None:
        make_positive(self, "mu_k", "sigma_0")
        make_whole(self, "n", 1, MOST)

    def record(self) -> NDArray[Any]:
        """Parameters as a 0-d array of dtype ``FRICTION_LAW``."""
        shares = [(2 * i + 1) / self.n**2 for i in range(self.n)]
        return _record(
            (self.n, self.mu_k, self.mu_k, 1.0, 2.0, 0.0, 0.0), [self.sigma_0 / self.n] * self.n, shares
        )


@dataclass(frozen=True)
class GeneralisedMaxwellSlip:
    """mu_s >= mu_k, v_s (m/s), gamma: g. k: stiffnesses in 1/m. alpha: shares, sum 1. C in 1/s. sigma_2 in s/m."""

    mu_s: float
    mu_k: float
    v_s: float
    k: tuple[float, ...]
    alpha: tuple[float, ...]
    C: float
    sigma_2: float = 0.0
    gamma: float = 2.0

    def __post_init__(self) -> None:
        make_positive(self, "mu_s", "mu_k", "v_s", "C", "gamma")
        make_not_negative(self, "sigma_2")
        make_not_below(self, "mu_s", "mu_k")
        check_elements(self, self.k, self.alpha)

    def record(self) -> NDArray[Any]:
        """Parameters as a 0-d array of dtype ``FRICTION_LAW``."""
        head = (len(self.k), self.mu_s, self.mu_k, self.v_s, self.gamma, self.C, self.sigma_2)
        return _record(head, self.k, self.alpha)


def check_elements(law: Any, k: Sequence[float], alpha: Sequence[float]) -> None:
    """InputError unless there are as many positive stiffnesses as shares, 1 to 12, and the shares add up to 1."""
    name = type(law).__name__
    if len(k) != len(alpha) or not 1 <= len(k) <= MOST:
        raise InputError(
            f"{name} has {len(k)} k and {len(alpha)} alpha: give one of each per element, 1 to {MOST}"
        )
    for label, values in (("k", k), ("alpha", alpha)):
        for value in values:
            positive(value, f"{name} {label}")
    if abs(sum(alpha) - 1.0) > 1e-9:
        raise InputError(f"{name} alpha adds up to {sum(alpha):g}: it must be 1")


def _record(head: Sequence[float], k: Sequence[float], alpha: Sequence[float]) -> NDArray[Any]:
    gap = [0.0] * (MOST - len(k))
    return friction_record(ELEMENTS, (*head, *k, *gap, *alpha))


@kernel
def elements_friction(
    p: np.ndarray, s_m: np.ndarray, z_i: np.ndarray, dt: float, mu: np.ndarray, z_f: np.ndarray
) -> None:
    """Fill ``mu`` (3,) and ``z_f``: n deflections, then whether each slides, three to a row."""
    n, v = int(p[COUNT]), size(s_m) / dt
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


@kernel
def elements_energy(p: np.ndarray, z: np.ndarray) -> complex:
    """Energy per unit normal force, m."""
    total = 0.0 * z[0, 0]
    for i in range(int(p[COUNT])):
        total += 0.5 * p[STIFFNESS + i] * dot(z[i], z[i])
    return total
