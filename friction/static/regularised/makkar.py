"""Makkar's friction law: a smooth function of the speed with static, Stribeck, Coulomb and viscous friction.

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
from fem_mbd.friction.blocks import rounded_norm
from fem_mbd.friction.law import Law
from fem_mbd.friction.parameters import Parameter
from fem_mbd.friction.records import friction_record

KIND = 19
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
        return friction_record(KIND, slopes)


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
