"""Contacts between bodies that are not held together: point or ball on a plane, ball on ball, several points on a face.

Geometry and discretisation: `contact_kernels`. Laws are given as objects, as for the joints with clearance.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any, ClassVar

import numpy as np

from fem_mbd.arrays import Array
from fem_mbd.errors import InputError
from fem_mbd.friction import Frictionless
from fem_mbd.friction.records import FrictionLaw, NormalLaw
from fem_mbd.joints.contact import contact_kernels as kernels
from fem_mbd.joints.contact.chosen_law import tell_of_friction
from fem_mbd.joints.contact.clearance import ClearanceHandle, ClearanceKind, check_laws
from fem_mbd.model.model import Model
from fem_mbd.model.node import Attachment, as_point
from fem_mbd.model.workspace import Workspace
from fem_mbd.rotations import triad_with_third, unit_vector
from fem_mbd.validation import positive


@dataclass(frozen=True, eq=False)
class Contact:
    """Base of the single contacts; use one of the classes below.

    k, l: Node or Point of the two bodies. normal: contact law. friction: friction law, none when left out.
    """

    k: Attachment
    l: Attachment
    normal: NormalLaw
    friction: FrictionLaw = field(default_factory=Frictionless)
    name: str = "contact"

    shape: ClassVar[int] = 0

    def __post_init__(self) -> None:
        check_laws(self.normal, self.friction, f"contact '{self.name}'")

    def build(self, model: Model) -> ClearanceHandle:
        name = model.unique_name(self.name)
        k, l = as_point(self.k), as_point(self.l)
        if k.node is l.node:
            raise InputError(f"contact '{name}' joins node '{k.node.name}' to itself: give two bodies")
        if self.shape == kernels.BALLS and not np.any(l.position - k.position):
            raise InputError(f"contact '{name}': the two centres start at the same place: move them apart")
        self.tell(name)
        model.register(ContactKind, (self, name))
        return ClearanceHandle(name, k, l, self)

    def tell(self, name: str) -> None:
        """Warnings about the laws."""
        tell_of_friction(self.friction, f"contact '{name}'", slip_turns=True)


@dataclass(frozen=True, eq=False)
class PointOnPlane(Contact):
    """A point of body L that stays on one side of a plane of body K, in which it sticks or slides.

    k: a point of the plane. l: the point. direction: (3,) normal of the plane, global, reference configuration, from
    the material of K to the side of L; the plane has no edges. Raises InputError.
    """

    direction: Any = (0.0, 0.0, 1.0)
    shape: ClassVar[int] = kernels.PLANE
    radius_k: ClassVar[float] = 0.0

    @property
    def radius_l(self) -> float:
        """m, that of a point."""
        return 0.0

    def plane(self) -> Array:
        """Unit normal (3,) of the plane, global, reference configuration."""
        return unit_vector(self.direction, f"direction of contact '{self.name}'")

    def __post_init__(self) -> None:
        super().__post_init__()
        self.plane()


@dataclass(frozen=True, eq=False)
class SphereOnPlane(PointOnPlane):
    """A ball of ``radius`` (m) on body L, centre l, that rolls and slides on a plane of body K. Raises InputError."""

    radius: float = 0.0

    def __post_init__(self) -> None:
        super().__post_init__()
        positive(self.radius, f"contact '{self.name}': radius")

    @property
    def radius_l(self) -> float:
        return float(self.radius)


@dataclass(frozen=True, eq=False)
class SphereOnSphere(Contact):
    """Two balls, centres k and l, that touch from outside (for one inside the other: `SphericalClearance`).

    radius_k, radius_l: m. Raises InputError.
    """

    radius_k: float = 0.0
    radius_l: float = 0.0
    shape: ClassVar[int] = kernels.BALLS

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in ("radius_k", "radius_l"):
            positive(getattr(self, name), f"contact '{self.name}': {name}")


class _PointOfFace(PointOnPlane):
    def tell(self, name: str) -> None:
        """Nothing: the face has told it."""


@dataclass(frozen=True, eq=False)
class FaceOnPlane:
    """Several points of a face of L on a plane of K: each a `PointOnPlane` of its own, with bristles of its own.

    Three points or more carry moments. The laws are those of one point: for a face of area A and a law whose stiffness
    grows with the area, give A divided by the number of points.

    k, direction: as for `PointOnPlane`. points: sequence of Node or Point. Raises InputError.
    """

    k: Attachment
    points: Sequence[Attachment]
    normal: NormalLaw
    friction: FrictionLaw = field(default_factory=Frictionless)
    direction: Any = (0.0, 0.0, 1.0)
    name: str = "face"

    def __post_init__(self) -> None:
        if len(self.points) == 0:
            raise InputError(f"contact '{self.name}': points is empty: give one point or more of the face")
        check_laws(self.normal, self.friction, f"contact '{self.name}'")

    def build(self, model: Model) -> list[ClearanceHandle]:
        tell_of_friction(self.friction, f"contact '{self.name}'", slip_turns=True)
        return [
            model.add(
                _PointOfFace(self.k, point, self.normal, self.friction, f"{self.name}.{n}", self.direction)
            )
            for n, point in enumerate(self.points, 1)
        ]


def circle_of_points(
    centre: Attachment, radius: float, count: int, direction: Any = (0.0, 0.0, 1.0), first: Any = None
) -> list[Any]:
    """``count`` points of the centre's body on a circle of ``radius`` (m) about it, for `FaceOnPlane`.

    direction (3,): axis of the circle; first (3,): from the centre towards the first point, made normal to the axis
    (left out: any); both global, reference configuration. Raises InputError.
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


class ContactKind(ClearanceKind):
    """All contacts of this file. History: as of `ClearanceKind`."""

    label: ClassVar[str] = "outer contact"
    kernels: ClassVar[ModuleType] = kernels

    def _set_start(self, work: Workspace) -> None:
        """Shape, gap and normal of the reference configuration; bristles relaxed."""
        for c, (spec, _) in enumerate(self.specs):
            record = self.records[c]
            k, l = as_point(spec.k), as_point(spec.l)
            record["form"] = spec.shape
            x = l.position - k.position
            if isinstance(spec, PointOnPlane):
                normal = spec.plane()
                record["plane"] = k.node.rotation.T @ normal
                gap = float(normal @ x) - spec.radius_l
            else:
                length = float(np.linalg.norm(x))
                normal, gap = x / length, length - spec.radius_k - spec.radius_l
            record["gap_i"] = record["gap_f"] = gap
            record["normal"] = record["normal_f"] = normal
            self.history[c, -4:-1] = normal
