"""Revolute joint with radial and axial clearance: a journal of finite length in a bearing with two closed ends.

Source: F. Marques, Frictional contacts in multibody dynamics, thesis, University of Minho 2015, section 4.2. The
journal's two edges run in the cylinder as disks (`geometry.disk_in_cylinder`), its two faces against the bearing's ends
as flat spheroids (`geometry.spheroid_on_plane`): four contacts, each open or closed, which give the source's thirteen
scenarios.

Differences from the source. A journal that lies along the wall touches it with both edges, each of which carries half
of the load; the source changes to one force at its centre when the axes are parallel (eqs. 4.13 to 4.16), and so to
half the stiffness. In the source the force on flat faces jumps from the centre to the rim at the smallest tilt
(eqs. 4.17 to 4.23); here faces are crowned and it moves smoothly. So the forces are continuous, and parallel axes are
detected for the output only.
"""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass, field
from typing import Any

from fem_mbd.base.arguments import arguments
from fem_mbd.base.arrays import Array
from fem_mbd.base.validation import positive
from fem_mbd.core.model.model import Model
from fem_mbd.core.model.node import Attachment, Point, as_point
from fem_mbd.core.rotations import triad_with_third, unit_vector
from fem_mbd.errors import InputError
from fem_mbd.friction import Frictionless
from fem_mbd.friction.records import FrictionLaw, NormalLaw
from fem_mbd.joints.contact.contact_kind import ClearanceHandle, add_contact
from fem_mbd.joints.contact.geometry.ball_in_socket import fitting_radii
from fem_mbd.joints.contact.law_checks import check_laws, warn_about_friction
from fem_mbd.joints.contact.points_and_spheres import DiskOnPlane, crown_of
from fem_mbd.joints.contact.revolute.journal_bearing import JournalBearing
from fem_mbd.joints.contact.revolute.journal_position import JournalKind, JournalSpec
from fem_mbd.joints.pair import required_direction


@dataclass(frozen=True, eq=False)
class RevoluteClearanceHandle:
    """A revolute joint with clearance in a model.

    ``result.of(handle)`` gives ``scenario`` (1 to 13), ``tilt`` and ``offset`` of the journal,
    ``result.of(handle.walls)`` and ``result.of(handle.faces)`` its contacts.

    Attributes
    ----------
    name : shown in messages and results
    k, l : centres of bearing and journal
    walls : contacts of the journal's edges with the wall, at the start and at the end of its axis
    faces : contacts of its faces with the bearing's ends likewise
    """

    name: str
    k: Point
    l: Point
    walls: tuple[ClearanceHandle, ClearanceHandle]
    faces: tuple[ClearanceHandle, ClearanceHandle]


@arguments()
@dataclass(frozen=True, eq=False)
class RevoluteClearance:
    """A journal of radius_l and length_l on body L in a closed bearing of radius_k and length_k on body K.

    Parameters
    ----------
    k, l : Node or Point, the centre of the bearing and of the journal
    radius_k, radius_l : m, radius_k above radius_l
    length_k, length_l : m, between the bearing's ends, and of the whole journal; length_k above length_l
    normal : normal law of each contact: a journal that lies along the wall is pressed by two of them
    friction : friction law, none by default
    axis : (3,) axis of the bearing, global axes, reference configuration; its ends are at half of length_k from k
    journal_axis : (3,) axis of the journal likewise; by default that of the bearing
    face_normal : normal law of the two faces; default ``normal``
    crown : m, height of the crown on the journal's faces, see `DiskOnPlane`; default a thousandth of radius_l. In the
        output of scenarios axes are considered parallel up to a tilt of crown / radius_l
    name : shown in messages and results

    Raises
    ------
    InputError
        When the axis is missing, or the journal does not fit, points against the bearing's axis, or starts outside
        the bearing.
    """

    k: Attachment
    l: Attachment
    radius_k: float
    radius_l: float
    length_k: float
    length_l: float
    normal: NormalLaw
    friction: FrictionLaw = field(default_factory=Frictionless)
    _: KW_ONLY
    axis: Any = None
    journal_axis: Any = None
    face_normal: NormalLaw | None = None
    crown: float | None = None
    name: str = "revolute clearance"

    @property
    def label(self) -> str:
        """Name of this joint in messages."""
        return f"revolute clearance joint '{self.name}'"

    def __post_init__(self) -> None:
        fitting_radii(self.radius_k, self.radius_l, self.label)
        outer, inner = positive(self.length_k, f"{self.label}: length_k"), self._length()
        if inner >= outer:
            raise InputError(
                f"{self.label}: length_l = {inner:g} m does not fit into length_k = {outer:g} m: "
                "the axial clearance is their difference and must be above zero"
            )
        for law in (self.normal, self._face_normal()):
            check_laws(law, self.friction, self.label)
        self._axes()

    def build(self, model: Model) -> RevoluteClearanceHandle:
        """Called by `Model.add`."""
        name = model.registry.unique_name(self.name)
        k, l = as_point(self.k), as_point(self.l)
        axis, along = self._axes()
        crown = crown_of(self.crown, self.radius_l, self.label)
        warn_about_friction(self.friction, f"revolute clearance joint '{name}'", slip_turns=True)
        sleeve = JournalBearing(
            k, l, self.radius_k, self.radius_l, self._length() - 2.0 * crown, self.normal, self.friction,
            axis=axis, journal_axis=along,
        )  # fmt: skip
        walls = sleeve.edges(model, f"{name}.wall")
        start, end = (
            self._face(model, f"{name}.face.{end}", side) for end, side in (("start", -1), ("end", 1))
        )
        spec = JournalSpec(
            name, k, l, k.node.rotation.T @ triad_with_third(axis), l.node.rotation.T @ along,
            (walls[0].spec, walls[1].spec), (start.spec, end.spec), crown / self.radius_l,
        )  # fmt: skip
        model.registry.add(JournalKind, spec)
        return RevoluteClearanceHandle(name, k, l, walls, (start, end))

    def _face(self, model: Model, name: str, side: int) -> ClearanceHandle:
        """Contact of the face at that end of the journal (-1: start, 1: end) with the bearing's end."""
        k, l = as_point(self.k), as_point(self.l)
        axis, along = self._axes()
        crown = crown_of(self.crown, self.radius_l, self.label)
        wall = k.node.at_global(k.position + 0.5 * side * self.length_k * axis)
        rim = l.node.at_global(l.position + side * (0.5 * self.length_l - crown) * along)
        if side * float(axis @ (rim.position - wall.position)) > 0.0:
            raise InputError(
                f"{self.label}: the journal starts outside the bearing's end: move them together"
            )
        disk = DiskOnPlane(
            wall,
            rim,
            normal=self._face_normal(),
            friction=self.friction,
            name=name,
            direction=-side * axis,
            radius=self.radius_l,
            axis=along,
            crown=crown,
        )
        return add_contact(model, disk.spec(model))

    def _length(self) -> float:
        """Length of the journal, m; InputError unless it is longer than its two crowns."""
        length, crown = (
            positive(self.length_l, f"{self.label}: length_l"),
            crown_of(self.crown, self.radius_l, self.label),
        )
        if 2.0 * crown >= length:
            raise InputError(
                f"{self.label}: two crowns of {crown:g} m exceed length_l = {length:g} m: give a lower crown"
            )
        return length

    def _face_normal(self) -> NormalLaw:
        return self.normal if self.face_normal is None else self.face_normal

    def _axes(self) -> tuple[Array, Array]:
        """Unit axes (3,) of bearing and journal, global, reference configuration."""
        axis = along = required_direction(self.axis, "axis", self.label)
        if self.journal_axis is not None:
            along = unit_vector(self.journal_axis, f"journal_axis of {self.label}")
        if along @ axis < 0.0:
            raise InputError(f"{self.label}: journal_axis points against axis: reverse one of them")
        return axis, along
