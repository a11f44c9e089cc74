"""Wojewoda's friction law: hysteresis between acceleration and deceleration, and a random part.

Wojewoda et al. 2008; Marques 2015, eqs. 3.24 to 3.27. Stuck, a spring sigma_0 up to the break-away force; sliding,

    speeding up   mu_k + (mu_s' - mu_k) g,   slowing down   mu_k - (mu_s - mu_k) g,   all multiplied by 1 + f_R

The thesis leaves open g(v, v'), a Stribeck curve that may depend on the acceleration, and f_R, a random function of
position and speed. Here

    g = exp(-[v/(v_s (1 + |v'|/a_S))]**gamma),      mu_s' = mu_s + delta_mu_s exp(-v/v_s)

with which the hysteresis grows with the acceleration, for gamma = 1 as exp(-a_1 v/(|v'| + a_2)), a_1 = a_S/v_s, a_2 =
a_S; a_S = inf neglects the acceleration. mu_s' makes break-away depend on how fast it is approached. f_R is smooth in
the distance slid (amplitude, length, seed). Whether the slip speeds up or slows down, and how much, is that of the last
step. Any direction of slip.

State: that of ``bond.py`` with the acceleration in m/s**2 and the path in m.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from typing import Annotated, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from fem_mbd.core.compiled import kernel
from fem_mbd.errors import InputError
from fem_mbd.friction.blocks import exponential_decay, noise, rounded_norm
from fem_mbd.friction.law import Law
from fem_mbd.friction.parameters import (
    BristleStiffness,
    KineticCoefficient,
    Parameter,
    Seed,
    StaticCoefficient,
    StribeckExponent,
    StribeckSpeed,
)
from fem_mbd.friction.static.sticking.bond import LAW_PARAMETERS, bond_record, bond_step

KIND = 15
MU_S, MU_K, V_S, GAMMA, RANGE, NOISE, LENGTH, SEED, PER_A_S = range(LAW_PARAMETERS, LAW_PARAMETERS + 9)


@dataclass(frozen=True)
class Wojewoda(Law):
    """Wojewoda's model; mu_s must not be above 2 mu_k."""

    mu_s: StaticCoefficient
    mu_k: KineticCoefficient
    v_s: StribeckSpeed
    sigma_0: BristleStiffness
    gamma: StribeckExponent = 1.0
    delta_mu_s: Annotated[
        float,
        Parameter("range of the break-away coefficient", role="coefficient", at_least=0.0, symbol="Δμ_s"),
    ] = 0.0
    f_R: Annotated[
        float, Parameter("amplitude of the random part", role="shape", at_least=0.0, below=1.0)
    ] = 0.0
    length: Annotated[
        float, Parameter("path over which the random part varies", "m", "length", above=0.0)
    ] = 1e-4
    seed: Seed = 0
    a_S: Annotated[
        float,
        Parameter(
            "acceleration that doubles the speed over which g falls", "m/s2", "acceleration", above=0.0,
            unlimited=True,
        ),
    ] = inf  # fmt: skip

    source: ClassVar = "Wojewoda et al., Phil. Trans. Royal Society A 366 (2008) 747"
    examples: ClassVar = {"": {"mu_s": 0.15, "mu_k": 0.1, "v_s": 1e-3, "sigma_0": 1e5, "delta_mu_s": 0.02}}

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.mu_s > 2.0 * self.mu_k:
            raise InputError(
                f"Wojewoda mu_s is {self.mu_s:g}: above 2 mu_k = {2 * self.mu_k:g} friction would drive a contact "
                "that slows down"
            )

    def record(self) -> NDArray[Any]:
        parameters = (
            self.mu_s, self.mu_k, self.v_s, self.gamma, self.delta_mu_s, self.f_R, self.length, float(self.seed),
            1.0 / self.a_S,
        )  # fmt: skip
        return bond_record(KIND, self.sigma_0, parameters)


@kernel
def wojewoda_friction(
    p: np.ndarray, s_m: np.ndarray, z_i: np.ndarray, dt: float, mu: np.ndarray, z_f: np.ndarray
) -> None:
    """Fill ``mu`` (3,) and ``z_f`` (3, 3) from the slip ``s_m`` (3,) in m and the state ``z_i`` (3, 3)."""
    v = rounded_norm(s_m) / dt
    bond_step(p, _cap(p, z_i, v), v, s_m, z_i, dt, mu, z_f)
    z_f[2, 1] = (v - z_i[1, 1]) / dt
    z_f[2, 2] = z_i[2, 2] + dt * v


@kernel
def _cap(p: np.ndarray, z_i: np.ndarray, v: complex) -> complex:
    """Largest coefficient that the bond carries in this step."""
    rough = 1.0 + p[NOISE] * noise(p[SEED], z_i[2, 2].real / p[LENGTH]) if p[NOISE] > 0.0 else 1.0
    static = p[MU_S] + p[RANGE] * exponential_decay(v / p[V_S], 1.0)
    if z_i[1, 0].real <= 0.5:
        return rough * static
    fall = exponential_decay(v / (p[V_S] * (1.0 + p[PER_A_S] * abs(z_i[2, 1].real))), p[GAMMA])
    if z_i[1, 1].real >= z_i[1, 2].real:
        return rough * (p[MU_K] + (static - p[MU_K]) * fall)
    return rough * (p[MU_K] - (p[MU_S] - p[MU_K]) * fall)
