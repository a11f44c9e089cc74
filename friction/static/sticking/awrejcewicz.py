"""Awrejcewicz's friction law: from static to kinetic friction by a cubic of the speed.

    mu = mu_s + (F(v) - mu_s) (v/v_s)**2 (3 - 2 v/v_s) up to v_s, F(v) beyond       F(v) = mu_k, or any

Awrejcewicz et al. 2008; Marques 2015, eq. 3.22, has four branches that depend on the external force too: the curve here
is that for a force of mu_s, their largest; below it the contact sticks. Bond, ``x_stick`` and vector form: ``dry.py``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from numpy.typing import NDArray

from fem_mbd.friction.law import Law
from fem_mbd.friction.parameters import KineticCoefficient, StaticCoefficient, Stick, StribeckSpeed
from fem_mbd.friction.static.sticking.dry import BLEND, X_STICK, dry_record
from fem_mbd.friction.static.sticking.given_curve import CurveOfSliding, checked_curve, points_and_value


@dataclass(frozen=True)
class Awrejcewicz(Law):
    """mu_s blended to mu_k, or to any F(v), by a cubic, sliding being established from v_s on."""

    mu_s: StaticCoefficient
    mu_k: KineticCoefficient
    v_s: StribeckSpeed
    x_stick: Stick = X_STICK
    curve: CurveOfSliding = ()

    source: ClassVar = "Awrejcewicz, Grzelczyk and Pyryev, J. Vibroengineering 10 (2008) 475"
    examples: ClassVar = {"": {"mu_s": 0.15, "mu_k": 0.1, "v_s": 1e-3}}

    def __post_init__(self) -> None:
        super().__post_init__()
        checked_curve(self, self.v_s)

    @classmethod
    def with_curve(
        cls, F: Callable[[float], float] | Sequence[Any], mu_s: float, v_s: float, **others: Any
    ) -> Awrejcewicz:
        """The law with F(v) in place of mu_k, which is its value at v_s.

        Parameters
        ----------
        F : as for `Karnopp.with_curve`
        mu_s, v_s : of the law
        others : x_stick

        Raises
        ------
        InputError
            As for `Karnopp.with_curve`.
        """
        curve, mu_k = points_and_value(F, v_s, cls.__name__)
        return cls(mu_s, mu_k, v_s, curve=curve, **others)

    def record(self) -> NDArray[Any]:
        return dry_record(BLEND, self.mu_s, self.mu_k, self.x_stick, self.v_s, curve=self.curve)
