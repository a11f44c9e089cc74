"""Friction laws with a speed window in which the contact counts as stuck: Karnopp's law and the switch model.

    Karnopp    mu_s at most while v < D_v, mu_k + sigma_2 v or any F(v) beyond    (Karnopp 1985; Marques 2015, 3.11)
    switch     Karnopp's, with damping of the slip inside the window              (Leine et al. 1998; 3.12)

sigma_2 v acts inside the window too, where it is small. Leine's law sets the acceleration of a stuck mass proportional
to its slip; a contact has no mass, so sigma_1 is a damping in parallel with the bond. Bond, ``x_stick`` and vector
form: ``dry.py``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

from numpy.typing import NDArray

from fem_mbd.friction.law import Law
from fem_mbd.friction.parameters import KineticCoefficient, Parameter, StaticCoefficient, Stick, Viscous
from fem_mbd.friction.static.sticking.dry import WINDOW, X_STICK, dry_record
from fem_mbd.friction.static.sticking.given_curve import CurveOfSliding, checked_curve, points_and_value

Window = Annotated[
    float, Parameter("speed below which the contact counts as stuck", "m/s", "speed", above=0.0)
]


@dataclass(frozen=True)
class Karnopp(Law):
    """Stuck in a window of speeds, sliding with mu_k and a viscous part outside, or with any F(v)."""

    mu_s: StaticCoefficient
    mu_k: KineticCoefficient
    D_v: Window
    sigma_2: Viscous = 0.0
    x_stick: Stick = X_STICK
    curve: CurveOfSliding = ()

    source: ClassVar = "Karnopp, J. Dynamic Systems, Measurement, and Control 107 (1985) 100"
    examples: ClassVar = {"": {"mu_s": 0.15, "mu_k": 0.1, "D_v": 1e-3}}

    def __post_init__(self) -> None:
        super().__post_init__()
        checked_curve(self, self.D_v)

    @classmethod
    def with_curve(
        cls, F: Callable[[float], float] | Sequence[Any], mu_s: float, D_v: float, **others: Any
    ) -> Karnopp:
        """The law with F(v) beyond the window; mu_k is its value at D_v.

        Parameters
        ----------
        F : force over normal force, not below zero: points (speed in m/s, value), or a function of the speed, Python's
            or numba's, that is sampled from rest to 1000 D_v
        mu_s, D_v : of the law
        others : sigma_2, x_stick

        Raises
        ------
        InputError
            For a value that is not finite or negative, a jump, and a function that 23 points cannot reproduce.
        """
        curve, mu_k = points_and_value(F, D_v, cls.__name__)
        return cls(mu_s, mu_k, D_v, curve=curve, **others)

    def record(self) -> NDArray[Any]:
        return dry_record(
            WINDOW, self.mu_s, self.mu_k, self.x_stick, self.D_v, curve=self.curve, sigma_2=self.sigma_2
        )


@dataclass(frozen=True)
class Switch(Law):
    """Karnopp's window with damping of the stuck contact (switch model)."""

    mu_s: StaticCoefficient
    mu_k: KineticCoefficient
    D_v: Window
    sigma_1: Annotated[float, Parameter("damping of the stuck contact", "s/m", "damping", above=0.0)]
    x_stick: Stick = X_STICK

    source: ClassVar = "Leine et al., Nonlinear Dynamics 16 (1998) 41"
    examples: ClassVar = {"": {"mu_s": 0.15, "mu_k": 0.1, "D_v": 1e-3, "sigma_1": 10.0}}

    def record(self) -> NDArray[Any]:
        return dry_record(WINDOW, self.mu_s, self.mu_k, self.x_stick, self.D_v, damping=self.sigma_1)
