"""Anisotropic friction: any law with an elliptic friction limit, or LuGre with g(V) different for V and -V.

    F = N T mu(T V),      T = r + (1 - r) e e^T

mu(V) is the law, e its axis, r the ratio of friction across e to that along e. Where the law slides with the constant
coefficient mu_k, F lies on the ellipse with the half axes mu_k N and r mu_k N, and the slip points along the ellipse's
normal at F: the associated sliding rule (Goyal, Ruina and Papadopoulos 1991; Zmitrowicz 1989). The work F.V is
the law's own, N mu(T V).(T V), so that stored energy, losses and passivity are those of the law. Speeds, such as v_s,
are those of T V.

    g(V) (1 + a cos(angle of V from e))                                      with LuGre, a : asymmetry

is a steady friction that differs between V and -V (Colantonio et al., projected LuGre model, section 2.1).

In a contact e is fixed to body K and projected into the tangent plane; in a joint's friction it is in the coordinates
of the surface (rotation, translation for a cylindrical joint).

Frictionless contact: normal force only.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from fem_mbd.base.validation import three_numbers
from fem_mbd.core.compiled import kernel
from fem_mbd.errors import InputError
from fem_mbd.friction.dynamic.lugre import ASYMMETRY, LuGre
from fem_mbd.friction.law import Law, Parameter
from fem_mbd.friction.records import FRICTION_LAW, FrictionKernels, friction_record
from fem_mbd.friction.static.regularised import Coulomb
from fem_mbd.friction.validity import bristle_speed_limit


@dataclass(frozen=True)
class Anisotropic(Law):
    """Any friction law with an axis."""

    law: Annotated[Any, Parameter("friction law that holds along the axis", "")]
    ratio: Annotated[float, Parameter("friction across the axis over that along it", role="shape", above=0.0)]
    axis: Annotated[Any, Parameter("direction, global axes in a contact", "")] = (1.0, 0.0, 0.0)
    asymmetry: Annotated[
        float,
        Parameter("rise of LuGre's g along the axis, fall against it", role="shape", at_least=0.0, below=1.0),
    ] = 0.0

    source: ClassVar = "Goyal, Ruina and Papadopoulos, Wear 143 (1991) 307"
    examples: ClassVar = {"": {"law": Coulomb(0.1, 1e-4), "ratio": 0.5}}

    def __post_init__(self) -> None:
        super().__post_init__()
        if (
            isinstance(self.law, type)
            or not hasattr(self.law, "record")
            or self.law.record().dtype != FRICTION_LAW
        ):
            raise InputError(f"Anisotropic law is {self.law!r}: give a friction law, with its parameters")
        axis = three_numbers(self.axis, "Anisotropic axis")
        if not axis.any():
            raise InputError("Anisotropic axis is zero: give a direction")
        object.__setattr__(self, "axis", tuple((axis / np.linalg.norm(axis)).tolist()))
        if self.asymmetry and not isinstance(self.law, LuGre):
            raise InputError(
                f"Anisotropic asymmetry is for LuGre, not for {type(self.law).__name__}: leave it out"
            )

    def record(self) -> NDArray[Any]:
        """Parameters as a 0-d array of dtype ``FRICTION_LAW``: the law's, with the axis."""
        record: NDArray[Any] = self.law.record()
        record["directed"], record["axis"], record["ratio"] = 1, self.axis, self.ratio
        if self.asymmetry:
            record["p"][ASYMMETRY] = self.asymmetry
        return record

    @property
    def on_turning_slip(self) -> str:
        """Warning text for slip that changes direction, that of the law."""
        return str(getattr(self.law, "on_turning_slip", ""))

    def passivity_limit(self) -> float:
        """Slip speed in m/s up to which friction generates no energy: that of the law divided by the larger stretch."""
        limit = float(self.law.passivity_limit()) if hasattr(self.law, "passivity_limit") else float("inf")
        if self.asymmetry:
            g, a, law = self.law.steady(), self.asymmetry, self.law
            limit = bristle_speed_limit(
                lambda v: (1.0 - a) * g(v), law.sigma_1, law.sigma_2, (1.0 + a) * law.mu_s
            )
        return limit / max(1.0, self.ratio)


@kernel
def no_friction() -> None:
    """Leave mu zero."""


FRICTIONLESS = FrictionKernels(no_friction)


@dataclass(frozen=True)
class Frictionless(Law):
    """Frictionless contact; it has no parameters."""

    def record(self) -> NDArray[Any]:
        """A 0-d array of dtype ``FRICTION_LAW`` without parameters."""
        return friction_record(FRICTIONLESS, ())
