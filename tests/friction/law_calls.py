"""Contact laws, and variants of LuGre's law, shared by the tests of friction/."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from fem_mbd.elements import Material
from fem_mbd.friction import (
    Coulomb,
    DubowskyFreudenstein,
    Esdu78035,
    ExactRestitution,
    Flores,
    Frictionless,
    Goldsmith,
    GonthierImpact,
    HerbertMcWhannell,
    Hertz,
    HuntCrossley,
    HuntCrossleyImpact,
    Johnson,
    KelvinVoigt,
    LankaraniNikravesh,
    LeeWang,
    Linear,
    LuGre,
    PowerDamping,
    Radzimovsky,
    ZhiyingQishao,
)
from fem_mbd.friction.records import FrictionLaw, NormalLaw

Array = NDArray[Any]

STEEL = Material(young=207e9, poisson=0.3, density=7850.0)
# bore, cylinder and length of a journal bearing, m
BEARING: Any = (5e-3, 4.5e-3, 15e-3, STEEL, STEEL)
CYLINDERS: dict[str, Any] = {
    law.__name__: law(*BEARING) for law in (Johnson, Radzimovsky, Goldsmith, DubowskyFreudenstein, Esdu78035)
}
RESTITUTION: dict[str, Any] = {
    law.__name__: law
    for law in (
        HuntCrossleyImpact,
        HerbertMcWhannell,
        LeeWang,
        LankaraniNikravesh,
        GonthierImpact,
        ZhiyingQishao,
        Flores,
        ExactRestitution,
    )
}
ELASTIC: dict[str, NormalLaw] = {
    "linear": Linear(15e6),
    "hertz": Hertz(1e9),
    "hertz 10/9": Hertz(3e7, 10.0 / 9.0),
    "hertz 1": Hertz(15e6, 1.0),
    "hertz 3": Hertz(2e13, 3.0),
    "hertz 3.3": Hertz(5e14, 3.3),
    **CYLINDERS,
    # so close a fit that indentations of 1e-5 m are beyond the law's end
    "close fit": Johnson(5e-3, 5e-3 - 2e-5, 15e-3, STEEL, STEEL),
}
NORMAL: dict[str, NormalLaw] = {
    **ELASTIC,
    "linear damped": HuntCrossley(Linear(15e6), 0.4),
    "hertz damped": HuntCrossley(Hertz(1e9), 0.4),
    "johnson damped": HuntCrossley(CYLINDERS["Johnson"], 0.4),
    "kelvin voigt": KelvinVoigt(15e6, 200.0),
    "root damping": PowerDamping(Hertz(1e9, 2.0), 4.88e5, 0.5),
    "restitution": LankaraniNikravesh(Hertz(1e9), 0.8),
    "restitution linear": Flores(Linear(15e6), 0.3),
}
SIZES: dict[str, Any] = {"sigma_0": 1e5, "mu_s": 0.45, "mu_k": 0.3, "v_s": 1e-3}
CURVE = ((0.0, 0.45), (5e-4, 0.4), (1e-3, 0.34), (2e-3, 0.3), (0.1, 0.32))  # m/s, g
FRICTION: dict[str, FrictionLaw] = {
    "frictionless": Frictionless(),
    "coulomb": Coulomb(0.3, 1e-3),
    "vector": LuGre(**SIZES),
    "vector damped": LuGre(**SIZES, sigma_1=2.0, sigma_2=0.1),
    "vector gamma": LuGre(**SIZES, gamma=0.7, sigma_1=1.0),
    "vector unload": LuGre(**SIZES, sigma_1=2.0, unload_fresh_bristles=True),
    "vector fading": LuGre(**SIZES, sigma_1=300.0, v_d=2e-3),
    "vector curve": LuGre.with_curve(CURVE, sigma_0=1e5, sigma_1=2.0, sigma_2=0.1),
    "scalar curve": LuGre.with_curve(CURVE, sigma_0=1e5, sigma_1=2.0, v_d=1e-2, form="scalar"),
    "scalar": LuGre(**SIZES, form="scalar"),
    "scalar damped": LuGre(**SIZES, sigma_1=2.0, sigma_2=0.1, unload_fresh_bristles=True, form="scalar"),
}


def state_for(law: FrictionLaw, rng: np.random.Generator, size: float) -> Array:
    """A state (1, 3) as the law may have it: in the plane normal to axis 3, or a number >= 0 for the scalar form."""
    z = np.zeros((1, 3))
    if isinstance(law, LuGre):
        z[0, :2] = size * rng.normal(size=2)
        if law.form == "scalar":
            z[0] = abs(z[0, 0]), 0.0, 0.0
    return z
