"""Rigid connections: clamp (points coincide) and rigid offset (points apart)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from fem_mbd.base.arguments import arguments
from fem_mbd.base.arrays import Array
from fem_mbd.base.validation import three_numbers
from fem_mbd.core.model.model import Model
from fem_mbd.core.model.node import Point, as_point
from fem_mbd.errors import InputError
from fem_mbd.joints.pair import Condition, Joint, JointHandle, PairFrame, coincide

SAME_PLACE = 1e-12  # of the largest coordinate of the model's nodes: points nearer than this coincide


@arguments()
@dataclass(frozen=True, eq=False)
class Clamp(Joint):
    """L does not move relative to K. Six conditions: coincident points and e1K . e2L = e2K . e3L = e3K . e1L = 0.

    A node clamped to the ground where it is, or with no place given, is fixed instead: its unknowns and equations are
    removed, and results have the force and moment of its support, about the node. Clamped to the ground ``at`` another
    point it keeps its equations, and the reaction is given at that point.

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
        k, l = as_point(self.k), as_point(self.l)
        if model.ground not in (k.node, l.node) or k.node is l.node:
            return super().build(model)
        held, other = (l, k) if k.node is model.ground else (k, l)
        place = self._place(held, other, model)
        if not coincident(place, held.node.position, model):
            return Joint.build(replace(self, at=place), model)
        if self.friction is not None:
            self.friction_contributions(self.friction)  # refuses it
        model.fix(held.node)
        return None

    def _place(self, held: Point, on_ground: Point, model: Model) -> Array:
        """(3,) m, where the reaction of a node held by the ground is given, global axes."""
        if self.at is not None:
            return three_numbers(self.at, f"at of {self.label}")
        if np.any(on_ground.offset) and not coincident(on_ground.position, held.position, model):
            raise InputError(
                f"{self.label}: its point on the ground is not where '{held.node.name}' is: give at=(x, y, z), or "
                "model.ground"
            )
        return held.position


def coincident(a: Array, b: Array, model: Model) -> bool:
    """Whether two points (3,) are at the same place to round-off."""
    places = np.array([a, b, *(node.position for node in model.nodes)])
    return bool(np.abs(a - b).max() <= SAME_PLACE * np.abs(places).max())


@arguments()
@dataclass(frozen=True, eq=False)
class RigidOffset(Clamp):
    """A massless rigid arm from K to L; its length is the distance of the two points.

    From the ground it holds a node as a `Clamp` does.

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

    def _place(self, held: Point, on_ground: Point, model: Model) -> Array:
        return held.position if self.at is None else three_numbers(self.at, f"at of {self.label}")
