"""Linear contact spring: V(q) = k q**2 / 2 for q < 0, zero for q >= 0.

q is the gap in m (negative: the bodies overlap), k in N/m. Over a step the force is constant and such that
its work is the change of the potential, f (q_i - q_f) = V(q_f) - V(q_i) (Bauchau and Ju, section 3). For the
quadratic potential the quotient is simplified in each case, so there is no division by a small number.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

from numpy.typing import NDArray

from fem_mbd.core.compiled import kernel
from fem_mbd.friction.law import Law
from fem_mbd.friction.parameters import Parameter
from fem_mbd.friction.records import normal_record

KIND = 1


@dataclass(frozen=True)
class Linear(Law):
    """Linear spring in compression only."""

    stiffness: Annotated[float, Parameter("stiffness", "N/m", above=0.0, symbol="k")]

    source: ClassVar = "spring in compression"
    examples: ClassVar = {"": {"stiffness": 1e7}}

    def record(self) -> NDArray[Any]:
        return normal_record(KIND, self.stiffness, 1.0)


@kernel
def linear_potential(stiffness: float, q: complex) -> complex:
    """Potential (J) at gap ``q`` (m)."""
    if q.real >= 0.0:
        return 0.0 * q
    return 0.5 * stiffness * q * q


@kernel
def linear_mean_force(stiffness: float, q_i: complex, q_f: complex) -> complex:
    """Constant force (N, >= 0 pushes apart) with f (q_i - q_f) = V(q_f) - V(q_i)."""
    if q_i.real < 0.0 and q_f.real < 0.0:
        return -0.5 * stiffness * (q_i + q_f)
    if q_f.real < 0.0:
        return 0.5 * stiffness * q_f * (q_f / (q_i - q_f))
    if q_i.real < 0.0:
        return 0.5 * stiffness * q_i * (q_i / (q_f - q_i))
    return 0.0 * (q_i + q_f)
