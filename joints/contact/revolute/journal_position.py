"""Output of journals in bearings: tilt, offset, and which of the thirteen contact scenarios holds.

List: F. Marques, Frictional contacts in multibody dynamics, thesis, University of Minho 2015, section 4.2.1.

The joint's four contacts are computed in `contact_kind`; this kind of part adds no force. It reads which of them are
closed at the end of a step and outputs

    scenario : 1 to 13, see `scenario`
    tilt : rad, angle between the two axes
    offset : m, of the journal's centre from the bearing's, in the bearing's triad (axis 3 is the bearing axis)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from fem_mbd.base.arrays import Array
from fem_mbd.core.model.node import Point
from fem_mbd.core.model.output import Output, Quantity
from fem_mbd.core.model.part_kind import PartKind
from fem_mbd.core.model.workspace import Workspace
from fem_mbd.joints.contact.contact_kind import ContactKind, ContactSpec

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

    def __init__(self, specs: Sequence[JournalSpec], work: Workspace):
        self.specs = list(specs)
        self.nodes = np.array([[s.k.node.index, s.l.node.index] for s in self.specs])
        self.multipliers = np.zeros(len(self.specs), dtype=np.int64)
        self.recorded = (JOURNAL,)
        arms = [[work.offset_from_centre(p.node.index, p.offset) for p in (s.k, s.l)] for s in self.specs]
        self._arms = np.array(arms)
        self._triads = np.array([s.triad_k for s in self.specs])
        self._axes = np.array([s.axis_l for s in self.specs])

    def find_rows(self, kinds: Sequence[PartKind]) -> None:
        """Find the contacts of each journal: walls and faces, (n, 4) indices in the records of all contacts."""
        contacts = next(kind for kind in kinds if isinstance(kind, ContactKind))
        index = {id(spec): n for n, spec in enumerate(contacts.specs)}
        self._contacts = contacts
        self._rows = np.array([[index[id(c)] for c in (*s.walls, *s.faces)] for s in self.specs])

    def outputs(self, work: Workspace) -> dict[str, Array]:
        """Scenario, tilt and offset of each journal, (n, 5)."""
        out = np.zeros((len(self.specs), 5))
        closed = self._contacts.records["gap_f"][self._rows] < 0.0
        for k, (row, spec, nodes, touching) in enumerate(
            zip(out, self.specs, self.nodes, closed, strict=True)
        ):
            (q_k, q_l), arms = work.q_i[nodes], self._arms[k]
            triad, axis = q_k[1:].T @ self._triads[k], q_l[1:].T @ self._axes[k]
            row[1] = np.arctan2(np.linalg.norm(np.cross(triad[:, 2], axis)), triad[:, 2] @ axis)
            row[0] = scenario(touching[:2], touching[2:], row[1] <= spec.aligned_to)
            row[2:] = triad.T @ (q_l[0] + arms[1] @ q_l[1:] - q_k[0] - arms[0] @ q_k[1:])
        return {JOURNAL.name: out}
