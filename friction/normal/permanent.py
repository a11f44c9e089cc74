"""Contact with permanent indentation: Hertz's force on loading, steeper unloading (Lankarani and Nikravesh 1994).

    F = K d**n                                         into new depth, d = d_m
    F = K d_m**n ((d - d_p)/(d_m - d_p))**n            back and again up to d_m,       d_p = d_m (1 - e**2)

d = -q is the approach, d_m the largest so far, d_p the indentation that stays. The energy given back is K d_m**(n + 1)
e**2/(n + 1): a free impact rebounds with e at any speed, and one that does not reach d_m again is elastic. d_m belongs
to the contact, like a dent to a place: it stays while the contact is open, and force begins at the gap -d_p then.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

from numpy.typing import NDArray

from fem_mbd.core.compiled import kernel
from fem_mbd.errors import InputError
from fem_mbd.friction.law import Law
from fem_mbd.friction.normal.hertz import BALL, Hertz, hertz_mean_force, hertz_potential
from fem_mbd.friction.parameters import Parameter
from fem_mbd.friction.records import normal_record

KIND = 6


@dataclass(frozen=True)
class PermanentIndentation(Law):
    """Plastic dent by a coefficient of restitution."""

    elastic: Annotated[Hertz, Parameter("law into new depth: Hertz", "")]
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
    """Stiffness of the curve back, whatever the largest approach was."""
    return k / (1.0 - share) ** n


@kernel
def permanent_potential(k: float, n: float, share: float, q: complex, deepest: complex) -> complex:
    """Energy (J) given back from gap ``q`` (m) when the largest approach was ``deepest`` (m)."""
    return hertz_potential(_steeper(k, n, share), n, q + share * deepest)


@kernel
def permanent_forces(
    k: float, n: float, share: float, deepest: complex, q_i: complex, q_f: complex
) -> tuple[complex, complex]:
    """Force of the step, and that whose work is the change of the energy given back."""
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
