"""Friction law with a user-defined curve F(v), sticking at rest (Marques 2015, eqs. 3.8, 3.11 and 3.22).

    mu = F(v) along the slip, F(0) at most at rest

F is force over normal force as points (speed, value) or as a function, Python's or numba's, that is sampled once when
the law is built; points are joined by a monotone cubic, constant beyond the last (``steady_points.py``). Every value is
checked: finite, not negative (F v < 0 would drive the motion), and continuous. Bond, ``x_stick`` and vector form:
``dry.py``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from fem_mbd.base.validation import positive
from fem_mbd.errors import InputError
from fem_mbd.friction.law import Law
from fem_mbd.friction.parameters import Parameter, Stick
from fem_mbd.friction.static.sticking.dry import CONSTANT, X_STICK, dry_record
from fem_mbd.friction.steady_points import Points, checked_points, curve_of, given_points, not_negative

CurveOfSliding = Annotated[Points, Parameter("points of with_curve in place of mu_k", "")]
TOLERANCE = 1e-9  # relative tolerance between mu_k and the curve's value


@dataclass(frozen=True)
class GivenCurve(Law):
    """Any F(v), above zero at rest."""

    curve: Annotated[Points, Parameter("points (speed in m/s, force over normal force)", "")]
    x_stick: Stick = X_STICK

    source: ClassVar = "Marques et al., Nonlinear Dynamics 86 (2016) 1407"
    examples: ClassVar = {"": {"curve": ((0.0, 0.15), (1e-3, 0.12), (3e-3, 0.1), (0.1, 0.105), (1.0, 0.2))}}

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "curve", checked_points(self.curve, "GivenCurve curve", not_negative))
        positive(self.at_rest, "GivenCurve curve at rest")

    @classmethod
    def with_curve(
        cls, F: Callable[[float], float] | Sequence[Any], v_s: float | None = None, **others: Any
    ) -> GivenCurve:
        """The law of a function.

        Parameters
        ----------
        F : as for `Karnopp.with_curve`
        v_s : m/s, speed at which F changes: it is sampled from rest to 1000 v_s
        others : x_stick

        Raises
        ------
        InputError
            As for `Karnopp.with_curve`.
        """
        return cls(given_points(F, v_s, cls.__name__, not_negative)[0], **others)

    @property
    def at_rest(self) -> float:
        """F(0)."""
        return float(self.curve[0][1])

    def record(self) -> NDArray[Any]:
        return dry_record(CONSTANT, self.at_rest, self.at_rest, self.x_stick, curve=self.curve)


def points_and_value(
    F: Callable[[float], float] | Sequence[Any], speed: float, law: str
) -> tuple[Points, float]:
    """Points of F, and its value at ``speed`` (m/s)."""
    points = given_points(F, positive(speed, f"{law} speed"), law, not_negative)[0]
    return points, float(curve_of(points)(np.array(speed)))


def checked_curve(law: Any, speed: float) -> None:
    """Check and store the law's points; InputError unless their value at ``speed`` (m/s) is mu_k."""
    name = type(law).__name__
    if not law.curve:
        return
    points = checked_points(law.curve, f"{name} curve", not_negative)
    object.__setattr__(law, "curve", points)
    value = float(curve_of(points)(np.array(speed)))
    if abs(value - law.mu_k) > TOLERANCE * law.mu_k:
        raise InputError(
            f"{name} curve: its value at {speed:g} m/s is {value:g}, but mu_k is {law.mu_k:g}: make the law by "
            f"{name}.with_curve"
        )
