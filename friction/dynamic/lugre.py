"""LuGre friction law with a vector of bristle deflections (or the scalar form of the paper).

    mu = sigma_0 z + sigma_1(V) z' + sigma_2 V,     z' = V - sigma_0 |V| z / g(V)
    g(V) = mu_k + (mu_s - mu_k) exp(-|V/v_s|**gamma), or any curve
    sigma_1(V) = sigma_1 exp(-(V/v_d)**2) or constant

z in m, V in m/s, mu the friction force per unit normal force; Bauchau and Ju, eqs. 22 to 29 (with dimensions
here); damping that decays with speed: Olsson 1996, Canudas de Wit et al. 1995, eq. 9. With z and V vectors of the
tangent plane and |V| the magnitude these are the projected equations of that model; in a fixed direction they are the
paper's, with a sign. |V| is replaced by sqrt(V.V + v_eps**2), which avoids kinks and division by zero at rest.

Steps are P1 Galerkin in time. With s = dt V, b = dt sigma_0 |V| / g and a = b/6, eq. 29 of Bauchau and Ju becomes

    dz = z_f - z_i = (1 + a)(s - b z_i) / (1 + 4a + 6a**2),   z_g = z_i + (1/2 + a)/(1 + a) dz,   dt z' = dz,

z_g and z' being means over the step. By eq. 32, with z_j - z_i = a/(1 + a) dz, what is not stored is lost:

    mu.s = sigma_0 (|z_f|**2 - |z_i|**2)/2 + sigma_0 b |z_g|**2 + sigma_0 a/(2 (1 + a)) |dz|**2
           + (sigma_1 dz + sigma_2 s).s / dt,

with g and sigma_1, any functions of speed, at the mean speed of the step.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from fem_mbd.core.compiled import kernel
from fem_mbd.core.compiled.vectors import dot
from fem_mbd.errors import InputError
from fem_mbd.friction.blocks import (
    EXPONENTIAL,
    bristle_step,
    exponential_decay,
    per_normal_force,
    steady_curve,
    table_curve,
)
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
from fem_mbd.friction.steady_points import (
    Points,
    checked_points,
    curve_of,
    given_points,
    with_slopes,
)
from fem_mbd.friction.validity import Curve, bristle_speed_limit, stribeck_curve

SIGMA_1, SIGMA_2, MU_S, MU_K, V_S, GAMMA, V_EPS, UNLOAD, V_D, SCALAR, POINTS, ASYMMETRY, TABLE = range(13)
SLOWEST_CREEP = 5e-9  # m/s
TYPICAL_VALUES = {"sigma_0": 1e5, "sigma_1": 10.0, "sigma_2": 0.1, "mu_s": 0.15, "mu_k": 0.1, "v_s": 1e-3}
NOT_PUBLISHED = "of this package"
RoundingSpeed = Annotated[
    float | None,
    Parameter(
        "speed below which the magnitude of the slip is rounded",
        "m/s",
        "speed",
        above=0.0,
        source=NOT_PUBLISHED,
    ),
]
FadingSpeed = Annotated[
    float | None, Parameter("speed over which sigma_1 decays, None: constant", "m/s", "speed", above=0.0)
]


@dataclass(frozen=True, kw_only=True)
class LuGre(Law):
    """LuGre friction.

    A stuck contact creeps at v_eps mu/g, so v_eps must be far below v_s. Default: 1e-6 v_s but at most 5e-9 m/s (half a
    micrometre in 100 s), or 1e-4 v_s for the scalar form, whose force changes sign within a few v_eps when the slip
    reverses; Newton's method does not converge if that is too sharp.

    With unload_fresh_bristles, bristles that come into contact when the normal force grows are undeflected, z_i <-
    z_i f_n_prev/f_n. The stored energy ``f_n sigma_0 |z|**2/2`` then never grows by the normal force alone (in the
    model as published it does).
    """

    sigma_0: BristleStiffness
    sigma_1: BristleDamping = 0.0
    sigma_2: Viscous = 0.0
    mu_s: StaticCoefficient
    mu_k: KineticCoefficient
    v_s: StribeckSpeed
    gamma: StribeckExponent = 2.0
    v_eps: RoundingSpeed = None
    form: Annotated[
        Literal["vector", "scalar"],
        Parameter(
            "whether bristles have their own direction or, as in the paper, that of the present slip", ""
        ),
    ] = "vector"
    unload_fresh_bristles: Annotated[
        bool, Parameter("whether bristles that come into contact start undeflected", "", source=NOT_PUBLISHED)
    ] = False
    v_d: FadingSpeed = None
    curve: Annotated[Points, Parameter("points of LuGre.with_curve in place of the Stribeck curve", "")] = ()

    source: ClassVar = "Canudas de Wit et al., IEEE Trans. Automatic Control 40 (1995) 419"
    examples: ClassVar = {"": TYPICAL_VALUES, "scalar": {**TYPICAL_VALUES, "form": "scalar"}}

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.curve:
            object.__setattr__(self, "curve", checked_points(self.curve, "LuGre curve"))
            values = [g for _, g in self.curve]
            if (self.mu_s, self.mu_k) != (max(values), values[-1]):
                raise InputError(
                    f"LuGre curve: its largest value is {max(values):g} and its last {values[-1]:g}, but mu_s is "
                    f"{self.mu_s:g} and mu_k {self.mu_k:g}: make the law by LuGre.with_curve"
                )

    @classmethod
    def with_curve(
        cls, g: Callable[[float], float] | Sequence[Any], v_s: float | None = None, **others: Any
    ) -> LuGre:
        """The law with a user-defined steady curve.

        Points are joined without kinks, monotone between them, constant beyond the last. A function is sampled here.

        Parameters
        ----------
        g : points (speed in m/s, coefficient), or a function of the speed
        v_s : m/s, speed at which the curve changes: a function is sampled from rest to 1000 v_s; estimated from points
            when not given
        others : parameters of `LuGre` but mu_s, mu_k and gamma

        Raises
        ------
        InputError
            For curves that are not above zero or that the points cannot reproduce.
        """
        points, speed = given_points(g, v_s, "LuGre")
        values = [value for _, value in points]
        return cls(mu_s=max(values), mu_k=values[-1], v_s=speed, curve=points, **others)

    @property
    def rounding_speed(self) -> float:
        """``v_eps`` in m/s as given, or its default."""
        if self.v_eps is not None:
            return self.v_eps
        return min(1e-6 * self.v_s, SLOWEST_CREEP) if self.form == "vector" else 1e-4 * self.v_s

    @property
    def on_turning_slip(self) -> str:
        """Warning text for slip that changes direction; empty for the vector form."""
        if self.form == "vector":
            return ""
        return (
            'form "scalar" stores no direction of bristles: the force rotates with the slip at once, nothing is held '
            'elastically at rest; give form="vector" where that matters'
        )

    def record(self) -> NDArray[Any]:
        parameters = (self.sigma_1, self.sigma_2, self.mu_s, self.mu_k, self.v_s, self.gamma)
        options = (self.rounding_speed, float(self.unload_fresh_bristles), self.v_d or 0.0)
        table = with_slopes(self.curve).ravel() if self.curve else ()
        return friction_record(
            LUGRE,
            (*parameters, *options, float(self.form == "scalar"), len(self.curve), 0.0, *table),
            states=1,
            turned=1 if self.form == "vector" else 0,
            springs=(self.sigma_0,),
            time_constants=(self.sigma_0 * self.v_s / self.mu_k, self.v_s),
        )

    def steady(self) -> Curve:
        """g(V) as a function of an array of speeds in m/s."""
        if self.curve:
            return curve_of(self.curve)
        return stribeck_curve(self.mu_s, self.mu_k, self.v_s, self.gamma)

    def passivity_limit(self) -> float:
        """Slip speed in m/s up to which friction generates no energy in any reachable state; may be ``inf``.

        Above it there are states with a negative loss, which a motion may or may not reach (`validity`).
        """
        limit = bristle_speed_limit(self.steady(), self._damping(), self.sigma_2, self.mu_s)
        return math.sqrt(max(limit * limit - self.rounding_speed**2, 0.0))

    def _damping(self) -> float | Curve:
        """sigma_1, a function of an array of speeds if it decays."""
        if self.v_d is None:
            return self.sigma_1
        sigma_1, v_d = self.sigma_1, self.v_d
        return lambda speed: sigma_1 * np.exp(-np.minimum((speed / v_d) ** 2, 700.0))


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
        return p[SIGMA_1] * exponential_decay(speed / p[V_D], 2.0)
    return p[SIGMA_1] + 0.0 * speed


@kernel
def lugre_friction(law, p, along, s_m, z_i, f_n, f_n_prev, dt, mu, z_f):
    """Fill ``mu`` (3,) and ``z_f[0]`` (m).

    The scalar form has the deflection ``z[0, 0]`` along the slip, whose direction is V/|V| with the rounded magnitude;
    the slip that drives z is the one conjugate to this direction, V.V/|V|, so that the work identity is exact at any
    speed.
    """
    slip2 = s_m[0] * s_m[0] + s_m[1] * s_m[1] + s_m[2] * s_m[2]
    speed = _speed(p, slip2, dt)
    per = per_normal_force(law["classical"], f_n)
    sigma_0, sigma_1, sigma_2 = law["stiffness"][0] * per, bristle_damping(p, speed) * per, p[SIGMA_2] * per
    b = dt * sigma_0 * speed / stribeck(p, speed)
    if p[ASYMMETRY] != 0.0:
        b = b / (1.0 + p[ASYMMETRY] * dot(s_m, along) / (dt * speed))
    carry = _carried(p, f_n, f_n_prev)
    if p[SCALAR] != 0.0:
        slip = slip2 / (dt * speed)
        dz, z_g = bristle_step(carry * z_i[0, 0], slip, b)
        level = (sigma_0 * z_g + (sigma_1 * dz + sigma_2 * slip) / dt) / (dt * speed)
        for k in range(3):
            mu[k] = level * s_m[k]
        z_f[0, 0] = carry * z_i[0, 0] + dz
        return
    for k in range(3):
        z = carry * z_i[0, k]
        dz, z_g = bristle_step(z, s_m[k], b)
        z_f[0, k] = z + dz
        mu[k] = sigma_0 * z_g + (sigma_1 * dz + sigma_2 * s_m[k]) / dt


LUGRE = FrictionKernels(lugre_friction)


@kernel
def _speed(p: np.ndarray, slip2: complex, dt: float) -> complex:
    """Rounded magnitude of the slip velocity, never below v_eps."""
    return np.sqrt(slip2 / (dt * dt) + p[V_EPS] * p[V_EPS])


@kernel
def _carried(p: np.ndarray, f_n: complex, f_n_prev: complex) -> complex:
    """Fraction of the old deflection that is left after fresh bristles joined; 1 without unload_fresh_bristles."""
    if p[UNLOAD] != 0.0 and f_n.real > f_n_prev.real:
        return f_n_prev / f_n
    return 1.0 + 0.0 * f_n
