"""Contact laws, and variants of LuGre's law, shared by the tests of friction/."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from fem_mbd import friction
from fem_mbd.elements import Material
from fem_mbd.friction.records import FrictionLaw, NormalLaw

Array = NDArray[Any]

STEEL = Material(young=207e9, poisson=0.3, density=7850.0)
# bore, cylinder and length of a journal bearing, m
BEARING: Any = (5e-3, 4.5e-3, 15e-3, STEEL, STEEL)
CYLINDERS: dict[str, Any] = {
    law.__name__: law(*BEARING)
    for law in (
        friction.Johnson,
        friction.Radzimovsky,
        friction.Goldsmith,
        friction.DubowskyFreudenstein,
        friction.Esdu78035,
    )
}
RESTITUTION: dict[str, Any] = {
    law.__name__: law
    for law in (
        friction.HuntCrossleyImpact,
        friction.HerbertMcWhannell,
        friction.LeeWang,
        friction.LankaraniNikravesh,
        friction.GonthierImpact,
        friction.ZhiyingQishao,
        friction.Flores,
        friction.ExactRestitution,
    )
}
ELASTIC: dict[str, NormalLaw] = {
    "linear": friction.Linear(15e6),
    "hertz": friction.Hertz(1e9),
    "hertz 10/9": friction.Hertz(3e7, 10.0 / 9.0),
    "hertz 1": friction.Hertz(15e6, 1.0),
    "hertz 3": friction.Hertz(2e13, 3.0),
    "hertz 3.3": friction.Hertz(5e14, 3.3),
    **CYLINDERS,
    # so close a fit that indentations of 1e-5 m are beyond the law's end
    "close fit": friction.Johnson(5e-3, 5e-3 - 2e-5, 15e-3, STEEL, STEEL),
}
NORMAL: dict[str, NormalLaw] = {
    **ELASTIC,
    "linear damped": friction.HuntCrossley(friction.Linear(15e6), 0.4),
    "hertz damped": friction.HuntCrossley(friction.Hertz(1e9), 0.4),
    "johnson damped": friction.HuntCrossley(CYLINDERS["Johnson"], 0.4),
    "kelvin voigt": friction.KelvinVoigt(15e6, 200.0),
    "root damping": friction.PowerDamping(friction.Hertz(1e9, 2.0), 4.88e5, 0.5),
    "restitution": friction.LankaraniNikravesh(friction.Hertz(1e9), 0.8),
    "restitution linear": friction.Flores(friction.Linear(15e6), 0.3),
}
SIZES: dict[str, Any] = {"sigma_0": 1e5, "mu_s": 0.45, "mu_k": 0.3, "v_s": 1e-3}
CURVE = ((0.0, 0.45), (5e-4, 0.4), (1e-3, 0.34), (2e-3, 0.3), (0.1, 0.32))  # m/s, g
FRICTION: dict[str, FrictionLaw] = {
    "frictionless": friction.Frictionless(),
    "coulomb": friction.Coulomb(0.3, 1e-3),
    "vector": friction.LuGre(**SIZES),
    "vector damped": friction.LuGre(**SIZES, sigma_1=2.0, sigma_2=0.1),
    "vector gamma": friction.LuGre(**SIZES, gamma=0.7, sigma_1=1.0),
    "vector unload": friction.LuGre(**SIZES, sigma_1=2.0, unload_fresh_bristles=True),
    "vector fading": friction.LuGre(**SIZES, sigma_1=300.0, v_d=2e-3),
    "vector curve": friction.LuGre.with_curve(CURVE, sigma_0=1e5, sigma_1=2.0, sigma_2=0.1),
    "scalar curve": friction.LuGre.with_curve(CURVE, sigma_0=1e5, sigma_1=2.0, v_d=1e-2, form="scalar"),
    "scalar": friction.LuGre(**SIZES, form="scalar"),
    "scalar damped": friction.LuGre(
        **SIZES, sigma_1=2.0, sigma_2=0.1, unload_fresh_bristles=True, form="scalar"
    ),
}


def state_for(law: FrictionLaw, rng: np.random.Generator, size: float) -> Array:
    """A state (1, 3) as the law may have it: in the plane normal to axis 3, or a number >= 0 for the scalar form."""
    z = np.zeros((1, 3))
    if isinstance(law, friction.LuGre):
        z[0, :2] = size * rng.normal(size=2)
        if law.form == "scalar":
            z[0] = abs(z[0, 0]), 0.0, 0.0
    return z
