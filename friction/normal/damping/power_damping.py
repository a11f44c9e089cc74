"""Contact damping proportional to a power of the approach: f = f_e + D d**m d', never below zero.

d = -q is the approach in m, D in N s/m**(m + 1). m = 0 is the dashpot of Kelvin and Voigt, whose force jumps when the
contact closes and would be tensile at the end of contact (it is limited to zero there); m equal to the elastic exponent
is Hunt and Crossley's own form (1975), for which ``HuntCrossley`` is shorter; other powers fit measured contacts. Over
a step D d**m is averaged over the approach, zero in the open part of the step, and multiplied by the mean rate.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

from numpy.typing import NDArray

from fem_mbd.friction.law import Law
from fem_mbd.friction.normal.damping.damped import DampedLaw
from fem_mbd.friction.normal.elastic.hertz import BALL
from fem_mbd.friction.normal.elastic.linear import KIND as LINEAR
from fem_mbd.friction.parameters import Parameter
from fem_mbd.friction.records import normal_record


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
        record = normal_record(LINEAR, self.stiffness, 1.0)
        record["viscosity"] = self.viscosity
        return record
