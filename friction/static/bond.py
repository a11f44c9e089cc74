"""Compiled step of the laws that stick: a bond of stiffness k that gives way at mu_cap/k, and rules for the cap.

The multivalued force at rest is that of the bond; sliding, its force is the law's coefficient along the slip. The path
of the bond over a straight slip is exact (``blocks.slide``), so the books close and no cap can give energy. Caps that
are continuous functions of speed use the speed of the step. Caps that jump (static to kinetic, Karnopp's window,
accelerating or braking) use what the last accepted step left behind: within a step nothing jumps, and Newton's method
meets a monotonous force. Laws: ``dry.py``, ``dry_memory.py``, ``reset_integrator.py``.

State: row 0 deflection of the bond; row 1 (slid, speed, speed before or lagged speed); row 2 (dwell time in s, Stribeck
part or acceleration in m/s**2, path in m or level of this slide).
"""

from __future__ import annotations

import numpy as np

from fem_mbd.compiled import kernel
from fem_mbd.friction.blocks import dot, fading, noise, size, slide, steady_curve

FORM, MU_S, MU_K, V_S, SHAPE, F_V, DELTA_V, K, DAMPING, THETA, A, B, C, SEED, D = range(15)
CONSTANT, STICTION, STRIBECK, HESS_SOOM, WINDOW, BLEND, HYSTERETIC, ARMSTRONG, RESET, LIANG = range(10)
BOND_STATES = 3


@kernel
def bond_friction(
    p: np.ndarray, s_m: np.ndarray, z_i: np.ndarray, dt: float, mu: np.ndarray, z_f: np.ndarray
) -> None:
    """Fill ``mu`` (3,) and ``z_f`` (3, 3) from the slip ``s_m`` (3,) in m and the state ``z_i`` (3, 3)."""
    v = size(s_m) / dt
    lag = _lagged(p, z_i, v, dt)
    cap = _strength(p, z_i, v, lag)
    elastic, plastic = np.empty(3, s_m.dtype), np.empty(3, s_m.dtype)
    tau = slide(z_i[0], s_m, cap / p[K], p[THETA], z_f[0], elastic, plastic)
    stuck = p[K] * (1.0 + p[A]) if p[FORM] == RESET else p[K]
    viscous = 0.0 * v
    if p[F_V] > 0.0:
        viscous = p[F_V] * (v ** (p[DELTA_V] - 1.0) if p[DELTA_V] != 1.0 else 1.0 + 0.0 * v)
    for k in range(3):
        mu[k] = stuck * elastic[k] + p[K] * plastic[k] + (p[DAMPING] * tau + viscous) * s_m[k] / dt
    _remember(p, z_i, v, lag, tau.real < 1.0, dt, z_f)


@kernel
def bond_energy(p: np.ndarray, z: np.ndarray) -> complex:
    """Energy of the bond per unit normal force, m."""
    factor = 1.0 + p[A] if p[FORM] == RESET else 1.0
    return 0.5 * factor * p[K] * dot(z[0], z[0])


@kernel
def _lagged(p: np.ndarray, z_i: np.ndarray, v: complex, dt: float) -> complex:
    """Speed that has come through the frictional memory tau_L = p[B], first order, implicit."""
    if p[FORM] == ARMSTRONG and p[B] > 0.0:
        return (z_i[1, 2] + dt / p[B] * v) / (1.0 + dt / p[B])
    return v


@kernel
def _risen(p: np.ndarray, z: np.ndarray) -> complex:
    """Armstrong's rising static friction after the dwell time of the state (Stribeck part)."""
    dwell, end = z[2, 0], z[2, 1]
    return end + (p[MU_S] - end) * dwell / (dwell + p[C])


@kernel
def _strength(p: np.ndarray, z_i: np.ndarray, v: complex, lag: complex) -> complex:
    """Largest coefficient that the bond carries in this step."""
    form, slid, before = p[FORM], z_i[1, 0].real > 0.5, z_i[1, 1].real
    if form == STICTION:
        return (p[MU_K] if slid else p[MU_S]) + 0.0 * v
    if form == STRIBECK or form == HESS_SOOM:
        return steady_curve(form - STRIBECK, p[MU_S], p[MU_K], p[V_S], p[SHAPE], v)
    if form == WINDOW:
        return (p[MU_S] if before < p[V_S] else p[MU_K]) + 0.0 * v
    if form == LIANG:
        return (p[MU_K] if before > p[V_S] else p[MU_S]) + 0.0 * v
    if form == BLEND:
        x = v / p[V_S]
        return (
            p[MU_S] + (p[MU_K] - p[MU_S]) * (x * x * (3.0 - 2.0 * x)) if x.real < 1.0 else p[MU_K] + 0.0 * v
        )
    if form == ARMSTRONG:
        ratio = lag / p[V_S]
        if slid:
            return p[MU_K] + z_i[2, 2] / (1.0 + ratio * ratio)
        return p[MU_K] + _risen(p, z_i) + 0.0 * v
    if form == HYSTERETIC:
        rough = 1.0 + p[B] * noise(p[SEED], z_i[2, 2].real / p[C]) if p[B] > 0.0 else 1.0
        static = p[MU_S] + p[A] * fading(v / p[V_S], 1.0)
        if not slid:
            return rough * static
        fall = fading(v / (p[V_S] * (1.0 + p[D] * abs(z_i[2, 1].real))), p[SHAPE])
        if before >= z_i[1, 2].real:
            return rough * (p[MU_K] + (static - p[MU_K]) * fall)
        return rough * (p[MU_K] - (p[MU_S] - p[MU_K]) * fall)
    return p[MU_K] + 0.0 * v


@kernel
def _remember(
    p: np.ndarray, z_i: np.ndarray, v: complex, lag: complex, slides: bool, dt: float, z_f: np.ndarray
) -> None:
    """Rows 1 and 2 of ``z_f`` at the end of the step."""
    z_f[1, 0] = 1.0 if slides else 0.0
    z_f[1, 1] = v
    z_f[1, 2] = lag if p[FORM] == ARMSTRONG else z_i[1, 1]
    z_f[2, 0] = 0.0 if slides else z_i[2, 0] + dt
    z_f[2, 1] = z_i[2, 1]
    z_f[2, 2] = z_i[2, 2]
    if p[FORM] == HYSTERETIC:
        z_f[2, 1] = (v - z_i[1, 1]) / dt
        z_f[2, 2] = z_i[2, 2] + dt * v
    if p[FORM] == ARMSTRONG and slides:
        if z_i[1, 0].real < 0.5:
            z_f[2, 2] = _risen(p, z_i)
        ratio = lag / p[V_S]
        z_f[2, 1] = z_f[2, 2] / (1.0 + ratio * ratio)
