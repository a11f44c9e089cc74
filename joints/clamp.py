"""Rigid connections: clamp (points coincide) and rigid offset (points apart)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from fem_mbd.base.arguments import arguments
from fem_mbd.base.arrays import Array
from fem_mbd.core.model.model import Model
from fem_mbd.core.model.node import Point, as_point
from fem_mbd.joints.pair import Condition, Joint, JointHandle, PairFrame, coincide


@arguments("k l at name")
@dataclass(frozen=True, eq=False)
class Clamp(Joint):
    """L does not move relative to K. Six conditions: coincident points and e1K . e2L = e2K . e3L = e3K . e1L = 0.

    A node clamped to the ground is fixed instead: its unknowns and equations are removed, and its support's force and
    moment are about the node, wherever ``at`` is.

    Parameters
    ----------
    k, l, at, name : as for `Joint`
    friction : refused, as nothing slides
    """

    kind: ClassVar[str] = "clamp"

    def conditions(self, x_k: Array, x_l: Array, frame: PairFrame) -> list[Condition]:
        rotations = [
            (3 + n, frame.of_k(a).dot(frame.of_l(b))) for n, (a, b) in enumerate(((1, 2), (2, 3), (3, 1)))
        ]
        return coincide(x_k, x_l) + rotations

    def build(self, model: Model) -> JointHandle | None:
        k, l = as_point(self.k).node, as_point(self.l).node
        if model.ground in (k, l) and k is not l:
            if self.friction is not None:
                self.friction_contributions(self.friction)  # refuses it
            model.fix(l if k is model.ground else k)
            return None
        return super().build(model)


@arguments("k l at name")
@dataclass(frozen=True, eq=False)
class RigidOffset(Clamp):
    """A massless rigid arm from K to L; its length is the distance of the two points.

    Parameters
    ----------
    k, l, name, friction : as for `Clamp`
    at : (3,) global point, reference configuration, at which the reaction is given; by default L's point
    """

    kind: ClassVar[str] = "rigid offset"

    def points(self) -> tuple[Point, Point]:
        """The coincident points of both bodies in the reference configuration: L's point, or ``at``."""
        k, l = as_point(self.k), as_point(self.l)
        at = l.position if self.at is None else self.at
        return k.node.at_global(at), l if self.at is None else l.node.at_global(at)
