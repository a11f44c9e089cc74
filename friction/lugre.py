"""LuGre friction with a vector of bristle deflections (or the paper's scalar), P1 Galerkin in time.

    mu = sigma0 z + sigma1 z' + sigma2 V,     z' = V - sigma0 |V| z / g(V),
    g(V) = mu_k + (mu_s - mu_k) exp(-|V/v_s|**gamma)

z in m, V in m/s, mu the friction force per unit normal force; Bauchau and Ju, eqs. 22 to 29 (with dimensions
here). With z and V vectors of the tangent plane and |V| the magnitude these are the projected equations of
that model; in a fixed direction they are the paper's, with a sign. |V| is taken as sqrt(V.V + v_eps**2), so
that nothing has a kink or a division by zero at rest. With the slip s = dt V, b = dt sigma0 |V| / g and
a = b/6 eq. 29 becomes

    dz = z_f - z_i = (1 + a)(s - b z_i) / (1 + 4a + 6a**2),   z_g = z_i + (1/2 + a)/(1 + a) dz,   dt z' = dz,

z_g and z' being means over the step. Eq. 32, with z_j - z_i = a/(1 + a) dz put in, is then free of divisions
by b:

    mu.s = sigma0 (|z_f|**2 - |z_i|**2)/2 + sigma0 b |z_g|**2 + sigma0 a/(2 (1 + a)) |dz|**2
           + (sigma1 dz + sigma2 s).s / dt.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from fem_mbd.compiled import kernel
from fem_mbd.errors import InputError
from fem_mbd.friction.checks import make_not_negative, make_positive
from fem_mbd.friction.kinds import LUGRE_SCALAR, LUGRE_VECTOR
from fem_mbd.friction.passivity import bristle_speed_limit, stribeck_curve
from fem_mbd.friction.records import friction_record

SIGMA0, SIGMA1, SIGMA2, MU_S, MU_K, V_S, GAMMA, V_EPS, UNLOAD = range(9)

# exp(-x) has all but underflowed beyond this; a complex power that overflows would give nan instead.
LARGEST_EXPONENT = 700.0


@dataclass(frozen=True, kw_only=True)
class LuGre:
    """LuGre friction per unit normal force.

    sigma0: bristle stiffness in 1/m

    sigma1: bristle damping in s/m; sigma2: viscous coefficient in s/m

    mu_s, mu_k: static and kinetic coefficients, mu_s >= mu_k > 0

    v_s, gamma: speed in m/s and exponent of the Stribeck curve

    v_eps: speed in m/s below which the magnitude of slip is rounded off; a stuck contact creeps at v_eps
    mu/g, so it belongs far below v_s. Not given: 1e-6 v_s, or 1e-4 v_s for the scalar form, whose force turns
    round within a few v_eps when the slip reverses and which Newton's method cannot follow if that is too
    sharp

    form: ``"vector"`` keeps the direction of the bristles (presliding, reversal, stiffness at rest);
    ``"scalar"`` is the paper's, deflection along the current slip without memory of its direction

    unload_fresh_bristles: when the normal force grows, the bristles that come into contact start undeflected,
    z_i <- z_i f_n_prev/f_n. The stored energy f_n sigma0 |z|**2/2 then never grows by the normal force alone
    (in the model as published it does)

    Raises ``InputError`` naming the parameter that is out of range.
    """

    sigma0: float
    sigma1: float = 0.0
    sigma2: float = 0.0
    mu_s: float
    mu_k: float
    v_s: float
    gamma: float = 2.0
    v_eps: float | None = None
    form: Literal["vector", "scalar"] = "vector"
    unload_fresh_bristles: bool = False

    def __post_init__(self) -> None:
        make_positive(self, "sigma0", "mu_s", "mu_k", "v_s", "gamma")
        if self.v_eps is not None:
            make_positive(self, "v_eps")
        make_not_negative(self, "sigma1", "sigma2")
        if self.mu_s < self.mu_k:
            raise InputError(
                f"LuGre mu_s is {self.mu_s:g}: it must not be below mu_k, which is {self.mu_k:g}"
            )
        if self.form not in ("vector", "scalar"):
            raise InputError(f'LuGre form is {self.form!r}: give "vector" or "scalar"')

    @property
    def rounding_speed(self) -> float:
        """``v_eps`` in m/s as given, or what stands for it when it was not given."""
        if self.v_eps is not None:
            return self.v_eps
        return (1e-6 if self.form == "vector" else 1e-4) * self.v_s

    @property
    def on_turning_slip(self) -> str:
        """What the scalar form makes of slip that turns."""
        if self.form == "vector":
            return ""
        return (
            'form "scalar" keeps no direction of its bristles: the force turns with the slip at once, nothing is held '
            'elastically at rest; give form="vector" where that matters'
        )

    def record(self) -> NDArray[Any]:
        """Parameters as a 0-d array of dtype ``FRICTION_LAW``."""
        kind = LUGRE_VECTOR if self.form == "vector" else LUGRE_SCALAR
        parameters = (self.sigma0, self.sigma1, self.sigma2, self.mu_s, self.mu_k, self.v_s, self.gamma)
        return friction_record(kind, (*parameters, self.rounding_speed, float(self.unload_fresh_bristles)))

    def passivity_limit(self) -> float:
        """Slip speed in m/s up to which friction gives no energy away in any state it can have; may be ``inf``.

        Above it there are states with a negative loss: a motion may find them or not (`passivity`).
        """
        g = stribeck_curve(self.mu_s, self.mu_k, self.v_s, self.gamma)
        limit = bristle_speed_limit(g, self.sigma1, self.sigma2, self.mu_s)
        return math.sqrt(max(limit * limit - self.rounding_speed**2, 0.0))


@kernel
def stribeck(p: np.ndarray, speed: complex) -> complex:
    """g(V), the coefficient of steady sliding without viscous part, at ``speed`` > 0 in m/s."""
    ratio = speed / p[V_S]
    if ratio.real ** p[GAMMA] > LARGEST_EXPONENT:
        return p[MU_K] + 0.0 * speed
    exponent = ratio * ratio if p[GAMMA] == 2.0 else ratio ** p[GAMMA]
    return p[MU_K] + (p[MU_S] - p[MU_K]) * np.exp(-exponent)


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
    b = _decay(p, _speed(p, slip2, dt), dt)
    carry = _carried(p, f_n, f_n_prev)
    loss = 0.0 * b
    stored = 0.0 * b
    for k in range(3):
        z = carry * z_i[0, k]
        dz, z_g = _bristle_step(z, s_m[k], b)
        z_f[0, k] = z + dz
        mu[k] = _coefficient(p, s_m[k], dz, z_g, dt)
        loss = loss + _loss(p, s_m[k], dz, z_g, b, dt)
        stored = stored + z_i[0, k] * z_i[0, k]
    return f_n * loss + 0.5 * p[SIGMA0] * (f_n_prev - f_n * carry * carry) * stored


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
    b = _decay(p, speed, dt)
    carry = _carried(p, f_n, f_n_prev)
    z = carry * z_i[0, 0]
    dz, z_g = _bristle_step(z, slip, b)
    along = _coefficient(p, slip, dz, z_g, dt) / (dt * speed)
    for k in range(3):
        mu[k] = along * s_m[k]
        z_f[0, k] = 0.0
    z_f[0, 0] = z + dz
    change = f_n_prev - f_n * carry * carry
    return f_n * _loss(p, slip, dz, z_g, b, dt) + 0.5 * p[SIGMA0] * change * z_i[0, 0] * z_i[0, 0]


@kernel
def lugre_energy(p: np.ndarray, z: np.ndarray) -> complex:
    """Energy stored in the bristles per unit normal force, sigma0 |z|**2/2 (m)."""
    return 0.5 * p[SIGMA0] * (z[0, 0] * z[0, 0] + z[0, 1] * z[0, 1] + z[0, 2] * z[0, 2])


@kernel
def lugre_rate(p: np.ndarray) -> float:
    """Inverse of the time constant of the bristles, sigma0 v_s / mu_k in 1/s (eq. 27)."""
    return p[SIGMA0] * p[V_S] / p[MU_K]


@kernel
def _speed(p: np.ndarray, slip2: complex, dt: float) -> complex:
    """Rounded magnitude of the slip velocity, never below v_eps."""
    return np.sqrt(slip2 / (dt * dt) + p[V_EPS] * p[V_EPS])


@kernel
def _decay(p: np.ndarray, speed: complex, dt: float) -> complex:
    """b = dt sigma0 |V| / g(V), the dimensionless step of the bristles."""
    return dt * p[SIGMA0] * speed / stribeck(p, speed)


@kernel
def _carried(p: np.ndarray, f_n: complex, f_n_prev: float) -> complex:
    """Share of the old deflection that is left after fresh bristles joined; 1 unless asked for."""
    if p[UNLOAD] != 0.0 and f_n.real > f_n_prev:
        return f_n_prev / f_n
    return 1.0 + 0.0 * f_n


@kernel
def _bristle_step(z: complex, slip: complex, b: complex) -> tuple[complex, complex]:
    """Eq. 29 for one component: (z_f - z_i, mean deflection), both in m."""
    a = b / 6.0
    dz = (1.0 + a) * (slip - b * z) / (1.0 + a * (4.0 + 6.0 * a))
    return dz, z + (0.5 + a) / (1.0 + a) * dz


@kernel
def _coefficient(p: np.ndarray, slip: complex, dz: complex, z_g: complex, dt: float) -> complex:
    """Eq. 22 for one component, from means over the step."""
    return p[SIGMA0] * z_g + (p[SIGMA1] * dz + p[SIGMA2] * slip) / dt


@kernel
def _loss(p: np.ndarray, slip: complex, dz: complex, z_g: complex, b: complex, dt: float) -> complex:
    """Eq. 32 for one component without the stored energy: loss per unit normal force (m)."""
    a = b / 6.0
    elastic = p[SIGMA0] * (b * z_g * z_g + 0.5 * a / (1.0 + a) * dz * dz)
    return elastic + (p[SIGMA1] * dz + p[SIGMA2] * slip) * slip / dt
