"""Friction law with a user-defined curve F(v), sticking at rest (Marques 2015, eqs. 3.8, 3.11 and 3.22).

    mu = F(v) along the slip, F(0) at most at rest

F is force over normal force as points (speed, value) or as a function, Python's or numba's, that is sampled once when
the law is built; points are joined by a monotone cubic, constant beyond the last (``steady_points.py``). Every value is
checked: finite, not negative (F v < 0 would drive the motion), and continuous. Bond, ``x_stick`` and vector form:
``dry.py``.

Awrejcewicz's friction law: from static to kinetic friction by a cubic of the speed.

    mu = mu_s + (F(v) - mu_s) (v/v_s)**2 (3 - 2 v/v_s) up to v_s, F(v) beyond       F(v) = mu_k, or any

Awrejcewicz et al. 2008; Marques 2015, eq. 3.22, has four branches that depend on the external force too: the curve here
is that for a force of mu_s, their largest; below it the contact sticks. Bond, ``x_stick`` and vector form: ``dry.py``.

Tustin's friction law: Stribeck curve as an exponential of the speed.

    mu = mu_k + (mu_s - mu_k) exp(-v/v_s) + sigma_2 v

Tustin 1947; Armstrong-Helouvry et al. 1994. That is Bo and Pavelescu's curve with the exponent 1. Bond, ``x_stick`` and
vector form: ``dry.py``.

Popp and Stelter's friction law: hyperbolic decrease and increase with the square of the speed.

    mu = mu_k + (mu_s - mu_k)/(1 + eta_1 v) + eta_2 v**2

Popp and Stelter 1990, the characteristic of their discontinuous oscillators. Bond, ``x_stick`` and vector form:
``dry.py``.

Friction laws with a speed window in which the contact counts as stuck: Karnopp's law and the switch model.

    Karnopp    mu_s at most while v < D_v, mu_k + sigma_2 v or any F(v) beyond    (Karnopp 1985; Marques 2015, 3.11)
    switch     Karnopp's, with damping of the slip inside the window              (Leine et al. 1998; 3.12)

sigma_2 v acts inside the window too, where it is small. Leine's law sets the acceleration of a stuck mass proportional
to its slip; a contact has no mass, so sigma_1 is a damping in parallel with the bond. Bond, ``x_stick`` and vector
form: ``dry.py``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from fem_mbd.base.validation import positive
from fem_mbd.core.compiled import kernel
from fem_mbd.errors import InputError
from fem_mbd.friction.law import (
    KineticCoefficient,
    Law,
    Parameter,
    StaticCoefficient,
    Stick,
    StribeckSpeed,
    Viscous,
)
from fem_mbd.friction.records import BondKernels
from fem_mbd.friction.static.dry import (
    KINETIC,
    MU_K,
    MU_S,
    SHAPE,
    STRIBECK,
    V_S,
    X_STICK,
    dry_record,
    kinetic_cap,
)
from fem_mbd.friction.steady_points import Points, checked_points, curve_of, given_points, not_negative

CurveOfSliding = Annotated[Points, Parameter("points of with_curve in place of mu_k", "")]
TOLERANCE = 1e-9  # relative tolerance between mu_k and the curve's value


@dataclass(frozen=True)
class GivenCurve(Law):
    """Any F(v), above zero at rest."""

    curve: Annotated[Points, Parameter("points (speed in m/s, force over normal force)", "")]
    x_stick: Stick = X_STICK

    source: ClassVar = "Marques et al., Nonlinear Dynamics 86 (2016) 1407"
    examples: ClassVar = {"": {"curve": ((0.0, 0.15), (1e-3, 0.12), (3e-3, 0.1), (0.1, 0.105), (1.0, 0.2))}}

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "curve", checked_points(self.curve, "GivenCurve curve", not_negative))
        positive(self.at_rest, "GivenCurve curve at rest")

    @classmethod
    def with_curve(
        cls, F: Callable[[float], float] | Sequence[Any], v_s: float | None = None, **others: Any
    ) -> GivenCurve:
        """The law of a function.

        Parameters
        ----------
        F : as for `Karnopp.with_curve`
        v_s : m/s, speed at which F changes: it is sampled from rest to 1000 v_s
        others : x_stick

        Raises
        ------
        InputError
            As for `Karnopp.with_curve`.
        """
        return cls(given_points(F, v_s, cls.__name__, not_negative)[0], **others)

    @property
    def at_rest(self) -> float:
        """F(0)."""
        return float(self.curve[0][1])

    def record(self) -> NDArray[Any]:
        return dry_record(KINETIC, self.at_rest, self.at_rest, self.x_stick, curve=self.curve)


def points_and_value(
    F: Callable[[float], float] | Sequence[Any], speed: float, law: str
) -> tuple[Points, float]:
    """Points of F, and its value at ``speed`` (m/s)."""
    points = given_points(F, positive(speed, f"{law} speed"), law, not_negative)[0]
    return points, float(curve_of(points)(np.array(speed)))


def checked_curve(law: Any, speed: float) -> None:
    """Check and store the law's points; InputError unless their value at ``speed`` (m/s) is mu_k."""
    name = type(law).__name__
    if not law.curve:
        return
    points = checked_points(law.curve, f"{name} curve", not_negative)
    object.__setattr__(law, "curve", points)
    value = float(curve_of(points)(np.array(speed)))
    if abs(value - law.mu_k) > TOLERANCE * law.mu_k:
        raise InputError(
            f"{name} curve: its value at {speed:g} m/s is {value:g}, but mu_k is {law.mu_k:g}: make the law by "
            f"{name}.with_curve"
        )


@kernel
def blend_cap(p: np.ndarray, z_i: np.ndarray, v: complex) -> complex:
    """From mu_s to sliding by a cubic of the speed."""
    sliding, x = kinetic_cap(p, z_i, v), v / p[V_S]
    return p[MU_S] + (sliding - p[MU_S]) * (x * x * (3.0 - 2.0 * x)) if x.real < 1.0 else sliding


BLEND = BondKernels(blend_cap)


@dataclass(frozen=True)
class Awrejcewicz(Law):
    """mu_s blended to mu_k, or to any F(v), by a cubic, sliding being established from v_s on."""

    mu_s: StaticCoefficient
    mu_k: KineticCoefficient
    v_s: StribeckSpeed
    x_stick: Stick = X_STICK
    curve: CurveOfSliding = ()

    source: ClassVar = "Awrejcewicz, Grzelczyk and Pyryev, J. Vibroengineering 10 (2008) 475"
    examples: ClassVar = {"": {"mu_s": 0.15, "mu_k": 0.1, "v_s": 1e-3}}

    def __post_init__(self) -> None:
        super().__post_init__()
        checked_curve(self, self.v_s)

    @classmethod
    def with_curve(
        cls, F: Callable[[float], float] | Sequence[Any], mu_s: float, v_s: float, **others: Any
    ) -> Awrejcewicz:
        """The law with F(v) in place of mu_k, which is its value at v_s.

        Parameters
        ----------
        F : as for `Karnopp.with_curve`
        mu_s, v_s : of the law
        others : x_stick

        Raises
        ------
        InputError
            As for `Karnopp.with_curve`.
        """
        curve, mu_k = points_and_value(F, v_s, cls.__name__)
        return cls(mu_s, mu_k, v_s, curve=curve, **others)

    def record(self) -> NDArray[Any]:
        return dry_record(BLEND, self.mu_s, self.mu_k, self.x_stick, self.v_s, curve=self.curve)


@dataclass(frozen=True)
class Tustin(Law):
    """Exponential Stribeck curve and a viscous part."""

    mu_s: StaticCoefficient
    mu_k: KineticCoefficient
    v_s: StribeckSpeed
    sigma_2: Viscous = 0.0
    x_stick: Stick = X_STICK

    source: ClassVar = "Tustin, J. Institution of Electrical Engineers 94 (1947) 143"
    examples: ClassVar = {"": {"mu_s": 0.15, "mu_k": 0.1, "v_s": 1e-3, "sigma_2": 0.1}}

    def record(self) -> NDArray[Any]:
        return dry_record(STRIBECK, self.mu_s, self.mu_k, self.x_stick, self.v_s, 1.0, sigma_2=self.sigma_2)


@kernel
def popp_stelter_cap(p: np.ndarray, z_i: np.ndarray, v: complex) -> complex:
    """Hyperbola of the rate SHAPE."""
    return p[MU_K] + (p[MU_S] - p[MU_K]) / (1.0 + p[SHAPE] * v)


POPP_STELTER = BondKernels(popp_stelter_cap)


@dataclass(frozen=True)
class PoppStelter(Law):
    """Hyperbolic Stribeck curve with a term of the speed squared."""

    mu_s: StaticCoefficient
    mu_k: KineticCoefficient
    eta_1: Annotated[float, Parameter("rate of the fall", "s/m", "slope", above=0.0)]
    eta_2: Annotated[float, Parameter("rise with the speed squared", "s2/m2", "quadratic", at_least=0.0)] = (
        0.0
    )
    x_stick: Stick = X_STICK

    source: ClassVar = "Popp and Stelter, Phil. Trans. Royal Society A 332 (1990) 89"
    examples: ClassVar = {"": {"mu_s": 0.15, "mu_k": 0.1, "eta_1": 1e3, "eta_2": 1.0}}

    def record(self) -> NDArray[Any]:
        return dry_record(
            POPP_STELTER,
            self.mu_s,
            self.mu_k,
            self.x_stick,
            shape=self.eta_1,
            sigma_2=self.eta_2,
            delta_v=2.0,
        )


Window = Annotated[
    float, Parameter("speed below which the contact counts as stuck", "m/s", "speed", above=0.0)
]


@kernel
def window_cap(p: np.ndarray, z_i: np.ndarray, v: complex) -> complex:
    """mu_s where the last step was slower than the window."""
    return p[MU_S] + 0.0 * v if z_i[1, 1].real < p[V_S] else kinetic_cap(p, z_i, v)


WINDOW = BondKernels(window_cap)


@dataclass(frozen=True)
class Karnopp(Law):
    """Stuck in a window of speeds, sliding with mu_k and a viscous part outside, or with any F(v)."""

    mu_s: StaticCoefficient
    mu_k: KineticCoefficient
    D_v: Window
    sigma_2: Viscous = 0.0
    x_stick: Stick = X_STICK
    curve: CurveOfSliding = ()

    source: ClassVar = "Karnopp, J. Dynamic Systems, Measurement, and Control 107 (1985) 100"
    examples: ClassVar = {"": {"mu_s": 0.15, "mu_k": 0.1, "D_v": 1e-3}}

    def __post_init__(self) -> None:
        super().__post_init__()
        checked_curve(self, self.D_v)

    @classmethod
    def with_curve(
        cls, F: Callable[[float], float] | Sequence[Any], mu_s: float, D_v: float, **others: Any
    ) -> Karnopp:
        """The law with F(v) beyond the window; mu_k is its value at D_v.

        Parameters
        ----------
        F : force over normal force, not below zero: points (speed in m/s, value), or a function of the speed, Python's
            or numba's, that is sampled from rest to 1000 D_v
        mu_s, D_v : of the law
        others : sigma_2, x_stick

        Raises
        ------
        InputError
            For a value that is not finite or negative, a jump, and a function that 23 points cannot reproduce.
        """
        curve, mu_k = points_and_value(F, D_v, cls.__name__)
        return cls(mu_s, mu_k, D_v, curve=curve, **others)

    def record(self) -> NDArray[Any]:
        return dry_record(
            WINDOW, self.mu_s, self.mu_k, self.x_stick, self.D_v, curve=self.curve, sigma_2=self.sigma_2
        )


@dataclass(frozen=True)
class Switch(Law):
    """Karnopp's window with damping of the stuck contact (switch model)."""

    mu_s: StaticCoefficient
    mu_k: KineticCoefficient
    D_v: Window
    sigma_1: Annotated[float, Parameter("damping of the stuck contact", "s/m", "damping", above=0.0)]
    x_stick: Stick = X_STICK

    source: ClassVar = "Leine et al., Nonlinear Dynamics 16 (1998) 41"
    examples: ClassVar = {"": {"mu_s": 0.15, "mu_k": 0.1, "D_v": 1e-3, "sigma_1": 10.0}}

    def record(self) -> NDArray[Any]:
        return dry_record(WINDOW, self.mu_s, self.mu_k, self.x_stick, self.D_v, damping=self.sigma_1)
