"""Armstrong's seven-parameter law: static friction that rises with dwell time, and frictional memory.

Armstrong-Helouvry, Dupont, Canudas de Wit 1994; Marques 2015, eqs. 3.19 to 3.21. Stuck and sliding:

    mu = sigma_0 x,      mu = mu_k + sigma_2 v + S/(1 + (v_L/v_s)**2),
    S = S_a + (mu_s - mu_k - S_a) t_d/(t_d + tau_dw)

S is evaluated when sliding begins after the dwell time t_d; S_a is the Stribeck part at the end of the previous slide;
the bond breaks at mu_k + S, a rule that the authors leave open. v_L is the authors' v(t - tau_L), or,
with memory "lag", a lag of first order with that time constant, which needs no history of the speed: both are the same
where the acceleration has been constant for some tau_L. Any direction of slip.

State: that of ``dry.py``, with v_L in place of the previous speed, S_a, and S of this slide; then the history of the
slip path, from which the delayed speed follows exactly for any step size:

    v_L = (S(t_f - tau) - S(t_i - tau))/dt,        S the path; v(t - tau) in the mean over the step

The history consists of pairs (age in s, path travelled since then in m), youngest first, no two of them closer than
tau/GRID; between them the path is linear. Before the oldest one the contact was at rest. Nothing is interpolated twice:
pairs only grow older, so the delayed speed equals the recorded one.

Rows of the history: each pair (age, path, 0).

Friction laws of bristles that stretch up to a limit and then slide: reset integrator and Liang's model.

Reset integrator (Haessig and Friedland 1991; Marques 2015, eqs. 3.34 and 3.35): z' = V while |z| < z_0 = mu_k/sigma_0,

    mu = (1 + a) sigma_0 z + sigma_1 z' while it stretches,      mu = sigma_0 z while it slides.

sigma_0 may depend on the speed as published; it is constant here.

Liang et al. (2012; Marques 2015, eqs. 3.73 to 3.75), for every direction of slip: mu = sigma_0 z + sigma_1 z' with |z|
at most mu_s/sigma_0 up to the speed v_s and mu_k/sigma_0 beyond (v_s compared with the speed of the last step). z' is
the stretching part of the slip. Both have exact steps (``dry.py``) and hold in vector form; the drop of force when the
reset integrator begins to slide is part of the published law.

Wojewoda's friction law: hysteresis between acceleration and deceleration, and a random part.

Wojewoda et al. 2008; Marques 2015, eqs. 3.24 to 3.27. Stuck, a spring sigma_0 up to the break-away force; sliding,

    speeding up   mu_k + (mu_s' - mu_k) g,   slowing down   mu_k - (mu_s - mu_k) g,   all multiplied by 1 + f_R

The thesis leaves open g(v, v'), a Stribeck curve that may depend on the acceleration, and f_R, a random function of
position and speed. Here

    g = exp(-[v/(v_s (1 + |v'|/a_S))]**gamma),      mu_s' = mu_s + delta_mu_s exp(-v/v_s)

with which the hysteresis grows with the acceleration, for gamma = 1 as exp(-a_1 v/(|v'| + a_2)), a_1 = a_S/v_s, a_2 =
a_S; a_S = inf neglects the acceleration. mu_s' makes break-away depend on how fast it is approached. f_R is smooth in
the distance slid (amplitude, length, seed). Whether the slip speeds up or slows down, and how much, is that of the last
step. Any direction of slip.

State: that of ``dry.py`` with the acceleration in m/s**2 and the path in m.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from typing import Annotated, Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from fem_mbd.core.compiled import kernel
from fem_mbd.errors import InputError
from fem_mbd.friction.blocks import exponential_decay, noise, rounded_norm
from fem_mbd.friction.law import (
    BristleDamping,
    BristleStiffness,
    DwellTime,
    KineticCoefficient,
    Law,
    Parameter,
    Seed,
    StaticCoefficient,
    StribeckExponent,
    StribeckSpeed,
    Viscous,
)
from fem_mbd.friction.records import BondKernels, FrictionKernels
from fem_mbd.friction.static.dry import MU_K, MU_S, SHAPE, V_S, bond_record, bond_step

GRID = 40
ROWS = GRID + 4
DEFAULTS = {
    "sigma_0": 1e5, "mu_k": 0.1, "sigma_2": 0.1, "mu_s": 0.15, "v_s": 1e-3, "tau_L": 0.01, "tau_dw": 1.0,
}  # fmt: skip
STRIBECK_PART, TAU_L, TAU_DW, PURE = MU_S, *range(SHAPE, SHAPE + 3)


@kernel
def delayed_speed(tau: float, length: complex, dt: float, past: np.ndarray, now: np.ndarray) -> complex:
    """Speed in m/s a time ``tau`` (s) ago, mean over a step of ``length`` (m); fills ``now`` (ROWS, 3) from ``past``.

    A pair of age zero ends the history.
    """
    young, old = _path_back(tau, length, dt, past), _path_back(tau + dt, length, dt, past)
    keep, first = past.shape[0], 0
    if past[0, 0].real <= 0.0 or past[0, 0].real >= tau / GRID:
        now[0, 0], now[0, 1] = dt, length
        keep, first = keep - 1, 1
    for k in range(keep):
        if past[k, 0].real > 0.0:
            now[first + k, 0], now[first + k, 1] = past[k, 0] + dt, past[k, 1] + length
    return (old - young) / dt


@kernel
def _path_back(age: float, length: complex, dt: float, past: np.ndarray) -> complex:
    """Path in m travelled in the last ``age`` (s) of a step that ends now."""
    if age <= dt:
        return length * (age / dt)
    before, path = 0.0, 0.0 * length  # age and path at the younger of two points
    age = age - dt
    for k in range(past.shape[0]):
        older = past[k, 0].real
        if older <= 0.0:
            break
        if age <= older:
            return length + path + (past[k, 1] - path) * ((age - before) / (older - before))
        before, path = older, past[k, 1] + 0.0 * length
    return length + path


@dataclass(frozen=True)
class SevenParameter(Law):
    """Armstrong's model; mu_s is the static coefficient after a long rest, half-way above mu_k after tau_dw."""

    sigma_0: BristleStiffness
    mu_k: KineticCoefficient
    sigma_2: Viscous
    mu_s: StaticCoefficient
    v_s: StribeckSpeed
    tau_L: Annotated[float, Parameter("time constant of the frictional memory", "s", "time", at_least=0.0)]
    tau_dw: DwellTime
    memory: Annotated[
        Literal["lag", "delay"],
        Parameter("whether the speed acts through a first-order lag, or as it was tau_L ago", ""),
    ] = "lag"

    source: ClassVar = "Armstrong-Hélouvry, Dupont and Canudas de Wit, Automatica 30 (1994) 1083"
    examples: ClassVar = {"": DEFAULTS, "delay": {**DEFAULTS, "memory": "delay"}}

    def record(self) -> NDArray[Any]:
        pure = self.memory == "delay" and self.tau_L > 0.0
        parameters = (self.mu_s - self.mu_k, self.mu_k, self.v_s, self.tau_L, self.tau_dw, float(pure))
        return bond_record(
            SEVEN_PARAMETER, self.sigma_0, parameters, sigma_2=self.sigma_2, memory=ROWS if pure else 0
        )


@kernel
def seven_parameter_friction(p, theta, s_m, z_i, dt, mu, z_f):
    """Fill ``mu`` (3,) and ``z_f`` (nz, 3) from the slip ``s_m`` (3,) in m and the state ``z_i`` (nz, 3)."""
    v = rounded_norm(s_m) / dt
    lag = v
    if p[PURE] != 0.0:
        lag = delayed_speed(p[TAU_L], v * dt, dt, z_i[3:], z_f[3:])
    elif p[TAU_L] > 0.0:
        lag = (z_i[1, 2] + dt / p[TAU_L] * v) / (1.0 + dt / p[TAU_L])
    ratio = lag / p[V_S]
    if z_i[1, 0].real > 0.5:
        cap = p[MU_K] + z_i[2, 2] / (1.0 + ratio * ratio)
    else:
        cap = p[MU_K] + _stribeck_amplitude(p, z_i) + 0.0 * v
    slid = bond_step(p, theta, cap, v, s_m, z_i, dt, mu, z_f)
    z_f[1, 2] = lag
    if slid:
        if z_i[1, 0].real < 0.5:
            z_f[2, 2] = _stribeck_amplitude(p, z_i)
        z_f[2, 1] = z_f[2, 2] / (1.0 + ratio * ratio)


@kernel
def _stribeck_amplitude(p: np.ndarray, z: np.ndarray) -> complex:
    """S after the dwell time of the state."""
    dwell, end = z[2, 0], z[2, 1]
    return end + (p[STRIBECK_PART] - end) * dwell / (dwell + p[TAU_DW])


SEVEN_PARAMETER = FrictionKernels(seven_parameter_friction)


@kernel
def reset_cap(p: np.ndarray, z_i: np.ndarray, v: complex) -> complex:
    """mu_k where the last step was faster than v_s, mu_s where it was not."""
    return (p[MU_K] if z_i[1, 1].real > p[V_S] else p[MU_S]) + 0.0 * v


RESET = BondKernels(reset_cap)


@dataclass(frozen=True)
class ResetIntegrator(Law):
    """Haessig and Friedland's reset integrator."""

    mu_k: KineticCoefficient
    a: Annotated[float, Parameter("stiction above mu_k, as a fraction of mu_k", role="shape", at_least=0.0)]
    sigma_0: BristleStiffness
    sigma_1: BristleDamping = 0.0

    source: ClassVar = "Haessig and Friedland, J. Dynamic Systems, Measurement, and Control 113 (1991) 354"
    examples: ClassVar = {"": {"mu_k": 0.1, "a": 0.5, "sigma_0": 1e5, "sigma_1": 10.0}}

    def record(self) -> NDArray[Any]:
        stuck = self.sigma_0 * (1.0 + self.a)
        return bond_record(
            RESET, self.sigma_0, (self.mu_k, self.mu_k, inf), stuck=stuck, damping=self.sigma_1
        )


@dataclass(frozen=True)
class Liang(Law):
    """Liang, Fillmore and Ma's bristles."""

    mu_s: StaticCoefficient
    mu_k: KineticCoefficient
    sigma_0: BristleStiffness
    sigma_1: BristleDamping
    v_s: StribeckSpeed

    source: ClassVar = "Liang, Fillmore and Ma, Mechanism and Machine Theory 56 (2012) 123"
    examples: ClassVar = {"": {"mu_s": 0.15, "mu_k": 0.1, "sigma_0": 5e4, "sigma_1": 8.0, "v_s": 1e-3}}

    def record(self) -> NDArray[Any]:
        return bond_record(RESET, self.sigma_0, (self.mu_s, self.mu_k, self.v_s), damping=self.sigma_1)


RANGE, NOISE, LENGTH, SEED, PER_A_S = range(SHAPE + 1, SHAPE + 6)


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
        return bond_record(WOJEWODA, self.sigma_0, parameters)


@kernel
def wojewoda_friction(p, theta, s_m, z_i, dt, mu, z_f):
    """Fill ``mu`` (3,) and ``z_f`` (3, 3) from the slip ``s_m`` (3,) in m and the state ``z_i`` (3, 3)."""
    v = rounded_norm(s_m) / dt
    bond_step(p, theta, _wojewoda_cap(p, z_i, v), v, s_m, z_i, dt, mu, z_f)
    z_f[2, 1] = (v - z_i[1, 1]) / dt
    z_f[2, 2] = z_i[2, 2] + dt * v


WOJEWODA = FrictionKernels(wojewoda_friction)


@kernel
def _wojewoda_cap(p: np.ndarray, z_i: np.ndarray, v: complex) -> complex:
    """Largest coefficient that the bond carries in this step."""
    rough = 1.0 + p[NOISE] * noise(p[SEED], z_i[2, 2].real / p[LENGTH]) if p[NOISE] > 0.0 else 1.0
    static = p[MU_S] + p[RANGE] * exponential_decay(v / p[V_S], 1.0)
    if z_i[1, 0].real <= 0.5:
        return rough * static
    fall = exponential_decay(v / (p[V_S] * (1.0 + p[PER_A_S] * abs(z_i[2, 1].real))), p[SHAPE])
    if z_i[1, 1].real >= z_i[1, 2].real:
        return rough * (p[MU_K] + (static - p[MU_K]) * fall)
    return rough * (p[MU_K] - (p[MU_S] - p[MU_K]) * fall)
