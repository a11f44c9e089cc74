"""Contact laws with damping from a coefficient of restitution: f = f_e (1 + chi d'/v0), v0 the impact speed.

f_e is the elastic force, d' the rate of approach, chi a number that each author derives from the wanted
restitution e (Machado et al., Mechanism and Machine Theory 53 (2012), table 1; Alves et al., ibid. 85 (2015)):

    Hunt, Crossley (1975)       3 (1 - e)/2
    Herbert, McWhannell (1977)  6 (1 - e)/((2e - 1)**2 + 3)
    Lee, Wang (1983)            3 (1 - e)/4
    Lankarani, Nikravesh (1990) 3 (1 - e**2)/4
    Gonthier et al. (2004)      (1 - e**2)/e
    Zhiying, Qishao (2006)      3 (1 - e**2) exp(2 (1 - e))/4
    Flores et al. (2011)        8 (1 - e)/(5e)

The thesis of Marques (2015, section 1.2.2) gives the ranges: above 0.7 for all of them but Gonthier's and Flores's, and
impacts below 1e-5 sqrt(E/rho). The actual restitution of a free impact obeys chi (1 + e) = ln[(1 + chi)/(1 - chi e)]
for any elastic law: ``actual_restitution``. All of these chi are approximations of its solution, most of them near e =
1 only; ``ExactRestitution`` uses the solution itself.

v0 is different for each impact: the contact stores the rate of approach at which it closed. If ``impact_speed`` is
given, it is used for all impacts.

Base class of contact laws that add damping to an elastic law.

The exact relation between damping and restitution: chi (1 + e) = ln[(1 + chi)/(1 - chi e)].

A free impact on f = f_e(d) (1 + chi d'/v0) at the speed v0 rebounds with e v0: both phases of v dv/(1 + chi
v/v0) = -f_e dd/m have the same right-hand side, whatever f_e is.

Hunt-Crossley dissipation on top of an elastic law: f_n = f_e (1 + c (q_i - q_f)/dt), never below zero.

f_e is the elastic force of the step (``elastic.py``), c in s/m, (q_i - q_f)/dt the mean rate of approach.
The step loses (f_n - f_e)(q_i - q_f) >= 0, also where the force is limited to zero: there the bodies separate faster
than the law allows and the elastic energy is dissipated. Source: Hunt and Crossley 1975 (force K d**n (1 + c d')).

A free impact at speed v0 rebounds with the restitution that chi = c v0 gives in ``damping.py``.

Contact with permanent indentation: Hertz's force on loading, steeper unloading (Lankarani and Nikravesh 1994).

    F = K d**n                                         loading, d = d_m
    F = K d_m**n ((d - d_p)/(d_m - d_p))**n            unloading and reloading up to d_m,       d_p = d_m (1 - e**2)

d = -q is the approach, d_m the largest so far, d_p the permanent indentation. The energy recovered is K d_m**(n + 1)
e**2/(n + 1): a free impact rebounds with e at any speed, and one that does not reach d_m again is elastic. d_m is a
state of the contact: it is retained while the contact is open, and the next contact begins at the gap -d_p.

Contact damping proportional to a power of the approach: f = f_e + D d**m d', never below zero.

d = -q is the approach in m, D in N s/m**(m + 1). m = 0 is the dashpot of Kelvin and Voigt, whose force jumps when the
contact closes and would be tensile at the end of contact (it is limited to zero there); m equal to the elastic exponent
is Hunt and Crossley's own form (1975), for which ``HuntCrossley`` is shorter; other powers fit measured contacts. Over
a step D d**m is averaged over the approach, zero in the open part of the step, and multiplied by the mean rate.
"""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass
from math import exp, inf
from typing import Annotated, Any, ClassVar

import numpy as np
import scipy
from numpy.typing import NDArray

from fem_mbd.base.validation import positive
from fem_mbd.core.compiled import kernel
from fem_mbd.errors import InputError
from fem_mbd.friction.law import Law, Parameter
from fem_mbd.friction.normal.cylinder import CylinderLaw
from fem_mbd.friction.normal.elastic import (
    BALL,
    LINEAR,
    Hertz,
    Linear,
    hertz_mean_force,
    hertz_potential,
)
from fem_mbd.friction.records import NO_ADHESION, normal_record
from fem_mbd.friction.validity import LawRangeWarning, warn_of_fast_impact

Elastic = Linear | Hertz | CylinderLaw


@dataclass(frozen=True)
class DampedLaw(Law):
    """Base of laws that contain an ``elastic`` law: ``Linear``, ``Hertz`` or of a cylinder. InputError for another."""

    elastic: Annotated[Elastic, Parameter("law without damping: Linear, Hertz or of a cylinder", "")]

    def __post_init__(self) -> None:
        super().__post_init__()
        if not isinstance(self.elastic, Elastic):
            raise InputError(
                f"{type(self).__name__} elastic is {self.elastic!r}: give a Linear or a Hertz law or one for cylinders"
            )

    @property
    def speed_limit(self) -> float:
        """m/s, that of the elastic law (``validity.py``)."""
        return float(getattr(self.elastic, "speed_limit", inf))

    @property
    def deepest(self) -> float:
        """m, that of the elastic law."""
        return float(getattr(self.elastic, "deepest", inf))


def chi_of_restitution(e: float) -> float:
    """Root chi > 0 for 0 < e < 1, 0 for e = 1."""
    if e == 1.0:
        return 0.0
    # The excess rises from (e**2 - 1)/2 < 0 at 0 without bound towards the pole 1/e. For small e the difference between
    # root and pole is below round-off.
    low, high = 0.1 * (1.0 - e), (1.0 - 1e-15) / e
    if _excess(high, e) <= 0.0:
        return high
    return float(scipy.optimize.brentq(_excess, low, high, args=(e,), xtol=1e-300, rtol=1e-14))


def actual_restitution(chi: float) -> float:
    """e in (0, 1] of a free impact on a law with this chi >= 0."""
    if chi == 0.0:
        return 1.0
    # e = 0 makes the excess negative (ln(1 + chi) < chi), the pole e = 1/chi and e = 1 make it positive.
    high = min(1.0, (1.0 - 1e-15) / chi)
    if _excess(chi, high) <= 0.0:
        return high
    return float(scipy.optimize.brentq(lambda e: _excess(chi, e), 0.0, high, xtol=1e-300, rtol=1e-14))


def _excess(chi: float, e: float) -> float:
    """(ln[(1 + chi)/(1 - chi e)] - chi (1 + e)) / chi**2, free of the double root at 0."""
    if chi > 0.05:
        return (math.log1p(chi) - math.log1p(-chi * e) - chi * (1.0 + e)) / (chi * chi)
    return sum((e**k - (-1.0) ** k) * chi ** (k - 2) / k for k in range(2, 16))


IMPACT = {"": {"elastic": BALL, "restitution": 0.9}}


@dataclass(frozen=True)
class RestitutionLaw(DampedLaw):
    """Base of the laws below; use one of them.

    Without ``impact_speed`` (give it only when it is the same for all impacts) each impact has its own. Impacts below
    ``slowest`` are damped as at this speed, because the damping chi/v0 would grow without bound; so are contacts that
    are closed at the start. Warns (``LawRangeWarning``) of a restitution below ``reliable_from``, and of an impact
    speed above the elastic law's ``speed_limit``.
    """

    restitution: Annotated[
        float, Parameter("wanted coefficient of restitution", above=0.0, at_most=1.0, symbol="e")
    ]
    impact_speed: Annotated[
        float | None, Parameter("speed of all impacts, when it is known", "m/s", above=0.0, symbol="v_0")
    ] = None
    slowest: Annotated[float, Parameter("least speed of impact", "m/s", above=0.0)] = 1e-3

    # below this the authors' chi does not give the wanted restitution
    reliable_from: ClassVar[float] = 0.7

    def __post_init__(self) -> None:
        law = type(self).__name__
        super().__post_init__()
        if self.impact_speed is not None:
            warn_of_fast_impact(self, self.impact_speed, stacklevel=3)
        if self.restitution < self.reliable_from:
            warnings.warn(
                f"{law} restitution is {self.restitution:g}, below {self.reliable_from:g}, the lower limit of its "
                f"formula: impacts will rebound with {actual_restitution(self.chi):.4g} instead",
                LawRangeWarning,
                stacklevel=3,
            )

    def formula(self, e: float) -> float:
        """chi of a coefficient of restitution.

        Parameters
        ----------
        e : between 0 and 1
        """
        raise TypeError(f"{type(self).__name__} must define its formula")

    @property
    def chi(self) -> float:
        """Damping times the speed of impact."""
        return self.formula(self.restitution)

    def record(self) -> NDArray[Any]:
        record = self.elastic.record()
        if self.impact_speed is None:
            record["chi"], record["slowest"] = self.chi, self.slowest
        else:
            record["damping"] = self.chi / self.impact_speed
        return record


@dataclass(frozen=True)
class HuntCrossleyImpact(RestitutionLaw):
    """Hunt and Crossley (1975), Journal of Applied Mechanics 42."""

    source: ClassVar = "Hunt and Crossley, J. Applied Mechanics 42 (1975) 440"
    examples: ClassVar = IMPACT

    def formula(self, e: float) -> float:
        return 1.5 * (1.0 - e)


@dataclass(frozen=True)
class HerbertMcWhannell(RestitutionLaw):
    """Herbert and McWhannell (1977), Journal of Engineering for Industry 99."""

    source: ClassVar = "Herbert and McWhannell, J. Engineering for Industry 99 (1977) 527"
    examples: ClassVar = IMPACT

    def formula(self, e: float) -> float:
        return 6.0 * (1.0 - e) / ((2.0 * e - 1.0) ** 2 + 3.0)


@dataclass(frozen=True)
class LeeWang(RestitutionLaw):
    """Lee and Wang (1983), Journal of Mechanisms, Transmissions, and Automation in Design 105."""

    source: ClassVar = "Lee and Wang, J. Mechanisms, Transmissions, and Automation in Design 105 (1983) 534"
    examples: ClassVar = IMPACT

    def formula(self, e: float) -> float:
        return 0.75 * (1.0 - e)


@dataclass(frozen=True)
class LankaraniNikravesh(RestitutionLaw):
    """Lankarani and Nikravesh (1990), Journal of Mechanical Design 112."""

    source: ClassVar = "Lankarani and Nikravesh, J. Mechanical Design 112 (1990) 369"
    examples: ClassVar = IMPACT

    def formula(self, e: float) -> float:
        return 0.75 * (1.0 - e * e)


@dataclass(frozen=True)
class GonthierImpact(RestitutionLaw):
    """Gonthier, McPhee, Lange and Piedboeuf (2004), Multibody System Dynamics 11."""

    source: ClassVar = "Gonthier et al., Multibody System Dynamics 11 (2004) 209"
    examples: ClassVar = IMPACT
    reliable_from: ClassVar[float] = 0.0

    def formula(self, e: float) -> float:
        return (1.0 - e * e) / e


@dataclass(frozen=True)
class ZhiyingQishao(RestitutionLaw):
    """Zhiying and Qishao (2006), Journal of Beijing University of Aeronautics and Astronautics 32."""

    source: ClassVar = "Zhiying and Qishao, J. Dynamics and Control 4 (2006) 294"
    examples: ClassVar = IMPACT

    def formula(self, e: float) -> float:
        return 0.75 * (1.0 - e * e) * exp(2.0 * (1.0 - e))


@dataclass(frozen=True)
class Flores(RestitutionLaw):
    """Flores, Machado, Silva and Martins (2011), Multibody System Dynamics 25."""

    source: ClassVar = "Flores et al., Multibody System Dynamics 25 (2011) 357"
    examples: ClassVar = IMPACT
    reliable_from: ClassVar[float] = 0.0

    def formula(self, e: float) -> float:
        return 8.0 * (1.0 - e) / (5.0 * e)


@dataclass(frozen=True)
class ExactRestitution(RestitutionLaw):
    """chi that gives the wanted restitution exactly, from the relation that all of these laws obey."""

    source: ClassVar = "solution of the equation of a free impact (docs/explanation/contact.md)"
    examples: ClassVar = IMPACT
    reliable_from: ClassVar[float] = 0.0

    def formula(self, e: float) -> float:
        return chi_of_restitution(e)


@dataclass(frozen=True)
class HuntCrossley(DampedLaw):
    """Elastic law with dissipation proportional to the elastic force and the rate of approach."""

    damping: Annotated[float, Parameter("damping per elastic force", "s/m", at_least=0.0, symbol="c")]

    source: ClassVar = "Hunt and Crossley, J. Applied Mechanics 42 (1975) 440"
    examples: ClassVar = {"": {"elastic": BALL, "damping": 10.0}}

    @classmethod
    def from_restitution(cls, elastic: Elastic, restitution: float, impact_speed: float) -> HuntCrossley:
        """Law whose free impact rebounds with exactly the given restitution.

        Parameters
        ----------
        elastic : elastic law
        restitution : speed of rebound over speed of impact, 0 < e < 1
        impact_speed : m/s, at which that holds

        Raises
        ------
        InputError
            When the restitution is outside (0, 1) or the speed is not above zero.
        """
        speed = positive(impact_speed, "HuntCrossley impact_speed")
        e = positive(restitution, "HuntCrossley restitution")
        if e >= 1.0:
            raise InputError(
                f"HuntCrossley restitution is {e:g}: it must be below 1 (use the elastic law alone for 1)"
            )
        return cls(elastic, chi_of_restitution(e) / speed)

    def record(self) -> NDArray[Any]:
        """Parameters as a 0-d array of dtype ``NORMAL_LAW``: those of the elastic law and the damping."""
        record = self.elastic.record()
        record["damping"] = self.damping
        return record


@dataclass(frozen=True)
class PermanentIndentation(Law):
    """Permanent indentation from a coefficient of restitution."""

    elastic: Annotated[Hertz, Parameter("law of loading: Hertz", "")]
    restitution: Annotated[
        float, Parameter("coefficient of restitution of a first impact", above=0.0, at_most=1.0, symbol="e")
    ]

    source: ClassVar = "Lankarani and Nikravesh, Nonlinear Dynamics 5 (1994) 193"
    examples: ClassVar = {"": {"elastic": BALL, "restitution": 0.9}}

    def __post_init__(self) -> None:
        super().__post_init__()
        if not isinstance(self.elastic, Hertz):
            raise InputError(f"PermanentIndentation elastic is {self.elastic!r}: give a Hertz law")

    def record(self) -> NDArray[Any]:
        """Parameters as a 0-d array of dtype ``NORMAL_LAW``: those of Hertz's law, and d_p/d_m."""
        record = self.elastic.record()
        record["permanent"] = 1.0 - self.restitution * self.restitution
        return record


@kernel
def _unloading_stiffness(k: float, n: float, permanent: float) -> float:
    """Stiffness of unloading; it does not depend on the largest approach."""
    return k / (1.0 - permanent) ** n


@kernel
def permanent_potential(law: np.void, q: complex, deepest: complex) -> complex:
    """Energy (J) recovered by unloading from gap ``q`` (m) when the largest approach was ``deepest`` (m)."""
    k, n, permanent = law["p"][0], law["p"][1], law["permanent"]
    return hertz_potential(_unloading_stiffness(k, n, permanent), n, q + permanent * deepest)


@kernel
def permanent_forces(law: np.void, deepest: complex, q_i: complex, q_f: complex) -> tuple[complex, complex]:
    """Force of the step, and the force whose work is the change of the recoverable energy."""
    k, n, permanent = law["p"][0], law["p"][1], law["permanent"]
    unloading = _unloading_stiffness(k, n, permanent)
    if -q_f.real <= deepest.real:
        force = hertz_mean_force(unloading, n, q_i + permanent * deepest, q_f + permanent * deepest)
        return force, force
    change = q_i - q_f
    loading = (-deepest - q_f) / change
    force = loading * hertz_mean_force(k, n, 0.0 * q_i - deepest, q_f)
    reloading = 0.0 * force
    if loading.real < 1.0 and deepest.real > 0.0:
        reloading = (1.0 - loading) * hertz_mean_force(
            unloading, n, q_i + permanent * deepest, (permanent - 1.0) * deepest + 0.0 * q_i
        )
    before = permanent_potential(law, q_i, deepest + 0.0 * q_i)
    return force + reloading, (permanent_potential(law, q_f, -q_f) - before) / change


@kernel
def damped_force(law: np.void, f_e: complex, q_i: complex, q_f: complex, dt: float, v_0: complex) -> complex:
    """Force of the step with the damping of the record on the elastic force ``f_e``; only adhesion makes it tensile."""
    rate = (q_i - q_f) / dt
    f_n = f_e + f_e * law["damping"] * rate
    if law["chi"] > 0.0:
        speed = v_0 + 0.0 * rate
        if q_i.real >= 0.0:
            speed = rate
        if speed.real < law["slowest"]:
            speed = law["slowest"] + 0.0 * rate
        f_n = f_n + f_e * law["chi"] * rate / speed
    if law["viscosity"] > 0.0:
        f_n = f_n + hertz_mean_force(law["viscosity"], law["viscous_exponent"], q_i, q_f) * rate
    return 0.0 * f_n if f_n.real < 0.0 and law["adhesion"] == NO_ADHESION else f_n


@dataclass(frozen=True)
class PowerDamping(DampedLaw):
    """Elastic law in parallel with damping D d**m d'."""

    viscosity: Annotated[
        float,
        Parameter("damping per power of the approach", "N s/m**(exponent + 1)", at_least=0.0, symbol="D"),
    ]
    exponent: Annotated[float, Parameter("power of the approach", at_least=0.0, symbol="m")]

    source: ClassVar = "Hunt and Crossley (1975), with an independent exponent"
    examples: ClassVar = {"": {"elastic": BALL, "viscosity": 3e8, "exponent": 1.0}}

    def record(self) -> NDArray[Any]:
        """Parameters as a 0-d array of dtype ``NORMAL_LAW``: those of the elastic law, D and m."""
        record = self.elastic.record()
        record["viscosity"], record["viscous_exponent"] = self.viscosity, self.exponent
        return record


@dataclass(frozen=True)
class KelvinVoigt(Law):
    """Spring and dashpot in parallel, in compression only."""

    stiffness: Annotated[float, Parameter("stiffness", "N/m", above=0.0, symbol="k")]
    viscosity: Annotated[float, Parameter("damping of the dashpot", "N s/m", at_least=0.0, symbol="D")]

    source: ClassVar = "Goldsmith, Impact (Edward Arnold 1960)"
    examples: ClassVar = {"": {"stiffness": 1e7, "viscosity": 500.0}}

    def record(self) -> NDArray[Any]:
        return normal_record(LINEAR, self.stiffness, viscosity=self.viscosity)
