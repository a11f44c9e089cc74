"""Contact of a plane face at several points, each with its own bristle states."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass, field
from typing import Any

import numpy as np

from fem_mbd.base.arguments import arguments
from fem_mbd.base.validation import positive
from fem_mbd.core.model.model import Model
from fem_mbd.core.model.node import Attachment, Point, as_point
from fem_mbd.core.rotations import triad_with_third, unit_vector
from fem_mbd.errors import InputError
from fem_mbd.friction import Frictionless
from fem_mbd.friction.records import FrictionLaw, NormalLaw
from fem_mbd.joints.contact.contact_kind import ClearanceHandle, add_contact
from fem_mbd.joints.contact.law_checks import check_laws, warn_about_friction
from fem_mbd.joints.contact.points_and_spheres import PointOnPlane


@arguments()
@dataclass(frozen=True, eq=False)
class FaceOnPlane:
    """Several points of a face of L on a plane of K: each a `PointOnPlane` with its own bristles.

    Three points or more carry moments. The laws are those of one point: for a face of area A and a law whose stiffness
    grows with the area, give A divided by the number of points.

    Parameters
    ----------
    k, direction : as for `PointOnPlane`
    points : sequence of Node or Point, all of one body
    normal, friction : laws of each point
    name : shown in messages and results

    Raises
    ------
    InputError
        When there are no points, they belong to several bodies, or one starts inside the material.
    """

    k: Attachment
    points: Sequence[Attachment]
    normal: NormalLaw
    friction: FrictionLaw = field(default_factory=Frictionless)
    _: KW_ONLY
    direction: Any = (0.0, 0.0, 1.0)
    name: str = "face"

    def __post_init__(self) -> None:
        if len(self.points) == 0:
            raise InputError(f"contact '{self.name}': points is empty: give one point or more of the face")
        check_laws(self.normal, self.friction, f"contact '{self.name}'")

    def build(self, model: Model) -> list[ClearanceHandle]:
        """Called by `Model.add`."""
        self._check_body(model)
        warn_about_friction(self.friction, f"contact '{self.name}'", slip_turns=True)
        parts = [
            PointOnPlane(
                self.k, point, self.normal, self.friction, name=f"{self.name}.{n}", direction=self.direction
            )
            for n, point in enumerate(self.points, 1)
        ]
        return [add_contact(model, part.spec(model)) for part in parts]

    def _check_body(self, model: Model) -> None:
        """InputError unless the points are those of one node, or of nodes connected by beams."""
        nodes = {point.node.index: point.node.name for point in map(as_point, self.points)}
        reached = {min(nodes)}
        elements = [
            set(map(int, spec.nodes))
            for kind, specs in model.specs.items()
            if kind.one_body
            for spec in specs
        ]
        while touching := [element for element in elements if element & reached]:
            reached = reached.union(*touching)
            elements = [element for element in elements if element not in touching]
        if not reached.issuperset(nodes):
            raise InputError(
                f"contact '{self.name}': points belong to several bodies "
                f"({', '.join(repr(name) for name in nodes.values())}): give one face for each body"
            )


def circle_of_points(
    centre: Attachment, radius: float, count: int, direction: Any = (0.0, 0.0, 1.0), first: Any = None
) -> list[Point]:
    """``count`` points of the centre's body on a circle about it, for `FaceOnPlane`.

    Parameters
    ----------
    centre : Node or Point
    radius : m
    count : 1 or more
    direction : (3,) axis of the circle, global axes, reference configuration
    first : (3,) likewise, from the centre towards the first point, projected normal to the axis; arbitrary by default

    Raises
    ------
    InputError
        For a radius or count that is not above zero, or directions that are zero.
    """
    radius = positive(radius, "circle_of_points radius")
    if count < 1:
        raise InputError(f"circle_of_points count is {count}: it must be 1 or above")
    triad = triad_with_third(direction, "direction of circle_of_points")
    across = triad[:, 0]
    if first is not None:
        start = unit_vector(first, "first of circle_of_points")
        across = unit_vector(start - triad[:, 2] * (triad[:, 2] @ start), "first of circle_of_points")
    side = np.cross(triad[:, 2], across)
    middle = as_point(centre)
    angles = 2.0 * np.pi * np.arange(count) / count
    return [
        middle.node.at_global(middle.position + radius * (np.cos(a) * across + np.sin(a) * side))
        for a in angles
    ]
