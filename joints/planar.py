"""Planar joint: a body slides in a plane fixed to another and rotates about its normal (Bauchau and Ju, eq. 1)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar

from fem_mbd.base.arguments import arguments
from fem_mbd.base.arrays import Array
from fem_mbd.core.scheme.constraints.forms import point
from fem_mbd.joints.friction.contributions import Contribution, of_planar
from fem_mbd.joints.friction.joint_friction import JointFriction
from fem_mbd.joints.pair import Condition, Joint, PairFrame, parallel_third, required_direction


@arguments()
@dataclass(frozen=True, eq=False)
class Planar(Joint):
    """L slides in a plane and rotates about its normal.

    Three conditions: e3K . e1L = e3K . e2L = 0 and (x_L - x_K) . e3K = 0.

    Parameters
    ----------
    k, l, at, name, friction : as for `Joint`
    direction : (3,) e3, normal of the plane, global axes, reference configuration
    first : (3,) direction of e1, projected normal to e3, global axes, reference configuration; displacement and
        friction have components along e1 and e2. By default global x, or y for a normal near x. Required
        where the friction law has a direction
    """

    _: KW_ONLY
    direction: Any = None
    first: Any = None
    kind: ClassVar[str] = "planar"

    def axis_direction(self) -> Array:
        return required_direction(self.direction, "direction", self.label)

    def first_direction(self) -> Any:
        return self.first

    def conditions(self, x_k: Array, x_l: Array, frame: PairFrame) -> list[Condition]:
        gap = point(1, x_l) - point(0, x_k)
        return [*parallel_third(frame, 0), (2, gap.dot(frame.of_k(3)))]

    def friction_contributions(self, friction: JointFriction) -> Sequence[Contribution]:
        if friction.law.record()["directed"]:
            self.require_first("the axis of its friction law is given along axes 1 and 2")
        return of_planar(friction)
