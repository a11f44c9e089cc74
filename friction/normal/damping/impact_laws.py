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
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from math import exp
from typing import Annotated, Any, ClassVar

from numpy.typing import NDArray

from fem_mbd.friction.normal.damping.damped import DampedLaw, actual_restitution, chi_of_restitution
from fem_mbd.friction.normal.elastic.hertz import BALL
from fem_mbd.friction.parameters import Parameter
from fem_mbd.friction.validity import LawRangeWarning, warn_of_fast_impact

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
