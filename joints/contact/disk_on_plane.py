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
from fem_mbd.joints.contact.points_and_spheres import Contact

CROWN = 1e-3  # of the radius, unless given


def crown_of(crown: float | None, radius: float, what: str) -> float:
    """Height (m) of a face's crown, by default the fraction CROWN of the radius (m); ``what`` names the part.

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

    A face that is exactly flat touches at its centre or at its rim, never in between: the smallest tilt moves the
    contact from one side of the disk to the other. So the faces are crowned: half a spheroid each, higher by ``crown``
    at the centre than at the rim. The contact point moves smoothly from the centre to the rim over tilts of some crown
    / radius. A contact point transmits no moment about the normal: there is no friction when the face spins about its
    own centre.

    Parameters
    ----------
    k, l : Node or Point, a point of the plane and the middle of the disk's rim
    radius : m, of the rim
    normal, friction : laws
    direction : (3,) normal of the plane, global axes, reference configuration, from the material of K to the side of L;
        the plane is infinite; (0, 0, 1) by default
    name : shown in messages and results
    axis : (3,) of the disk, global axes, reference configuration; default ``direction``
    crown : m, height of either face above the rim; default a thousandth of the radius

    Raises
    ------
    InputError
        When radius or crown are not above zero, a direction is zero, or the disk starts inside the material.
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
