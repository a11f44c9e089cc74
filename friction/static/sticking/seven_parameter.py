"""Armstrong's seven-parameter law: static friction that rises with dwell time, and frictional memory.

Armstrong-Helouvry, Dupont, Canudas de Wit 1994; Marques 2015, eqs. 3.19 to 3.21. Stuck and sliding:

    mu = sigma_0 x,      mu = mu_k + sigma_2 v + S/(1 + (v_L/v_s)**2),
    S = S_a + (mu_s - mu_k - S_a) t_d/(t_d + tau_dw)

S is evaluated when sliding begins after the dwell time t_d; S_a is the Stribeck part at the end of the previous slide;
the bond breaks at mu_k + S, a rule that the authors leave open. v_L is the authors' v(t - tau_L), or,
with memory "lag", a lag of first order with that time constant, which needs no history of the speed: both are the same
where the acceleration has been constant for some tau_L. Any direction of slip.

State: that of ``bond.py``, with v_L in place of the previous speed, S_a, and S of this slide; then the history of the
slip path, from which the delayed speed follows exactly for any step size:

    v_L = (S(t_f - tau) - S(t_i - tau))/dt,        S the path; v(t - tau) in the mean over the step

The history consists of pairs (age in s, path travelled since then in m), youngest first, no two of them closer than
tau/GRID; between them the path is linear. Before the oldest one the contact was at rest. Nothing is interpolated twice:
pairs only grow older, so the delayed speed equals the recorded one.

Rows of the history: each pair (age, path, 0).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from fem_mbd.core.compiled import kernel
from fem_mbd.friction.blocks import rounded_norm
from fem_mbd.friction.law import Law
from fem_mbd.friction.parameters import (
    BristleStiffness,
    DwellTime,
    KineticCoefficient,
    Parameter,
    StaticCoefficient,
    StribeckSpeed,
    Viscous,
)
from fem_mbd.friction.static.sticking.bond import LAW_PARAMETERS, bond_record, bond_step

GRID = 40
ROWS = GRID + 4
KIND = 14
DEFAULTS = {
    "sigma_0": 1e5, "mu_k": 0.1, "sigma_2": 0.1, "mu_s": 0.15, "v_s": 1e-3, "tau_L": 0.01, "tau_dw": 1.0,
}  # fmt: skip
STRIBECK_PART, MU_K, V_S, TAU_L, TAU_DW, PURE = range(LAW_PARAMETERS, LAW_PARAMETERS + 6)


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
        return bond_record(KIND, self.sigma_0, parameters, sigma_2=self.sigma_2, memory=ROWS if pure else 0)


@kernel
def seven_parameter_friction(
    p: np.ndarray, s_m: np.ndarray, z_i: np.ndarray, dt: float, mu: np.ndarray, z_f: np.ndarray
) -> None:
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
    slid = bond_step(p, cap, v, s_m, z_i, dt, mu, z_f)
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
