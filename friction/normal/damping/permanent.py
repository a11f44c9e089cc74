"""Permanent indentation: Hertz loading, steeper unloading (Lankarani and Nikravesh 1994).

    F = K d**n                                         loading, d = d_m
    F = K d_m**n ((d - d_p)/(d_m - d_p))**n            unloading and reloading up to d_m,       d_p = d_m (1 - e**2)

d = -q is the approach, d_m the largest so far, d_p the permanent indentation. The energy recovered is K d_m**(n + 1)
e**2/(n + 1): a free impact rebounds with e at any speed, and one that does not reach d_m again is elastic. d_m is a
state of the contact: it is retained while the contact is open, and the next contact begins at the gap -d_p.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

from numpy.typing import NDArray

from fem_mbd.core.compiled import kernel
from fem_mbd.errors import InputError
from fem_mbd.friction.law import Law
from fem_mbd.friction.normal.elastic.hertz import BALL, Hertz, hertz_mean_force, hertz_potential
from fem_mbd.friction.parameters import Parameter
from fem_mbd.friction.records import normal_record

KIND = 6


@dataclass(frozen=True)
class PermanentIndentation(Law):
    """Permanent indentation from a coefficient of restitution."""

    elastic: Annotated[Hertz, Parameter("law of loading: Hertz", "")]
    restitution: Annotated[
        float, Parameter("coefficient of restitution of a first impact", above=0.0, at_most=1.0, symbol="e")
    ]

    source: ClassVar = "Lankarani and Nikravesh, Nonlinear Dynamics 5 (1994) 193"
    examples: ClassVar = {"": {"elastic": BALL, "restitution": 0.9}}

    def __post_init__(self) -> None:
        super().__post_init__()
        if not isinstance(self.elastic, Hertz):
            raise InputError(f"PermanentIndentation elastic is {self.elastic!r}: give a Hertz law")

    def record(self) -> NDArray[Any]:
        """Parameters as a 0-d array of dtype ``NORMAL_LAW``: those of Hertz's law, and d_p/d_m."""
        record = normal_record(KIND, self.elastic.stiffness, self.elastic.exponent)
        record["scale"] = 1.0 - self.restitution * self.restitution
        return record


@kernel
def _steeper(k: float, n: float, share: float) -> float:
    """Stiffness of unloading; it does not depend on the largest approach."""
    return k / (1.0 - share) ** n


@kernel
def permanent_potential(k: float, n: float, share: float, q: complex, deepest: complex) -> complex:
    """Energy (J) recovered by unloading from gap ``q`` (m) when the largest approach was ``deepest`` (m)."""
    return hertz_potential(_steeper(k, n, share), n, q + share * deepest)


@kernel
def permanent_forces(
    k: float, n: float, share: float, deepest: complex, q_i: complex, q_f: complex
) -> tuple[complex, complex]:
    """Force of the step, and the force whose work is the change of the recoverable energy."""
    steeper = _steeper(k, n, share)
    if -q_f.real <= deepest.real:
        force = hertz_mean_force(steeper, n, q_i + share * deepest, q_f + share * deepest)
        return force, force
    way = q_i - q_f
    fresh = (-deepest - q_f) / way
    force = fresh * hertz_mean_force(k, n, 0.0 * q_i - deepest, q_f)
    back = 0.0 * force
    if fresh.real < 1.0 and deepest.real > 0.0:
        back = (1.0 - fresh) * hertz_mean_force(
            steeper, n, q_i + share * deepest, (share - 1.0) * deepest + 0.0 * q_i
        )
    before = permanent_potential(k, n, share, q_i, deepest + 0.0 * q_i)
    return force + back, (permanent_potential(k, n, share, q_f, -q_f) - before) / way
