"""Leuven model (Swevers et al. 2000) in the form of Lampaert et al. (2002), with hysteresis by springs and sliders.

Marques 2015, eqs. 3.55 to 3.58 for the original and 3.59 for the modified form:

    z' = V - |V| (|F_h|/g(V))**n F_h/|F_h|,      mu = F_h + sigma_1 z' + sigma_2 V

F_h(z) is the hysteresis force with nonlocal memory, of parallel springs and sliders displaced by z: the modified form,
which needs no stack of reversal points. ``form="original"`` is Swevers' equation,

    z' = V (1 - sgn(r) |r|**n),      r = (F_h - F_b).e/(g - F_b.e),      e = V/|V|,

F_b being F_h at the last reversal: along one line only (scalar form), with the jump of the force that its authors found
later, and not passive in general. The modified form is a vector form. The path of z in a step is straight; the sliding
fraction is found by regula falsi.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from fem_mbd.core.compiled import kernel
from fem_mbd.core.compiled.vectors import dot
from fem_mbd.friction.blocks import (
    narrow_bracket,
    rounded_norm,
    slide,
    slide_along,
    spring_along,
    steady_curve,
)
from fem_mbd.friction.dynamic.maxwell_slip import check_elements
from fem_mbd.friction.law import (
    BristleDamping,
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
from fem_mbd.friction.validity import bristle_speed_limit, stribeck_curve

COUNT, MU_S, MU_K, V_S, GAMMA, SIGMA_1, SIGMA_2, POWER, ORIGINAL, STIFFNESS = range(10)
MAX_ELEMENTS = 12
SHARE = STIFFNESS + MAX_ELEMENTS
MAX_ITERATIONS = 120


@dataclass(frozen=True)
class Leuven(Law):
    """Leuven model, 1 to 12 elements; each slides at its fraction of mu_s."""

    mu_s: StaticCoefficient
    mu_k: KineticCoefficient
    v_s: StribeckSpeed
    k: Stiffnesses
    alpha: Shares
    sigma_1: BristleDamping = 0.0
    sigma_2: Viscous = 0.0
    exponent: Annotated[
        float, Parameter("exponent of the transition", role="shape", above=0.0, symbol="n")
    ] = 1.0
    gamma: StribeckExponent = 2.0
    form: Annotated[
        Literal["modified", "original"], Parameter("Lampaert's equations or Swevers' along one line", "")
    ] = "modified"

    examples: ClassVar = {
        variant: {
            "mu_s": 0.15, "mu_k": 0.1, "v_s": 1e-3, "k": (4e4, 3e4, 2e4, 1e4), "alpha": (0.1, 0.2, 0.3, 0.4),
            "sigma_1": 10.0, "sigma_2": 0.1, "exponent": 2.0, "form": form,
        }
        for variant, form in (("", "modified"), ("original", "original"))
    }  # fmt: skip

    def __post_init__(self) -> None:
        super().__post_init__()
        check_elements(self, self.k, self.alpha)

    @property
    def source(self) -> str:  # type: ignore[override]
        """Where the form was published."""
        if self.form == "original":
            return "Swevers et al., IEEE Trans. Automatic Control 45 (2000) 675"
        return "Lampaert, Swevers and Al-Bender, IEEE Trans. Automatic Control 47 (2002) 683"

    @property
    def on_turning_slip(self) -> str:
        """Warning text for slip that changes direction; empty for the modified form."""
        if self.form == "modified":
            return ""
        return 'form "original" is for slip along one line only; give form="modified" where slip can change direction'

    def record(self) -> NDArray[Any]:
        head = (
            len(self.k),
            self.mu_s,
            self.mu_k,
            self.v_s,
            self.gamma,
            self.sigma_1,
            self.sigma_2,
            self.exponent,
        )
        padding = [0.0] * (MAX_ELEMENTS - len(self.k))
        return friction_record(
            LEUVEN,
            (*head, float(self.form == "original"), *self.k, *padding, *self.alpha),
            states=len(self.k) + 2,
            turned=len(self.k) + 2,
            springs=self.k,
        )

    def passivity_limit(self) -> float:
        """Slip speed in m/s up to which friction generates no energy; 0 for the original form."""
        if self.form == "original":
            return 0.0
        g = stribeck_curve(self.mu_s, self.mu_k, self.v_s, self.gamma)
        return bristle_speed_limit(g, self.sigma_1, self.sigma_2, self.mu_s, self.exponent)


@kernel
def leuven_friction(p, s_m, z_i, dt, mu, z_f):
    """Fill ``mu`` (3,) and ``z_f``: n deflections, force at the last reversal, last direction of slip."""
    n, length = int(p[COUNT]), rounded_norm(s_m)
    g = steady_curve(0.0, p[MU_S], p[MU_K], p[V_S], p[GAMMA], length / dt)
    direction, base = np.empty(3, s_m.dtype), np.empty(3, s_m.dtype)
    _base_and_direction(p, s_m, length, z_i, direction, base)
    fraction = _sliding_fraction(p, s_m, length, g, z_i, direction, base)
    dz, force = np.empty(3, s_m.dtype), np.empty(3, s_m.dtype)
    for k in range(3):
        dz[k] = s_m[k] - fraction * length * direction[k]
    _hysteresis(p, dz, z_i, z_f, force)
    for k in range(3):
        mu[k] = force[k] + (p[SIGMA_1] * dz[k] + p[SIGMA_2] * s_m[k]) / dt
        z_f[n, k], z_f[n + 1, k] = base[k], s_m[k] / length


LEUVEN = FrictionKernels(leuven_friction)


@kernel
def _base_and_direction(p, s_m, length, z_i, direction, base):
    """Direction in which sliding reduces z, and the force at the last reversal."""
    n, turned = int(p[COUNT]), False
    trial = np.empty((z_i.shape[0], 3), s_m.dtype)
    if p[ORIGINAL] != 0.0:
        turned = dot(z_i[n + 1], s_m).real < 0.0
        for k in range(3):
            direction[k], base[k] = s_m[k] / length, z_i[n, k]
        if turned:
            for k in range(3):
                base[k] = 0.0
                for i in range(n):
                    base[k] += p[STIFFNESS + i] * z_i[i, k]
        return
    _hysteresis(p, s_m, z_i, trial, direction)
    level = np.sqrt(dot(direction, direction) + 1e-60)
    for k in range(3):
        direction[k], base[k] = direction[k] / level, 0.0


@kernel
def _hysteresis(p: np.ndarray, dz: np.ndarray, z_i: np.ndarray, z_f: np.ndarray, force: np.ndarray) -> None:
    """Deflections after the path ``dz`` and the mean force on it."""
    elastic, plastic = np.empty(3, dz.dtype), np.empty(3, dz.dtype)
    force[:] = 0.0
    for i in range(int(p[COUNT])):
        cap = p[SHARE + i] * p[MU_S] / p[STIFFNESS + i] + 0.0 * dz[0]
        slide(z_i[i], dz, cap, 0.5, z_f[i], elastic, plastic)
        for k in range(3):
            force[k] += p[STIFFNESS + i] * (elastic[k] + plastic[k])


@kernel
def _springs(p: np.ndarray, z_i: np.ndarray, direction: np.ndarray, out: np.ndarray) -> None:
    """Fill out (n, 4): data of the elements for `slide_along`, independent of the sliding fraction."""
    for i in range(int(p[COUNT])):
        cap = p[SHARE + i] * p[MU_S] / p[STIFFNESS + i] + 0.0 * direction[0]
        spring_along(z_i[i], cap, direction, out[i])


@kernel
def _implied_root(p, fraction, s_m, length, g, z_i, direction, start, springs):
    """n-th root of the sliding fraction implied by the force after a step with ``fraction``; start: base.direction."""
    slid = fraction * length
    dz = s_m[0] - slid * direction[0], s_m[1] - slid * direction[1], s_m[2] - slid * direction[2]
    s_s, s_a = dot(dz, dz), dot(dz, direction)
    along = 0.0 * s_a
    for i in range(springs.shape[0]):
        along += p[STIFFNESS + i] * slide_along(dot(z_i[i], dz), s_s, s_a, springs[i])
    if p[ORIGINAL] == 0.0:
        return along / g
    span = g - start
    if span.real < 1e-3 * g.real:
        span = 1e-3 * g
    return (along - start) / span


@kernel
def _raised(x: complex, n: float) -> complex:
    """x**n for x above zero."""
    if n == 1.0:
        return x
    return x * x if n == 2.0 else x**n


@kernel
def _sliding_fraction(p, s_m, length, g, z_i, direction, base):
    """Sliding fraction of the slip, x**n: regula falsi in real numbers, then one complex Newton step.

    x - implied(x**n) increases with x, from below zero at x = 0 to above zero at implied(0), as the implied root
    decreases with the fraction.
    """
    n, h = p[POWER], 1e-40
    s, z, e, start = _real_parts(s_m), _real_parts(z_i), _real_parts(direction), dot(base, direction)
    real_length, real_g, f_b = length.real, g.real, start.real
    springs = np.empty((int(p[COUNT]), 4))
    _springs(p, z, e, springs)
    high, low, side = _implied_root(p, 0.0, s, real_length, real_g, z, e, f_b, springs), 0.0, 0
    if high <= 0.0:
        return 0.0 * length
    f_low, f_high = (
        -high,
        high - _implied_root(p, _raised(high, n), s, real_length, real_g, z, e, f_b, springs),
    )
    root, width = high, 2.0 * high
    for _ in range(MAX_ITERATIONS):
        if f_high <= 0.0:
            break
        root = (low * f_high - high * f_low) / (f_high - f_low)
        if high - low > 0.5 * width:
            # for long slips the function is nearly a step: bisection is fastest
            root = 0.5 * (low + high)
        width = high - low
        residual = root - _implied_root(p, _raised(root, n), s, real_length, real_g, z, e, f_b, springs)
        if abs(residual) <= 1e-15 * root or not low < root < high:
            break
        low, f_low, high, f_high, side = narrow_bracket(low, f_low, high, f_high, side, root, residual)
    fraction = _raised(root, n) + 0.0 * length
    if not (_varies(s_m) or _varies(z_i) or _varies(direction) or _varies(base)):
        return fraction
    # the real root is exact to round-off; add its complex-step derivative
    varied = np.empty((int(p[COUNT]), 4), s_m.dtype)
    _springs(p, z_i, direction, varied)
    implied = _implied_root(p, fraction, s_m, length, g, z_i, direction, start, varied)
    slope = (
        1.0 - _implied_root(p, _raised(root + 1j * h, n), s, real_length, real_g, z, e, f_b, springs).imag / h
    )
    return _raised(root + (implied - implied.real) / slope, n)


@kernel
def _real_parts(a: np.ndarray) -> np.ndarray:
    """A new array of the values, without their derivatives."""
    out = np.empty(a.shape)
    for index, number in np.ndenumerate(a):
        out[index] = number.real
    return out


@kernel
def _varies(a: np.ndarray) -> bool:
    """Whether any number has an imaginary part (a complex-step derivative)."""
    for value in a.flat:
        if value.imag != 0.0:
            return True
    return False
