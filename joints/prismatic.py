"""Sliding joints: cylindrical, prismatic, driven prismatic."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar

from fem_mbd.base.arguments import arguments
from fem_mbd.base.arrays import Array
from fem_mbd.core.model.function_values import jumps_of
from fem_mbd.core.model.time_functions.integral import position_of
from fem_mbd.core.scheme.constraints.constraint_kind import Drive
from fem_mbd.core.scheme.constraints.forms import point
from fem_mbd.joints.friction.contributions import Contribution, of_cylindrical, of_prismatic
from fem_mbd.joints.friction.joint_friction import JointFriction
from fem_mbd.joints.pair import Condition, Joint, PairFrame, on_axis, parallel_third, required_direction


@arguments()
@dataclass(frozen=True, eq=False)
class Cylindrical(Joint):
    """L slides along an axis and rotates about it.

    Four conditions: L's point stays on the axis e3 of K, and e3K . e1L = e3K . e2L = 0.

    Parameters
    ----------
    k, l, at, name, friction : as for `Joint`
    axis : (3,) e3, global axes, reference configuration
    first : (3,) direction of e1, projected normal to e3, global axes, reference configuration; displacement and
        friction have components along e1 and e2. By default global x, or y for an axis near x
    """

    _: KW_ONLY
    axis: Any = None
    first: Any = None
    kind: ClassVar[str] = "cylindrical"

    def axis_direction(self) -> Array:
        return required_direction(self.axis, "axis", self.label)

    def first_direction(self) -> Any:
        return self.first

    def conditions(self, x_k: Array, x_l: Array, frame: PairFrame) -> list[Condition]:
        return on_axis(x_k, x_l, frame, 0) + parallel_third(frame, 2)

    def friction_contributions(self, friction: JointFriction) -> Sequence[Contribution]:
        return of_cylindrical(friction)


@arguments()
@dataclass(frozen=True, eq=False)
class Prismatic(Cylindrical):
    """L slides along an axis. Five conditions: those of a cylindrical joint, and no rotation (e1K . e2L = 0).

    Parameters
    ----------
    k, l, at, name, axis, friction : as for `Cylindrical`
    first : likewise; required with friction at flat ``faces``, whose widths are along e1 and e2
    """

    kind: ClassVar[str] = "prismatic"

    def conditions(self, x_k: Array, x_l: Array, frame: PairFrame) -> list[Condition]:
        return [*super().conditions(x_k, x_l, frame), (4, frame.of_k(1).dot(frame.of_l(2)))]

    def friction_contributions(self, friction: JointFriction) -> Sequence[Contribution]:
        if friction.faces is not None:
            self.require_first("faces are the widths along axes 1 and 2")
        return of_prismatic(friction)


@arguments()
@dataclass(frozen=True, eq=False)
class DrivenPrismatic(Prismatic):
    """A prismatic joint whose displacement (x_L - x_K) . e3K is given.

    Parameters
    ----------
    k, l, at, name, axis, first, friction : as for `Prismatic`
    displacement : m: number, function of time or TimeFunction
    speed : instead of the displacement, m/s; the displacement is its integral from zero at t = 0
    allow_jumps : allow jumps of the displacement; the jump is made in the step that begins at it, and its work is in
        the energy balance (`fem_mbd.core.model.function_values`)
    """

    _: KW_ONLY
    displacement: Any = None
    speed: Any = None
    allow_jumps: bool = False
    kind: ClassVar[str] = "driven prismatic"

    def __post_init__(self) -> None:
        super().__post_init__()
        self.drives()

    def conditions(self, x_k: Array, x_l: Array, frame: PairFrame) -> list[Condition]:
        gap = point(1, x_l) - point(0, x_k)
        return [*super().conditions(x_k, x_l, frame), (5, gap.dot(frame.of_k(3)))]

    def drives(self) -> Sequence[Drive]:
        what = self.label
        displacement = position_of(self.displacement, self.speed, ("displacement", "speed"), what)
        jumps = jumps_of(displacement, f"{what}: its displacement", self.allow_jumps)
        return (Drive(row=5, value=displacement, jumps=jumps),)
