"""Base class of contacts between two points: normal law, friction law, geometry, check of the start."""

from __future__ import annotations

from typing import ClassVar

from fem_mbd.core.model.model import Model
from fem_mbd.core.model.node import Attachment, Point, as_point
from fem_mbd.errors import InputError
from fem_mbd.friction.records import FrictionLaw, NormalLaw
from fem_mbd.joints.contact.contact_kind import ClearanceHandle, ContactSpec, Geometry, add_contact
from fem_mbd.joints.contact.law_checks import check_laws, warn_about_friction


class Pairing:
    """Base of the contacts of two points; a subclass is a dataclass with the members below and a geometry."""

    k: Attachment
    l: Attachment
    normal: NormalLaw
    friction: FrictionLaw
    name: str

    what: ClassVar[str] = "contact"  # in messages
    slip_turns: ClassVar[bool] = True  # the bodies can slip on each other in more than one direction

    @property
    def label(self) -> str:
        """Name of this contact in messages."""
        return f"{self.what} '{self.name}'"

    def geometry(self) -> Geometry:
        """The contact's geometry; InputError for invalid dimensions."""
        raise NotImplementedError

    def check_start(self, k: Point, l: Point, label: str) -> None:
        """Refuse an impossible initial position.

        Parameters
        ----------
        k, l : the two points
        label : of the contact, for the message

        Raises
        ------
        InputError
            Naming the contact.
        """

    def __post_init__(self) -> None:
        self.geometry()
        check_laws(self.normal, self.friction, self.label)

    def build(self, model: Model) -> ClearanceHandle:
        """Called by `Model.add`."""
        spec = self.spec(model)
        warn_about_friction(self.friction, f"{self.what} '{spec.name}'", self.slip_turns)
        return add_contact(model, spec)

    def spec(self, model: Model) -> ContactSpec:
        """Checked data of the contact, with a name that is new in the model.

        Parameters
        ----------
        model : model to which the contact is added
        """
        name = model.registry.unique_name(self.name)
        label = f"{self.what} '{name}'"
        k, l = as_point(self.k), as_point(self.l)
        if k.node is l.node:
            raise InputError(f"{label} joins node '{k.node.name}' to itself: give two bodies")
        self.check_start(k, l, label)
        return ContactSpec(name, k, l, self.geometry(), self.normal, self.friction)
