"""LuGre friction with a vector of bristle deflections (or the paper's scalar).

    mu = sigma_0 z + sigma_1(V) z' + sigma_2 V,     z' = V - sigma_0 |V| z / g(V)
    g(V) = mu_k + (mu_s - mu_k) exp(-|V/v_s|**gamma), or any curve
    sigma_1(V) = sigma_1 exp(-(V/v_d)**2) or constant

z in m, V in m/s, mu the friction force per unit normal force; Bauchau and Ju, eqs. 22 to 29 (with dimensions
here); a damping that fades with speed: Olsson 1996, Canudas de Wit et al. 1995, eq. 9. With z and V vectors of the
tangent plane and |V| the magnitude these are the projected equations of that model; in a fixed direction they are the
paper's, with a sign. |V| is taken as sqrt(V.V + v_eps**2), so that nothing has a kink or a division by zero at rest.
Steps: ``lugre_kernels``.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from fem_mbd.errors import InputError
from fem_mbd.friction.checks import make_not_below, make_not_negative, make_positive
from fem_mbd.friction.dynamic.steady_points import (
    Points,
    checked_points,
    curve_of,
    sampled_points,
    stribeck_speed,
    with_slopes,
)
from fem_mbd.friction.kinds import LUGRE_SCALAR, LUGRE_VECTOR
from fem_mbd.friction.passivity import Curve, bristle_speed_limit, stribeck_curve
from fem_mbd.friction.records import friction_record
from fem_mbd.validation import positive

SLOWEST_CREEP = 5e-9  # m/s


@dataclass(frozen=True, kw_only=True)
class LuGre:
    """LuGre friction per unit normal force.

    sigma_0: bristle stiffness in 1/m

    sigma_1: bristle damping in s/m; sigma_2: viscous coefficient in s/m

    v_d: speed in m/s with which sigma_1 fades, sigma_1 exp(-(V/v_d)**2); constant when not given

    mu_s, mu_k: static and kinetic coefficients, mu_s >= mu_k > 0

    v_s, gamma: speed in m/s and exponent of the Stribeck curve

    curve: points (speed in m/s, g) that replace the Stribeck curve; made by ``LuGre.with_curve``

    v_eps: speed in m/s below which the magnitude of slip is rounded off; a stuck contact creeps at v_eps
    mu/g, so it belongs far below v_s. Not given: 1e-6 v_s but at most 5e-9 m/s (half a micrometre in 100 s), or
    1e-4 v_s for the scalar form, whose force turns round within a few v_eps when the slip reverses and which
    Newton's method cannot follow if that is too sharp

    form: ``"vector"`` keeps the direction of the bristles (presliding, reversal, stiffness at rest);
    ``"scalar"`` is the paper's, deflection along the current slip without memory of its direction

    unload_fresh_bristles: when the normal force grows, the bristles that come into contact start undeflected,
    z_i <- z_i f_n_prev/f_n. The stored energy f_n sigma_0 |z|**2/2 then never grows by the normal force alone
    (in the model as published it does)

    Raises ``InputError`` naming the parameter that is out of range.
    """

    sigma_0: float
    sigma_1: float = 0.0
    sigma_2: float = 0.0
    mu_s: float
    mu_k: float
    v_s: float
    gamma: float = 2.0
    v_eps: float | None = None
    form: Literal["vector", "scalar"] = "vector"
    unload_fresh_bristles: bool = False
    v_d: float | None = None
    curve: Points = ()

    def __post_init__(self) -> None:
        make_positive(self, "sigma_0", "mu_s", "mu_k", "v_s", "gamma")
        for name in ("v_eps", "v_d"):
            if getattr(self, name) is not None:
                make_positive(self, name)
        make_not_negative(self, "sigma_1", "sigma_2")
        make_not_below(self, "mu_s", "mu_k")
        if self.form not in ("vector", "scalar"):
            raise InputError(f'LuGre form is {self.form!r}: give "vector" or "scalar"')
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
        """The law with the steady curve ``g``: points (speed in m/s, coefficient), or a function of the speed.

        Points are joined without kinks, monotone between them, and held beyond the last. A function is sampled here,
        from rest to 1000 ``v_s``, a speed in m/s at which it changes. For points v_s is found when it is not given.
        ``others``: parameters of `LuGre` but mu_s, mu_k and gamma.

        Raises ``InputError`` for curves that are not above zero or that the points cannot follow.
        """
        if callable(g):
            if v_s is None:
                raise InputError("LuGre v_s is missing: give a speed in m/s at which the function g changes")
            points = sampled_points(g, positive(v_s, "LuGre v_s"), "LuGre g")
        else:
            points = checked_points(g, "LuGre g")
        values = [value for _, value in points]
        speed = stribeck_speed(points) if v_s is None else v_s
        return cls(mu_s=max(values), mu_k=values[-1], v_s=speed, curve=points, **others)

    @property
    def rounding_speed(self) -> float:
        """``v_eps`` in m/s as given, or what stands for it when it was not given."""
        if self.v_eps is not None:
            return self.v_eps
        return min(1e-6 * self.v_s, SLOWEST_CREEP) if self.form == "vector" else 1e-4 * self.v_s

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
        parameters = (self.sigma_0, self.sigma_1, self.sigma_2, self.mu_s, self.mu_k, self.v_s, self.gamma)
        options = (self.rounding_speed, float(self.unload_fresh_bristles), self.v_d or 0.0, len(self.curve))
        table = with_slopes(self.curve).ravel() if self.curve else ()
        return friction_record(kind, (*parameters, *options, *table))

    def steady(self) -> Curve:
        """g(V) as a function of an array of speeds in m/s."""
        if self.curve:
            return curve_of(self.curve)
        return stribeck_curve(self.mu_s, self.mu_k, self.v_s, self.gamma)

    def passivity_limit(self) -> float:
        """Slip speed in m/s up to which friction gives no energy away in any state it can have; may be ``inf``.

        Above it there are states with a negative loss: a motion may find them or not (`passivity`).
        """
        limit = bristle_speed_limit(self.steady(), self._damping(), self.sigma_2, self.mu_s)
        return math.sqrt(max(limit * limit - self.rounding_speed**2, 0.0))

    def _damping(self) -> float | Curve:
        """sigma_1, of an array of speeds if it fades."""
        if self.v_d is None:
            return self.sigma_1
        sigma_1, v_d = self.sigma_1, self.v_d
        return lambda speed: sigma_1 * np.exp(-np.minimum((speed / v_d) ** 2, 700.0))
