"""Revolute joints with clearance: a journal in a sleeve, and one of finite length in a bearing with two closed ends.

`JournalBearing` (Bauchau and Ju, section 2.2 and figure 4): the journal is rigid; a disk at each of its ends runs in
the same cylinder, each with a spatial clearance joint. The journal can lie on one side of the sleeve, tilt until its
two edges touch opposite sides, slide along it and rotate.

`RevoluteClearance` has radial and axial clearance. The journal's two edges run in the cylinder as disks
(`disk_in_cylinder`), its two faces against the bearing's ends as flat spheroids
(`planes`): four contacts, each open or closed, which give the source's thirteen scenarios (list in
section 4.2.1). Source: F. Marques, Frictional contacts in multibody dynamics, thesis, University of Minho 2015,
section 4.2.

Differences from the source. A journal that lies along the wall touches it with both edges, each of which carries half
of the load; the source changes to one force at its centre when the axes are parallel (eqs. 4.13 to 4.16), and so to
half the stiffness. In the source the force on flat faces jumps from the centre to the rim at the smallest tilt
(eqs. 4.17 to 4.23); here faces are crowned and it moves smoothly. So the forces are continuous, and parallel axes are
detected for the output only.

Output (`JournalKind`). The joint's four contacts are computed in `contact_kind`; this element class adds no force. It
reads which of them are closed at the end of a step and outputs

    scenario : 1 to 13, see `scenario`
    tilt : rad, angle between the two axes
    offset : m, of the journal's centre from the bearing's, in the bearing's triad (axis 3 is the bearing axis)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass, field
from typing import Any, ClassVar

import numpy as np

from fem_mbd.base.arguments import arguments
from fem_mbd.base.arrays import Array
from fem_mbd.base.validation import positive
from fem_mbd.core.model.model import Model
from fem_mbd.core.model.node import Attachment, Handle, Point, as_point
from fem_mbd.core.model.output import Output, Quantity
from fem_mbd.core.model.part_kind import PartKind
from fem_mbd.core.model.workspace import Workspace
from fem_mbd.core.rotations import triad_with_third, unit_vector
from fem_mbd.errors import InputError
from fem_mbd.friction import Frictionless
from fem_mbd.friction.records import FrictionLaw, NormalLaw
from fem_mbd.joints.contact.balls import fitting_radii
from fem_mbd.joints.contact.clearance import SpatialClearance
from fem_mbd.joints.contact.contact_kind import (
    ClearanceHandle,
    ContactKind,
    ContactSpec,
    add_contact,
    check_laws,
    warn_about_friction,
)
from fem_mbd.joints.contact.points_and_spheres import DiskOnPlane, crown_of
from fem_mbd.joints.pair import required_direction


@dataclass(frozen=True, eq=False, repr=False)
class JournalBearingHandle(Handle):
    """A journal bearing in a model; ``result.of(handle)`` gives both contacts.

    Attributes
    ----------
    name : shown in messages and results
    k, l : its two points
    edges : its two contacts, at the start and at the end of the axis
    """

    name: str
    k: Point
    l: Point
    edges: tuple[ClearanceHandle, ClearanceHandle]


@arguments()
@dataclass(frozen=True, eq=False)
class JournalBearing:
    """A journal of radius_l and ``length`` on body L in a sleeve of radius_k on body K.

    Along the axis only friction acts on the journal.

    Parameters
    ----------
    k, l : Node or Point, a point of the sleeve's axis and the middle of the journal
    radius_k, radius_l, length : m, radius_k above radius_l
    normal, friction : laws of each edge's contact, as for `SpatialClearance`
    axis : (3,) axis of the sleeve in global axes, reference configuration; the sleeve is infinitely long
    journal_axis : (3,) axis of the journal likewise; by default that of the sleeve
    name : shown in messages and results

    Raises
    ------
    InputError
        When the axis is missing, or the journal does not fit or starts outside the sleeve.
    """

    k: Attachment
    l: Attachment
    radius_k: float
    radius_l: float
    length: float
    normal: NormalLaw
    friction: FrictionLaw = field(default_factory=Frictionless)
    _: KW_ONLY
    axis: Any = None
    journal_axis: Any = None
    name: str = "journal bearing"

    def __post_init__(self) -> None:
        positive(self.length, f"journal bearing '{self.name}': length")
        required_direction(self.axis, "axis", f"journal bearing '{self.name}'")
        check_laws(self.normal, self.friction, f"journal bearing '{self.name}'")

    def build(self, model: Model) -> JournalBearingHandle:
        """Called by `Model.add`."""
        name = model.registry.unique_name(self.name)
        warn_about_friction(self.friction, f"journal bearing '{name}'", slip_turns=True)
        return JournalBearingHandle(name, as_point(self.k), as_point(self.l), self.edges(model, name))

    def edges(self, model: Model, name: str) -> tuple[ClearanceHandle, ClearanceHandle]:
        """The contacts of both edges, added to a model.

        Parameters
        ----------
        model : model to which they are added
        name : prefix of their names

        Raises
        ------
        InputError
            When the journal points against the sleeve's axis, or starts outside it.
        """
        axis = required_direction(self.axis, "axis", f"journal bearing '{name}'")
        along = axis
        if self.journal_axis is not None:
            along = unit_vector(self.journal_axis, f"journal_axis of journal bearing '{name}'")
        if along @ axis < 0:
            raise InputError(
                f"journal bearing '{name}': journal_axis points against axis: reverse one of them"
            )
        middle = as_point(self.l).position
        first, second = (
            self._edge(model, f"{name}.{end}", middle + side * self.length * along, along)
            for end, side in (("start", -0.5), ("end", 0.5))
        )
        return first, second

    def _edge(self, model: Model, name: str, position: Array, along: Array) -> ClearanceHandle:
        disk = as_point(self.l).node.at_global(position)
        edge = SpatialClearance(
            self.k, disk, self.radius_k, self.radius_l, self.normal, self.friction,
            name=name, axis=self.axis, disk_axis=along,
        )  # fmt: skip
        return add_contact(model, edge.spec(model))


JOURNAL = Output(
    "journal",
    "journal",
    (
        Quantity("scenario", "1", "number of the contact scenario, 1 to 13", within="mean"),
        Quantity("tilt", "rad", "angle between the axes of journal and bearing"),
        Quantity(
            "offset",
            "m",
            "centre of the journal from that of the bearing; 3 is the bearing axis",
            ("offset 1", "offset 2", "offset 3"),
            "bearing",
        ),
    ),
)


def scenario(walls: Sequence[bool], faces: Sequence[bool], aligned: bool) -> int:
    """Number of the contact scenario in the source's list.

    ===== =============================== ===== =======================================
    1     no contact                      8     both ends
    2     a line of the wall              9     a point of the wall and the same end
    3     an end with its face            10    a point of the wall and the other end
    4     a line and a face               11    two points of the wall and an end
    5     a point of the wall             12    a point of the wall and both ends
    6     a point of an end               13    two points of the wall and both ends
    7     two points of the wall
    ===== =============================== ===== =======================================

    Parameters
    ----------
    walls : whether the journal's two edges, at the start and the end of its axis, touch the wall
    faces : whether its two faces touch the ends of the bearing
    aligned : whether the two axes are parallel

    Returns
    -------
    int
        1 to 13. When aligned, 2, 3 and 4 replace 7, 6 and 11; the others do not depend on the alignment.
    """
    on_wall, on_ends = sum(map(bool, walls)), sum(map(bool, faces))
    if on_wall == on_ends == 1:
        return 9 if bool(walls[0]) == bool(faces[0]) else 10
    number = {(0, 0): 1, (1, 0): 5, (0, 1): 6, (2, 0): 7, (0, 2): 8, (2, 1): 11, (1, 2): 12, (2, 2): 13}
    in_line = {7: 2, 6: 3, 11: 4}
    tilted = number[on_wall, on_ends]
    return in_line.get(tilted, tilted) if aligned else tilted


@dataclass(frozen=True, eq=False)
class JournalSpec:
    """Data of a journal in its bearing, for `JournalKind`.

    k, l : centres of bearing and journal; triad_k : (3, 3) the bearing's triad in the axes of K, its axis third;
    axis_l : (3,) the journal's axis in the axes of L; walls, faces : its contacts, at start and end; aligned_to : rad,
    tilt up to which the axes are considered parallel.
    """

    name: str
    k: Point
    l: Point
    triad_k: Array
    axis_l: Array
    walls: tuple[ContactSpec, ContactSpec]
    faces: tuple[ContactSpec, ContactSpec]
    aligned_to: float


class JournalKind(PartKind):
    """All journals of joints with radial and axial clearance: their outputs."""

    label: ClassVar[str] = "revolute clearance"
    specs: Sequence[JournalSpec]

    def __init__(self, specs: Sequence[JournalSpec], workspace: Workspace):
        self.specs = list(specs)
        self.nodes = np.array([[s.k.node.index, s.l.node.index] for s in self.specs])
        self.multipliers = np.zeros(len(self.specs), dtype=np.int64)
        self.recorded = (JOURNAL,)
        arms = [
            [workspace.offset_from_centre(p.node.index, p.offset) for p in (s.k, s.l)] for s in self.specs
        ]
        self._arms = np.array(arms)
        self._triads = np.array([s.triad_k for s in self.specs])
        self._axes = np.array([s.axis_l for s in self.specs])

    def find_rows(self, kinds: Sequence[PartKind]) -> None:
        """Find the contacts of each journal: walls and faces, (n, 4) indices in the records of all contacts."""
        contacts = next(kind for kind in kinds if isinstance(kind, ContactKind))
        index = {id(spec): n for n, spec in enumerate(contacts.specs)}
        self._contacts = contacts
        self._rows = np.array([[index[id(c)] for c in (*s.walls, *s.faces)] for s in self.specs])

    def outputs(self, workspace: Workspace) -> dict[str, Array]:
        """Scenario, tilt and offset of each journal, (n, 5)."""
        out = np.zeros((len(self.specs), 5))
        closed = self._contacts.records["gap_f"][self._rows] < 0.0
        for k, (row, spec, nodes, touching) in enumerate(
            zip(out, self.specs, self.nodes, closed, strict=True)
        ):
            (q_k, q_l), arms = workspace.q_i[nodes], self._arms[k]
            triad, axis = q_k[1:].T @ self._triads[k], q_l[1:].T @ self._axes[k]
            row[1] = np.arctan2(np.linalg.norm(np.cross(triad[:, 2], axis)), triad[:, 2] @ axis)
            row[0] = scenario(touching[:2], touching[2:], row[1] <= spec.aligned_to)
            row[2:] = triad.T @ (q_l[0] + arms[1] @ q_l[1:] - q_k[0] - arms[0] @ q_k[1:])
        return {JOURNAL.name: out}


@dataclass(frozen=True, eq=False, repr=False)
class RevoluteClearanceHandle(Handle):
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
