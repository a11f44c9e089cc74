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
from fem_mbd.friction.blocks import exponential_decay
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
from fem_mbd.friction.records import CurveKernels, friction_record

ANDERSSON = "Andersson, Söderberg and Björklund, Tribology International 40 (2007) 580"
Slope = Annotated[float, Parameter("slope of the curve at rest", "s/m", "slope", above=0.0, symbol="k")]
KineticSpeed = Annotated[
    float, Parameter("speed from which on friction is mu_k", "m/s", "speed", above="v_0")
]
FLAT = 20.0  # beyond which tanh is 1 to round-off


class AlongSlip(Law):
    """Base of these laws, which have no states; ``p`` of the curve are the parameters in their order."""

    kernels: ClassVar[CurveKernels]

    def record(self) -> NDArray[Any]:
        """Parameters as a 0-d array of dtype ``FRICTION_LAW``."""
        return friction_record(self.kernels, [getattr(self, name) for name in self.parameters])


@kernel
def linear_curve(p: np.ndarray, v: complex) -> complex:
    """Of `LinearRegularised`."""
    mu_k, slope = p[0], p[1]
    return mu_k * slope + 0.0 * v if v.real * slope < 1.0 else mu_k / v


@dataclass(frozen=True)
class LinearRegularised(AlongSlip):
    """Straight up to mu_k, which is reached at the speed 1/slope."""

    mu_k: KineticOrZero
    slope: Slope

    source: ClassVar = ANDERSSON
    examples: ClassVar = {"": {"mu_k": 0.1, "slope": 1e3}}
    kernels: ClassVar = CurveKernels(linear_curve)


@kernel
def tanh_curve(p: np.ndarray, v: complex) -> complex:
    """Of `TanhRegularised`."""
    mu_k, slope = p[0], p[1]
    x = slope * v
    if x.real < 1e-5:
        return mu_k * slope * (1.0 - x * x / 3.0)
    return mu_k * _tanh(x) / v


@kernel
def _tanh(x: complex) -> complex:
    """tanh(x) of x > 0, complex too."""
    return np.tanh(x) if x.real < FLAT else 1.0 + 0.0 * x


@dataclass(frozen=True)
class TanhRegularised(AlongSlip):
    """Hyperbolic tangent."""

    mu_k: KineticOrZero
    slope: Slope

    source: ClassVar = ANDERSSON
    examples: ClassVar = {"": {"mu_k": 0.1, "slope": 1e3}}
    kernels: ClassVar = CurveKernels(tanh_curve)


@kernel
def threlfall_curve(p: np.ndarray, v: complex) -> complex:
    """Of `Threlfall`."""
    mu_k, v_0 = p[0], p[1]
    x = v / v_0
    if x.real >= 1.0:
        risen = 1.0 - np.exp(-3.0) + 3.0 * (x - 1.0)
        return mu_k * risen / v if risen.real < 1.0 else mu_k / v
    if x.real < 1e-5:
        return 3.0 * mu_k / v_0 * (1.0 - 1.5 * x)
    return mu_k * (1.0 - np.exp(-3.0 * x)) / v


@dataclass(frozen=True)
class Threlfall(AlongSlip):
    """Exponential, within exp(-3) of mu_k at v_0."""

    mu_k: KineticOrZero
    v_0: RegularisedSpeed

    source: ClassVar = "Threlfall, Mechanism and Machine Theory 13 (1978) 475"
    examples: ClassVar = {"": {"mu_k": 0.1, "v_0": 1e-3}}
    kernels: ClassVar = CurveKernels(threlfall_curve)


@kernel
def linear_stiction_curve(p: np.ndarray, v: complex) -> complex:
    """Of `LinearStiction`."""
    mu_s, mu_k, v_0, v_1 = p[0], p[1], p[2], p[3]
    if v.real < v_0:
        return mu_s / v_0 + 0.0 * v
    y = (v - v_0) / (v_1 - v_0)
    return (mu_s + (mu_k - mu_s) * y) / v if y.real < 1.0 else mu_k / v


@dataclass(frozen=True)
class LinearStiction(AlongSlip):
    """Straight up to mu_s at v_0, straight down to mu_k at v_1."""

    mu_s: StaticOrZero
    mu_k: KineticOrZero
    v_0: RegularisedSpeed
    v_1: KineticSpeed

    source: ClassVar = "Marques et al., Nonlinear Dynamics 86 (2016) 1407"
    examples: ClassVar = {"": {"mu_s": 0.15, "mu_k": 0.1, "v_0": 1e-3, "v_1": 2e-3}}
    kernels: ClassVar = CurveKernels(linear_stiction_curve)


@kernel
def bengisu_akay_curve(p: np.ndarray, v: complex) -> complex:
    """Of `BengisuAkay`."""
    mu_s, mu_k, v_0, xi = p[0], p[1], p[2], p[3]
    if v.real < v_0:
        return mu_s / v_0 * (2.0 - v / v_0)
    return (mu_k + (mu_s - mu_k) * exponential_decay(xi * (v - v_0) + 1e-300, 1.0)) / v


@dataclass(frozen=True)
class BengisuAkay(AlongSlip):
    """Parabola up to mu_s at v_0, exponential fall to mu_k."""

    mu_s: StaticOrZero
    mu_k: KineticOrZero
    v_0: RegularisedSpeed
    xi: Annotated[float, Parameter("rate of the fall beyond v_0", "s/m", "slope", above=0.0)]

    source: ClassVar = "Bengisu and Akay, J. Sound and Vibration 171 (1994) 557"
    examples: ClassVar = {"": {"mu_s": 0.15, "mu_k": 0.1, "v_0": 1e-3, "xi": 50.0}}
    kernels: ClassVar = CurveKernels(bengisu_akay_curve)


@kernel
def ambrosio_curve(p: np.ndarray, v: complex) -> complex:
    """Of `Ambrosio`."""
    mu_k, v_0, v_1 = p[0], p[1], p[2]
    if v.real < v_0:
        return 0.0 * v
    y = (v - v_0) / (v_1 - v_0)
    return mu_k * y / v if y.real < 1.0 else mu_k / v


@dataclass(frozen=True)
class Ambrosio(AlongSlip):
    """No friction up to v_0, straight up to mu_k at v_1."""

    mu_k: KineticOrZero
    v_0: Annotated[float, Parameter("speed up to which there is no friction", "m/s", "speed", above=0.0)]
    v_1: KineticSpeed

    source: ClassVar = "Ambrósio, Virtual Nonlinear Multibody Systems (Springer 2003) 57"
    examples: ClassVar = {"": {"mu_k": 0.1, "v_0": 1e-4, "v_1": 1e-3}}
    kernels: ClassVar = CurveKernels(ambrosio_curve)


@kernel
def general_kinetic_curve(p: np.ndarray, v: complex) -> complex:
    """Of `GeneralKinetic`."""
    mu_s, mu_k, v_0, v_s, gamma, sigma_2 = p[0], p[1], p[2], p[3], p[4], p[5]
    speed = v_0 + 0.0 * v if v.real < v_0 else v
    return (mu_k + (mu_s - mu_k) * exponential_decay(speed / v_s, gamma)) / speed + sigma_2


@dataclass(frozen=True)
class GeneralKinetic(AlongSlip):
    """General kinetic friction (GKF): straight up to the Stribeck curve, which it joins at v_0."""

    mu_s: StaticOrZero
    mu_k: KineticOrZero
    v_0: RegularisedSpeed
    v_s: StribeckSpeed
    gamma: StribeckExponent = 2.0
    sigma_2: Viscous = 0.0

    source: ClassVar = ANDERSSON
    examples: ClassVar = {"": {"mu_s": 0.15, "mu_k": 0.1, "v_0": 1e-3, "v_s": 3e-3}}
    kernels: ClassVar = CurveKernels(general_kinetic_curve)


# Above this the quotient of phi is evaluated directly: it loses less than a digit.
SERIES_LIMIT = 0.5
SERIES_TERMS = 16


@kernel
def coulomb_curve(p: np.ndarray, v: complex) -> complex:
    """Of `Coulomb`."""
    mu_k, v_0 = p[0], p[1]
    return mu_k / v_0 * _phi(v / v_0)


@kernel
def _phi(x: complex) -> complex:
    """(1 - exp(-x))/x, 1 at x = 0."""
    if x.real * x.real + x.imag * x.imag > SERIES_LIMIT * SERIES_LIMIT:
        return (1.0 - np.exp(-x)) / x
    total = 1.0 + 0.0 * x
    for k in range(SERIES_TERMS, 1, -1):
        total = 1.0 - total * x / k
    return total


@dataclass(frozen=True)
class Coulomb(AlongSlip):
    """Coulomb friction with an exponential regularisation."""

    mu_k: KineticOrZero
    v_0: Annotated[float, Parameter("speed of the regularisation", "m/s", "speed", above=0.0)]

    source: ClassVar = "Bauchau and Ju, Comput. Methods Appl. Mech. Eng. 195 (2006) 6909"
    examples: ClassVar = {"": {"mu_k": 0.1, "v_0": 1e-3}}
    kernels: ClassVar = CurveKernels(coulomb_curve)


@kernel
def makkar_curve(p: np.ndarray, v: complex) -> complex:
    """Of `Makkar`."""
    static = p[0] * (_tanh(p[1] * v) - _tanh(p[2] * v))
    return (static + p[3] * _tanh(p[4] * v)) / v + p[5]


@dataclass(frozen=True)
class Makkar(AlongSlip):
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
    kernels: ClassVar = CurveKernels(makkar_curve)
