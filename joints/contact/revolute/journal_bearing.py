"""Journal bearing: a journal with two edges in a sleeve with clearance (Bauchau and Ju, section 2.2 and figure 4).

The journal is rigid; a disk at each of its ends runs in the same cylinder, each with a spatial clearance joint. The
journal can lie on one side of the sleeve, tilt until its two edges touch opposite sides, slide along it and rotate.
"""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass, field
from typing import Any

from fem_mbd.base.arguments import arguments
from fem_mbd.base.arrays import Array
from fem_mbd.base.validation import positive
from fem_mbd.core.model.model import Model
from fem_mbd.core.model.node import Attachment, Point, as_point
from fem_mbd.core.rotations import unit_vector
from fem_mbd.errors import InputError
from fem_mbd.friction import Frictionless
from fem_mbd.friction.records import FrictionLaw, NormalLaw
from fem_mbd.joints.contact.contact_kind import ClearanceHandle, add_contact
from fem_mbd.joints.contact.law_checks import check_laws, warn_about_friction
from fem_mbd.joints.contact.spatial_clearance import SpatialClearance
from fem_mbd.joints.pair import required_direction


@dataclass(frozen=True, eq=False)
class JournalBearingHandle:
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
