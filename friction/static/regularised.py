"""Regularised friction laws: coefficient h(v) with a finite slope at v = 0, v the mean slip speed of the step, m/s.

    linear          min(slope v, 1) mu_k                                         (Andersson et al. 2007; 3.13)
    tanh            tanh(slope v) mu_k                                           (Andersson et al. 2007; 3.14)
    Threlfall       (1 - exp(-3 v/v_0)) mu_k up to v_0, from there up to mu_k    (Threlfall 1978; 3.15)
    stiction        mu_s v/v_0 up to v_0, straight down to mu_k at v_1, mu_k     (3.16)
    Bengisu-Akay    mu_s (1 - (v - v_0)**2/v_0**2) up to v_0,
                    mu_k + (mu_s - mu_k) exp(-xi (v - v_0)) beyond               (Bengisu and Akay 1994; 3.17)
    Ambrosio        0 up to v_0, straight up to mu_k at v_1, mu_k                (Ambrosio 2003; 3.18)
    GKF             g(v_0) v/v_0 + sigma_2 v up to v_0, g(v) + sigma_2 v beyond,
                    g(v) = mu_k + (mu_s - mu_k) exp(-(v/v_s)**gamma)             (general kinetic friction)

Numbers: equations of F. Marques, Frictional contacts in multibody dynamics, thesis, University of Minho 2015; the same
forms are in Marques et al., Nonlinear Dynamics 86 (2016). GKF as with the projected LuGre model (its eq. 38). Forces
divided by the normal force; all laws hold for any direction of slip: the coefficient vector is h(v) V/v. None can
stick: below their limit they creep. Threlfall's curve as printed jumps up by exp(-3) mu_k at v_0: a contact whose load
lies in the jump moves at exactly v_0, and no step finds that speed on a discontinuous curve. Here the curve rises from
v_0 on with its slope at rest, 3 mu_k/v_0, and reaches mu_k at 1.017 v_0. GKF is printed with mu_s in its first branch,
which would jump at v_0, and with v_0 in place of v in its second, which has no Stribeck fall then: here the first takes
g(v_0) and the viscous part, so that it joins the second.

Regularised Coulomb friction: coefficient mu_k (1 - exp(-|V|/v_0)) along the slip (Bauchau and Ju, eq. 21).

V is the mean slip velocity of the step in m/s. Sticking is replaced by creep at speeds well below v_0. The
vector form used here, mu_k phi(|V|/v_0) V/v_0 with phi(x) = (1 - exp(-x))/x, needs no direction of slip and is
smooth enough at V = 0.

Makkar's friction law: a smooth function of the speed with static, Stribeck, Coulomb and viscous friction.

    mu = gamma_1 (tanh(gamma_2 v) - tanh(gamma_3 v)) + gamma_4 tanh(gamma_5 v) + gamma_6 v        along the slip

Makkar et al. 2005, eq. 2. gamma_1 + gamma_4 is about the static coefficient, gamma_4 the kinetic one. The curve has a
finite slope at rest, so the contact creeps below its limit.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from fem_mbd.core.compiled import kernel
from fem_mbd.friction.blocks import exponential_decay, rounded_norm
from fem_mbd.friction.law import (
    KineticOrZero,
    Law,
    Parameter,
    RegularisedSpeed,
    StaticOrZero,
    StribeckExponent,
    StribeckSpeed,
    Viscous,
)
from fem_mbd.friction.records import friction_record

VELOCITY_KIND = 5
FORM, MU_S, MU_K, V_0, V_1, SHAPE, F_V = range(7)
LINEAR, TANH, THRELFALL, STICTION, BENGISU, AMBROSIO, GKF = range(7)

ANDERSSON = "Andersson, Söderberg and Björklund, Tribology International 40 (2007) 580"
Slope = Annotated[float, Parameter("slope of the curve at rest", "s/m", "slope", above=0.0, symbol="k")]
KineticSpeed = Annotated[
    float, Parameter("speed from which on friction is mu_k", "m/s", "speed", above="v_0")
]


@dataclass(frozen=True)
class LinearRegularised(Law):
    """Straight up to mu_k, which is reached at the speed 1/slope."""

    mu_k: KineticOrZero
    slope: Slope

    source: ClassVar = ANDERSSON
    examples: ClassVar = {"": {"mu_k": 0.1, "slope": 1e3}}

    def record(self) -> NDArray[Any]:
        return friction_record(VELOCITY_KIND, (LINEAR, 0.0, self.mu_k, 1.0, 0.0, self.slope))


@dataclass(frozen=True)
class TanhRegularised(Law):
    """Hyperbolic tangent."""

    mu_k: KineticOrZero
    slope: Slope

    source: ClassVar = ANDERSSON
    examples: ClassVar = {"": {"mu_k": 0.1, "slope": 1e3}}

    def record(self) -> NDArray[Any]:
        return friction_record(VELOCITY_KIND, (TANH, 0.0, self.mu_k, 1.0, 0.0, self.slope))


@dataclass(frozen=True)
class Threlfall(Law):
    """Exponential, within exp(-3) of mu_k at v_0."""

    mu_k: KineticOrZero
    v_0: RegularisedSpeed

    source: ClassVar = "Threlfall, Mechanism and Machine Theory 13 (1978) 475"
    examples: ClassVar = {"": {"mu_k": 0.1, "v_0": 1e-3}}

    def record(self) -> NDArray[Any]:
        return friction_record(VELOCITY_KIND, (THRELFALL, 0.0, self.mu_k, self.v_0))


@dataclass(frozen=True)
class LinearStiction(Law):
    """Straight up to mu_s at v_0, straight down to mu_k at v_1."""

    mu_s: StaticOrZero
    mu_k: KineticOrZero
    v_0: RegularisedSpeed
    v_1: KineticSpeed

    source: ClassVar = "Marques et al., Nonlinear Dynamics 86 (2016) 1407"
    examples: ClassVar = {"": {"mu_s": 0.15, "mu_k": 0.1, "v_0": 1e-3, "v_1": 2e-3}}

    def record(self) -> NDArray[Any]:
        return friction_record(VELOCITY_KIND, (STICTION, self.mu_s, self.mu_k, self.v_0, self.v_1))


@dataclass(frozen=True)
class BengisuAkay(Law):
    """Parabola up to mu_s at v_0, exponential fall to mu_k."""

    mu_s: StaticOrZero
    mu_k: KineticOrZero
    v_0: RegularisedSpeed
    xi: Annotated[float, Parameter("rate of the fall beyond v_0", "s/m", "slope", above=0.0)]

    source: ClassVar = "Bengisu and Akay, J. Sound and Vibration 171 (1994) 557"
    examples: ClassVar = {"": {"mu_s": 0.15, "mu_k": 0.1, "v_0": 1e-3, "xi": 50.0}}

    def record(self) -> NDArray[Any]:
        return friction_record(VELOCITY_KIND, (BENGISU, self.mu_s, self.mu_k, self.v_0, 0.0, self.xi))


@dataclass(frozen=True)
class Ambrosio(Law):
    """No friction up to v_0, straight up to mu_k at v_1."""

    mu_k: KineticOrZero
    v_0: Annotated[float, Parameter("speed up to which there is no friction", "m/s", "speed", above=0.0)]
    v_1: KineticSpeed

    source: ClassVar = "Ambrósio, Virtual Nonlinear Multibody Systems (Springer 2003) 57"
    examples: ClassVar = {"": {"mu_k": 0.1, "v_0": 1e-4, "v_1": 1e-3}}

    def record(self) -> NDArray[Any]:
        return friction_record(VELOCITY_KIND, (AMBROSIO, 0.0, self.mu_k, self.v_0, self.v_1))


@dataclass(frozen=True)
class GeneralKinetic(Law):
    """General kinetic friction (GKF): straight up to the Stribeck curve, which it joins at v_0."""

    mu_s: StaticOrZero
    mu_k: KineticOrZero
    v_0: RegularisedSpeed
    v_s: StribeckSpeed
    gamma: StribeckExponent = 2.0
    sigma_2: Viscous = 0.0

    source: ClassVar = ANDERSSON
    examples: ClassVar = {"": {"mu_s": 0.15, "mu_k": 0.1, "v_0": 1e-3, "v_s": 3e-3}}

    def record(self) -> NDArray[Any]:
        return friction_record(
            VELOCITY_KIND, (GKF, self.mu_s, self.mu_k, self.v_0, self.v_s, self.gamma, self.sigma_2)
        )


@kernel
def velocity_friction(p: np.ndarray, s_m: np.ndarray, dt: float, mu: np.ndarray) -> None:
    """Fill ``mu`` (3,) from the slip ``s_m`` (3,) in m of the step."""
    weight = _slope(p, rounded_norm(s_m) / dt) / dt
    for k in range(3):
        mu[k] = weight * s_m[k]


@kernel
def _slope(p: np.ndarray, v: complex) -> complex:
    """h(v)/v in s/m, finite at rest."""
    form = p[FORM]
    if form == LINEAR:
        return p[MU_K] * p[SHAPE] if v.real * p[SHAPE] < 1.0 else p[MU_K] / v
    if form == TANH:
        x = p[SHAPE] * v
        if x.real > 20.0:
            return p[MU_K] / v
        if x.real < 1e-5:
            return p[MU_K] * p[SHAPE] * (1.0 - x * x / 3.0)
        return p[MU_K] * np.tanh(x) / v
    if form == GKF:
        if v.real < p[V_0]:
            level = p[MU_K] + (p[MU_S] - p[MU_K]) * exponential_decay(p[V_0] / p[V_1] + 0.0 * v, p[SHAPE])
            return level / p[V_0] + p[F_V]
        return (p[MU_K] + (p[MU_S] - p[MU_K]) * exponential_decay(v / p[V_1], p[SHAPE])) / v + p[F_V]
    x = v / p[V_0]
    inside = x.real < 1.0
    if form == THRELFALL:
        if not inside:
            risen = 1.0 - np.exp(-3.0) + 3.0 * (x - 1.0)
            return p[MU_K] * risen / v if risen.real < 1.0 else p[MU_K] / v
        if x.real < 1e-5:
            return 3.0 * p[MU_K] / p[V_0] * (1.0 - 1.5 * x)
        return p[MU_K] * (1.0 - np.exp(-3.0 * x)) / v
    if form == BENGISU:
        if inside:
            return p[MU_S] / p[V_0] * (2.0 - x)
        return (p[MU_K] + (p[MU_S] - p[MU_K]) * exponential_decay(p[SHAPE] * (v - p[V_0]) + 1e-300, 1.0)) / v
    y = (v - p[V_0]) / (p[V_1] - p[V_0])
    if form == STICTION:
        if inside:
            return p[MU_S] / p[V_0] + 0.0 * v
        return (p[MU_S] + (p[MU_K] - p[MU_S]) * y) / v if y.real < 1.0 else p[MU_K] / v
    if inside:
        return 0.0 * v
    return p[MU_K] * y / v if y.real < 1.0 else p[MU_K] / v


COULOMB_KIND = 2
MU, COULOMB_V_0 = range(2)

# Above this the quotient of phi is evaluated directly: it loses less than a digit.
SERIES_LIMIT = 0.5
SERIES_TERMS = 16


@dataclass(frozen=True)
class Coulomb(Law):
    """Coulomb friction with an exponential regularisation."""

    mu_k: KineticOrZero
    v_0: Annotated[float, Parameter("speed of the regularisation", "m/s", "speed", above=0.0)]

    source: ClassVar = "Bauchau and Ju, Comput. Methods Appl. Mech. Eng. 195 (2006) 6909"
    examples: ClassVar = {"": {"mu_k": 0.1, "v_0": 1e-3}}

    def record(self) -> NDArray[Any]:
        return friction_record(COULOMB_KIND, (self.mu_k, self.v_0))


@kernel
def coulomb_friction(p: np.ndarray, s_m: np.ndarray, f_n: complex, dt: float, mu: np.ndarray) -> complex:
    """Fill ``mu`` (3,) from the slip ``s_m`` (3,) in m of the step; return the energy lost in J."""
    slip2 = s_m[0] * s_m[0] + s_m[1] * s_m[1] + s_m[2] * s_m[2]
    weight = p[MU] / (p[COULOMB_V_0] * dt) * _phi(np.sqrt(slip2) / (p[COULOMB_V_0] * dt))
    for k in range(3):
        mu[k] = weight * s_m[k]
    return f_n * weight * slip2


@kernel
def _phi(x: complex) -> complex:
    """(1 - exp(-x))/x, 1 at x = 0."""
    if x.real * x.real + x.imag * x.imag > SERIES_LIMIT * SERIES_LIMIT:
        return (1.0 - np.exp(-x)) / x
    total = 1.0 + 0.0 * x
    for k in range(SERIES_TERMS, 1, -1):
        total = 1.0 - total * x / k
    return total


MAKKAR_KIND = 19
G_1, G_2, G_3, G_4, G_5, G_6 = range(6)
FLAT = 20.0  # beyond which tanh is 1 to round-off


@dataclass(frozen=True)
class Makkar(Law):
    """Sum of hyperbolic tangents and a viscous part."""

    gamma_1: Annotated[
        float, Parameter("static coefficient above that of sliding", role="coefficient", at_least=0.0)
    ]
    gamma_2: Annotated[float, Parameter("slope of static friction at rest", "s/m", "slope", above="gamma_3")]
    gamma_3: Annotated[float, Parameter("rate of Stribeck's fall", "s/m", "slope", above=0.0)]
    gamma_4: Annotated[float, Parameter("coefficient of sliding", role="coefficient", at_least=0.0)]
    gamma_5: Annotated[float, Parameter("slope of sliding friction at rest", "s/m", "slope", above=0.0)]
    gamma_6: Annotated[float, Parameter("viscous coefficient", "s/m", "viscous", at_least=0.0)] = 0.0

    source: ClassVar = "Makkar et al., IEEE/ASME Int. Conf. Advanced Intelligent Mechatronics (2005) 600"
    examples: ClassVar = {
        "": {"gamma_1": 0.05, "gamma_2": 1e4, "gamma_3": 1e3, "gamma_4": 0.1, "gamma_5": 1e4, "gamma_6": 0.1}
    }

    def record(self) -> NDArray[Any]:
        slopes = (self.gamma_1, self.gamma_2, self.gamma_3, self.gamma_4, self.gamma_5, self.gamma_6)
        return friction_record(MAKKAR_KIND, slopes)


@kernel
def makkar_friction(p: np.ndarray, s_m: np.ndarray, dt: float, mu: np.ndarray) -> None:
    """Fill ``mu`` (3,) from the slip ``s_m`` (3,) in m of the step."""
    length = rounded_norm(s_m)
    v = length / dt
    level = p[G_1] * (_tanh(p[G_2] * v) - _tanh(p[G_3] * v)) + p[G_4] * _tanh(p[G_5] * v) + p[G_6] * v
    for k in range(3):
        mu[k] = level / length * s_m[k]


@kernel
def _tanh(x: complex) -> complex:
    """tanh(x) of x > 0, complex too."""
    return np.tanh(x) if x.real < FLAT else 1.0 + 0.0 * x
