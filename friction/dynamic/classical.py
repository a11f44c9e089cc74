"""Bristle laws with stiffness in N/m as originally published: LuGre, Dahl, Bliman-Sorine, elasto-plastic.

    F = sigma_0 z + sigma_1 z' + sigma_2 V,     z' = V - sigma_0 |V| z/(N g(V))      (LuGre)

Stiffness in N/m and damping in N s/m do not depend on the normal force N; only the limits mu N do. Under a constant N
the law equals the law per unit normal force with sigma_0/N, sigma_1/N, sigma_2/N (``per_unit_normal_force``; Colantonio
et al., projected LuGre model, eq. 14), whose kernel is used with these numbers.

Effect of a change of N: none on a contact at rest, whose force sigma_0 z and stored energy sigma_0 |z|**2/2 (J) do not
contain N; in laws per unit normal force both are proportional to N, and the energy ledger accounts for the difference.
Bristles that carry more than the limit of a smaller N relax when slip continues; the energy released is dissipated by
friction. So is all stored energy when the contact opens, the limit of z' for N to zero; the viscous part vanishes too.

Sources: Canudas de Wit et al. 1995; Dahl 1976; Bliman and Sorine 1995; Dupont et al. 2002; all in Marques et al. 2016.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from typing import Annotated, Any, ClassVar

from numpy.typing import NDArray

from fem_mbd.base.validation import positive
from fem_mbd.friction.dynamic.bliman_sorine import BlimanSorine, Eta, FastLimit, SlowLimit
from fem_mbd.friction.dynamic.hardening import BreakAwayRatio, Dahl, ElastoPlastic, TransitionExponent
from fem_mbd.friction.dynamic.lugre import FadingSpeed, LuGre, RoundingSpeed
from fem_mbd.friction.law import (
    KineticCoefficient,
    Law,
    Parameter,
    StaticCoefficient,
    StribeckExponent,
    StribeckSpeed,
)

Stiffness = Annotated[float, Parameter("stiffness of the bristles at rest", "N/m", "stiffness", above=0.0)]
Damping = Annotated[float, Parameter("damping of the bristles", "N s/m", "damping", at_least=0.0)]
ViscousForce = Annotated[float, Parameter("viscous coefficient", "N s/m", "viscous", at_least=0.0)]


class ClassicalLaw(Law):
    """Base of the laws with stiffness in N/m; use one of them."""

    def per_unit_normal_force(self, normal_force: float) -> Any:
        """The law per unit normal force that is equal under this constant normal force.

        Parameters
        ----------
        normal_force : N, above zero

        Raises
        ------
        InputError
            For a normal force that is not above zero.
        """
        return self._at_force(positive(normal_force, f"{type(self).__name__} normal_force"))

    def _at_force(self, n: float) -> Any:
        raise NotImplementedError

    def record(self) -> NDArray[Any]:
        """Parameters as a 0-d array of dtype ``FRICTION_LAW``: their values under 1 N."""
        record: NDArray[Any] = self._at_force(1.0).record()
        record["classical"] = 1
        return record


class ClassicalBristles(ClassicalLaw):
    """Base of the laws that can generate energy; use one of them."""

    def passivity_limit(self, normal_force: float = 0.0) -> float:
        """Slip speed in m/s up to which friction generates no energy under a constant normal force; may be ``inf``.

        Parameters
        ----------
        normal_force : N; zero for the limit that holds under any normal force
        """
        limit = float(self._at_force(normal_force or 1.0).passivity_limit())
        return limit if normal_force or limit == inf else 0.0


@dataclass(frozen=True, kw_only=True)
class ClassicalLuGre(ClassicalBristles):
    """LuGre's law with stiffness in N/m and damping in N s/m; `LuGre` is the law per unit normal force."""

    sigma_0: Stiffness
    sigma_1: Damping = 0.0
    sigma_2: ViscousForce = 0.0
    mu_s: StaticCoefficient
    mu_k: KineticCoefficient
    v_s: StribeckSpeed
    gamma: StribeckExponent = 2.0
    v_eps: RoundingSpeed = None
    v_d: FadingSpeed = None

    source: ClassVar = "Canudas de Wit et al., IEEE Trans. Automatic Control 40 (1995) 419"
    examples: ClassVar = {
        "": {"sigma_0": 1e5, "sigma_1": 10.0, "sigma_2": 0.1, "mu_s": 0.15, "mu_k": 0.1, "v_s": 1e-3}
    }

    def _at_force(self, n: float) -> LuGre:
        return LuGre(
            sigma_0=self.sigma_0 / n, sigma_1=self.sigma_1 / n, sigma_2=self.sigma_2 / n, mu_s=self.mu_s,
            mu_k=self.mu_k, v_s=self.v_s, gamma=self.gamma, v_eps=self.v_eps, v_d=self.v_d,
        )  # fmt: skip


@dataclass(frozen=True)
class ClassicalDahl(ClassicalLaw):
    """Dahl's law with its stiffness in N/m."""

    mu_k: KineticCoefficient
    sigma_0: Stiffness
    exponent: TransitionExponent = 1.0

    source: ClassVar = "Dahl, AIAA J. 14 (1976) 1675"
    examples: ClassVar = {"": {"mu_k": 0.1, "sigma_0": 1e5}}

    def _at_force(self, n: float) -> Dahl:
        return Dahl(self.mu_k, self.sigma_0 / n, self.exponent)


@dataclass(frozen=True)
class ClassicalElastoPlastic(ClassicalBristles):
    """Dupont's law with stiffness in N/m and damping in N s/m."""

    sigma_0: Stiffness
    sigma_1: Damping
    sigma_2: ViscousForce
    mu_s: StaticCoefficient
    mu_k: KineticCoefficient
    v_s: StribeckSpeed
    gamma: StribeckExponent = 2.0
    ratio: BreakAwayRatio = 0.7

    source: ClassVar = "Dupont et al., IEEE Trans. Automatic Control 47 (2002) 787"
    examples: ClassVar = ClassicalLuGre.examples

    def _at_force(self, n: float) -> ElastoPlastic:
        sigma = (self.sigma_0 / n, self.sigma_1 / n, self.sigma_2 / n)
        return ElastoPlastic(*sigma, self.mu_s, self.mu_k, self.v_s, self.gamma, self.ratio)


@dataclass(frozen=True)
class ClassicalBlimanSorine(ClassicalLaw):
    """Bliman and Sorine's law with constant stiffness sigma_0 = f_1 N/eps_f in N/m: eps_f is proportional to N.

    First order, or second order when f_2 is given.
    """

    f_1: FastLimit
    sigma_0: Stiffness
    f_2: SlowLimit = 0.0
    eta: Eta = 0.5

    source: ClassVar = "Bliman and Sorine, Proc. European Control Conference (Rome 1995) 3788"
    examples: ClassVar = {
        "1": {"f_1": 0.1, "sigma_0": 1e5},
        "2": {"f_1": 0.2, "sigma_0": 2e4, "f_2": 0.1, "eta": 0.3},
    }

    def _at_force(self, n: float) -> BlimanSorine:
        return BlimanSorine(self.f_1, self.f_1 * n / self.sigma_0, self.f_2, self.eta)
