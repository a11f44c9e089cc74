"""Revolute joint, free or driven: two points coincide and the bodies rotate about a common axis."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar

from fem_mbd.base.arguments import arguments
from fem_mbd.base.arrays import Array
from fem_mbd.core.model.function_values import MAX_ROTATION, jumps_of
from fem_mbd.core.model.time_functions.integral import position_of
from fem_mbd.core.scheme.constraints.constraint_kind import Drive
from fem_mbd.joints.friction.contributions import Contribution, of_revolute
from fem_mbd.joints.friction.joint_friction import JointFriction
from fem_mbd.joints.pair import Condition, Joint, PairFrame, coincide, parallel_third, required_direction


@arguments()
@dataclass(frozen=True, eq=False)
class Revolute(Joint):
    """L rotates about one axis. Five conditions: coincident points, and e3K . e1L = e3K . e2L = 0.

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
    kind: ClassVar[str] = "revolute"

    def axis_direction(self) -> Array:
        return required_direction(self.axis, "axis", self.label)

    def first_direction(self) -> Any:
        return self.first

    def conditions(self, x_k: Array, x_l: Array, frame: PairFrame) -> list[Condition]:
        return coincide(x_k, x_l) + parallel_third(frame, 3)

    def friction_contributions(self, friction: JointFriction) -> Sequence[Contribution]:
        return of_revolute(friction)


@arguments()
@dataclass(frozen=True, eq=False)
class DrivenRevolute(Revolute):
    """A revolute joint whose angle is given: L is rotated by +angle(t) about e3 from the reference configuration.

    Sixth condition: sin(angle) e1K . e1L + cos(angle) e1K . e2L = 0, a product of given functions of time and
    quadratic forms; the driver's work is exact (docs/explanation/theory.md, section 7).

    Parameters
    ----------
    k, l, at, name, axis, first, friction : as for `Revolute`
    angle : rad: number, function of time or TimeFunction
    speed : instead of the angle, rad/s; the angle is its integral from zero at t = 0, e.g. ``Ramp(0, 30, 0, 2)``
    allow_jumps : allow jumps of the angle; the jump is made in the step that begins at it, and its work is in the
        energy balance (`fem_mbd.core.model.function_values`)
    """

    _: KW_ONLY
    angle: Any = None
    speed: Any = None
    allow_jumps: bool = False
    kind: ClassVar[str] = "driven revolute"

    def __post_init__(self) -> None:
        super().__post_init__()
        self.drives()

    def conditions(self, x_k: Array, x_l: Array, frame: PairFrame) -> list[Condition]:
        driven = [(5, frame.of_k(1).dot(frame.of_l(1))), (5, frame.of_k(1).dot(frame.of_l(2)))]
        return super().conditions(x_k, x_l, frame) + driven

    def drives(self) -> Sequence[Drive]:
        what = self.label
        angle = position_of(self.angle, self.speed, ("angle", "speed"), what)
        return (
            Drive(
                row=5,
                angle=angle,
                jumps=jumps_of(angle, f"{what}: its angle", self.allow_jumps, MAX_ROTATION),
            ),
        )
