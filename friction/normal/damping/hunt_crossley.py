"""Hunt-Crossley dissipation on top of an elastic law: f_n = f_e (1 + c (q_i - q_f)/dt), never below zero.

f_e is the elastic force of the step (``linear.py``, ``hertz.py``), c in s/m, (q_i - q_f)/dt the mean rate of approach.
The step loses (f_n - f_e)(q_i - q_f) >= 0, also where the force is limited to zero: there the bodies separate faster
than the law allows and the elastic energy is dissipated. Source: Hunt and Crossley 1975 (force K d**n (1 + c d')).

A free impact at speed v0 rebounds with the restitution that chi = c v0 gives in ``damped.py``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

from numpy.typing import NDArray

from fem_mbd.base.validation import positive
from fem_mbd.errors import InputError
from fem_mbd.friction.normal.damping.damped import DampedLaw, Elastic, chi_of_restitution
from fem_mbd.friction.normal.elastic.hertz import BALL
from fem_mbd.friction.parameters import Parameter


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
