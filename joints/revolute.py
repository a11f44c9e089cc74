"""Revolute joint, free or driven: two points coincide and the bodies turn about a common axis."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from fem_mbd.arrays import Array
from fem_mbd.errors import InputError
from fem_mbd.joints.pair import Condition, Joint, PairFrame, coincide, parallel_third
from fem_mbd.model.time_functions import as_time_function
from fem_mbd.rotations import unit_vector
from fem_mbd.scheme.constraint_kind import Drive


@dataclass(frozen=True, eq=False)
class Revolute(Joint):
    """Five conditions: coincident points, and e3K . e1L = e3K . e2L = 0; ``axis`` (3,) is e3 in global axes."""

    axis: Any = (0.0, 0.0, 1.0)
    kind: ClassVar[str] = "revolute"

    def axis_direction(self) -> Array:
        return unit_vector(self.axis, f"axis of {self.kind} joint '{self.name}'")

    def conditions(self, x_k: Array, x_l: Array, frame: PairFrame) -> list[Condition]:
        return coincide(x_k, x_l) + parallel_third(frame, 3)


@dataclass(frozen=True, eq=False)
class DrivenRevolute(Revolute):
    """A revolute joint whose angle is given: L is turned by +angle(t) about e3 from where it was built.

    Sixth condition: sin(angle) e1K . e1L + cos(angle) e1K . e2L = 0, a product of given functions of time and
    quadratic forms; the driver's work is exact (docs/theory.md, section 7). ``angle`` in rad:
    number, function or TimeFunction.
    """

    angle: Any = None
    kind: ClassVar[str] = "driven revolute"

    def __post_init__(self) -> None:
        if self.angle is None:
            raise InputError(f"driven revolute joint '{self.name}': give its angle as a function of time")

    def conditions(self, x_k: Array, x_l: Array, frame: PairFrame) -> list[Condition]:
        driven = [(5, frame.of_k(1).dot(frame.of_l(1))), (5, frame.of_k(1).dot(frame.of_l(2)))]
        return super().conditions(x_k, x_l, frame) + driven

    def drives(self) -> Sequence[Drive]:
        return (
            Drive(row=5, angle=as_time_function(self.angle, (), f"{self.kind} joint '{self.name}': angle")),
        )
