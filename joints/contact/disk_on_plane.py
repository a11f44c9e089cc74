"""Contact of a disk with slightly crowned faces on a plane: an axial stop, the end of a journal in its bearing."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass, field
from typing import Any

from fem_mbd.base.arguments import arguments
from fem_mbd.base.validation import positive
from fem_mbd.core.model.node import Attachment
from fem_mbd.core.rotations import unit_vector
from fem_mbd.friction import Frictionless
from fem_mbd.friction.records import FrictionLaw, NormalLaw
from fem_mbd.joints.contact.contact_kind import Geometry
from fem_mbd.joints.contact.geometry.spheroid_on_plane import SpheroidOnPlane
from fem_mbd.joints.contact.outer_contacts import Contact

CROWN = 1e-3  # of the radius, unless given


def crown_of(crown: float | None, radius: float, what: str) -> float:
    """Height (m) of a face's crown, the usual share of the radius (m) when left out; ``what`` names the part.

    Raises
    ------
    InputError
        When it is not above zero.
    """
    return CROWN * radius if crown is None else positive(crown, f"{what}: crown")


@arguments("k l normal friction name direction radius axis crown")
@dataclass(frozen=True, eq=False)
class DiskOnPlane(Contact):
    """A disk on body L that touches a plane of body K with its face or, tilted, with its rim.

    A face that is exactly flat touches at its middle or at its rim, and nowhere between: the least tilt sends the
    contact from one side of the disk to the other. So the faces are crowned: half a spheroid each, higher by ``crown``
    in the middle than at the rim. The point of contact goes from the middle to the rim, smoothly, over tilts of some
    crown / radius. One point has no moment about the normal: a face that turns on the plane about its own middle meets
    no friction.

    Parameters
    ----------
    k, l : Node or Point, a point of the plane and the middle of the disk's rim
    radius : m, of the rim
    normal, friction : laws
    direction : (3,) normal of the plane, global axes, reference configuration, from the material of K to the side of L;
        the plane has no edges; (0, 0, 1) when left out
    name : shown in messages and results
    axis : (3,) of the disk, global axes, reference configuration; ``direction`` when left out
    crown : m, height of either face above the rim; a thousandth of the radius when left out

    Raises
    ------
    InputError
        When radius or crown are not above zero, a direction has none, or the disk starts inside the material.
    """

    k: Attachment
    l: Attachment
    radius: float
    normal: NormalLaw
    friction: FrictionLaw = field(default_factory=Frictionless)
    _: KW_ONLY
    name: str = "contact"
    direction: Any = (0.0, 0.0, 1.0)
    axis: Any = None
    crown: float | None = None

    def geometry(self) -> Geometry:
        normal = unit_vector(self.direction, f"direction of {self.label}")
        axis = normal if self.axis is None else unit_vector(self.axis, f"axis of {self.label}")
        radius = positive(self.radius, f"{self.label}: radius")
        return SpheroidOnPlane(radius, crown_of(self.crown, radius, self.label), normal, axis)
