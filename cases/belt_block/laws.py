"""Friction laws of the study by name, with the source's numbers, per unit normal force."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from fem_mbd import friction
from fem_mbd.cases.belt_block.parameters import Parameters
from fem_mbd.friction import FrictionLaw

GROUPS = ("without stiction", "with stiction", "dynamic")


@dataclass(frozen=True)
class Entry:
    """A law of the study: title, group in the figures, whether its force has a viscous part."""

    title: str
    group: str
    make: Callable[[Parameters], FrictionLaw]
    viscous: bool = False


LAWS: dict[str, Entry] = {
    "coulomb": Entry("Coulomb", GROUPS[0], lambda p: friction.DryCoulomb(p.mu_k)),
    "viscous": Entry(
        "Coulomb, viscous", GROUPS[0], lambda p: friction.CoulombViscous(p.mu_k, p.per_weight(p.viscosity)), True
    ),
    "threlfall": Entry("Threlfall", GROUPS[0], lambda p: friction.Threlfall(p.mu_k, p.v_0)),
    "ambrosio": Entry("Ambrósio", GROUPS[0], lambda p: friction.Ambrosio(p.mu_k, p.ambrosio_v_0, p.v_0)),
    "exponential": Entry("exponential", GROUPS[0], lambda p: friction.Coulomb(p.mu_k, p.v_0)),
    "stiction": Entry("Coulomb, stiction", GROUPS[1], lambda p: friction.CoulombStiction(p.mu_s, p.mu_k, p.x_stick)),
    "stribeck": Entry(
        "Stribeck", GROUPS[1],
        lambda p: friction.BoPavelescu(
            p.mu_s, p.mu_k, p.v_s, p.shape, p.per_weight(p.viscosity), p.x_stick
        ), True,
    ),
    "karnopp": Entry("Karnopp", GROUPS[1], lambda p: friction.Karnopp(p.mu_s, p.mu_k, p.v_0, x_stick=p.x_stick)),
    "bengisu_akay": Entry(
        "Bengisu–Akay", GROUPS[1], lambda p: friction.BengisuAkay(p.mu_s, p.mu_k, p.v_0, p.xi)
    ),
    "awrejcewicz": Entry("Awrejcewicz", GROUPS[1], lambda p: friction.Awrejcewicz(p.mu_s, p.mu_k, p.v_0, p.x_stick)),
    "dahl": Entry("Dahl", GROUPS[2], lambda p: friction.Dahl(p.mu_k, p.per_weight(p.sigma_0))),
    "lugre": Entry(
        "LuGre", GROUPS[2],
        lambda p: friction.LuGre(
            sigma_0=p.per_weight(p.sigma_0), sigma_1=p.per_weight(p.sigma_1), sigma_2=p.per_weight(p.viscosity),
            mu_s=p.mu_s, mu_k=p.mu_k, v_s=p.v_s, gamma=p.shape,
        ), True,
    ),
    "elasto_plastic": Entry(
        "elasto-plastic", GROUPS[2],
        lambda p: friction.ElastoPlastic(
            p.per_weight(p.sigma_0), p.per_weight(p.sigma_1), p.per_weight(p.viscosity),
            p.mu_s, p.mu_k, p.v_s, p.shape,
        ), True,
    ),
    "gonthier": Entry(
        "Gonthier", GROUPS[2],
        lambda p: friction.Gonthier(
            p.per_weight(p.sigma_0), p.per_weight(p.sigma_1), p.per_weight(p.viscosity),
            p.mu_s, p.mu_k, p.v_s, p.dwell,
        ), True,
    ),
    "reset_integrator": Entry(
        "reset integrator", GROUPS[2],
        lambda p: friction.ResetIntegrator(
            p.mu_k, p.stiction, p.per_weight(p.sigma_0), p.per_weight(p.sigma_1)
        ),
    ),
    "liang": Entry(
        "Liang", GROUPS[2],
        lambda p: friction.Liang(
            p.mu_s, p.mu_k, p.per_weight(p.bristle_stiffness), p.per_weight(p.bristle_damping), p.v_d
        ),
    ),
}  # fmt: skip
