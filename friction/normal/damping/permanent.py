"""Contact with permanent indentation: Hertz's force on loading, steeper unloading (Lankarani and Nikravesh 1994).

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
def _unloading_stiffness(k: float, n: float, permanent: float) -> float:
    """Stiffness of unloading; it does not depend on the largest approach."""
    return k / (1.0 - permanent) ** n


@kernel
def permanent_potential(k: float, n: float, permanent: float, q: complex, deepest: complex) -> complex:
    """Energy (J) recovered by unloading from gap ``q`` (m) when the largest approach was ``deepest`` (m)."""
    return hertz_potential(_unloading_stiffness(k, n, permanent), n, q + permanent * deepest)


@kernel
def permanent_forces(
    k: float, n: float, permanent: float, deepest: complex, q_i: complex, q_f: complex
) -> tuple[complex, complex]:
    """Force of the step, and the force whose work is the change of the recoverable energy."""
    unloading = _unloading_stiffness(k, n, permanent)
    if -q_f.real <= deepest.real:
        force = hertz_mean_force(unloading, n, q_i + permanent * deepest, q_f + permanent * deepest)
        return force, force
    change = q_i - q_f
    loading = (-deepest - q_f) / change
    force = loading * hertz_mean_force(k, n, 0.0 * q_i - deepest, q_f)
    reloading = 0.0 * force
    if loading.real < 1.0 and deepest.real > 0.0:
        reloading = (1.0 - loading) * hertz_mean_force(
            unloading, n, q_i + permanent * deepest, (permanent - 1.0) * deepest + 0.0 * q_i
        )
    before = permanent_potential(k, n, permanent, q_i, deepest + 0.0 * q_i)
    return force + reloading, (permanent_potential(k, n, permanent, q_f, -q_f) - before) / change
