"""Spherical joint: two points coincide, all rotations are free (Bauchau and Ju, section 6.1, point Q)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from fem_mbd.base.arguments import arguments
from fem_mbd.base.arrays import Array
from fem_mbd.joints.friction.contributions import Contribution, of_spherical
from fem_mbd.joints.friction.joint_friction import JointFriction
from fem_mbd.joints.pair import Condition, Joint, PairFrame, coincide


@arguments()
@dataclass(frozen=True, eq=False)
class Spherical(Joint):
    """A ball joint. Three conditions x_L - x_K = 0, in global axes.

    Parameters
    ----------
    k, l, at, name, friction : as for `Joint`
    """

    kind: ClassVar[str] = "spherical"

    def conditions(self, x_k: Array, x_l: Array, frame: PairFrame) -> list[Condition]:
        return coincide(x_k, x_l)

    def friction_contributions(self, friction: JointFriction) -> Sequence[Contribution]:
        return of_spherical(friction)
