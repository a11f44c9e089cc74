"""Joints that slide along an axis: cylindrical, prismatic, driven prismatic."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from fem_mbd.arrays import Array
from fem_mbd.errors import InputError
from fem_mbd.joints.pair import Condition, Joint, PairFrame, on_axis, parallel_third
from fem_mbd.model.time_functions import as_time_function
from fem_mbd.rotations import unit_vector
from fem_mbd.scheme.constraint_kind import Drive
from fem_mbd.scheme.forms import point


@dataclass(frozen=True, eq=False)
class Cylindrical(Joint):
    """Four conditions: L's point stays on the axis e3 of K, and e3K . e1L = e3K . e2L = 0; slides and turns."""

    axis: Any = (0.0, 0.0, 1.0)
    kind: ClassVar[str] = "cylindrical"

    def axis_direction(self) -> Array:
        return unit_vector(self.axis, f"axis of {self.kind} joint '{self.name}'")

    def conditions(self, x_k: Array, x_l: Array, frame: PairFrame) -> list[Condition]:
        return on_axis(x_k, x_l, frame, 0) + parallel_third(frame, 2)


@dataclass(frozen=True, eq=False)
class Prismatic(Cylindrical):
    """Five conditions: a cylindrical joint that does not turn (e1K . e2L = 0); slides along ``axis``."""

    kind: ClassVar[str] = "prismatic"

    def conditions(self, x_k: Array, x_l: Array, frame: PairFrame) -> list[Condition]:
        return [*super().conditions(x_k, x_l, frame), (4, frame.of_k(1).dot(frame.of_l(2)))]


@dataclass(frozen=True, eq=False)
class DrivenPrismatic(Prismatic):
    """A prismatic joint whose slide (x_L - x_K) . e3K is given, m: number, function of time or TimeFunction."""

    slide: Any = None
    kind: ClassVar[str] = "driven prismatic"

    def __post_init__(self) -> None:
        if self.slide is None:
            raise InputError(f"driven prismatic joint '{self.name}': give its slide as a function of time")

    def conditions(self, x_k: Array, x_l: Array, frame: PairFrame) -> list[Condition]:
        gap = point(1, x_l) - point(0, x_k)
        return [*super().conditions(x_k, x_l, frame), (5, gap.dot(frame.of_k(3)))]

    def drives(self) -> Sequence[Drive]:
        return (
            Drive(row=5, value=as_time_function(self.slide, (), f"{self.kind} joint '{self.name}': slide")),
        )
