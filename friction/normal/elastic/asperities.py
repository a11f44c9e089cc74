"""Elastic load of surface asperities in a lubricated contact, which begins before the nominal surfaces touch.

    F = k (eps - eps_tr) e,      e = eps c the journal's eccentricity in a bearing of clearance c

(Harnoy, Bearing Design in Machinery, Marcel Dekker 2003, chapter 17; Harnoy and Friedland 1994). In terms of the
approach d = e - eps_tr c of the asperities this is k/c (d**2 + eps_tr c d): a linear and a quadratic spring in
parallel.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

from numpy.typing import NDArray

from fem_mbd.core.compiled import kernel
from fem_mbd.friction.law import Law
from fem_mbd.friction.normal.elastic.hertz import hertz_mean_force, hertz_potential
from fem_mbd.friction.normal.elastic.linear import linear_mean_force, linear_potential
from fem_mbd.friction.parameters import Parameter
from fem_mbd.friction.records import normal_record

KIND = 8


@dataclass(frozen=True)
class ElasticAsperities(Law):
    """Elastic load of asperities between a journal and its bearing; the gap is that of the asperities."""

    stiffness: Annotated[float, Parameter("load per eccentricity and ratio", "N/m", above=0.0, symbol="k")]
    clearance: Annotated[float, Parameter("difference of the radii", "m", above=0.0, symbol="c")]
    transition: Annotated[
        float,
        Parameter("eccentricity ratio at which asperities touch", above=0.0, below=1.0, symbol="eps_tr"),
    ]

    source: ClassVar = "Harnoy, Bearing Design in Machinery (Marcel Dekker 2003), chapter 17"
    examples: ClassVar = {"": {"stiffness": 1e9, "clearance": 1e-4, "transition": 0.9}}

    def record(self) -> NDArray[Any]:
        """Parameters as a 0-d array of dtype ``NORMAL_LAW``: stiffnesses of the linear and the quadratic part."""
        record = normal_record(KIND, self.stiffness * self.transition, 1.0)
        record["scale"] = self.stiffness / self.clearance
        return record


@kernel
def asperity_potential(linear: float, quadratic: float, q: complex) -> complex:
    """Potential (J) at gap ``q`` (m) of the asperities; stiffnesses in N/m and N/m**2."""
    return linear_potential(linear, q) + hertz_potential(quadratic, 2.0, q)


@kernel
def asperity_mean_force(linear: float, quadratic: float, q_i: complex, q_f: complex) -> complex:
    """Constant force (N, >= 0 pushes apart) with f (q_i - q_f) = V(q_f) - V(q_i)."""
    return linear_mean_force(linear, q_i, q_f) + hertz_mean_force(quadratic, 2.0, q_i, q_f)
