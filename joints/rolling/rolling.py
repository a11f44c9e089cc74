"""Rolling disk and rolling ball: wheels, hoops and balls that roll on a plane of another body without slip.

Source: Neimark and Fufaev, Dynamics of Nonholonomic Systems (AMS, 1972), chapters 1 and 3; equations:
`fem_mbd.joints.rolling.kernels` and docs/explanation/rolling.md.
"""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar

import numpy as np

from fem_mbd.base.arguments import arguments
from fem_mbd.base.arrays import Array
from fem_mbd.base.validation import positive
from fem_mbd.core.model.model import Model
from fem_mbd.core.model.node import Attachment, Point, as_point
from fem_mbd.core.rotations import triad_with_third
from fem_mbd.errors import InputError
from fem_mbd.joints.pair import required_direction
from fem_mbd.joints.rolling.kind import RollingKind, RollingSpec


@dataclass(frozen=True, eq=False)
class RollingHandle:
    """A rolling joint in a model; ``result.of(handle)`` gives contact_point, normal_force and friction_force.

    Attributes
    ----------
    name : shown in messages and results
    k, l : a point of the plane, and the centre of the rolling body
    spec : its data
    """

    name: str
    k: Point
    l: Point
    spec: RollingSpec


@arguments("k l radius direction name", {"normal": "direction"})
@dataclass(frozen=True, eq=False)
class RollingBall:
    """A ball on body L rolls without slip on a plane of body K.

    Three conditions: the centre stays at the height of the radius, and the two bodies' points at the contact have the
    same velocity along the plane. The ball may spin about the plane's normal without resistance. The plane is infinite,
    may move, and is a bilateral constraint (``normal_force`` may be tensile, below zero).

    Parameters
    ----------
    k : Node or Point of the model, a point of the plane
    l : Node or Point, the centre of the ball
    radius : m
    direction : (3,) normal of the plane, from it to the centre, global axes, reference configuration
    name : shown in messages and results

    Raises
    ------
    InputError
        For a radius that is not above zero, a missing direction, one body on both sides; when the run starts, for a
        centre that is not a radius (of a leaning disk: its height) above the plane.
    """

    k: Attachment
    l: Attachment
    radius: float
    _: KW_ONLY
    direction: Any = None
    name: str = ""

    kind: ClassVar[str] = "rolling ball"

    def __post_init__(self) -> None:
        positive(self.radius, f"{self.label}: radius (m)")
        required_direction(self.direction, "direction", self.label)

    @property
    def label(self) -> str:
        """Name in messages."""
        return f"{self.kind} '{self.name}'"

    def disk_axis(self) -> Array | None:
        """Unit vector of a disk's axis, global axes, reference configuration; None for a ball."""
        return None

    def build(self, model: Model) -> RollingHandle:
        """Register the joint."""
        name = model.registry.unique_name(self.name or self.kind)
        k, l = as_point(self.k), as_point(self.l)
        if k.node is l.node:
            raise InputError(f"{self.kind} '{name}' rolls on its own node '{k.node.name}': give two bodies")
        if l.node.index in model.point_masses:
            raise InputError(
                f"{self.kind} '{name}': node '{l.node.name}' belongs to a point mass, which has no rotation: give a "
                "RigidBody"
            )
        axis = self.disk_axis()
        normal = required_direction(self.direction, "direction", self.label)
        spec = RollingSpec(
            name, self.kind, k, l, float(self.radius), k.node.rotation.T @ triad_with_third(normal),
            None if axis is None else np.asarray(l.node.rotation.T @ axis),
        )  # fmt: skip
        model.registry.add(RollingKind, spec)
        return RollingHandle(name, k, l, spec)


@arguments("k l radius direction name axis", {"normal": "direction"})
@dataclass(frozen=True, eq=False)
class RollingDisk(RollingBall):
    """A thin disk on body L, a wheel or a hoop, rolls without slip on a plane of body K with its sharp rim.

    As `RollingBall`, with the height that corresponds to the disk's inclination. It may rotate about the contact point
    and tip over without resistance. When it lies flat it has no unique contact point: the run ends there.

    Parameters
    ----------
    k, l, radius, direction, name : as for `RollingBall`; l is the centre of the disk
    axis : (3,) of the disk, global axes, reference configuration
    """

    _: KW_ONLY
    axis: Any = None
    kind: ClassVar[str] = "rolling disk"

    def __post_init__(self) -> None:
        super().__post_init__()
        self.disk_axis()

    def disk_axis(self) -> Array:
        return required_direction(self.axis, "axis", self.label)
