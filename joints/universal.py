"""Universal (Hooke, Cardan) joint: two points coincide, an axis of each body stays normal to one of the other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar

import numpy as np

from fem_mbd.base.arguments import arguments
from fem_mbd.base.arrays import Array
from fem_mbd.core.model.node import as_point
from fem_mbd.core.rotations import unit_vector
from fem_mbd.core.scheme.constraints.forms import axis
from fem_mbd.errors import InputError
from fem_mbd.joints.friction.contributions import Contribution, of_universal
from fem_mbd.joints.friction.joint_friction import JointFriction
from fem_mbd.joints.pair import Condition, Joint, PairFrame, coincide


@arguments()
@dataclass(frozen=True, eq=False)
class Universal(Joint):
    """A Hooke or Cardan joint. Four conditions: coincident points and a_K . a_L = 0.

    Parameters
    ----------
    k, l, at, name, friction : as for `Joint`
    axis_k, axis_l : (3,) the axes of the cross fixed to K and to L, global axes, normal to each other in the reference
        configuration
    """

    _: KW_ONLY
    axis_k: Any = None
    axis_l: Any = None
    kind: ClassVar[str] = "universal"

    def __post_init__(self) -> None:
        a, b = (unit_vector(v, f"axis of {self.label}") for v in (self.axis_k, self.axis_l))
        if abs(float(a @ b)) > 1e-8:
            angle = float(np.degrees(np.arccos(np.clip(a @ b, -1, 1))))
            raise InputError(f"{self.label}: its axes make {angle:.4g} degrees, they must make 90")

    def conditions(self, x_k: Array, x_l: Array, frame: PairFrame) -> list[Condition]:
        a = axis(0, as_point(self.k).node.rotation.T @ unit_vector(self.axis_k, "axis_k"))
        b = axis(1, as_point(self.l).node.rotation.T @ unit_vector(self.axis_l, "axis_l"))
        return [*coincide(x_k, x_l), (3, a.dot(b))]

    def friction_contributions(self, friction: JointFriction) -> Sequence[Contribution]:
        return of_universal(friction)

    def friction_triads(self, frame: PairFrame) -> tuple[Array, Array, bool]:
        """Axis 3 is K's axis of the cross, axis 1 that of L."""
        a, b = unit_vector(self.axis_k, "axis_k"), unit_vector(self.axis_l, "axis_l")
        triad = np.column_stack([b, np.cross(a, b), a])
        return as_point(self.k).node.rotation.T @ triad, as_point(self.l).node.rotation.T @ triad, True
