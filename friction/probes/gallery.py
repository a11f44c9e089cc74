"""The friction laws of the package with ordinary parameters, their sources and units: what the gallery shows.

Parameters are those that Marques et al. (2016) compare the laws with, where they give them (mu_s 0.15, mu_k 0.1, v_s 1
mm/s, sigma_0 1e5 1/m, sigma_2 0.1 s/m); bristles are damped by a tenth of their 316 s/m or less, see docs/laws.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any

from fem_mbd import friction as f
from fem_mbd.errors import InputError
from fem_mbd.suggestions import nearest

K, SHARES = (4e4, 3e4, 2e4, 1e4), (0.1, 0.2, 0.3, 0.4)
MARQUES = "Marques et al., Nonlinear Dynamics 86 (2016) 1407"
ANDERSSON = "Andersson, Söderberg and Björklund, Tribology International 40 (2007) 580"
HAESSIG = "Haessig and Friedland, J. Dynamic Systems, Measurement, and Control 113 (1991) 354"
SWEVERS = "Swevers et al., IEEE Trans. Automatic Control 45 (2000) 675"
LAMPAERT = "Lampaert, Swevers and Al-Bender, IEEE Trans. Automatic Control 47 (2002) 683"
BLIMAN = "Bliman and Sorine, Proc. European Control Conference (Rome 1995) 3788"
CANUDAS = "Canudas de Wit et al., IEEE Trans. Automatic Control 40 (1995) 419"
VECTOR = "vector: any direction of slip, any normal force"
SCALAR = "scalar: slip along one line"


@dataclass(frozen=True)
class Entry:
    """A law with its parameters, where it was published, and whether it is a vector law."""

    law: Any
    source: str
    form: str = VECTOR
    variant: str = ""

    @property
    def name(self) -> str:
        """Name of the class, with the variant when the gallery shows several."""
        return f"{type(self.law).__name__} {self.variant}".strip()


ENTRIES: tuple[Entry, ...] = (
    Entry(f.Coulomb(0.1, 1e-3), "Bauchau and Ju, Comput. Methods Appl. Mech. Eng. 195 (2006) 6909"),
    Entry(f.LinearRegularised(0.1, 1e3), ANDERSSON),
    Entry(f.TanhRegularised(0.1, 1e3), ANDERSSON),
    Entry(f.Threlfall(0.1, 1e-3), "Threlfall, Mechanism and Machine Theory 13 (1978) 475"),
    Entry(f.LinearStiction(0.15, 0.1, 1e-3, 2e-3), MARQUES),
    Entry(f.BengisuAkay(0.15, 0.1, 1e-3, 50.0), "Bengisu and Akay, J. Sound and Vibration 171 (1994) 557"),
    Entry(f.Ambrosio(0.1, 1e-4, 1e-3), "Ambrósio, Virtual Nonlinear Multibody Systems (Springer 2003) 57"),
    Entry(f.GeneralKinetic(0.15, 0.1, 1e-3, 3e-3), ANDERSSON),
    Entry(f.DryCoulomb(0.1), "Coulomb, Théorie des machines simples (1785)"),
    Entry(f.CoulombStiction(0.15, 0.1), MARQUES),
    Entry(f.CoulombViscous(0.1, 0.1), MARQUES),
    Entry(f.HessSoom(0.15, 0.1, 1e-3, 0.1), "Hess and Soom, J. Tribology 112 (1990) 147"),
    Entry(f.BoPavelescu(0.15, 0.1, 1e-3, 2.0, 0.1), "Bo and Pavelescu, Wear 82 (1982) 277"),
    Entry(
        f.Karnopp(0.15, 0.1, 1e-3),
        "Karnopp, J. Dynamic Systems, Measurement, and Control 107 (1985) 100",
    ),
    Entry(f.Switch(0.15, 0.1, 1e-3, 10.0), "Leine et al., Nonlinear Dynamics 16 (1998) 41"),
    Entry(
        f.Awrejcewicz(0.15, 0.1, 1e-3),
        "Awrejcewicz, Grzelczyk and Pyryev, J. Vibroengineering 10 (2008) 475",
    ),
    Entry(
        f.SevenParameter(1e5, 0.1, 0.1, 0.15, 1e-3, 0.01, 1.0),
        "Armstrong-Hélouvry, Dupont and Canudas de Wit, Automatica 30 (1994) 1083",
    ),
    Entry(
        f.Wojewoda(0.15, 0.1, 1e-3, 1e5, delta_mu_s=0.02),
        "Wojewoda et al., Phil. Trans. Royal Society A 366 (2008) 747",
    ),
    Entry(f.ResetIntegrator(0.1, 0.5, 1e5, 10.0), HAESSIG),
    Entry(
        f.Liang(0.15, 0.1, 5e4, 8.0, 1e-3),
        "Liang, Fillmore and Ma, Mechanism and Machine Theory 56 (2012) 123",
    ),
    Entry(f.Iwan(0.1, 1e5), "Iwan, J. Applied Mechanics 33 (1966) 893"),
    Entry(
        f.GeneralisedMaxwellSlip(0.15, 0.1, 1e-3, K, SHARES, 100.0, 0.1),
        "Lampaert, Al-Bender and Swevers, Proc. PhysCon (2003) 1170; "
        "Al-Bender, Lampaert and Swevers, IEEE Trans. Automatic Control 50 (2005) 1883",
    ),
    Entry(f.Dahl(0.1, 1e5), "Dahl, AIAA J. 14 (1976) 1675"),
    Entry(
        f.Valanis(0.1, 1e5, 0.6),
        "Valanis, Archives of Mechanics 23 (1971) 517; Gaul and Lenz, Acta Mechanica 125 (1997) 169",
    ),
    Entry(
        f.ElastoPlastic(1e5, 10.0, 0.1, 0.15, 0.1, 1e-3),
        "Dupont et al., IEEE Trans. Automatic Control 47 (2002) 787",
    ),
    Entry(f.BlimanSorine(0.1, 1e-6), BLIMAN, variant="1"),
    Entry(f.BlimanSorine(0.2, 1e-5, 0.1, 0.3), BLIMAN, variant="2"),
    Entry(
        f.LuGre(sigma_0=1e5, sigma_1=10.0, sigma_2=0.1, mu_s=0.15, mu_k=0.1, v_s=1e-3),
        CANUDAS,
    ),
    Entry(
        f.LuGre(sigma_0=1e5, sigma_1=10.0, sigma_2=0.1, mu_s=0.15, mu_k=0.1, v_s=1e-3, form="scalar"),
        CANUDAS,
        SCALAR,
        "scalar",
    ),
    Entry(f.Leuven(0.15, 0.1, 1e-3, K, SHARES, 10.0, 0.1, 2.0), LAMPAERT),
    Entry(f.Leuven(0.15, 0.1, 1e-3, K, SHARES, 10.0, 0.1, 2.0, form="original"), SWEVERS, SCALAR, "original"),
    Entry(
        f.Gonthier(1e5, 100.0, 0.1, 0.15, 0.1, 1e-3, 2.0),
        "Gonthier et al., Multibody System Dynamics 11 (2004) 209",
    ),
    Entry(f.Bristles(1e4, 1e-6), HAESSIG),
    Entry(
        f.HarnoyFriedland(1.0, 0.05, 20.0, 0.9, 50.0, 1e-5),
        "Harnoy and Friedland, Tribology Transactions 37 (1994) 608",
    ),
)

UNITS = {
    **dict.fromkeys(("mu_s", "mu_k", "delta_mu_s", "f_1", "f_2", "f_R", "K_1", "K_a", "eps_tr"), "-"),
    **dict.fromkeys(("gamma", "delta_v", "exponent", "kappa", "alpha", "ratio", "n", "a", "seed", "eta"), "-"),
    **dict.fromkeys(("v_0", "v_1", "v_s", "v_d", "v_eps", "D_v"), "m/s"),
    **dict.fromkeys(("sigma_1", "sigma_2", "slope", "xi", "K_2", "K_h"), "s/m"),
    **dict.fromkeys(("sigma_0", "k"), "1/m"),
    **dict.fromkeys(("x_stick", "length", "eps_f", "delta"), "m"),
    **dict.fromkeys(("tau_L", "tau_dw", "K_s"), "s"),
    **dict.fromkeys(("form", "unload_fresh_bristles", "curve"), ""),
    "C": "1/s", "a_S": "m/s2",
    # contact laws
    **dict.fromkeys(("restitution",), "-"),
    **dict.fromkeys(("impact_speed", "slowest", "speed_limit"), "m/s"),
    **dict.fromkeys(("radius_k", "radius_l"), "m"),
    **dict.fromkeys(("elastic", "material_k", "material_l"), ""),
    "stiffness": "N/m", "Hertz.stiffness": "N/m**exponent", "damping": "s/m",
    "viscosity": "N s/m**(exponent + 1)",
    # the same letter means something else to these authors
    "CoulombViscous.sigma_2": "(s/m)**delta_v", "KelvinVoigt.viscosity": "N s/m",
}  # fmt: skip


def parameters(law: Any) -> list[tuple[str, Any, str]]:
    """Name, value and unit ("-": none, "": no number) of each parameter of ``law``."""
    name = type(law).__name__
    return [
        (f.name, getattr(law, f.name), UNITS.get(f"{name}.{f.name}", UNITS.get(f.name, "?")))
        for f in fields(law)
    ]


def find(name: str, among: Sequence[Entry] = ENTRIES, kind: str = "friction law") -> list[Entry]:
    """Entries of the class ``name``, or the one of that full name, in any case; InputError when there is none."""
    wanted = name.casefold()
    found = [e for e in among if wanted in (e.name.casefold(), type(e.law).__name__.casefold())]
    if not found:
        raise InputError(
            f"there is no {kind} {name!r}: {nearest(name, [type(e.law).__name__ for e in among])}"
        )
    return found
