"""Steps of LuGre friction, P1 Galerkin in time.

With the slip s = dt V, b = dt sigma_0 |V| / g and a = b/6, eq. 29 of Bauchau and Ju becomes

    dz = z_f - z_i = (1 + a)(s - b z_i) / (1 + 4a + 6a**2),   z_g = z_i + (1/2 + a)/(1 + a) dz,   dt z' = dz,

z_g and z' being means over the step. Eq. 32, with z_j - z_i = a/(1 + a) dz put in, is then free of divisions
by b:

    mu.s = sigma_0 (|z_f|**2 - |z_i|**2)/2 + sigma_0 b |z_g|**2 + sigma_0 a/(2 (1 + a)) |dz|**2
           + (sigma_1 dz + sigma_2 s).s / dt,

with g and sigma_1 at the mean speed of the step, whatever functions of it they are.
"""

from __future__ import annotations

import numpy as np

from fem_mbd.compiled import kernel
from fem_mbd.friction.blocks import EXPONENTIAL, bristle_step, fading, steady_curve, table_curve

SIGMA_0, SIGMA_1, SIGMA_2, MU_S, MU_K, V_S, GAMMA, V_EPS, UNLOAD, V_D, POINTS, TABLE = range(12)


@kernel
def stribeck(p: np.ndarray, speed: complex) -> complex:
    """g(V), the coefficient of steady sliding without viscous part, at ``speed`` > 0 in m/s."""
    if p[POINTS] > 0.0:
        return table_curve(p[TABLE:], int(p[POINTS]), speed)
    return steady_curve(EXPONENTIAL, p[MU_S], p[MU_K], p[V_S], p[GAMMA], speed)


@kernel
def bristle_damping(p: np.ndarray, speed: complex) -> complex:
    """sigma_1 at ``speed`` in m/s."""
    if p[V_D] > 0.0:
        return p[SIGMA_1] * fading(speed / p[V_D], 2.0)
    return p[SIGMA_1] + 0.0 * speed


@kernel
def lugre_vector(
    p: np.ndarray,
    s_m: np.ndarray,
    z_i: np.ndarray,
    f_n: complex,
    f_n_prev: float,
    dt: float,
    mu: np.ndarray,
    z_f: np.ndarray,
) -> complex:
    """Vector form: fill ``mu`` (3,) and ``z_f[0]`` (m); return the loss in J, as ``tangential.py`` says."""
    slip2 = s_m[0] * s_m[0] + s_m[1] * s_m[1] + s_m[2] * s_m[2]
    speed = _speed(p, slip2, dt)
    b, sigma_1 = _decay(p, speed, dt), bristle_damping(p, speed)
    carry = _carried(p, f_n, f_n_prev)
    loss = 0.0 * b
    stored = 0.0 * b
    for k in range(3):
        z = carry * z_i[0, k]
        dz, z_g = bristle_step(z, s_m[k], b)
        z_f[0, k] = z + dz
        mu[k] = _coefficient(p, sigma_1, s_m[k], dz, z_g, dt)
        loss = loss + _loss(p, sigma_1, s_m[k], dz, z_g, b, dt)
        stored = stored + z_i[0, k] * z_i[0, k]
    return f_n * loss + 0.5 * p[SIGMA_0] * (f_n_prev - f_n * carry * carry) * stored


@kernel
def lugre_scalar(
    p: np.ndarray,
    s_m: np.ndarray,
    z_i: np.ndarray,
    f_n: complex,
    f_n_prev: float,
    dt: float,
    mu: np.ndarray,
    z_f: np.ndarray,
) -> complex:
    """Scalar form, deflection ``z[0, 0]`` along the slip; same result as ``lugre_vector``.

    The direction is V/|V| with the rounded magnitude; the slip that drives z is the one that this direction
    does work on, V.V/|V|, so that the work identity stays exact at any speed.
    """
    slip2 = s_m[0] * s_m[0] + s_m[1] * s_m[1] + s_m[2] * s_m[2]
    speed = _speed(p, slip2, dt)
    slip = slip2 / (dt * speed)
    b, sigma_1 = _decay(p, speed, dt), bristle_damping(p, speed)
    carry = _carried(p, f_n, f_n_prev)
    z = carry * z_i[0, 0]
    dz, z_g = bristle_step(z, slip, b)
    along = _coefficient(p, sigma_1, slip, dz, z_g, dt) / (dt * speed)
    for k in range(3):
        mu[k] = along * s_m[k]
        z_f[0, k] = 0.0
    z_f[0, 0] = z + dz
    change = f_n_prev - f_n * carry * carry
    return f_n * _loss(p, sigma_1, slip, dz, z_g, b, dt) + 0.5 * p[SIGMA_0] * change * z_i[0, 0] * z_i[0, 0]


@kernel
def lugre_energy(p: np.ndarray, z: np.ndarray) -> complex:
    """Energy stored in the bristles per unit normal force, sigma_0 |z|**2/2 (m)."""
    return 0.5 * p[SIGMA_0] * (z[0, 0] * z[0, 0] + z[0, 1] * z[0, 1] + z[0, 2] * z[0, 2])


@kernel
def lugre_rate(p: np.ndarray) -> float:
    """Inverse of the time constant of the bristles, sigma_0 v_s / mu_k in 1/s (eq. 27)."""
    return p[SIGMA_0] * p[V_S] / p[MU_K]


@kernel
def _speed(p: np.ndarray, slip2: complex, dt: float) -> complex:
    """Rounded magnitude of the slip velocity, never below v_eps."""
    return np.sqrt(slip2 / (dt * dt) + p[V_EPS] * p[V_EPS])


@kernel
def _decay(p: np.ndarray, speed: complex, dt: float) -> complex:
    """b = dt sigma_0 |V| / g(V), the dimensionless step of the bristles."""
    return dt * p[SIGMA_0] * speed / stribeck(p, speed)


@kernel
def _carried(p: np.ndarray, f_n: complex, f_n_prev: float) -> complex:
    """Share of the old deflection that is left after fresh bristles joined; 1 unless asked for."""
    if p[UNLOAD] != 0.0 and f_n.real > f_n_prev:
        return f_n_prev / f_n
    return 1.0 + 0.0 * f_n


@kernel
def _coefficient(
    p: np.ndarray, sigma_1: complex, slip: complex, dz: complex, z_g: complex, dt: float
) -> complex:
    """Eq. 22 for one component, from means over the step."""
    return p[SIGMA_0] * z_g + (sigma_1 * dz + p[SIGMA_2] * slip) / dt


@kernel
def _loss(
    p: np.ndarray, sigma_1: complex, slip: complex, dz: complex, z_g: complex, b: complex, dt: float
) -> complex:
    """Eq. 32 for one component without the stored energy: loss per unit normal force (m)."""
    a = b / 6.0
    elastic = p[SIGMA_0] * (b * z_g * z_g + 0.5 * a / (1.0 + a) * dz * dz)
    return elastic + (sigma_1 * dz + p[SIGMA_2] * slip) * slip / dt
